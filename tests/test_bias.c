/* test_bias: bias and activations against double. */
#include "kernels/bias.h"
#include "tests/pair.h"

#include <math.h>

Test(bias, what_is_no_number_passes_the_activations)
{
    for (int a = BIAS_ONLY; a <= BIAS_TANH; a++) {
        struct bias_shape s = {1, 2, (enum bias_activation)a, PRECISION_FP32};
        double x[2] = {(double)NAN, -1}, bias[2] = {0, 0};
        float x_f[2] = {NAN, -1}, bias_f[2] = {0, 0};
        bias_reference(&s, bias, x);
        bias_float(&s, bias_f, x_f);
        cr_expect(isnan(x[0]) && isnan(x_f[0]) && !isnan(x[1]) && !isnan(x_f[1]), "%d", a);
    }
}

Test(bias, every_activation_in_float_is_that_in_double)
{
    for (int a = BIAS_ONLY; a <= BIAS_TANH; a++) {
        struct bias_shape s = {5, 13, (enum bias_activation)a, PRECISION_FP32};
        struct pair x = pair_random(65, 1), b = pair_random(13, 2);
        bias_reference(&s, b.d, x.d);
        bias_float(&s, b.f, x.f);
        pair_agrees(&x, 1e-6, "bias");
        pair_free(&x);
        pair_free(&b);
    }
}
