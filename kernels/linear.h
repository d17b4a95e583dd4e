/* linear: y = activation(x W^T + b), the dense layer, with weights stored output-major. */
#ifndef SLUICE_KERNELS_LINEAR_H
#define SLUICE_KERNELS_LINEAR_H

#include "kernels/precision.h"

#include <stdint.h>

struct device;
struct err;
struct parallel;

enum linear_activation { LINEAR_PLAIN, LINEAR_RELU, LINEAR_TANH, LINEAR_GELU };

/* rows x inputs times (outputs x inputs) transposed. */
struct linear_shape {
    int32_t rows, inputs, outputs;
    int32_t x_row; /* distance of two rows of x, >= inputs: BERT's pooler reads first tokens only */
    enum linear_activation activation;
    enum precision precision;
};

struct linear_reference_data {
    const double *x, *weight, *bias;
    double *y;
};
struct linear_data {
    const float *x, *weight, *bias;
    float *y;
};

void linear_reference(const struct linear_shape *s, const struct linear_reference_data *d);
/* Tiles of the result with their bias and activation, shared out among the threads (NULL: none but
 * the caller's); OpenBLAS should have one thread then. */
void linear_blas(const struct linear_shape *s, const struct linear_data *d,
                 struct parallel *threads);
double linear_flop(const struct linear_shape *s); /* of the product */

/* In device memory, queued. */
int linear_cuda(const struct linear_shape *s, const struct linear_data *d, struct device *device,
                struct err *e);

#endif
