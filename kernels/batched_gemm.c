/* batched_gemm: products at fixed distances. */
#include "kernels/batched_gemm.h"

#include <assert.h>
#include <cblas.h>

static void check(const struct batched_gemm_shape *s)
{
    assert(s->count >= 1 && s->m >= 1 && s->n >= 1 && s->k >= 1);
    assert(s->lda >= s->k && s->ldb >= (s->b_transposed ? s->k : s->n) && s->ldc >= s->n);
    assert(s->precision == PRECISION_FP32);
}

static void one_reference(const struct batched_gemm_shape *s, const double *a, const double *b,
                          double *c)
{
    size_t lda = (size_t)s->lda, ldb = (size_t)s->ldb, ldc = (size_t)s->ldc;
    for (size_t i = 0; i < (size_t)s->m; i++)
        for (size_t j = 0; j < (size_t)s->n; j++) {
            double sum = 0;
            for (size_t p = 0; p < (size_t)s->k; p++)
                sum += a[i * lda + p] * (s->b_transposed ? b[j * ldb + p] : b[p * ldb + j]);
            c[i * ldc + j] = sum;
        }
}

void batched_gemm_reference(const struct batched_gemm_shape *s,
                            const struct batched_gemm_reference_data *d)
{
    check(s);
    for (size_t i = 0; i < (size_t)s->count; i++)
        one_reference(s, d->a + i * s->a_step, d->b + i * s->b_step, d->c + i * s->c_step);
}

void batched_gemm_blas(const struct batched_gemm_shape *s, const struct batched_gemm_data *d)
{
    check(s);
    assert(d->a && d->b && d->c);
    for (size_t i = 0; i < (size_t)s->count; i++)
        cblas_sgemm(CblasRowMajor, CblasNoTrans, s->b_transposed ? CblasTrans : CblasNoTrans, s->m,
                    s->n, s->k, 1.0F, d->a + i * s->a_step, s->lda, d->b + i * s->b_step, s->ldb,
                    0.0F, d->c + i * s->c_step, s->ldc);
}

double batched_gemm_flop(const struct batched_gemm_shape *s)
{
    return 2.0 * s->count * s->m * s->n * s->k;
}
