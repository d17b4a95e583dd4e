/* softmax: exp(scale * x) of each row over its sum, with the rows' ends masked. */
#ifndef SLUICE_KERNELS_SOFTMAX_H
#define SLUICE_KERNELS_SOFTMAX_H

#include "kernels/precision.h"

#include <stdint.h>

struct device;
struct err;

/* rows x columns without padding, all >= 1. */
struct softmax_shape {
    int32_t rows, columns;
    int32_t length; /* columns from here on are masked and become 0; 1 <= length <= columns */
    double scale;   /* of the scores before the exponential */
    enum precision precision;
};

/* In place. The largest score of a row is subtracted first, so nothing overflows. */
void softmax_reference(const struct softmax_shape *s, double *x);
void softmax_float(const struct softmax_shape *s, float *x);

/* exp in float for the loops of softmax_float: within 2e-7 of exp's value for -87 <= x <= 88, 0
 * below and exp(88) above. */
float softmax_exp(float x);

/* In device memory, queued, a warp a row. lengths: of each `share` rows, instead of s->length; or
 * NULL. */
struct softmax_cuda_data {
    float *x;
    const int32_t *lengths;
    int32_t share;
};
int softmax_cuda(const struct softmax_shape *s, const struct softmax_cuda_data *d,
                 struct device *device, struct err *e);

#endif
