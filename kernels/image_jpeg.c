/* image_jpeg: JPEG by libjpeg. */
#include "kernels/image_jpeg.h"

#include "sim/err.h"

#include <setjmp.h>
#include <stddef.h>
#include <stdio.h>

/* needs the two above */
#include <jpeglib.h>

#include <jerror.h>

/* libjpeg ends the program after an error unless it is made to jump; `base` is its own part. */
struct reader {
    struct jpeg_error_mgr base;
    struct jpeg_decompress_struct jpeg;
    jmp_buf back;
    char message[JMSG_LENGTH_MAX];
};

static void give_up(j_common_ptr jpeg)
{
    struct reader *r = (struct reader *)jpeg->err;
    r->base.format_message(jpeg, r->message);
    longjmp(r->back, 1);
}

/* Warnings are below 0. Values that libjpeg had to make up are no picture. */
static void hear(j_common_ptr jpeg, int level)
{
    if (level < 0 && jpeg->err->msg_code != JWRN_EXTRANEOUS_DATA)
        give_up(jpeg);
}

static void say_nothing(j_common_ptr jpeg)
{
    (void)jpeg;
}

/* What may jump: nothing of its own lives across it. */
static int read(struct image *out, const struct image_file *f, struct reader *r, struct err *e)
{
    jpeg_create_decompress(&r->jpeg);
    jpeg_mem_src(&r->jpeg, f->bytes, (unsigned long)f->size);
    jpeg_read_header(&r->jpeg, TRUE);
    if (r->jpeg.num_components != 1 && r->jpeg.num_components != 3)
        return err_set(e, ERR_INPUT, f->path,
                       "is a JPEG of %d components; grey and coloured pictures have 1 and 3",
                       r->jpeg.num_components);
    r->jpeg.out_color_space = JCS_RGB;
    if (image_take(out, f->path, (const uint64_t[2]){r->jpeg.image_width, r->jpeg.image_height}, e))
        return -1;
    jpeg_start_decompress(&r->jpeg);
    while (r->jpeg.output_scanline < r->jpeg.output_height) {
        JSAMPROW row = out->rgb + (size_t)r->jpeg.output_scanline * (size_t)out->width * 3;
        jpeg_read_scanlines(&r->jpeg, &row, 1);
    }
    jpeg_finish_decompress(&r->jpeg);
    return 0;
}

/* The reader lives outside: what a function changes of its own between setjmp and longjmp is lost
 * (C11 7.13.2.1). */
static int try_to_read(struct image *out, const struct image_file *f, struct reader *r,
                       struct err *e)
{
    if (setjmp(r->back) != 0)
        return err_set(e, ERR_INPUT, f->path, "is a damaged JPEG: %s", r->message);
    return read(out, f, r, e);
}

int image_jpeg(struct image *out, const struct image_file *f, struct err *e)
{
    struct reader r = {.message = ""};
    r.jpeg.err = jpeg_std_error(&r.base);
    r.base.error_exit = give_up;
    r.base.emit_message = hear;
    r.base.output_message = say_nothing;
    int rc = try_to_read(out, f, &r, e);
    jpeg_destroy_decompress(&r.jpeg);
    return rc;
}
