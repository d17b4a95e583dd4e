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

/* ---- the end of a spot node ---- */

#define SPOT_OF(market, more, service)                                                             \
    "{\"nodePools\": [{" POOL ", \"maxSize\": 4, \"onDemandPercentageAboveBaseCapacity\": 0, "     \
    "\"spotMarket\": \"" market "\", \"initialSize\": 1" more "}], \"services\": [" service        \
    "]" SCALER("")
#define SPOT(market, more) SPOT_OF(market, more, BERT)

/* First check after the protected hour: notice at 65 min, the machine is gone at 70 min. */
#define NOTICE (65 * SIM_MINUTE)
#define LOSS (70 * SIM_MINUTE)

Test(cluster, nobody_listens_and_a_lost_pod_is_a_black_hole_until_it_is_noticed)
{
    fixture_open(&f, SPOT("harsh", ""), 100 * SIM_MINUTE, 1);
    fixture_start(&f);
    fixture_want(&f, 0, 1);
    fixture_close(&f);
    cr_assert_eq(f.counts[CALL_EVICTED], 0);
    struct pod_ref pod = fixture_call(&f, CALL_READY, 0)->pod;
    const struct fixture_seen *dead = fixture_call(&f, CALL_DEAD, 0);
    cr_assert_eq(dead->at, LOSS);
    cr_assert_eq(dead->pod.slot, pod.slot);
    const struct fixture_seen *unlisted = fixture_call(&f, CALL_UNLISTED, 0);
    cr_assert_eq(unlisted->at, LOSS + 40 * S);
    cr_assert_eq(unlisted->why, POD_END_NODE_LOST);
    const struct fixture_seen *gone = fixture_call(&f, CALL_GONE, 0);
    cr_assert_eq(gone->at, LOSS + 60 * S);
    cr_assert_eq(gone->why, POD_END_NODE_LOST);
    cr_assert_eq(f.counts[CALL_READY], 2, "its replacement came up");
    cr_assert_eq(fixture_figure(&f, "nodes.preemptions"), 1);
    fixture_fini(&f);
}

Test(cluster, a_handler_drains_the_node_within_its_notice)
{
    fixture_open(&f, SPOT("plenty", ", \"onSpotNotice\": \"drain\""), 100 * SIM_MINUTE, 1);
    f.drain_ns = 20 * S;
    fixture_start(&f);
    fixture_want(&f, 0, 1);
    fixture_close(&f);
    const struct fixture_seen *evicted = fixture_call(&f, CALL_EVICTED, 0);
    cr_assert_eq(evicted->at, NOTICE);
    cr_assert_eq(evicted->why, POD_END_SPOT_NOTICE);
    cr_assert_eq(f.counts[CALL_DEAD], 0);
    cr_assert_eq(f.counts[CALL_GONE], 0);
    const struct fixture_seen *again = fixture_call(&f, CALL_READY, 1);
    cr_assert(again->at > NOTICE + 170 * S && again->at <= NOTICE + 235 * S,
              "bought while the old node still stood");
    fixture_fini(&f);
}

/* One ready pod and a budget of one: the handler asks each 5 s in vain, and the platform takes the
 * machine with the pod on it. */
Test(cluster, an_eviction_asks_the_budget_and_a_reclaim_does_not)
{
    fixture_open(&f,
                 SPOT_OF("plenty", ", \"onSpotNotice\": \"drain\"",
                         "{\"name\": \"bert\", \"pod\": {\"gpus\": 1, \"minAvailable\": 1}}"),
                 100 * SIM_MINUTE, 1);
    fixture_start(&f);
    fixture_want(&f, 0, 1);
    fixture_close(&f);
    cr_assert_eq(f.counts[CALL_EVICTED], 0);
    cr_assert_eq(fixture_call(&f, CALL_DEAD, 0)->at, LOSS);
    cr_assert_eq(fixture_logged(&f, NULL, "eviction refused"), 60, "300 s, each 5 s");
    cr_assert(fixture_told(&f, "budget-reclaim"), "the reader is told");
    fixture_fini(&f);
}

/* A shorter notice than a replacement needs leaves a gap; a longer drain meets the machine's end.
 */
