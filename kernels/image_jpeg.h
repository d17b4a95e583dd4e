/* image_jpeg: the door to libjpeg. */
#ifndef SLUICE_KERNELS_IMAGE_JPEG_H
#define SLUICE_KERNELS_IMAGE_JPEG_H

#include "kernels/image.h"

/* ERR_INPUT names the file and repeats what libjpeg says; a file that ends early is damaged, one
 * with bytes between its parts is not. After a failure out is for image_free. */
int image_jpeg(struct image *out, const struct image_file *f, struct err *e);

#endif
