/* test_reversion_fit: parameters found again from a walk that has them. */
#include "models/capacity/spot.h"
#include "sim/reversion_fit.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#define N 20000
static double x[N], shocks[N];

/* The market's own price process, far from its bounds. */
Test(reversion_fit, finds_the_process_that_a_market_draws_its_prices_from)
{
    static int64_t price[N];
    struct spot_preset p = {.price_share = 0.5, .price_low = 0.1, .price_high = 1};
    struct reversion_fit f;
    struct err e = {0};
    p.price_reversion = 0.05;
    p.price_deviation = 0.01;
    spot_prices(&p, chance_stream(3, 0, CHANCE_TEST, 1), price, N);
    for (size_t i = 0; i < N; i++)
        x[i] = (double)price[i] / 1e6;
    cr_assert_eq(reversion_fit(x, N, shocks, &f, &e), 0, "%s", e.msg);
    cr_assert(f.mean.low < 0.5 && 0.5 < f.mean.high, "%g", f.mean.value);
    cr_assert(f.reversion.low < 0.05 && 0.05 < f.reversion.high, "%g", f.reversion.value);
    cr_assert(f.deviation.low < 0.01 && 0.01 < f.deviation.high, "%g", f.deviation.value);
    cr_assert_lt(f.reversion.high - f.reversion.low, 0.02);
    cr_assert_lt(f.distance, 1.628 / sqrt(N), "the shocks are normal: %g", f.distance);
    cr_assert_lt(f.unchanged, 0.01);
}

/* A price that stands still most of the time has no normal shocks, and the fit says so. */
Test(reversion_fit, sees_that_rare_jumps_are_no_normal_shocks)
{
    struct reversion_fit f;
    struct err e = {0};
    for (size_t i = 0; i < N; i++)
        x[i] = 0.3 + 0.1 * (double)(i / 100 % 3);
    cr_assert_eq(reversion_fit(x, N, shocks, &f, &e), 0);
    cr_assert_gt(f.unchanged, 0.98);
    cr_assert_lt(f.p_value, 1e-6);
    cr_assert_float_eq(f.low, 0.3, 1e-12);
    cr_assert_float_eq(f.high, 0.5, 1e-12);
}

Test(reversion_fit, refuses_what_never_changes)
{
    struct reversion_fit f;
    struct err e = {0};
    for (size_t i = 0; i < 100; i++)
        x[i] = 0.3;
    cr_assert_eq(reversion_fit(x, 100, shocks, &f, &e), -1);
    cr_assert(strstr(e.msg, "never changes from 0.3"), "%s", e.msg);
    e = (struct err){0};
    cr_assert_eq(reversion_fit(x, 9, shocks, &f, &e), -1);
    cr_assert(strstr(e.msg, "ten at least"));
}