Test(cluster, a_pod_that_drains_too_long_dies_with_its_node)
{
    fixture_open(&f, SPOT("plenty", ", \"onSpotNotice\": \"drain\", \"spotNotice\": \"30s\""),
                 100 * SIM_MINUTE, 1);
    f.drain_ns = 45 * S;
    fixture_start(&f);
    fixture_want(&f, 0, 1);
    fixture_close(&f);
    cr_assert_eq(fixture_call(&f, CALL_DEAD, 0)->at, NOTICE + 30 * S);
    fixture_fini(&f);
}

Test(cluster, spot_that_cannot_be_had_is_made_good_on_demand_at_a_premium)
{
    fixture_open(&f,
                 "{\"nodePools\": [{\"name\": \"one\", \"instanceTypes\": "
                 "[\"ecs.gn6v-c8g1.2xlarge\"], \"spotMarket\": \"harsh\", \"initialSize\": 1, "
                 "\"onDemandPercentageAboveBaseCapacity\": 0}], \"services\": [{\"name\": "
                 "\"a\"}]" SCALER(""),
                 3 * SIM_HOUR, 1);
    fixture_start(&f);
    fixture_want(&f, 0, 1);
    fixture_close(&f);
    cr_assert_eq(fixture_figure(&f, "nodes.compensations"), 1);
    double on_demand = fixture_figure(&f, "cost.byBilling.onDemand");
    cr_assert_gt(on_demand, 0);
    cr_assert(fixture_told(&f, "on-demand-share"), "the share asked for is 0");
    /* Of 26 CNY an hour 18.2 are above the spot price. */
    cr_assert_float_eq(fixture_figure(&f, "cost.byClass.onDemandPremium"), on_demand * 0.7, 1e-4);
    fixture_fini(&f);
}

/* Stock is gone for two hours from minute 70 on, and nobody buys on demand instead. */
static void run_stock_out(const char *scaler)
{
    char text[1024];
    snprintf(text, sizeof text,
             "{\"nodePools\": [{\"name\": \"one\", \"instanceTypes\": "
             "[\"ecs.gn6v-c8g1.2xlarge\"], \"spotMarket\": \"harsh\", \"initialSize\": 1, "
             "\"onDemandPercentageAboveBaseCapacity\": 0, \"compensateWithOnDemand\": "
             "false}], \"services\": [{\"name\": \"a\"}]%s",
             scaler);
    fixture_open(&f, text, 240 * SIM_MINUTE, 1);
    fixture_start(&f);
    fixture_want(&f, 0, 1);
    fixture_close(&f);
}

/* A refusal backs the pool off for 5 minutes, then 10, 20, 30, ...; when stock is back, one node
 * is bought for the one pod. */
Test(cluster, without_compensation_the_pool_waits_for_stock_and_backs_off)
{
    run_stock_out(SCALER(", \"creationErrorsReported\": true"));
    double refusals = fixture_figure(&f, "nodes.refusals");
    cr_assert(refusals >= 5 && refusals <= 8, "%g refusals", refusals);
    cr_assert_eq(fixture_logged(&f, "one", "no node"), (size_t)refusals);
    cr_assert_eq(fixture_logged(&f, "one", "target lowered"), (size_t)refusals);
    cr_assert_eq(f.counts[CALL_READY], 2);
    cr_assert_gt(fixture_call(&f, CALL_READY, 1)->at, 190 * SIM_MINUTE);
    cr_assert_eq(fixture_figure(&f, "nodes.bought"), 2);
    fixture_fini(&f);
}

/* ACK is not told: each refusal costs the 15 minutes of maxNodeProvisionTime before the back-off
 * starts: asked at 72, 92, 117 and 152 min or so, and then again at 197. */
Test(cluster, on_ack_a_refusal_shows_after_the_provision_time)
{
    run_stock_out(SCALER(""));
    double refusals = fixture_figure(&f, "nodes.refusals");
    cr_assert_eq(refusals, 4);
    cr_assert_eq(fixture_logged(&f, "one", "target lowered"), (size_t)refusals);
    cr_assert_eq(f.counts[CALL_READY], 2);
    cr_assert_gt(fixture_call(&f, CALL_READY, 1)->at, 190 * SIM_MINUTE);
    cr_assert_eq(fixture_figure(&f, "nodes.bought"), 2);
    fixture_fini(&f);
}

