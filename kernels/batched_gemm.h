/* batched_gemm: many products of one shape, at fixed distances in memory.
 *
 * C_i = A_i x B_i for i in 0..count-1, where A_i begins at a + i * a_step and its rows are lda
 * values apart; likewise B and C. So the heads of an attention are multiplied where they lie
 * inside wider rows. The same call exists in cuBLAS as a strided-batched product. */
#ifndef SLUICE_KERNELS_BATCHED_GEMM_H
#define SLUICE_KERNELS_BATCHED_GEMM_H

#include "kernels/precision.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct device;
struct err;

/* 1 <= m, n, k; A is m x k, B k x n (n x k when b_transposed), C m x n. lda >= k, ldb >= n (>= k
 * when b_transposed), ldc >= n. The products' results must not overlap. */
struct batched_gemm_shape {
    int32_t count, m, n, k;
    bool b_transposed;
    int32_t lda, ldb, ldc;
    size_t a_step, b_step, c_step;
    enum precision precision;
};

struct batched_gemm_reference_data {
    const double *a, *b;
    double *c;
};
struct batched_gemm_data {
    const float *a, *b;
    float *c;
};

void batched_gemm_reference(const struct batched_gemm_shape *s,
                            const struct batched_gemm_reference_data *d);
void batched_gemm_blas(const struct batched_gemm_shape *s, const struct batched_gemm_data *d);
double batched_gemm_flop(const struct batched_gemm_shape *s);

/* In device memory, queued: by the algorithm that a search found (kernels/gemm_table.h), or else by
 * the library's own choice. FP32 throughout: no TF32. */
int batched_gemm_cuda(const struct batched_gemm_shape *s, const struct batched_gemm_data *d,
                      struct device *device, struct err *e);
/* Times the library's choice and its best-rated algorithms on random values in memory of its own,
 * aligned as told (4 to 256 bytes), and adds the fastest to the device's table. Nothing to do when
 * the table has the shape already. */
int batched_gemm_search(const struct batched_gemm_shape *s, int32_t alignment,
                        struct device *device, struct err *e);
/* Stored algorithms of this device that the library refused: its own choice ran instead. */
size_t batched_gemm_refused(const struct device *device);

#endif
