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

/* Recorded prices of 1.5 and 2.5 CNY for half an hour each, 1.8, 1.6, and 3 for an hour: 2.233 on
 * the mean, and not 0.3 of the list. An hour on ECI costs warm share x that. */
/* Thirty percent were wanted and the base took all: each node was bought on demand. */
Test(burst, a_machine_costs_what_the_share_that_came_out_makes_it)
{
    struct fixture_scenario p =
        PLAY("robust", TIMES, "nodePools.p.onDemandPercentageAboveBaseCapacity=30",
             "nodePools.p.onDemandBaseCapacity=50", "nodePools.p.spotMarket=calm");
    cr_assert_float_eq(fixture_value(&p, "nodes.onDemandShare"), 1, 1e-9);
    cr_expect_float_eq(row(p.r, SIM_HOUR)->pool, 32.5, 1e-5);
    cr_expect_float_eq(row(p.r, SIM_HOUR)->warm_share, 3600.0 / 3720, 1e-9);
    fixture_stop(&p);
}

Test(burst, takes_the_recorded_prices_of_a_pool)
{
    struct fixture_scenario p = PLAY("ecs-spot-billing", "robustness=0");
    const struct result_breakeven *hour = row(p.r, SIM_HOUR);
    cr_assert_float_eq(hour->warm_share * hour->eci, 6.7 / 3, 1e-5);
    cr_assert(strstr(hour->basis, "ecs.gn6v-c8g1.2xlarge at 26"), "%s", hour->basis);
    fixture_stop(&p);
}

/* A pool of V100 that has none to sell; a P4 would cost 10.47 on ECI and is another machine. */
Test(burst, compares_one_kind_of_gpu)
{
    struct fixture_scenario p = PLAY("otherwise", "services=null", "nodePools.p.initialSize=0",
                                     "nodePools.p.stockLimits=[{\"most\": 0, \"lasts\": \"1h\"}]",
                                     "jobs=[{\"name\": \"a\", \"runTime\": \"10m\"}]");
    const struct result_breakeven *hour = row(p.r, SIM_HOUR);
    cr_assert(strstr(hour->basis, "ecs.gn6v-c8g1.2xlarge at 26"), "%s", hour->basis);
    cr_assert(strstr(hour->basis, "a machine of pool p"), "%s", hour->basis);
    fixture_stop(&p);
}

/* V100 at 0.3 x 26 = 7.8 is above the limit of 3.5, a P4 at 0.3 x 10.47 = 3.141 below. */
Test(burst, goes_by_the_bills_of_container_instances)
{
    struct fixture_scenario p = PLAY(
        "otherwise", "services=null", "nodePools=null", "clusterAutoscaler=null",
        "virtualNode={\"burstResource\": \"eci_only\", \"spotMarket\": \"calm\"}",
        "jobs=[{\"name\": \"a\", \"runTime\": \"10m\", \"count\": 2, \"pod\": {\"annotations\":"
        " {\"k8s.aliyun.com/eci-use-specs\": \"ecs.gn6v-c8g1.2xlarge,ecs.gn5i-c2g1.large\","
        " \"k8s.aliyun.com/eci-spot-strategy\": \"SpotWithPriceLimit\","
        " \"k8s.aliyun.com/eci-spot-price-limit\": \"3.5\"}}}]");
    const char *spec = fixture_finding(&p, "eci-spec");
    cr_assert(strstr(spec, "bought: 2 x ecs.gn5i-c2g1.large (2 vCPU, 8 GiB, 1 x P4) at 3.141 CNY "
                           "an hour (10.47 on demand), the first of its list that could be had"),
              "%s", spec);
    for (size_t i = 0; i < p.r->n_bills; i++)
        cr_assert_str_eq(p.r->bills[i].type, "ecs.gn5i-c2g1.large");
    cr_assert_float_eq(fixture_value(&p, "eci.a.perHour"), 3.141, 1e-4);
    cr_assert_float_eq(fixture_value(&p, "eci.a.perHour") *
                           fixture_value(&p, "eci.a.billedSeconds") / 3600,
                       fixture_value(&p, "eci.a.cost"), 1e-5);
    cr_assert_float_eq(fixture_value(&p, "eci.a.month.onDemand"), 10.47 * 730, 1e-6);
    const char *even = fixture_finding(&p, "eci-break-even");
    cr_assert(strstr(even, "a subscription of ecs.gn5i-c2g1.large even without a pause"), "%s",
              even);
    const struct result_breakeven *hour = row(p.r, SIM_HOUR);
    cr_assert(strstr(hour->basis, "ecs.gn5i-c2g1.large at 3.14"), "%s", hour->basis);
    fixture_stop(&p);
}

Test(burst, has_nothing_to_say_where_nothing_is_sold)
{
    struct fixture_scenario p =
        PLAY("robust", "nodePools=null", "clusterAutoscaler=null", "budget=null");
    cr_assert_eq(p.r->n_breakevens, 0);
    fixture_stop(&p);
}
