/* linear: a product with its epilogue. */
#include "kernels/linear.h"

#include "kernels/batched_gemm.h"
#include "kernels/bias.h"
#include "kernels/gelu.h"

static struct batched_gemm_shape product(const struct linear_shape *s)
{
    return (struct batched_gemm_shape){.count = 1,
                                       .m = s->rows,
                                       .n = s->outputs,
                                       .k = s->inputs,
                                       .b_transposed = true,
                                       .lda = s->x_row,
                                       .ldb = s->inputs,
                                       .ldc = s->outputs,
                                       .precision = s->precision};
}

static struct bias_shape epilogue(const struct linear_shape *s)
{
    return (struct bias_shape){.rows = s->rows,
                               .columns = s->outputs,
                               .activation = s->activation == LINEAR_RELU   ? BIAS_RELU
                                             : s->activation == LINEAR_TANH ? BIAS_TANH
                                                                            : BIAS_ONLY,
                               .precision = s->precision};
}

void linear_reference(const struct linear_shape *s, const struct linear_reference_data *d)
{
    struct batched_gemm_shape g = product(s);
    struct bias_shape b = epilogue(s);
    struct gelu_shape u = {s->rows, s->outputs, s->precision};
    batched_gemm_reference(&g, &(struct batched_gemm_reference_data){d->x, d->weight, d->y});
    if (s->activation == LINEAR_GELU)
        gelu_reference(&u, d->bias, d->y);
    else
        bias_reference(&b, d->bias, d->y);
}

void linear_blas(const struct linear_shape *s, const struct linear_data *d)
{
    struct batched_gemm_shape g = product(s);
    struct bias_shape b = epilogue(s);
    struct gelu_shape u = {s->rows, s->outputs, s->precision};
    batched_gemm_blas(&g, &(struct batched_gemm_data){d->x, d->weight, d->y});
    if (s->activation == LINEAR_GELU)
        gelu_float(&u, d->bias, d->y);
    else
        bias_float(&b, d->bias, d->y);
}

double linear_flop(const struct linear_shape *s)
{
    struct batched_gemm_shape g = product(s);
    return batched_gemm_flop(&g);
}
