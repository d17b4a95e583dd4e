/* test_layer_norm: layer norm in float against double. */
#include "kernels/layer_norm.h"
#include "tests/pair.h"

static void compare(const struct layer_norm_shape *s, int with_residual)
{
    size_t n = (size_t)s->rows * s->columns;
    struct pair x = pair_random(n, 1), r = pair_random(n, 2), y = pair_untouched(n);
    struct pair gain = pair_random((size_t)s->columns, 3),
                bias = pair_random((size_t)s->columns, 4);
    for (size_t i = 0; i < n; i++) { /* a mean far from 0, where squares would cancel */
        x.f[i] += 10.0F;
        x.d[i] = (double)x.f[i];
    }
    layer_norm_reference(s, &(struct layer_norm_reference_data){x.d, with_residual ? r.d : NULL,
                                                                gain.d, bias.d, y.d});
    layer_norm_float(
        s, &(struct layer_norm_data){x.f, with_residual ? r.f : NULL, gain.f, bias.f, y.f}, NULL);
    /* two values close to each other leave few digits of their difference */
    pair_agrees(&y, s->columns <= 2 ? 1e-3 : 1e-5, "layer norm");
    pair_free(&x);
    pair_free(&r);
    pair_free(&y);
    pair_free(&gain);
    pair_free(&bias);
}

Test(layer_norm, float_agrees_with_double_for_odd_widths_too)
{
    static const int32_t columns[] = {2, 7, 8, 64, 100, 768, 777, 1};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        for (int residual = 0; residual < 2; residual++)
            compare(&(struct layer_norm_shape){3, columns[i], 1e-5, PRECISION_FP32}, residual);
}

Test(layer_norm, a_row_gets_mean_0_and_deviation_1)
{
    double x[4] = {1, 3, 5, 7}, gain[4] = {1, 1, 1, 1}, bias[4] = {0, 0, 0, 0};
    struct layer_norm_shape s = {1, 4, 1e-12, PRECISION_FP32};
    layer_norm_reference(&s, &(struct layer_norm_reference_data){x, NULL, gain, bias, x});
    cr_assert_float_eq(x[0], -3 / sqrt(5.0), 1e-9);
    cr_assert_float_eq(x[3], 3 / sqrt(5.0), 1e-9);
}