Test(cluster, a_pool_below_its_minimum_is_refilled_at_once)
{
    fixture_open(&f, SPOT("plenty", ", \"minSize\": 2"), 80 * SIM_MINUTE, 1);
    fixture_start(&f);
    fixture_close(&f);
    cr_assert_eq(fixture_logged(&f, "elastic", "lost"), 2);
    cr_assert_eq(fixture_logged(&f, "elastic", "bought"), 2);
    cr_assert_eq(fixture_figure(&f, "cost.byClass.duplicateScaleUp"), 0);
    fixture_fini(&f);
}

Test(cluster, a_spot_price_moves_only_after_the_protected_hour)
{
    fixture_open(&f, SPOT("steps", ", \"minSize\": 1"), 6 * SIM_HOUR, 1);
    fixture_start(&f);
    fixture_want(&f, 0, 1);
    fixture_close(&f);
    cr_assert_gt(f.result.n_bills, 5, "one for each price");
    cr_assert_eq(f.result.bills[0].from, 0);
    cr_assert_eq(f.result.bills[0].to, SIM_HOUR);
    for (size_t i = 1; i < f.result.n_bills; i++) {
        cr_assert_eq(f.result.bills[i].from, f.result.bills[i - 1].to);
        cr_assert_eq(f.result.bills[i].from % (30 * SIM_MINUTE), 0);
    }
    fixture_fini(&f);
}

/* ---- what is refused before the clock starts ---- */

Test(cluster, names_what_the_catalogue_lacks)
{
    static const struct {
        const char *pool, *where, *message;
    } rows[] = {
        {"\"instanceTypes\": [\"ecs.gn6v-c8g1.2xlage\"]", "nodePools.p.instanceTypes[0]",
         "did you mean"},
        {"\"instanceTypes\": [\"ecs.gn5i-c2g1.large\"]", "nodePools.p.instanceTypes[0]",
         "too small for a node of ACK"},
        {"\"instanceTypes\": [\"ecs.gn7-c12g1.3xlarge\"]", "nodePools.p.instanceTypes[0]",
         "no on-demand price"},
        {"\"instanceTypes\": [\"ecs.gn6v-c8g1.2xlarge\"], \"spotMarket\": \"clam\"",
         "nodePools.p.spotMarket", "did you mean \"calm\"?"},
        {"\"instanceTypes\": [\"ecs.gn6v-c8g1.2xlarge\"], \"delivery\": \"standart\"",
         "nodePools.p.delivery", "did you mean \"standard\"?"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[512];
        struct err e = {0};
        snprintf(text, sizeof text,
                 "{\"nodePools\": [{\"name\": \"p\", %s}], \"services\": [{\"name\": \"a\"}]}",
                 rows[i].pool);
        cr_assert(!fixture_try(&f, text, SIM_HOUR, &e), "row %zu", i);
        cr_assert_eq(e.code, ERR_INPUT);
        cr_assert_str_eq(e.where, rows[i].where);
        cr_assert(strstr(e.msg, rows[i].message), "row %zu: %s", i, e.msg);
        fixture_fini(&f);
    }
}

Test(cluster, a_full_table_ends_the_run_and_names_its_limit)
{
    struct err e = {0};
    fixture_open(&f, "{\"maxPods\": 2, \"services\": [{\"name\": \"a\", \"instant\": true}]}",
                 SIM_HOUR, 1);
    fixture_start(&f);
    fixture_want(&f, 0, 2);
    cr_assert_eq(cluster_failed(f.cluster, &e), 0);
    cr_assert_eq(cluster_ask(f.cluster, 0).generation, 0);
    cr_assert_eq(cluster_failed(f.cluster, &e), -1);
    cr_assert_eq(e.code, ERR_INPUT);
    cr_assert_str_eq(e.where, "limits.pods");
    fixture_fini(&f);
}

/* ---- what GPU nodes are known for ---- */

/* Ready long before the GPU is allocatable: an autoscaler that takes Ready for usable buys again
 * and again for the same pod (USERS case 20: one pod, about four nodes), and the surplus is money.
 */
Test(cluster, a_node_that_is_ready_before_its_gpu_can_be_bought_twice)
{
    static const char *const patched[] = {"patched", "unpatched"};
    double bought[2], surplus[2];
    for (int i = 0; i < 2; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "{\"nodePools\": [{\"name\": \"p\", \"instanceTypes\": "
                 "[\"ecs.gn6v-c8g1.2xlarge\"], \"bootTime\": \"60s\", \"gpuReadyTime\": "
                 "\"120s\"}], \"services\": [{\"name\": \"a\"}], \"clusterAutoscaler\": "
                 "{\"profile\": \"upstream\", \"gpuReadiness\": \"%s\"}}",
                 patched[i]);
        fixture_open(&f, text, 2 * SIM_HOUR, 1);
        fixture_start(&f);
        fixture_want_at(&f, 60 * S, 0, 1);
        fixture_close(&f);
        bought[i] = fixture_figure(&f, "nodes.bought");
        surplus[i] = fixture_figure(&f, "cost.byClass.duplicateScaleUp");
        fixture_fini(&f);
    }
    cr_assert_eq(bought[0], 1);
    cr_assert_eq(surplus[0], 0);
    cr_assert_gt(bought[1], 1);
    cr_assert_gt(surplus[1], 0);
}

