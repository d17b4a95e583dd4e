/* test_supply_pool: what the cluster makes of the node autoscaler's plans: kinds of deletion,
 * drains that are refused or take too long, refused purchases, mixed pools, scans that come early.
 */
#include "tests/fixture_cluster.h"

#include <criterion/criterion.h>
#include <string.h>

#define S SIM_SECOND

static struct fixture_cluster f;

#define TIMES "\"bootTime\": \"100s\", \"gpuReadyTime\": \"50s\""
#define ONE(more)                                                                                  \
    "{\"name\": \"elastic\", \"instanceTypes\": [\"ecs.gn6v-c8g1.2xlarge\"], \"zones\": "          \
    "[\"cn-hangzhou-h\"], " TIMES more "}"
#define FOUR(more)                                                                                 \
    "{\"name\": \"elastic\", \"instanceTypes\": [\"ecs.gn6v-c8g1.8xlarge\"], \"zones\": "          \
    "[\"cn-hangzhou-h\"], " TIMES more "}"
#define FILE_OF(pools, scaler, services)                                                           \
    "{\"nodePools\": [" pools "], \"clusterAutoscaler\": {" scaler "}, \"services\": [" services   \
    "]}"
#define POD(more) "{\"name\": \"bert\", \"pod\": {\"gpus\": 1" more "}}"

static size_t drains(sim_ns from, sim_ns to)
{
    size_t n = 0;
    for (size_t i = 0; i < f.result.n_entries; i++)
        n += strcmp(f.result.entries[i].what, "tainted for deletion") == 0 &&
             f.result.entries[i].at >= from && f.result.entries[i].at < to;
    return n;
}

/* Three nodes of four GPUs with one pod each: two of them may go, one drain at a time. A loop that
 * did something is followed by the next after one second, within the pause after the taint. */
Test(supply_pool, a_second_drain_waits_for_the_first_though_scans_follow_at_once)
{
    fixture_open(&f,
                 FILE_OF(FOUR(", \"initialSize\": 3"),
                         "\"profile\": \"upstream\", \"frequentLoops\": true, "
                         "\"scaleDownDelayAfterAdd\": \"0s\"",
                         POD("")),
                 SIM_HOUR, 1);
    fixture_start(&f);
    fixture_want(&f, 0, 3);
    f.drain_ns = 60 * S;
    fixture_close(&f);
    cr_assert_eq(fixture_logged(&f, NULL, "tainted for deletion"), 2);
    sim_ns first = SIM_NEVER;
    for (size_t i = 0; i < f.result.n_entries && first == SIM_NEVER; i++)
        if (strcmp(f.result.entries[i].what, "tainted for deletion") == 0)
            first = f.result.entries[i].at;
    cr_assert_eq(drains(first, first + 64 * S), 1, "5 s of pause and 60 s of drain");
    fixture_fini(&f);
}

/* Two pods spread over two nodes: with two replicas they may be moved, one replica alone may not.
 */
Test(supply_pool, min_replica_count_keeps_a_node_of_too_few_replicas)
{
    static const struct {
        const char *text;
        size_t moved;
    } rows[] = {
        {FILE_OF(FOUR(", \"initialSize\": 2"), "\"profile\": \"upstream\", \"minReplicaCount\": 2",
                 POD("")),
         1},
        {FILE_OF(FOUR(", \"initialSize\": 2"), "\"profile\": \"upstream\", \"minReplicaCount\": 3",
                 POD("")),
         0},
    };
    for (size_t i = 0; i < 2; i++) {
        fixture_open(&f, rows[i].text, SIM_HOUR, 1);
        fixture_start(&f);
        fixture_want(&f, 0, 2);
        fixture_close(&f);
        cr_assert_eq(fixture_logged(&f, NULL, "tainted for deletion"), rows[i].moved, "row %zu", i);
        fixture_fini(&f);
    }
}

#define ZONE(name, zone)                                                                           \
    "{\"name\": \"" name "\", \"instanceTypes\": [\"ecs.gn6v-c8g1.2xlarge\"], \"zones\": [\"" zone \
    "\"], \"labels\": {\"app\": \"bert\"}, " TIMES "}"

Test(supply_pool, similar_pools_of_two_zones_share_a_scale_up)
{
    fixture_open(&f,
                 FILE_OF(ZONE("h", "cn-hangzhou-h") ", " ZONE("i", "cn-hangzhou-i"),
                         "\"profile\": \"upstream\", \"balanceSimilarNodeGroups\": true", POD("")),
                 SIM_HOUR, 1);
    fixture_start(&f);
    fixture_want_at(&f, 10 * S, 0, 4);
    fixture_close(&f);
    cr_assert_eq(fixture_logged(&f, "h-", "bought"), 2);
    cr_assert_eq(fixture_logged(&f, "i-", "bought"), 2);
    fixture_fini(&f);
}

