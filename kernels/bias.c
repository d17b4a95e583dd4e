/* bias: bias and simple activations. */
#include "kernels/bias.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

static void check(const struct bias_shape *s)
{
    assert(s->rows >= 1 && s->columns >= 1 && s->precision == PRECISION_FP32);
}

void bias_reference(const struct bias_shape *s, const double *bias, double *x)
{
    check(s);
    for (int32_t r = 0; r < s->rows; r++, x += s->columns)
        for (int32_t j = 0; j < s->columns; j++) {
            double z = x[j] + bias[j];
            x[j] = s->activation == BIAS_TANH            ? tanh(z)
                   : s->activation == BIAS_RELU && z < 0 ? 0
                                                         : z;
        }
}

static void one_row(enum bias_activation activation, const float *restrict bias, float *restrict x,
                    size_t n)
{
    for (size_t j = 0; j < n; j++)
        x[j] += bias[j];
    if (activation == BIAS_RELU)
        for (size_t j = 0; j < n; j++)
            x[j] = x[j] < 0 ? 0 : x[j]; /* what is no number stays none */
    else if (activation == BIAS_TANH)
        for (size_t j = 0; j < n; j++)
            x[j] = tanhf(x[j]);
}

void bias_float(const struct bias_shape *s, const float *bias, float *x)
{
    check(s);
    assert(bias && x);
    for (size_t r = 0; r < (size_t)s->rows; r++)
        one_row(s->activation, bias, x + r * (size_t)s->columns, (size_t)s->columns);
}
