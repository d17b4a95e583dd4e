/* layer_norm: layer norm with its residual. */
#include "kernels/layer_norm.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

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

void layer_norm_float(const struct layer_norm_shape *s, const struct layer_norm_data *d)
{
    size_t n = (size_t)s->columns;
    check(s);
    assert(d->x && d->gain && d->bias && d->y);
    for (size_t r = 0; r < (size_t)s->rows; r++) {
        const float *x = d->x + r * n, *residual = d->residual ? d->residual + r * n : NULL;
        float *y = d->y + r * n;
        for (size_t j = 0; j < n; j++)
            y[j] = residual ? x[j] + residual[j] : x[j];
        float mean = sum(y, n, 0, 1) / (float)n;
        float variance = sum(y, n, mean, 2) / (float)n;
        float scale = 1.0F / sqrtf(variance + (float)s->eps);
        for (size_t j = 0; j < n; j++)
            y[j] = (y[j] - mean) * scale * d->gain[j] + d->bias[j];
    }
}
