/* gemm: matrix product on a GPU. */
#include "kernels/device.cuh"

extern "C" {
#include "kernels/batched_gemm.h"
#include "kernels/gemm.h"
}

int gemm_cuda(const struct gemm_shape *s, const struct gemm_cuda_data *d, struct device *device,
              struct err *e)
{
    struct batched_gemm_shape g = {};
    struct batched_gemm_data at = {d->a, d->b, d->c};
    g.count = 1;
    g.m = s->m;
    g.n = g.ldc = s->n;
    g.k = g.lda = s->k;
    g.b_transposed = s->b_transposed;
    g.ldb = s->b_transposed ? s->k : s->n;
    g.precision = PRECISION_FP32;
    return batched_gemm_cuda(&g, &at, device, e);
}
