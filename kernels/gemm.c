/* gemm: matrix product, reference and OpenBLAS. */
#include "kernels/gemm.h"

#include <assert.h>
#include <cblas.h>

#define GEMM_MAX (1 << 20)

static bool valid(const struct gemm_shape *s)
{
    return s->m >= 1 && s->n >= 1 && s->k >= 1 && s->m <= GEMM_MAX && s->n <= GEMM_MAX &&
           s->k <= GEMM_MAX;
}

void gemm_reference(const struct gemm_shape *s, const double *a, const double *b, double *c)
{
    assert(valid(s) && a && b && c);
    size_t m = (size_t)s->m, n = (size_t)s->n, k = (size_t)s->k;
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            for (size_t p = 0; p < k; p++)
                sum += a[i * k + p] * (s->b_transposed ? b[j * k + p] : b[p * n + j]);
            c[i * n + j] = sum;
        }
}

void gemm_blas(const struct gemm_shape *s, const float *a, const float *b, float *c)
{
    assert(valid(s) && a && b && c);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, s->b_transposed ? CblasTrans : CblasNoTrans, s->m,
                s->n, s->k, 1.0F, a, s->k, b, s->b_transposed ? s->k : s->n, 0.0F, c, s->n);
}

double gemm_flop(const struct gemm_shape *s)
{
    return 2.0 * s->m * s->n * s->k;
}

const char *gemm_blas_core(void)
{
    return openblas_get_corename();
}

int32_t gemm_blas_threads(int32_t n)
{
    if (n > 0)
        openblas_set_num_threads(n);
    return openblas_get_num_threads();
}