#define MIXED                                                                                      \
    FILE_OF("{\"name\": \"mixed\", \"instanceTypes\": [\"ecs.gn6i-c8g1.2xlarge\", "                \
            "\"ecs.gn6v-c8g1.2xlarge\"], \"multiAZPolicy\": \"COST_OPTIMIZED\", "                  \
            "\"onDemandPercentageAboveBaseCapacity\": 0, \"spotMarket\": \"calm\", "               \
            "\"spotInstancePools\": 2, \"initialSize\": 1, \"minSize\": 1, " TIMES "}",            \
            "\"profile\": \"upstream\"",                                                           \
            "{\"name\": \"small\", \"pod\": {\"gpuTypes\": [\"T4\"]}}, "                           \
            "{\"name\": \"big\", \"pod\": {\"gpuTypes\": [\"V100\"]}}")

/* Spot is spread over two types, so the next machine is not of the kind of the one that is there
 * and idle. A pod of that other kind has no place on it, and gets a node bought. */
Test(supply_pool, a_pod_is_judged_by_the_node_that_is_there_not_by_the_next_purchase)
{
    double bought = 0;
    for (uint32_t owner = 0; owner < 2; owner++) {
        fixture_open(&f, MIXED, SIM_HOUR, 1);
        fixture_start(&f);
        fixture_want_at(&f, 10 * S, owner, 1);
        fixture_close(&f);
        cr_assert_eq(f.counts[CALL_READY], 1);
        bought += fixture_figure(&f, "nodes.bought");
        fixture_fini(&f);
    }
    cr_assert_eq(bought, 3, "an initial one each, and one for the kind that was not there");
}

/* By capacity `wide` wastes 5 of 8 CPUs and 21 of 31 GiB, `kept` 5 of 8 and 22 of 32; by what is
 * allocatable `kept` would waste 1 of 4 and 6 of 16. */
Test(supply_pool, least_waste_counts_the_capacity_of_a_node)
{
    fixture_open(&f,
                 FILE_OF("{\"name\": \"kept\", \"instanceTypes\": [\"ecs.gn6v-c8g1.2xlarge\"], "
                         "\"reservedCpu\": 4, \"reservedMemory\": \"16Gi\", " TIMES
                         "}, {\"name\": \"wide\", \"instanceTypes\": [\"ecs.gn6i-c8g1.2xlarge\"], "
                         "\"reservedCpu\": 0, \"reservedMemory\": 0, " TIMES "}",
                         "\"profile\": \"upstream\", \"expander\": [\"least-waste\"]",
                         POD(", \"cpu\": 3, \"memory\": \"10Gi\"")),
                 SIM_HOUR, 1);
    fixture_start(&f);
    fixture_want_at(&f, 10 * S, 0, 1);
    fixture_close(&f);
    cr_assert_eq(fixture_logged(&f, "wide", "bought"), 1);
    cr_assert_eq(fixture_logged(&f, "kept", "bought"), 0);
    fixture_fini(&f);
}

/* Twenty purchases are refused: they are part of the target, while the table holds three nodes. */
Test(supply_pool, refused_purchases_may_outnumber_the_node_table)
{
    fixture_open(
        &f,
        "{\"maxNodes\": 3, \"nodePools\": [" ONE(
            ", \"spotMarket\": \"harsh\", \"onDemandPercentageAboveBaseCapacity\": 0, "
            "\"compensateWithOnDemand\": false, \"initialSize\": 1") "], "
                                                                     "\"clusterAutoscaler\": "
                                                                     "{\"profile\": \"ack\"}, "
                                                                     "\"services\": [" POD("") "]}",
        150 * SIM_MINUTE, 1);
    fixture_start(&f);
    fixture_want(&f, 0, 1);
    fixture_want_at(&f, 80 * SIM_MINUTE, 0, 20);
    fixture_close(&f);
    cr_assert_geq(fixture_figure(&f, "nodes.refusals"), 20);
    fixture_fini(&f);
}

