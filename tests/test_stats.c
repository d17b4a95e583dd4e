/* test_stats: against figures from tables. */
#include "sim/stats.h"

#include <criterion/criterion.h>
#include <math.h>

Test(stats, mean_and_variance_are_those_of_the_textbook)
{
    const double x[] = {2, 4, 4, 4, 5, 5, 7, 9};
    cr_expect_float_eq(stats_mean(x, 8), 5, 1e-15);
    cr_expect_float_eq(stats_variance(x, 8), 32.0 / 7, 1e-14);
    cr_expect_eq(stats_variance(x, 1), 0);
    cr_expect_eq(stats_mean(x, 1), 2);
}

/* Two-sided 95 % points of Student's t: 12.706, 2.776, 2.262, 2.093 for 1, 4, 9, 19 degrees. */
Test(stats, half_width_uses_the_t_table)
{
    static const struct {
        size_t n;
        double t;
    } rows[] = {{2, 12.706}, {5, 2.776}, {10, 2.262}, {20, 2.093}};
    double x[20];
    for (size_t i = 0; i < 20; i++)
        x[i] = (double)(i * i % 7);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t n = rows[i].n;
        double error = sqrt(stats_variance(x, n) / (double)n);
        cr_expect_float_eq(stats_half_width(x, n) / error, rows[i].t, 0.0006, "n %zu", n);
    }
    cr_expect_eq(stats_half_width(x, 1), 0);
}

Test(stats, equal_values_have_no_width)
{
    const double x[] = {0.1, 0.1, 0.1, 0.1};
    cr_expect_eq(stats_mean(x, 4), 0.1);
    cr_expect_eq(stats_half_width(x, 4), 0);
}

Test(stats, median_leaves_its_input_alone)
{
    const double x[] = {9, 1, 5, 3};
    double scratch[4];
    cr_expect_eq(stats_median(x, 4, scratch), 4);
    cr_expect_eq(stats_median(x, 3, scratch), 5);
    cr_expect_eq(stats_median(x, 1, scratch), 9);
    cr_expect_eq(x[0], 9);
}

Test(stats, binomial_tails_are_those_of_the_tables)
{
    /* 10 throws of a coin: 1, 11, 56 and 176 of 1024 ways */
    cr_expect_float_eq(stats_binomial_below(0, 0.5, 10), 1 / 1024.0, 1e-12);
    cr_expect_float_eq(stats_binomial_below(2, 0.5, 10), 56 / 1024.0, 1e-12);
    cr_expect_float_eq(stats_binomial_below(3, 0.5, 10), 176 / 1024.0, 1e-12);
    cr_expect_eq(stats_binomial_below(10, 0.5, 10), 1);
}
