/* test_softmax: softmax in float against double. */
#include "kernels/softmax.h"
#include "tests/pair.h"

static const struct softmax_shape shapes[] = {
    {1, 1, 1, 1.0, PRECISION_FP32},        {5, 7, 7, 1.0, PRECISION_FP32},
    {4, 128, 128, 0.125, PRECISION_FP32},  {3, 100, 61, 30.0, PRECISION_FP32},
    {2, 1000, 999, 0.5, PRECISION_FP32},   {6, 9, 1, 2.0, PRECISION_FP32},
    {3, 333, 332, 1000.0, PRECISION_FP32},
};

Test(softmax, float_agrees_with_double_and_masks_the_rest)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const struct softmax_shape *s = &shapes[i];
        struct pair x = pair_random((size_t)s->rows * s->columns, i);
        softmax_reference(s, x.d);
        softmax_float(s, x.f);
        /* a score of size z is known to z / 2^24, and so is the share's logarithm */
        pair_agrees(&x, 1e-6 + 1.2e-7 * s->scale, "softmax");
        for (int32_t r = 0; r < s->rows; r++) {
            double sum = 0;
            for (int32_t j = 0; j < s->columns; j++) {
                sum += x.d[r * s->columns + j];
                if (j >= s->length)
                    cr_assert(x.d[r * s->columns + j] == 0 && x.f[r * s->columns + j] == 0);
            }
            cr_assert_float_eq(sum, 1, 1e-12);
        }
        pair_free(&x);
    }
}

Test(softmax, does_not_overflow)
{
    struct softmax_shape s = {1, 3, 3, 1.0, PRECISION_FP32};
    float x[3] = {1e4F, 1e4F, -1e4F};
    softmax_float(&s, x);
    cr_assert_float_eq(x[0], 0.5F, 1e-6F);
    cr_assert_eq(x[2], 0.0F);
}

Test(softmax, gives_known_shares)
{
    struct softmax_shape s = {1, 2, 2, 1.0, PRECISION_FP32};
    double x[2] = {0, 1.0986122886681098}; /* ln 3 */
    softmax_reference(&s, x);
    cr_assert_float_eq(x[0], 0.25, 1e-12);
}

Test(softmax, exp_in_float_is_close_everywhere)
{
    for (double x = -87; x <= 88; x += 1.0 / 512)
        cr_assert_float_eq((double)softmax_exp((float)x) / exp(x), 1, 2e-7, "exp(%g)", x);
    cr_assert_eq(softmax_exp(0), 1);
    cr_assert_eq(softmax_exp(-87.5F), 0);
    cr_assert_eq(softmax_exp(-1e30F), 0);
    cr_assert_eq(softmax_exp(1e30F), softmax_exp(88));
}
