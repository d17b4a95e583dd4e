/* layer_norm: layer norm with its residual. */
#include "kernels/layer_norm.h"

#include "kernels/parallel.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

static void check(const struct layer_norm_shape *s)
{
    assert(s->rows >= 1 && s->columns >= 1 && s->eps > 0 && s->precision == PRECISION_FP32);
}

void layer_norm_reference(const struct layer_norm_shape *s,
                          const struct layer_norm_reference_data *d)
{
    size_t n = (size_t)s->columns;
    check(s);
    for (size_t r = 0; r < (size_t)s->rows; r++) {
        double mean = 0, variance = 0, *y = d->y + r * n;
        for (size_t j = 0; j < n; j++)
            y[j] = d->x[r * n + j] + (d->residual ? d->residual[r * n + j] : 0);
        for (size_t j = 0; j < n; j++)
            mean += y[j] / (double)n;
        for (size_t j = 0; j < n; j++)
            variance += (y[j] - mean) * (y[j] - mean) / (double)n;
        for (size_t j = 0; j < n; j++)
            y[j] = (y[j] - mean) / sqrt(variance + s->eps) * d->gain[j] + d->bias[j];
    }
}

#define LAYER_NORM_SUMS 8

/* Sum of (y - centre)^power, power 1 or 2, in partial sums that a vector unit can hold. */
static float sum(const float *y, size_t n, float centre, int power)
{
    float part[LAYER_NORM_SUMS] = {0}, total = 0;
    size_t j = 0;
    for (; j + LAYER_NORM_SUMS <= n; j += LAYER_NORM_SUMS)
        for (size_t i = 0; i < LAYER_NORM_SUMS; i++) {
            float z = y[j + i] - centre;
            part[i] += power == 1 ? z : z * z;
        }
    for (; j < n; j++)
        total += power == 1 ? y[j] - centre : (y[j] - centre) * (y[j] - centre);
    for (size_t i = 0; i < LAYER_NORM_SUMS; i++)
        total += part[i];
    return total;
}

static void normalize(const struct layer_norm_shape *s, const struct layer_norm_data *d,
                      float *restrict y)
{
    const float *restrict gain = d->gain, *restrict bias = d->bias;
    size_t n = (size_t)s->columns;
    float mean = sum(y, n, 0, 1) / (float)n, variance = sum(y, n, mean, 2) / (float)n;
    float scale = 1.0F / sqrtf(variance + (float)s->eps);
    for (size_t j = 0; j < n; j++)
        y[j] = (y[j] - mean) * scale * gain[j] + bias[j];
}

static void one_row(const struct layer_norm_shape *s, const struct layer_norm_data *d, size_t r)
{
    size_t n = (size_t)s->columns;
    const float *x = d->x + r * n, *residual = d->residual ? d->residual + r * n : NULL;
    float *y = d->y + r * n;
    if (residual)
        for (size_t j = 0; j < n; j++)
            y[j] = x[j] + residual[j];
    else
        memmove(y, x, n * sizeof *y); /* y may be x */
    normalize(s, d, y);
}

#define LAYER_NORM_ROWS 16 /* of a piece */

struct job {
    const struct layer_norm_shape *s;
    const struct layer_norm_data *d;
};

static void some_rows(void *self, size_t piece, int32_t thread)
{
    const struct job *j = self;
    size_t first = piece * LAYER_NORM_ROWS, last = first + LAYER_NORM_ROWS;
    (void)thread;
    for (size_t r = first; r < last && r < (size_t)j->s->rows; r++)
        one_row(j->s, j->d, r);
}

void layer_norm_float(const struct layer_norm_shape *s, const struct layer_norm_data *d,
                      struct parallel *threads)
{
    struct job j = {s, d};
    check(s);
    assert(d->x && d->gain && d->bias && d->y);
    parallel_run(threads, ((size_t)s->rows + LAYER_NORM_ROWS - 1) / LAYER_NORM_ROWS, some_rows, &j);
}
