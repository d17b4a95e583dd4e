/* gelu: x * Phi(x), the Gaussian error linear unit in its exact form with erf. */
#ifndef SLUICE_KERNELS_GELU_H
#define SLUICE_KERNELS_GELU_H

#include "kernels/precision.h"

#include <stdint.h>

struct device;
struct err;

/* rows x columns without padding, both >= 1. */
struct gelu_shape {
    int32_t rows, columns;
    enum precision precision;
};

/* In place: gelu(x + bias), where bias holds `columns` values. */
void gelu_reference(const struct gelu_shape *s, const double *bias, double *x);
void gelu_float(const struct gelu_shape *s, const float *bias, float *x);

/* erf in float for the loops of gelu_float: within 4e-7 of erf everywhere. */
float gelu_erf(float x);

/* In device memory, queued. */
struct gelu_cuda_data {
    const float *bias;
    float *x;
};
int gelu_cuda(const struct gelu_shape *s, const struct gelu_cuda_data *d, struct device *device,
              struct err *e);

#endif
