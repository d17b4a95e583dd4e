/* test_breakeven: expected values by hand. */
#include "models/money/breakeven.h"

#include <criterion/criterion.h>

/* ECI 10 CNY an hour, 3 min of its start billed; spot pool 4 CNY, 15 min around each burst. */
static const struct breakeven spot = {10000000, 4000000, 5000000, 3 * SIM_MINUTE, 15 * SIM_MINUTE};

Test(breakeven, short_bursts_are_cheaper_by_the_second)
{
    /* (L + 3) x 10 = (L + 15) x 4: L = 5 min. */
    sim_ns l = breakeven_burst_length(&spot);
    cr_assert_eq(l, 5 * SIM_MINUTE);
    cr_assert_eq(breakeven_eci_burst(&spot, l), breakeven_pool_burst(&spot, l));
    cr_assert_lt(breakeven_eci_burst(&spot, l - SIM_MINUTE),
                 breakeven_pool_burst(&spot, l - SIM_MINUTE));
    cr_assert_gt(breakeven_eci_burst(&spot, l + SIM_MINUTE),
                 breakeven_pool_burst(&spot, l + SIM_MINUTE));
}

Test(breakeven, at_one_price_the_shorter_overhead_wins_always)
{
    struct breakeven b = spot;
    b.pool_micro_per_hour = b.eci_micro_per_hour;
    cr_assert_eq(breakeven_burst_length(&b), SIM_NEVER);
    b.eci_start = 20 * SIM_MINUTE;
    cr_assert_eq(breakeven_burst_length(&b), 0);
}

Test(breakeven, a_subscription_wins_above_a_duty_cycle)
{
    /* 5 / 10 of the time for endless bursts; 27 min of each 30 are work at L = 27 min. */
    cr_assert_float_eq(breakeven_duty_share(&spot, 27 * SIM_MINUTE), 0.45, 1e-12);
    cr_assert_float_eq(breakeven_duty_share(&spot, 3 * SIM_MINUTE), 0.25, 1e-12);
    cr_assert_float_eq(breakeven_duty_share(&spot, 100000 * SIM_HOUR), 0.5, 1e-6);
}
