/* test_burst: the break-even table, by hand from the catalogue's prices and the scenario's times.
 */
#include "scenarios/run/burst.h"
#include "tests/fixture_scenario.h"

#include <criterion/criterion.h>
#include <string.h>

/* V100: 26 CNY an hour on ECI and on demand, 13 by subscription. The start that is paid for: image
 * 100 s, model 20 s; boot 120 s, GPUs 60 s; the autoscaler waits 10 min. */
#define TIMES                                                                                      \
    "services.a.startup.image.time=100s", "services.a.startup.image.overhead=0s",                  \
        "services.a.startup.model.time=20s", "services.a.startup.volumeMount=0s",                  \
        "services.a.startup.containerStart=0s", "services.a.startup.frameworkInit=0s",             \
        "nodePools.p.bootTime=120s", "nodePools.p.gpuReadyTime=60s"

static const struct result_breakeven *row(const struct result *r, sim_ns burst)
{
    size_t i = 0;
    while (i < r->n_breakevens && r->breakevens[i].burst != burst)
        i++;
    cr_assert_lt(i, r->n_breakevens);
    return &r->breakevens[i];
}

Test(burst, follows_from_prices_and_starts)
{
    struct fixture_scenario p = PLAY("robust", TIMES);
    const struct result_breakeven *hour = row(p.r, SIM_HOUR);
    cr_assert_str_eq(hour->subject, "a");
    /* (3600 + 120) s x 26 / 3600; (3600 + 120 + 60 + 600 + 120) s x 26 / 3600. */
    cr_assert_float_eq(hour->eci, 26.866667, 1e-5);
    cr_assert_float_eq(hour->pool, 32.5, 1e-5);
    cr_assert_float_eq(hour->warm_share, 3600.0 / 3720, 1e-9);
    cr_assert_float_eq(hour->subscription_share, 0.5 * 3600 / 3720, 1e-9);
    cr_assert_float_eq(row(p.r, 10 * SIM_SECOND)->subscription_share, 0.5 * 10 / 130, 1e-9);
    cr_assert(strstr(hour->basis, "a burst of any length costs less on ECI"), "%s", hour->basis);
    fixture_stop(&p);
}

/* Spot at 0.3 of the list price: 7.8 CNY. (L + 120) x 26 = (L + 900) x 7.8: L = 214.3 s. */
Test(burst, a_spot_machine_is_cheaper_for_longer_bursts)
{
    struct fixture_scenario p =
        PLAY("robust", TIMES, "nodePools.p.onDemandPercentageAboveBaseCapacity=0",
             "nodePools.p.spotMarket=calm");
    const struct result_breakeven *minute = row(p.r, SIM_MINUTE);
    cr_assert_lt(minute->eci, minute->pool);
    cr_assert_gt(row(p.r, 5 * SIM_MINUTE)->eci, row(p.r, 5 * SIM_MINUTE)->pool);
    cr_assert(strstr(minute->basis, "a burst under 3m34s"), "%s", minute->basis);
    cr_assert_float_eq(row(p.r, SIM_HOUR)->warm_share, 0.3 * 3600 / 3720, 1e-9);
    fixture_stop(&p);
}

Test(burst, has_nothing_to_say_where_nothing_is_sold)
{
    struct fixture_scenario p =
        PLAY("robust", "nodePools=null", "clusterAutoscaler=null", "budget=null");
    cr_assert_eq(p.r->n_breakevens, 0);
    fixture_stop(&p);
}
