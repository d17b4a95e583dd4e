/* test_half_life: the age that half of a population reaches. */
#include "models/capacity/half_life.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static struct half_life *empty(void)
{
    struct half_life *h = calloc(1, sizeof *h);
    cr_assert(h);
    return h;
}

static void expect_near(const struct half_life *h, sim_ns want)
{
    double ratio = (double)half_life_ns(h) / (double)want;
    cr_expect(ratio > 0.99 && ratio < 1.01, "%lld", (long long)half_life_ns(h));
}

Test(half_life, is_the_median_when_all_have_ended)
{
    struct half_life *h = empty();
    for (int i = 1; i <= 101; i++)
        half_life_ended(h, i * SIM_MINUTE);
    expect_near(h, 51 * SIM_MINUTE);
    free(h);
}

/* Freireich's patients under 6-MP (1963), the textbook's example of censored lives: of 21 the
 * remissions of 9 ended after 6, 6, 6, 7, 10, 13, 16, 22, 23 weeks, the others were still in
 * remission after 6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35. The published median is 23 weeks.
 */
Test(half_life, agrees_with_a_published_median)
{
    static const int ended[] = {6, 6, 6, 7, 10, 13, 16, 22, 23};
    static const int alive[] = {6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35};
    struct half_life *h = empty();
    for (size_t i = 0; i < sizeof ended / sizeof *ended; i++)
        half_life_ended(h, ended[i] * SIM_HOUR);
    for (size_t i = 0; i < sizeof alive / sizeof *alive; i++)
        half_life_alive(h, alive[i] * SIM_HOUR);
    expect_near(h, 23 * SIM_HOUR);
    free(h);
}

Test(half_life, is_unknown_while_most_are_alive)
{
    struct half_life *h = empty();
    cr_expect_eq(half_life_ns(h), SIM_NEVER);
    half_life_alive(h, SIM_HOUR);
    cr_expect_eq(half_life_ns(h), SIM_NEVER);
    half_life_ended(h, SIM_MINUTE);
    expect_near(h, SIM_MINUTE);
    half_life_alive(h, SIM_HOUR);
    cr_expect_eq(half_life_ns(h), SIM_NEVER);
    free(h);
}

/* A quarter and then a third of the rest is a half. */
Test(half_life, two_of_four_are_a_half)
{
    struct half_life *h = empty();
    half_life_ended(h, SIM_MINUTE);
    half_life_ended(h, 2 * SIM_MINUTE);
    half_life_alive(h, 3 * SIM_MINUTE);
    half_life_alive(h, 4 * SIM_MINUTE);
    expect_near(h, 2 * SIM_MINUTE);
    free(h);
}
