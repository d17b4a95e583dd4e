/* test_gate: wide where measurements scatter, narrow where they do not. */
#include "kernels/gate.h"

#include <criterion/criterion.h>

static struct gate judge(double before, double now, double scatter, double tolerance)
{
    struct gate_median a = {before, before / (1 + scatter), before * (1 + scatter)};
    struct gate_median b = {now, now / (1 + scatter), now * (1 + scatter)};
    return gate_judge(&a, &b, tolerance);
}

Test(gate, widens_with_the_noise_that_was_measured)
{
    cr_expect_eq(judge(100, 105, 0.001, 0.01).verdict, GATE_SLOWER);
    cr_expect_eq(judge(100, 105, 0.05, 0.01).verdict, GATE_SAME, "within the noise");
    cr_expect_eq(judge(100, 130, 0.05, 0.01).verdict, GATE_SLOWER);
    cr_expect_eq(judge(100, 95, 0.001, 0.01).verdict, GATE_FASTER);
    cr_expect_eq(judge(100, 95, 0.05, 0.01).verdict, GATE_SAME);
}

Test(gate, minds_no_difference_below_the_tolerance)
{
    cr_expect_eq(judge(100, 100.5, 0, 0.01).verdict, GATE_SAME);
    cr_expect_eq(judge(100, 100.5, 0, 0).verdict, GATE_SLOWER);
    cr_expect_eq(judge(100, 100, 0, 0).verdict, GATE_SAME);
}

Test(gate, adds_both_intervals_up_as_independent_ones)
{
    struct gate g = judge(100, 110, 0.1, 0);
    /* sqrt(2) x ln 1.1 = 0.1348 */
    cr_expect_float_eq(g.ratio, 1.1, 1e-12);
    cr_expect_float_eq(g.low, 1.1 / 1.1443, 1e-4);
    cr_expect_float_eq(g.high, 1.1 * 1.1443, 1e-4);
}
