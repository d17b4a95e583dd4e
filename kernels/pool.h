/* pool: largest value or mean over a window that slides over each channel.
 *
 * Tensors are dense NCHW; the output may be a slice of channels of a wider tensor. Two rules for
 * the mean at the border are in use: torchvision divides by the whole window, Keras by the cells
 * that lie inside the image. Padding never wins a maximum. */
#ifndef SLUICE_KERNELS_POOL_H
#define SLUICE_KERNELS_POOL_H

#include "kernels/precision.h"

#include <stdbool.h>
#include <stdint.h>

struct device;
struct err;
struct parallel;

enum pool_kind { POOL_MAX, POOL_MEAN };

/* Extents >= 1; paddings >= 0 and smaller than the window, which fits the padded input. */
struct pool_shape {
    int32_t batch, channels, hin, win;
    int32_t kh, kw, stride, pad_h, pad_w;
    int32_t y_channels; /* of the tensor that y is a slice of; `channels` when y stands alone */
    enum pool_kind kind;
    bool count_padding; /* mean: padding counts as cells of value 0 */
    enum precision precision;
};

int32_t pool_hout(const struct pool_shape *s);
int32_t pool_wout(const struct pool_shape *s);
void pool_reference(const struct pool_shape *s, const double *x, double *y);
/* The same in float: the window's rows are taken together first, then its columns. Windows and
 * strides of up to POOL_MAX_WINDOW columns. threads may be NULL. */
#define POOL_MAX_WINDOW 1024
void pool_float(const struct pool_shape *s, const float *x, float *y, struct parallel *threads);

/* In device memory, queued. */
struct pool_cuda_data {
    const float *x;
    float *y;
};
int pool_cuda(const struct pool_shape *s, const struct pool_cuda_data *d, struct device *device,
              struct err *e);

#endif
