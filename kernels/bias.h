/* bias: a value a column added to a matrix, with a simple activation behind it. */
#ifndef SLUICE_KERNELS_BIAS_H
#define SLUICE_KERNELS_BIAS_H

#include "kernels/precision.h"

#include <stdint.h>

struct device;
struct err;

enum bias_activation { BIAS_ONLY, BIAS_RELU, BIAS_TANH };

/* rows x columns without padding, both >= 1. */
struct bias_shape {
    int32_t rows, columns;
    enum bias_activation activation;
    enum precision precision;
};

/* In place: activation(x + bias), where bias holds `columns` values. */
void bias_reference(const struct bias_shape *s, const double *bias, double *x);
void bias_float(const struct bias_shape *s, const float *bias, float *x);

/* In device memory, queued. */
struct bias_cuda_data {
    const float *bias;
    float *x;
};
int bias_cuda(const struct bias_shape *s, const struct bias_cuda_data *d, struct device *device,
              struct err *e);

#endif
