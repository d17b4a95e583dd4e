/* test_gelu: GELU in float against erf in double. */
#include "kernels/gelu.h"
#include "tests/pair.h"

Test(gelu, erf_in_float_is_close_everywhere)
{
    for (double x = -7; x <= 7; x += 1.0 / 4096)
        cr_assert_float_eq((double)gelu_erf((float)x), erf(x), 4e-7, "erf(%g)", x);
}

Test(gelu, float_agrees_with_double_for_odd_sizes_too)
{
    static const struct gelu_shape shapes[] = {
        {1, 1, PRECISION_FP32}, {3, 5, PRECISION_FP32}, {7, 333, PRECISION_FP32}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct pair x = pair_random((size_t)shapes[i].rows * shapes[i].columns, 1);
        struct pair bias = pair_random((size_t)shapes[i].columns, 2);
        for (size_t j = 0; j < x.n; j++) {
            x.f[j] *= 6;
            x.d[j] = (double)x.f[j];
        }
        gelu_reference(&shapes[i], bias.d, x.d);
        gelu_float(&shapes[i], bias.f, x.f);
        pair_agrees(&x, 5e-7, "gelu");
        pair_free(&x);
        pair_free(&bias);
    }
}

Test(gelu, gives_known_values)
{
    /* Phi(1) = 0.841344746068543 */
    struct gelu_shape s = {1, 3, PRECISION_FP32};
    double x[3] = {0.5, 0, -2}, bias[3] = {0.5, 0, 1};
    gelu_reference(&s, bias, x);
    cr_assert_float_eq(x[0], 0.841344746068543, 1e-14);
    cr_assert_eq(x[1], 0);
    cr_assert_float_eq(x[2], -0.158655253931457, 1e-14);
}
