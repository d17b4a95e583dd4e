/* test_cluster: pods and nodes together: placed, bought for, lost, drained, paid for. */
#include "sim/chance.h"
#include "sim/money.h"
#include "tests/fixture_cluster.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define S SIM_SECOND

/* Round figures, so that times can be added by hand: boot 100 s, GPUs 50 s later, pull 1000 MB at
 * 100 MB/s, mount 2 s, start 1 s, load 400 MB at 100 MB/s, framework 3 s. */
#define POOL                                                                                       \
    "\"name\": \"elastic\", \"labels\": {\"inference\": \"tensorflow\"}, \"instanceTypes\": "      \
    "[\"ecs.gn6v-c8g1.2xlarge\"], \"zones\": [\"cn-hangzhou-h\", \"cn-hangzhou-i\"], "             \
    "\"bootTime\": \"100s\", \"gpuReadyTime\": \"50s\""
#define BERT                                                                                       \
    "{\"name\": \"bert\", \"pod\": {\"nodeSelector\": {\"inference\": \"tensorflow\"}}, "          \
    "\"startup\": {\"image\": {\"size\": \"1000M\", \"bandwidth\": \"100M\", \"overhead\": "       \
    "\"0s\"}, \"volumeMount\": \"2s\", \"containerStart\": \"1s\", \"model\": {\"size\": "         \
    "\"400M\", \"bandwidth\": \"100M\", \"sharedBandwidth\": \"1G\"}, \"frameworkInit\": \"3s\"}}"

static struct fixture_cluster f;

Test(cluster, without_a_supply_a_replica_is_there_when_asked_for)
{
    fixture_open(&f, "{\"services\": [{\"name\": \"a\", \"instant\": true}]}", 100 * S, 1);
    fixture_start(&f);
    fixture_want(&f, 0, 3);
    fixture_run(&f, 1 * S);
    cr_assert_eq(f.counts[CALL_READY], 3);
    for (size_t i = 0; i < 3; i++)
        cr_assert_eq(fixture_call(&f, CALL_READY, i)->at, 0);
    fixture_want_at(&f, 10 * S, 0, 5);
    fixture_run(&f, 11 * S);
    cr_assert_eq(f.counts[CALL_READY], 5);
    cr_assert_eq(fixture_call(&f, CALL_READY, 4)->at, 10 * S);
    fixture_want_at(&f, 20 * S, 0, 1);
    fixture_close(&f);
    struct pod_view view[8];
    cr_assert_eq(cluster_pods(f.cluster, 0, view, 8), 1);
    cr_assert_eq(view[0].ref.slot, fixture_call(&f, CALL_READY, 0)->pod.slot);
    cr_assert_eq(fixture_figure(&f, "cost.total"), 0);
    fixture_fini(&f);
}

Test(cluster, without_a_supply_phases_are_played_when_there_are_some)
{
    fixture_open(&f, "{\"services\": [" BERT "]}", 100 * S, 1);
    fixture_start(&f);
    fixture_want_at(&f, 1 * S, 0, 2);
    fixture_close(&f);
    cr_assert_eq(fixture_call(&f, CALL_LISTED, 0)->at, 14 * S);
    cr_assert_eq(fixture_call(&f, CALL_READY, 1)->at, 21 * S, "pull 10, mount 2, start 1, 4, 3");
    fixture_fini(&f);
}

#define ONE_POOL(more) "{\"nodePools\": [{" POOL more "}], \"services\": [" BERT "]"
#define SCALER(more)                                                                               \
    ", \"clusterAutoscaler\": {\"profile\": \"ack\", \"scanInterval\": \"30s\"" more "}}"

Test(cluster, pods_of_the_start_are_ready_on_the_initial_nodes)
{
    fixture_open(&f, ONE_POOL(", \"initialSize\": 2") "}", SIM_HOUR, 1);
    fixture_start(&f);
    fixture_want(&f, 0, 3);
    fixture_close(&f);
    cr_assert_eq(f.counts[CALL_READY], 2, "the third has no GPU and nobody buys");
    cr_assert_eq(fixture_call(&f, CALL_READY, 1)->at, 0);
    cr_assert_float_eq(fixture_figure(&f, "cost.total"), 52, 1e-9);
    cr_assert_float_eq(fixture_figure(&f, "cost.byClass.serving"), 52, 1e-9);
    cr_assert_float_eq(fixture_figure(&f, "cost.perMonth"), 52 * 730, 1e-6);
    fixture_fini(&f);
}

