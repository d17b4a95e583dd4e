/* linear: a product with its epilogue. */
#include "kernels/linear.h"

#include "kernels/batched_gemm.h"
#include "kernels/bias.h"
#include "kernels/gelu.h"
#include "kernels/parallel.h"

#include <assert.h>
#include <stddef.h>

/* Tiles of the result, large enough that packing both operands for each is little beside their
 * product. */
#define LINEAR_TILE_ROWS 128
#define LINEAR_TILE_OUTPUTS 256

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

struct job {
    const struct linear_shape *s;
    const struct linear_data *d;
    size_t row_tiles, output_tiles;
};

/* Bias and activation over the n values of one row that begin at output `first`. */
static void finish(const struct linear_shape *s, const float *bias, float *y, int32_t n)
{
    struct bias_shape b = epilogue(s);
    struct gelu_shape u = {1, n, s->precision};
    b.rows = 1;
    b.columns = n;
    if (s->activation == LINEAR_GELU)
        gelu_float(&u, bias, y);
    else
        bias_float(&b, bias, y);
}

static void one_tile(void *self, size_t piece, int32_t thread)
{
    const struct job *j = self;
    const struct linear_shape *s = j->s;
    size_t r = piece / j->output_tiles, o = piece % j->output_tiles;
    size_t rows = (size_t)s->rows, outputs = (size_t)s->outputs;
    size_t top = parallel_begin(rows, j->row_tiles, r);
    size_t bottom = parallel_begin(rows, j->row_tiles, r + 1);
    size_t left = parallel_begin(outputs, j->output_tiles, o);
    size_t right = parallel_begin(outputs, j->output_tiles, o + 1);
    struct batched_gemm_shape g = product(s);
    float *y = j->d->y + top * outputs + left;
    (void)thread;
    g.m = (int32_t)(bottom - top);
    g.n = (int32_t)(right - left);
    batched_gemm_blas(&g, &(struct batched_gemm_data){j->d->x + top * (size_t)s->x_row,
                                                      j->d->weight + left * (size_t)s->inputs, y});
    for (size_t i = top; i < bottom; i++, y += outputs)
        finish(s, j->d->bias + left, y, (int32_t)(right - left));
}

void linear_blas(const struct linear_shape *s, const struct linear_data *d,
                 struct parallel *threads)
{
    assert(s->rows >= 1 && s->outputs >= 1 && d->x && d->weight && d->bias && d->y);
    struct job j = {s, d, parallel_pieces((size_t)s->rows, LINEAR_TILE_ROWS),
                    parallel_pieces((size_t)s->outputs, LINEAR_TILE_OUTPUTS)};
    parallel_run(threads, j.row_tiles * j.output_tiles, one_tile, &j);
}

double linear_flop(const struct linear_shape *s)
{
    struct batched_gemm_shape g = product(s);
    return batched_gemm_flop(&g);
}