/* The zone sells nothing for two hours after the loss; the group asks again every five minutes. */
Test(supply_pool, a_minimum_that_could_not_be_had_is_filled_once_there_is_stock)
{
    fixture_open(
        &f,
        "{\"nodePools\": [" ONE(
            ", \"spotMarket\": \"harsh\", \"onDemandPercentageAboveBaseCapacity\": 0, "
            "\"compensateWithOnDemand\": false, \"minSize\": 1") "], "
                                                                 "\"services\": [" POD("") "]}",
        195 * SIM_MINUTE, 1);
    fixture_start(&f);
    fixture_close(&f);
    cr_assert_eq(fixture_logged(&f, "elastic", "lost"), 1);
    cr_assert_eq(fixture_logged(&f, "elastic-1", "bought"), 1, "lost at 70 min, stock at 190");
    fixture_fini(&f);
}

Test(supply_pool, a_new_pod_brings_the_next_scan_forward_with_frequent_loops)
{
    /* Scan each 60 s; without frequent loops the scans stand at their phase. */
    for (int frequent = 0; frequent <= 1; frequent++) {
        fixture_open(&f,
                     frequent ? FILE_OF(ONE(""),
                                        "\"profile\": \"upstream\", \"scanInterval\": \"60s\", "
                                        "\"frequentLoops\": true",
                                        POD(""))
                              : FILE_OF(ONE(""),
                                        "\"profile\": \"upstream\", \"scanInterval\": \"60s\", "
                                        "\"frequentLoops\": false",
                                        POD("")),
                     SIM_HOUR, 1);
        fixture_start(&f);
        fixture_want_at(&f, 200 * S, 0, 1);
        fixture_close(&f);
        size_t at_once = 0;
        for (size_t i = 0; i < f.result.n_entries; i++)
            at_once += strcmp(f.result.entries[i].what, "bought") == 0 &&
                       f.result.entries[i].at == 260 * S;
        /* Looked at at 200 s: too young (N2). The next scan is 60 s later. */
        cr_assert_eq(at_once, (size_t)frequent);
        fixture_fini(&f);
    }
}

Test(supply_pool, a_pod_that_drains_beyond_the_limit_is_killed)
{
    fixture_open(&f,
                 FILE_OF(FOUR(", \"initialSize\": 2"),
                         "\"profile\": \"upstream\", \"maxGracefulTermination\": \"100s\"",
                         POD(", \"terminationGracePeriod\": \"2000s\"")),
                 SIM_HOUR, 1);
    fixture_start(&f);
    fixture_want(&f, 0, 2);
    f.drain_ns = 1500 * S;
    fixture_close(&f);
    const struct fixture_seen *evicted = fixture_call(&f, CALL_EVICTED, 0);
    cr_assert_eq(fixture_call(&f, CALL_GONE, 0)->at, evicted->at + 100 * S);
    cr_assert_eq(fixture_call(&f, CALL_GONE, 0)->why, POD_END_NODE_DRAIN);
    cr_assert_eq(fixture_logged(&f, "bert", "killed"), 1);
    cr_assert_eq(fixture_logged(&f, "elastic", "deleted"), 1);
    fixture_fini(&f);
}

static sim_ns first_taint(void)
{
    for (size_t i = 0; i < f.result.n_entries; i++)
        if (strcmp(f.result.entries[i].what, "tainted for deletion") == 0)
            return f.result.entries[i].at;
    return SIM_NEVER;
}

static void open_budget(void)
{
    fixture_open(&f,
                 FILE_OF(FOUR(", \"initialSize\": 2"), "\"profile\": \"upstream\"",
                         POD(", \"minAvailable\": 2")),
                 SIM_HOUR, 1);
    fixture_start(&f);
    fixture_want(&f, 0, 3);
}

/* Three pods, a budget that leaves two: the node with one of them may be drained. When a pod of the
 * other node ends in the pause after the taint, the eviction is refused, tried for two minutes and
 * given up. */
Test(supply_pool, a_drain_that_a_budget_refuses_is_given_up_and_the_node_serves_on)
{
    open_budget();
    fixture_close(&f);
    sim_ns taint = first_taint();
    cr_assert_eq(f.counts[CALL_EVICTED], 1);
    fixture_fini(&f);
    open_budget();
    fixture_want_at(&f, taint + 2 * S, 0, 2);
    fixture_close(&f);
    cr_assert_eq(first_taint(), taint);
    cr_assert_eq(f.counts[CALL_EVICTED], 0);
    cr_assert_eq(fixture_logged(&f, "elastic", "drain failed"), 1);
    for (size_t i = 0; i < f.result.n_entries; i++)
        if (strcmp(f.result.entries[i].what, "drain failed") == 0)
            cr_assert_eq(f.result.entries[i].at, taint + 125 * S);
    cr_assert_eq(fixture_logged(&f, "elastic", "deleted"), 0);
    fixture_fini(&f);
}
