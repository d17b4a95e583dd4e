/* transpose: a stack of matrices with rows and columns exchanged.
 *
 * What turns pixels (height x width x channels) into planes, and the weights of checkpoints that
 * are stored input-major into the output-major form used here. */
#ifndef SLUICE_KERNELS_TRANSPOSE_H
#define SLUICE_KERNELS_TRANSPOSE_H

#include "kernels/precision.h"

#include <stdint.h>

struct device;
struct err;

/* count matrices of rows x columns, one behind the other; all >= 1. */
struct transpose_shape {
    int32_t count, rows, columns;
    enum precision precision;
};

/* y may not be x. */
void transpose_reference(const struct transpose_shape *s, const double *x, double *y);
void transpose_float(const struct transpose_shape *s, const float *x, float *y);

/* In device memory, queued. */
struct transpose_cuda_data {
    const float *x;
    float *y;
};
int transpose_cuda(const struct transpose_shape *s, const struct transpose_cuda_data *d,
                   struct device *device, struct err *e);

#endif
