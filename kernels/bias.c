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

void bias_float(const struct bias_shape *s, const float *bias, float *x)
{
    check(s);
    assert(bias && x);
    for (int32_t r = 0; r < s->rows; r++, x += s->columns) {
        for (int32_t j = 0; j < s->columns; j++)
            x[j] += bias[j];
        for (int32_t j = 0; s->activation == BIAS_RELU && j < s->columns; j++)
            x[j] = x[j] > 0 ? x[j] : 0;
        for (int32_t j = 0; s->activation == BIAS_TANH && j < s->columns; j++)
            x[j] = tanhf(x[j]);
    }
}
