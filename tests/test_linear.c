/* test_linear: dense layers against double. */
#include "kernels/linear.h"
#include "tests/pair.h"

static void compare(const struct linear_shape *s)
{
    struct pair x = pair_random((size_t)s->rows * s->x_row, 1);
    struct pair w = pair_random((size_t)s->outputs * s->inputs, 2);
    struct pair b = pair_random((size_t)s->outputs, 3);
    struct pair y = pair_untouched((size_t)s->rows * s->outputs);
    linear_reference(s, &(struct linear_reference_data){x.d, w.d, b.d, y.d});
    linear_blas(s, &(struct linear_data){x.f, w.f, b.f, y.f}, NULL);
    pair_agrees(&y, 1e-6 + 1e-7 * sqrt(s->inputs), "linear");
    pair_free(&x);
    pair_free(&w);
    pair_free(&b);
    pair_free(&y);
}

Test(linear, agrees_with_double_with_every_activation)
{
    static const int32_t sizes[][4] = {
        {1, 1, 1, 1}, {3, 5, 7, 5}, {13, 77, 31, 99}, {4, 64, 48, 64}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int a = LINEAR_PLAIN; a <= LINEAR_GELU; a++)
            compare(&(struct linear_shape){sizes[i][0], sizes[i][1], sizes[i][2], sizes[i][3],
                                           (enum linear_activation)a, PRECISION_FP32});
}

Test(linear, weights_lie_output_by_output)
{
    double x[2] = {1, 10}, w[4] = {1, 2, 3, 4}, b[2] = {100, -1000}, y[2];
    struct linear_shape s = {1, 2, 2, 2, LINEAR_RELU, PRECISION_FP32};
    linear_reference(&s, &(struct linear_reference_data){x, w, b, y});
    cr_assert_float_eq(y[0], 121, 1e-12);
    cr_assert_eq(y[1], 0);
}
