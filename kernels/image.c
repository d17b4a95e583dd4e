/* image: reads a file and gives it to the reader of its kind. */
#include "kernels/image.h"

#include "kernels/image_jpeg.h"
#include "kernels/image_png.h"
#include "sim/err.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int image_take(struct image *out, const char *path, const uint64_t size[2], struct err *e)
{
    if (size[0] < 1 || size[1] < 1 || size[0] > IMAGE_MAX_SIDE || size[1] > IMAGE_MAX_SIDE)
        return err_set(e, ERR_INPUT, path, "%llu x %llu pixels: allowed are 1 to %d a side",
                       (unsigned long long)size[0], (unsigned long long)size[1], IMAGE_MAX_SIDE);
    *out = (struct image){.width = (int32_t)size[0], .height = (int32_t)size[1]};
    out->rgb = malloc((size_t)size[0] * (size_t)size[1] * 3);
    return out->rgb ? 0 : err_set(e, ERR_SYSTEM, path, "out of memory for the picture");
}

void image_free(struct image *i)
{
    free(i->rgb);
    *i = (struct image){0};
}

static int decode(struct image *out, const struct image_file *f, struct err *e)
{
    static const unsigned char png[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
    static const unsigned char jpeg[3] = {0xFF, 0xD8, 0xFF};
    if (f->size == 0)
        return err_set(e, ERR_INPUT, f->path, "is empty");
    if (f->size >= sizeof png && memcmp(f->bytes, png, sizeof png) == 0)
        return image_png(out, f, e);
    if (f->size >= sizeof jpeg && memcmp(f->bytes, jpeg, sizeof jpeg) == 0)
        return image_jpeg(out, f, e);
    return err_set(e, ERR_INPUT, f->path, "is neither PNG nor JPEG");
}

/* All bytes, up to one more than allowed. On the heap. */
static int read_all(FILE *in, const char *path, unsigned char **bytes, size_t *size, struct err *e)
{
    *bytes = malloc((size_t)IMAGE_MAX_BYTES + 1);
    if (!*bytes)
        return err_set(e, ERR_SYSTEM, path, "out of memory for the file");
    *size = fread(*bytes, 1, (size_t)IMAGE_MAX_BYTES + 1, in);
    if (ferror(in))
        return err_set(e, ERR_INPUT, path, "cannot be read: %s", strerror(errno));
    if (*size > IMAGE_MAX_BYTES)
        return err_set(e, ERR_INPUT, path, "is larger than %u MiB", IMAGE_MAX_BYTES >> 20);
    return 0;
}

int image_load(struct image *out, const char *path, struct err *e)
{
    unsigned char *bytes = NULL;
    size_t size = 0;
    *out = (struct image){0};
    FILE *in = fopen(path, "rb");
    if (!in)
        return err_set(e, ERR_INPUT, path, "cannot be opened: %s", strerror(errno));
    int rc = read_all(in, path, &bytes, &size, e);
    fclose(in);
    if (rc == 0)
        rc = decode(out, &(struct image_file){path, bytes, size}, e);
    free(bytes);
    if (rc)
        image_free(out);
    return rc;
}
