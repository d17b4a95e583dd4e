/* breakeven: when paying by the second beats a machine that stays. */
#include "models/money/breakeven.h"

#include "sim/money.h"

#include <assert.h>

int64_t breakeven_eci_burst(const struct breakeven *b, sim_ns length)
{
    assert(length >= 0 && b->eci_start >= 0);
    return money_for(b->eci_micro_per_hour, length + b->eci_start);
}

int64_t breakeven_pool_burst(const struct breakeven *b, sim_ns length)
{
    assert(length >= 0 && b->pool_extra >= 0);
    return money_for(b->pool_micro_per_hour, length + b->pool_extra);
}

sim_ns breakeven_burst_length(const struct breakeven *b)
{
    assert(b->eci_micro_per_hour > 0 && b->pool_micro_per_hour > 0);
    double dearer = (double)(b->eci_micro_per_hour - b->pool_micro_per_hour);
    double head_start = (double)b->pool_micro_per_hour * (double)b->pool_extra -
                        (double)b->eci_micro_per_hour * (double)b->eci_start;
    if (dearer <= 0)
        return head_start >= 0 ? SIM_NEVER : 0;
    double length = head_start / dearer;
    return length <= 0 ? 0 : length >= (double)SIM_NEVER ? SIM_NEVER : (sim_ns)length;
}

static double standing_share(const struct breakeven *b, int64_t standing, sim_ns length)
{
    assert(b->eci_micro_per_hour > 0 && standing > 0 && length > 0);
    double share = (double)standing / (double)b->eci_micro_per_hour * (double)length /
                   (double)(length + b->eci_start);
    return share < 1 ? share : 1;
}

double breakeven_duty_share(const struct breakeven *b, sim_ns length)
{
    return standing_share(b, b->subscription_micro_per_hour, length);
}

double breakeven_warm_share(const struct breakeven *b, sim_ns length)
{
    return standing_share(b, b->pool_micro_per_hour, length);
}
