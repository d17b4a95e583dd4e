/* layer_norm: each row of x + residual brought to mean 0 and deviation 1, then scaled and moved. */
#ifndef SLUICE_KERNELS_LAYER_NORM_H
#define SLUICE_KERNELS_LAYER_NORM_H

#include "kernels/precision.h"

#include <stdint.h>

struct device;
struct err;
struct parallel;

/* rows x columns without padding, both >= 1. */
struct layer_norm_shape {
    int32_t rows, columns;
    double eps; /* added to the variance, > 0 */
    enum precision precision;
};

/* residual may be NULL. gain and bias hold `columns` values. y may be x. */
struct layer_norm_reference_data {
    const double *x, *residual, *gain, *bias;
    double *y;
};
struct layer_norm_data {
    const float *x, *residual, *gain, *bias;
    float *y;
};

void layer_norm_reference(const struct layer_norm_shape *s,
                          const struct layer_norm_reference_data *d);
/* Two passes over a row in float: mean, then deviations from it, in eight partial sums. threads may
 * be NULL. */
void layer_norm_float(const struct layer_norm_shape *s, const struct layer_norm_data *d,
                      struct parallel *threads);

/* In device memory, queued, a block a row, which it keeps in its shared memory: columns * 4 bytes
 * and a little more must fit, 12,000 columns on any GPU. */
int layer_norm_cuda(const struct layer_norm_shape *s, const struct layer_norm_data *d,
                    struct device *device, struct err *e);

#endif
