/* linear: the dense layer on a GPU: a product with its epilogue. */
#include "kernels/device.cuh"

extern "C" {
#include "kernels/batched_gemm.h"
#include "kernels/bias.h"
#include "kernels/gelu.h"
#include "kernels/linear.h"
}

static int epilogue(const struct linear_shape *s, const struct linear_data *d,
                    struct device *device, struct err *e)
{
    if (s->activation == LINEAR_GELU) {
        struct gelu_shape u = {s->rows, s->outputs, s->precision};
        struct gelu_cuda_data at = {d->bias, d->y};
        return gelu_cuda(&u, &at, device, e);
    }
    struct bias_shape b = {s->rows, s->outputs,
                           s->activation == LINEAR_RELU   ? BIAS_RELU
                           : s->activation == LINEAR_TANH ? BIAS_TANH
                                                          : BIAS_ONLY,
                           s->precision};
    struct bias_cuda_data at = {d->bias, d->y};
    return bias_cuda(&b, &at, device, e);
}

int linear_cuda(const struct linear_shape *s, const struct linear_data *d, struct device *device,
                struct err *e)
{
    struct batched_gemm_shape g = {};
    struct batched_gemm_data product = {d->x, d->weight, d->y};
    g.count = 1;
    g.m = s->rows;
    g.n = g.ldc = s->outputs;
    g.k = g.ldb = s->inputs;
    g.b_transposed = true;
    g.lda = s->x_row;
    g.precision = s->precision;
    return batched_gemm_cuda(&g, &product, device, e) || epilogue(s, d, device, e) ? -1 : 0;
}
