/* gemm: C = A x B for dense row-major matrices, the operator most of a network's time goes into.
 *
 * One operator, several backends: a plain reference in double, and OpenBLAS in single precision.
 * Shapes: A is m x k, B is k x n (n x k when b_transposed, as linear layers store their weights),
 * C is m x n, all without padding between rows. */
#ifndef SLUICE_KERNELS_GEMM_H
#define SLUICE_KERNELS_GEMM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct device;
struct err;

/* 1 <= m, n, k <= 2^20. */
struct gemm_shape {
    int32_t m, n, k;
    bool b_transposed;
};

/* The textbook triple loop; inner products are summed in double in order of k. */
void gemm_reference(const struct gemm_shape *s, const double *a, const double *b, double *c);
/* The same inputs in float, through OpenBLAS. c is overwritten. */
void gemm_blas(const struct gemm_shape *s, const float *a, const float *b, float *c);

/* Multiplications and additions of one product. */
double gemm_flop(const struct gemm_shape *s);

/* Name of OpenBLAS' kernels in use ("SkylakeX"): an old OpenBLAS falls back to "Prescott" on a
 * processor that it does not know, at a fifth of the speed. */
const char *gemm_blas_core(void);
/* Threads that OpenBLAS uses; n > 0 sets their number. */
int32_t gemm_blas_threads(int32_t n);

/* The same in device memory, queued. */
struct gemm_cuda_data {
    const float *a, *b;
    float *c;
};
int gemm_cuda(const struct gemm_shape *s, const struct gemm_cuda_data *d, struct device *device,
              struct err *e);

#endif
