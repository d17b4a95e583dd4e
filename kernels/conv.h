/* conv: two-dimensional convolution with a bias, a folded batch norm and ReLU at its end.
 *
 * Tensors are dense NCHW; weights are [cout][cin][kh][kw]. The output may be a slice of channels of
 * a wider tensor, so that a concatenation copies nothing. As networks do, "convolution" means
 * cross-correlation: y[o][i][j] = bias[o] + sum w[o][c][u][v] x[c][i*stride+u-pad_h][...]. */
#ifndef SLUICE_KERNELS_CONV_H
#define SLUICE_KERNELS_CONV_H

#include "kernels/precision.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct device;
struct err;
struct parallel;

/* All extents >= 1, paddings >= 0 and smaller than the kernel; the kernel fits the padded input. */
struct conv_shape {
    int32_t batch, cin, hin, win;
    int32_t cout, kh, kw, stride, pad_h, pad_w;
    int32_t y_channels; /* of the tensor that y is a slice of; cout when y stands alone */
    bool relu;
    enum precision precision;
};

/* bias holds cout values. y points at the slice's first channel in the first image. */
struct conv_reference_data {
    const double *x, *weight, *bias;
    double *y;
};
/* scratch: conv_scratch values for each thread, or NULL when that is 0. */
struct conv_data {
    const float *x, *weight, *bias;
    float *y, *scratch;
};

int32_t conv_hout(const struct conv_shape *s);
int32_t conv_wout(const struct conv_shape *s);
/* Values that conv_blas needs beside its tensors for each thread: 0 for a 1x1 kernel of stride 1.
 */
size_t conv_scratch(const struct conv_shape *s);
/* Two a multiplication with its addition, as papers count; the epilogue is left out. */
double conv_flop(const struct conv_shape *s);

/* The sum as written above. */
void conv_reference(const struct conv_shape *s, const struct conv_reference_data *d);
/* Patches of some pixels at a time into a panel that stays in the cache (im2col), then one product
 * and its bias and ReLU; 1x1 kernels of stride 1 multiply the input as it lies. Tiles are shared
 * out among the threads (NULL: none but the caller's); OpenBLAS should have one thread then. */
void conv_blas(const struct conv_shape *s, const struct conv_data *d, struct parallel *threads);

/* Batch norm at inference, (z - mean) * gamma / sqrt(variance + eps) + beta, for each of cout
 * channels. gamma may be NULL: all one. */
struct conv_norm {
    const float *gamma, *beta, *mean, *variance;
    double eps;
};
/* Puts the norm into the weights (cout rows of `row` values) and writes the bias, calculated in
 * double, so that conv(x) of the result is norm(conv(x)) of the original. */
void conv_fold(const struct conv_norm *n, int32_t cout, size_t row, double *weight, double *bias);

/* As conv_blas, in device memory, queued: patches of as many images as the scratch holds, and one
 * product for all of them. conv_cuda_scratch: values that it wants; one image's patches at least.
 */
size_t conv_cuda_scratch(const struct conv_shape *s);
int conv_cuda(const struct conv_shape *s, const struct conv_data *d, struct device *device,
              struct err *e);

#endif
