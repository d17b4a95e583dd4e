/* test_pool: pooling by rows against pooling by cells. */
#include "kernels/pool.h"
#include "tests/pair.h"

#include <math.h>

#define ROWS(table) (sizeof(table) / sizeof *(table))

static void compare(const struct pool_shape *s, const char *what)
{
    size_t plane = (size_t)pool_hout(s) * pool_wout(s);
    struct pair x = pair_random((size_t)s->batch * s->channels * s->hin * s->win, 1);
    struct pair y = pair_untouched(((size_t)(s->batch - 1) * s->y_channels + s->channels) * plane);
    pool_reference(s, x.d, y.d);
    pool_float(s, x.f, y.f, NULL);
    pair_agrees(&y, s->kind == POOL_MAX ? 0 : 1e-6, what);
    pair_free(&x);
    pair_free(&y);
}

static const struct {
    const char *what;
    struct pool_shape s;
} shapes[] = {
    {"max, Inception", {2, 5, 15, 13, 3, 3, 2, 0, 0, 5, POOL_MAX, false, PRECISION_FP32}},
    {"max, padded", {1, 3, 7, 8, 3, 3, 1, 1, 1, 3, POOL_MAX, false, PRECISION_FP32}},
    {"mean of whole windows", {2, 3, 7, 9, 3, 3, 1, 1, 1, 7, POOL_MEAN, true, PRECISION_FP32}},
    {"mean of inner cells", {2, 3, 7, 9, 3, 3, 1, 1, 1, 7, POOL_MEAN, false, PRECISION_FP32}},
    {"mean, stride 2", {1, 2, 9, 6, 3, 2, 2, 1, 1, 2, POOL_MEAN, false, PRECISION_FP32}},
    {"global mean", {2, 6, 8, 8, 8, 8, 1, 0, 0, 6, POOL_MEAN, true, PRECISION_FP32}},
    {"one cell", {1, 1, 1, 1, 3, 3, 1, 1, 1, 1, POOL_MEAN, true, PRECISION_FP32}},
    {"window wider than the image", {1, 2, 2, 1, 5, 4, 3, 2, 3, 2, POOL_MAX, true, PRECISION_FP32}},
};

Test(pool, rows_give_what_cells_give)
{
    for (size_t i = 0; i < ROWS(shapes); i++)
        compare(&shapes[i].s, shapes[i].what);
}

Test(pool, the_two_rules_differ_at_the_border_only)
{
    double x[9], y[9];
    struct pool_shape s = {1, 1, 3, 3, 3, 3, 1, 1, 1, 1, POOL_MEAN, true, PRECISION_FP32};
    for (int i = 0; i < 9; i++)
        x[i] = 9;
    pool_reference(&s, x, y);
    cr_assert_float_eq(y[0], 4, 1e-12); /* four cells of nine */
    cr_assert_float_eq(y[1], 6, 1e-12);
    cr_assert_float_eq(y[4], 9, 1e-12);
    s.count_padding = false;
    pool_reference(&s, x, y);
    for (int i = 0; i < 9; i++)
        cr_assert_float_eq(y[i], 9, 1e-12);
}

Test(pool, padding_never_wins_a_maximum)
{
    double x[4] = {-1, -2, -3, -4}, y[4];
    struct pool_shape s = {1, 1, 2, 2, 3, 3, 1, 1, 1, 1, POOL_MAX, true, PRECISION_FP32};
    pool_reference(&s, x, y);
    for (int i = 0; i < 4; i++)
        cr_assert_eq(y[i], -1);
}

/* Wherever it lies in the window: along the row, across it, first or last. */
Test(pool, what_is_no_number_is_passed_on)
{
    for (int stride = 1; stride <= 2; stride++)
        for (int at = 0; at < 9; at++) {
            struct pool_shape s = {
                1, 1, 3, 3, 3, 3, stride, 0, 0, 1, POOL_MAX, true, PRECISION_FP32};
            double x[9], y;
            float x_f[9], y_f;
            for (int i = 0; i < 9; i++)
                x[i] = i == at ? (double)NAN : 5 - i;
            for (int i = 0; i < 9; i++)
                x_f[i] = (float)x[i];
            pool_reference(&s, x, &y);
            pool_float(&s, x_f, &y_f, NULL);
            cr_expect(isnan(y) && isnan(y_f), "cell %d, stride %d", at, stride);
        }
}
