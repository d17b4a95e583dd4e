/* image_png: the door to libpng. */
#ifndef SLUICE_KERNELS_IMAGE_PNG_H
#define SLUICE_KERNELS_IMAGE_PNG_H

#include "kernels/image.h"

/* ERR_INPUT names the file and repeats what libpng says. After a failure out is for image_free. */
int image_png(struct image *out, const struct image_file *f, struct err *e);

#endif
