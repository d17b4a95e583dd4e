/* softmax: rows of scores to rows of shares. */
#include "kernels/softmax.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

static void check(const struct softmax_shape *s)
{
    assert(s->rows >= 1 && s->columns >= 1 && s->length >= 1 && s->length <= s->columns);
    assert(s->precision == PRECISION_FP32);
}

void softmax_reference(const struct softmax_shape *s, double *x)
{
    check(s);
    for (int32_t r = 0; r < s->rows; r++, x += s->columns) {
        double largest = -INFINITY, sum = 0;
        for (int32_t j = 0; j < s->length; j++)
            largest = fmax(largest, s->scale * x[j]);
        for (int32_t j = 0; j < s->length; j++)
            sum += exp(s->scale * x[j] - largest);
        for (int32_t j = 0; j < s->columns; j++)
            x[j] = j < s->length ? exp(s->scale * x[j] - largest) / sum : 0;
    }
}

static void one_row(const struct softmax_shape *s, float *x)
{
    float scale = (float)s->scale, largest = -INFINITY, sum = 0;
    for (int32_t j = 0; j < s->length; j++) {
        x[j] *= scale;
        largest = x[j] > largest ? x[j] : largest;
    }
    for (int32_t j = 0; j < s->length; j++) {
        x[j] = expf(x[j] - largest);
        sum += x[j];
    }
    float share = 1.0F / sum;
    for (int32_t j = 0; j < s->length; j++)
        x[j] *= share;
    for (int32_t j = s->length; j < s->columns; j++)
        x[j] = 0;
}

void softmax_float(const struct softmax_shape *s, float *x)
{
    check(s);
    assert(x);
    for (int32_t r = 0; r < s->rows; r++)
        one_row(s, x + (size_t)r * s->columns);
}
