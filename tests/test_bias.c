/* test_bias: bias and activations against double. */
#include "kernels/bias.h"
#include "tests/pair.h"

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
