/* image: a picture from a PNG or JPEG file, as rows of red, green and blue. */
#ifndef SLUICE_KERNELS_IMAGE_H
#define SLUICE_KERNELS_IMAGE_H

#include <stddef.h>
#include <stdint.h>

struct err;

#define IMAGE_MAX_SIDE 16384
#define IMAGE_MAX_BYTES (64u << 20) /* of a file */

/* width * height * 3 bytes, 0 to 255; {0} is no image. */
struct image {
    int32_t width, height;
    unsigned char *rgb;
};

/* The bytes of a file. */
struct image_file {
    const char *path;
    const unsigned char *bytes;
    size_t size;
};

/* By the file's first bytes, not by its name. Grey becomes three equal colours, transparency is
 * dropped, sixteen bits become eight. ERR_INPUT names the file and what is wrong with it. */
int image_load(struct image *out, const char *path, struct err *e);
void image_free(struct image *i); /* accepts {0} */
/* Room for a picture of that size; ERR_INPUT when a side is outside 1..IMAGE_MAX_SIDE. */
int image_take(struct image *out, const char *path, const uint64_t size[2], struct err *e);

#endif
