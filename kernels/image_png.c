/* image_png: PNG by libpng's simplified interface, which reports instead of jumping or ending. */
#include "kernels/image_png.h"

#include "sim/err.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

static int damaged(const struct image_file *f, const png_image *p, struct err *e)
{
    return err_set(e, ERR_INPUT, f->path, "is a damaged PNG: %s", p->message);
}

static void drop_alpha(const unsigned char *rgba, struct image *out)
{
    for (size_t i = 0, n = (size_t)out->width * (size_t)out->height; i < n; i++)
        memcpy(out->rgb + 3 * i, rgba + 4 * i, 3);
}

static int read(struct image *out, const struct image_file *f, png_image *p, struct err *e)
{
    if (image_take(out, f->path, (const uint64_t[2]){p->width, p->height}, e))
        return -1;
    p->format = PNG_FORMAT_RGBA;
    p->flags |= PNG_IMAGE_FLAG_16BIT_sRGB; /* unless a chunk of the file says otherwise */
    unsigned char *rgba = malloc(PNG_IMAGE_SIZE(*p));
    if (!rgba)
        return err_set(e, ERR_SYSTEM, f->path, "out of memory for the picture");
    int rc = png_image_finish_read(p, NULL, rgba, 0, NULL) ? 0 : damaged(f, p, e);
    if (rc == 0)
        drop_alpha(rgba, out);
    free(rgba);
    return rc;
}

int image_png(struct image *out, const struct image_file *f, struct err *e)
{
    png_image p;
    memset(&p, 0, sizeof p);
    p.version = PNG_IMAGE_VERSION;
    int rc = png_image_begin_read_from_memory(&p, f->bytes, f->size) ? read(out, f, &p, e)
                                                                     : damaged(f, &p, e);
    png_image_free(&p);
    return rc;
}