Test(cluster, a_pending_pod_gets_a_node_and_starts_on_it)
{
    fixture_open(&f, ONE_POOL(", \"initialSize\": 1, \"maxSize\": 3") SCALER(""), SIM_HOUR, 1);
    fixture_start(&f);
    fixture_want(&f, 0, 1);
    fixture_want_at(&f, 600 * S, 0, 2);
    fixture_close(&f);
    sim_ns ready = fixture_call(&f, CALL_READY, 1)->at;
    /* GPU pods are left alone for 30 s (N2); with a scan each 30 s the purchase comes 30 to 60 s
     * after the pod; then boot 100, GPUs 50, and 20 s of startup. */
    sim_ns bought = ready - 170 * S;
    cr_assert(bought >= 630 * S && bought <= 660 * S, "bought at %g s", (double)bought / 1e9);
    cr_assert_eq(fixture_logged(&f, "elastic-1", "bought"), 1);
    cr_assert_eq(fixture_figure(&f, "nodes.max"), 2);
    cr_assert_float_eq(fixture_figure(&f, "startup.total.mean"), (double)(ready - 600 * S) / 1e9,
                       1e-6);
    cr_assert_float_eq(fixture_figure(&f, "startup.imagePull.mean"), 10, 1e-6);
    double hours = 1 + (double)(SIM_HOUR - bought) / (double)SIM_HOUR;
    cr_assert_float_eq(fixture_figure(&f, "cost.total"), 26 * hours, 1e-3);
    fixture_fini(&f);
}

Test(cluster, an_idle_node_goes_back_after_ten_minutes)
{
    fixture_open(&f, ONE_POOL(", \"initialSize\": 2") SCALER(""), 2 * SIM_HOUR, 1);
    fixture_start(&f);
    fixture_want(&f, 0, 2);
    fixture_want_at(&f, 1000 * S, 0, 1);
    fixture_close(&f);
    cr_assert_eq(fixture_logged(&f, "elastic", "deleted"), 1);
    const struct result_series *nodes = result_find_series(&f.result, "nodes.total");
    cr_assert_eq(nodes->min[nodes->n - 1], 1);
    double idle = fixture_figure(&f, "cost.byClass.idle") / 26 * 3600;
    cr_assert(idle > 600 && idle < 665, "%g s: ten minutes and up to two scans", idle);
    double draining = fixture_figure(&f, "cost.byClass.draining") / 26 * 3600;
    cr_assert(draining >= 6 && draining < 7,
              "%g s: one to drain the pod, five after the taint, less than one billing step",
              draining);
    fixture_fini(&f);
}

Test(cluster, ten_nodes_end_at_three_on_demand_and_seven_spot)
{
    fixture_open(&f,
                 ONE_POOL(", \"maxSize\": 20, \"multiAZPolicy\": \"COST_OPTIMIZED\", "
                          "\"onDemandPercentageAboveBaseCapacity\": 30, \"spotMarket\": "
                          "\"calm\", \"initialSize\": 1") SCALER(""),
                 2 * SIM_HOUR, 1);
    fixture_start(&f);
    fixture_want(&f, 0, 1);
    fixture_want_at(&f, 600 * S, 0, 4);
    fixture_want_at(&f, 1200 * S, 0, 10);
    fixture_close(&f);
    cr_assert_eq(f.counts[CALL_READY], 10);
    const struct result_series *spot = result_find_series(&f.result, "nodes.spot");
    const struct result_series *on_demand = result_find_series(&f.result, "nodes.onDemand");
    cr_assert_eq(spot->max[spot->n - 1], 7);
    cr_assert_eq(on_demand->max[on_demand->n - 1], 3);
    double spot_cost = fixture_figure(&f, "cost.byBilling.spot");
    cr_assert_float_eq(spot_cost, fixture_figure(&f, "nodes.hours.spot") * 26 * 0.3, 1e-4);
    fixture_fini(&f);
}
