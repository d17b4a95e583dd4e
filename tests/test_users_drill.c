/* test_users_drill: each drill in a whole run of a scenario file, beside the same run without it.
 */
#include "tests/fixture_scenario.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#define SPOT                                                                                       \
    "replications=1", "horizon=4h", "services.a.traffic.qps=150", "services.a.autoscaler.fixed=4", \
        "services.a.initialReplicas=4", "nodePools.p.initialSize=4", "nodePools.p.maxSize=8",      \
        "nodePools.p.spotMarket=calm", "nodePools.p.onDemandPercentageAboveBaseCapacity=0",        \
        "budget=null"

Test(users_drill, spot_loss_takes_its_share_and_the_replicas_come_back)
{
    struct fixture_scenario calm = PLAY("robust", SPOT);
    struct fixture_scenario hit = PLAY("robust", SPOT, "drills=[\"spot-loss=3/4@1h\"]");
    cr_assert_eq(fixture_value(&calm, "nodes.preemptions"), 0);
    cr_assert_eq(fixture_value(&hit, "nodes.preemptions"), 3);
    cr_assert(fixture_line(&hit, "drill", "spot-loss", NULL, SIM_HOUR));
    cr_assert_float_eq(fixture_level(&hit, "replicas.ready", SIM_HOUR + 8 * SIM_MINUTE), 1, 0.01);
    cr_assert_float_eq(fixture_level(&hit, "replicas.ready", 3 * SIM_HOUR), 4, 0.01);
    cr_assert_gt(fixture_value(&hit, "requests.failed.total"), 0);
    cr_assert_gt(fixture_value(&hit, "slo.missed"), fixture_value(&calm, "slo.missed"));
    fixture_stop(&calm);
    fixture_stop(&hit);
}

/* Spot is gone for an hour; the loss in it is made good on demand, or not before it is over. */
Test(users_drill, a_stock_out_costs_the_premium_or_the_replicas)
{
#define DRY "drills=[\"stock-out=1h@1h\", \"spot-loss=1/1@61m\"]"
    struct fixture_scenario paid =
        PLAY("robust", SPOT, DRY, "nodePools.p.compensateWithOnDemand=true");
    struct fixture_scenario dry =
        PLAY("robust", SPOT, DRY, "nodePools.p.compensateWithOnDemand=false");
    cr_assert_gt(fixture_value(&paid, "cost.byClass.onDemandPremium"), 0);
    cr_assert_float_eq(fixture_level(&paid, "replicas.ready", 100 * SIM_MINUTE), 4, 0.01);
    cr_assert_eq(fixture_value(&dry, "cost.byClass.onDemandPremium"), 0);
    cr_assert_float_eq(fixture_level(&dry, "replicas.ready", 100 * SIM_MINUTE), 0, 0.01);
    fixture_stop(&paid);
    fixture_stop(&dry);
}

Test(users_drill, a_lost_zone_takes_its_nodes_at_once)
{
    struct fixture_scenario hit =
        PLAY("robust", SPOT, "nodePools.p.zones=[\"cn-hangzhou-h\", \"cn-hangzhou-i\"]",
             "nodePools.p.multiAZPolicy=BALANCE", "drills=[\"zone-loss=cn-hangzhou-h@1h\"]");
    cr_assert(fixture_line(&hit, "p-", "lost", "zone cn-hangzhou-h is gone", SIM_HOUR));
    for (size_t i = 0; i < hit.r->n_bills; i++)
        if (hit.r->bills[i].from > SIM_HOUR)
            cr_assert_str_eq(hit.r->bills[i].zone, "cn-hangzhou-i");
    cr_assert_float_eq(fixture_level(&hit, "replicas.ready", 3 * SIM_HOUR), 4, 0.01);
    fixture_stop(&hit);
}

/* 1000 MB at 100 MB/s: 10 s of a start, 100 s with a registry ten times as slow. */
Test(users_drill, a_slow_registry_lengthens_the_pull)
{
#define PULL                                                                                       \
    "services.a.startup.image.size=1000M", "services.a.startup.image.bandwidth=100M",              \
        "services.a.startup.image.overhead=0s"
    struct fixture_scenario quick = PLAY("robust", SPOT, PULL, "drills=[\"spot-loss=1/4@1h\"]");
    struct fixture_scenario slow =
        PLAY("robust", SPOT, PULL, "drills=[\"spot-loss=1/4@1h\", \"registry-slow=10x@30m\"]");
    cr_assert_float_eq(fixture_value(&quick, "startup.imagePull.mean"), 10, 1e-6);
    cr_assert_float_eq(fixture_value(&slow, "startup.imagePull.mean"), 100, 1e-6);
    fixture_stop(&quick);
    fixture_stop(&slow);
}

/* The load falls to a tenth; a metric that stands still keeps the size where it was. */
Test(users_drill, a_frozen_metric_keeps_the_size)
{
    struct fixture_scenario free_run = PLAY("bert-drop", "replications=1");
    struct fixture_scenario frozen =
        PLAY("bert-drop", "replications=1", "drills=[\"metric-frozen=2h@1m\"]");
    cr_assert_gt(fixture_value(&frozen, "services.bert.metric.blindTime"), 0);
    cr_assert_gt(fixture_value(&frozen, "replicas.mean"), 0);
    cr_assert_neq(fixture_value(&frozen, "replicas.mean"),
                  fixture_value(&free_run, "replicas.mean"));
    fixture_stop(&free_run);
    fixture_stop(&frozen);
}