/* One pod on a machine with four GPUs: three of four are fragmentation (USERS case 22). */
Test(cluster, one_pod_on_a_node_of_four_wastes_three_quarters)
{
    fixture_open(&f,
                 "{\"nodePools\": [{\"name\": \"p\", \"instanceTypes\": "
                 "[\"ecs.gn6v-c8g1.8xlarge\"], \"initialSize\": 1}], \"services\": [{\"name\": "
                 "\"a\"}]}",
                 SIM_HOUR, 1);
    fixture_start(&f);
    fixture_want(&f, 0, 1);
    fixture_run(&f, SIM_HOUR);
    cluster_busy(f.cluster, 0, SIM_HOUR / 2);
    fixture_close(&f);
    cr_assert_float_eq(fixture_figure(&f, "cost.byClass.fragmentation"), 78, 1e-9);
    cr_assert_float_eq(fixture_figure(&f, "cost.byClass.serving"), 13, 1e-9);
    cr_assert_float_eq(fixture_figure(&f, "cost.byClass.idle"), 13, 1e-9);
    /* Half an hour of one of the four GPUs at least; the peak needs the same machine. */
    cr_assert_float_eq(fixture_figure(&f, "cost.baselines.clairvoyant"), 13, 1e-9);
    cr_assert_float_eq(fixture_figure(&f, "cost.baselines.onDemandPeak"), 104, 1e-9);
    cr_assert_float_eq(fixture_figure(&f, "cost.baselines.subscriptionPeak"), 52, 1e-9);
    cr_assert_float_eq(fixture_figure(&f, "cost.baselines.eciOnly"), 26, 1e-9);
    fixture_fini(&f);
}

/* Two machines with GPUs: by the vCPU the one with four is cheaper. */
Test(cluster, warns_when_cost_per_vcpu_buys_a_large_machine)
{
    fixture_open(
        &f,
        "{\"nodePools\": [{\"name\": \"p\", \"instanceTypes\": [\"ecs.gn6i-c24g1.6xlarge\", "
        "\"ecs.gn6i-c4g1.xlarge\"], \"multiAZPolicy\": \"COST_OPTIMIZED\", \"initialSize\": "
        "1}], \"services\": [{\"name\": \"a\"}]}",
        SIM_HOUR, 1);
    fixture_start(&f);
    fixture_close(&f);
    cr_assert_eq(f.result.n_findings, 1);
    const char *told = fixture_told(&f, "plan-order");
    cr_assert(told && strstr(told, "ecs.gn6i-c24g1.6xlarge first"), "%s", told ? told : "nothing");
    cr_assert_float_eq(fixture_figure(&f, "cost.total"), 17.57, 1e-6);
    fixture_fini(&f);
}
