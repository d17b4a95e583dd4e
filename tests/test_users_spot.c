/* test_users_spot: what people ask about spot, mix and fallback (USERS D26 to D31), as whole runs
 * whose figures are worked out by hand.
 *
 * users-spot: two replicas on two spot nodes; a new node takes 180 s, its image 90 s, the model 20
 * s; the notice is 120 s and nobody listens to it. */
#include "tests/fixture_scenario.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define LOSS "drills=[\"spot-loss=1/2@20m\"]"

/* Replica-seconds that were wanted and not there. */
static double gap_s(const struct fixture_scenario *p, double wanted)
{
    return (wanted - fixture_value(p, "replicas.ready")) * (double)p->r->horizon / 1e9;
}

static double least(const struct fixture_scenario *p, const char *path)
{
    const struct result_series *s = result_find_series(p->r, path);
    cr_assert(s, "no series %s", path);
    double low = (double)INFINITY;
    for (size_t i = 0; i < s->n; i++)
        low = s->min[i] < low ? s->min[i] : low;
    return low;
}

static void assert_conserved(const struct fixture_scenario *p)
{
    double sum = fixture_value(p, "requests.served") + fixture_value(p, "requests.failed.total") +
                 fixture_value(p, "requests.inFlight");
    cr_assert_eq(fixture_value(p, "requests.arrived"), sum);
}

/* A replacement that is bought at the notice (spotInstanceRemedy) is 180 + 90 + 20 s away, the end
 * 120 s: 170 s of one replica's capacity are missing. Without it the wait for the node object and
 * for a scan come on top; with a replica to spare nothing is missing. For 40 s the dead endpoint
 * still gets every other request: those time out after 5 s and are tried at the other one, so only
 * what was sent before the end is lost. */
Test(users_spot, d26_a_notice_shorter_than_the_replacement_leaves_a_gap)
{
    struct fixture_scenario p =
        PLAY("users-spot", LOSS, "nodePools.elastic.spotInstanceRemedy=true");
    cr_assert_float_eq(gap_s(&p, 2), 180 + 90 + 20 - 120, 1e-6);
    assert_conserved(&p);
    cr_assert_lt(fixture_value(&p, "requests.failed.total"), 60);
    cr_assert_gt(fixture_value(&p, "requests.tries"),
                 fixture_value(&p, "requests.arrived") + 40 * 10 / 2, "retried");
    fixture_stop(&p);
    p = PLAY("users-spot", LOSS);
    cr_assert(gap_s(&p, 2) >= 60 + 180 + 90 + 20 && gap_s(&p, 2) <= 60 + 40 + 290, "%g",
              gap_s(&p, 2));
    assert_conserved(&p);
    fixture_stop(&p);
    p = PLAY("users-spot", "drills=[\"spot-loss=1/3@20m\"]", "services.bert.initialReplicas=3",
             "services.bert.autoscaler={\"fixed\": 3}", "nodePools.elastic.initialSize=3");
    cr_assert_eq(least(&p, "replicas.ready"), 2, "headroom of one replica");
    fixture_stop(&p);
}

#define TEN                                                                                        \
    "services.bert.initialReplicas=10", "services.bert.autoscaler={\"fixed\": 10}",                \
        "nodePools.elastic.initialSize=10", "drills=[\"spot-loss=6/10@20m\"]"

/* Six of ten at once: four are left from 1320 s on, and with replacements bought at the notice all
 * ten are back at 1200 + 290 s. A budget of nine stops evictions after the first, and no reclaim.
 */
Test(users_spot, d27_a_mass_reclaim_and_its_recovery)
{
    struct fixture_scenario p =
        PLAY("users-spot", TEN, "nodePools.elastic.spotInstanceRemedy=true");
    cr_assert_eq(least(&p, "replicas.ready"), 4);
    cr_assert_float_eq(gap_s(&p, 10), 6 * 170, 1e-6);
    cr_assert_float_eq(fixture_level(&p, "replicas.ready", 1300 * SIM_SECOND), 10, 1e-9);
    cr_assert_float_eq(fixture_level(&p, "replicas.ready", 1400 * SIM_SECOND), 4, 1e-9);
    cr_assert_float_eq(fixture_level(&p, "replicas.ready", 1520 * SIM_SECOND), 10, 1e-9);
    cr_assert_eq(fixture_value(&p, "nodes.preemptions"), 6);
    assert_conserved(&p);
    fixture_stop(&p);
    p = PLAY("users-spot", TEN, "nodePools.elastic.onSpotNotice=drain",
             "services.bert.pod={\"minAvailable\": 9}");
    const char *told = fixture_finding(&p, "budget-reclaim");
    cr_assert(told && strstr(told, "took 5 ready pods"), "%s", told ? told : "nothing");
    cr_assert_eq(least(&p, "replicas.ready"), 4, "the budget is no shield");
    assert_conserved(&p);
    fixture_stop(&p);
}

/* Pools that sell nothing are tried one after another, each for the time that the autoscaler waits
 * for a node; then an on-demand pool. */
static double first_on_demand(int groups, const char *provision, const char *back_off)
{
    char pools[1600] = "nodePools=[", scaler[800];
    size_t used = strlen(pools);
    snprintf(scaler, sizeof scaler,
             "clusterAutoscaler={\"profile\": \"upstream\", \"creationErrorsReported\": false, "
             "\"expander\": \"priority\", \"maxNodeProvisionTime\": \"%s\", "
             "\"initialNodeGroupBackoff\": \"%s\", \"maxNodeGroupBackoff\": \"1h\", "
             "\"expanderPriorities\": [{\"priority\": 9, \"pattern\": \"spot\"}, "
             "{\"priority\": 1, \"pattern\": \"sure\"}]}",
             provision, back_off);
    for (int i = 0; i <= groups; i++)
        used += (size_t)snprintf(
            pools + used, sizeof pools - used,
            "%s{\"name\": \"%s%d\", \"zones\": [\"z\"], \"instanceTypes\": "
            "[\"ecs.gn6v-c8g1.2xlarge\"], \"bootTime\": \"90s\", \"gpuReadyTime\": \"0s\", "
            "\"spotMarket\": \"calm\", \"compensateWithOnDemand\": false, "
            "\"onDemandPercentageAboveBaseCapacity\": %d}",
            i ? ", " : "", i < groups ? "spot" : "sure", i, i < groups ? 0 : 100);
    snprintf(pools + used, sizeof pools - used, "]");
    struct fixture_scenario p = PLAY("users-spot", "services.bert.initialReplicas=1",
                                     "services.bert.autoscaler={\"fixed\": 1}",
                                     "drills=[\"stock-out=2h@0s\"]", pools, scaler);
    const struct result_entry *bought = fixture_line(&p, "sure", "bought", NULL, 0);
    const struct result_entry *first = fixture_line(&p, "spot", "scale up", NULL, 0);
    cr_assert(first);
    double seconds = bought ? (double)(bought->at - first->at) / 1e9 : (double)INFINITY;
    fixture_stop(&p);
    return seconds;
}

/* A request runs out at the first loop after its deadline. While pods wait a loop comes every
 * second, and the deadlines lie on whole seconds, so a pool costs T + 1 s and g pools g (T + 1 s):
 * the same loop that gives up the last one buys on demand. That holds while no pool that has failed
 * may be tried again: the back-off of 55 min outlasts three tries of 15 min.
 *
 * With the usual back-off of 5 min, doubled at each failure that comes after it, two pools take
 * turns until both are backed off at once. U = T + 1 s, pool: tried until (backed off until).
 *   T = 5 min, U = 301:   A: 301 (601), B: 602 (902), A: 903 (1503), B: 1204: A is not free
 *   T = 15 min, U = 901:  A: 901 (1201), B: 1802 (2102), A: 2703 (3303), B: 3604 (4204),
 *                         A: 4505 (5705), B: 5406: A is not free
 * One pool is never free when it has just failed. Of three, two may be free at once, and one of
 * them is drawn: what is sure is a whole number of tries, four or more, since the first is free
 * again when the third has failed (U > 300 s). */
Test(users_spot, d28_each_empty_pool_costs_the_provision_time_before_the_fallback)
{
    static const struct {
        const char *provision;
        double unit;
        int tries[2]; /* of one pool and of two, with the usual back-off */
    } rows[] = {{"5m", 301, {1, 4}}, {"15m", 901, {1, 6}}};
    for (size_t m = 0; m < 2; m++)
        for (int groups = 1; groups <= 3; groups++) {
            double u = rows[m].unit, t = first_on_demand(groups, rows[m].provision, "55m");
            cr_assert_eq(t, groups * u, "%d pools, %s: %g s", groups, rows[m].provision, t);
            double again = first_on_demand(groups, rows[m].provision, "5m");
            if (groups <= 2)
                cr_assert_eq(again, rows[m].tries[groups - 1] * u, "%d pools, %s: %g s", groups,
                             rows[m].provision, again);
            else
                cr_assert(again >= 4 * u && (isinf(again) || fmod(again, u) == 0), "%s: %g s",
                          rows[m].provision, again);
        }
}

#define ONE_REPLICA "services.bert.initialReplicas=1", "services.bert.autoscaler={\"fixed\": 1}"

/* 30 % of 1..10 nodes under each rounding, counted in runs that begin with so many nodes. */
Test(users_spot, d29_the_table_of_thirty_per_cent)
{
    static const struct {
        const char *rule;
        double on_demand[10];
    } rows[] = {
        {"ceil", {1, 1, 1, 2, 2, 2, 3, 3, 3, 3}},
        {"floor", {0, 0, 0, 1, 1, 1, 2, 2, 2, 3}},
        {"nearest", {0, 1, 1, 1, 2, 2, 2, 2, 3, 3}},
        /* the next is on demand while the share of those that exist is below: 0/0, 1/1, ... */
        {"runningTarget", {1, 1, 1, 1, 2, 2, 2, 3, 3, 3}},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
        for (int n = 1; n <= 10; n++) {
            char size[64], rule[80];
            snprintf(size, sizeof size, "nodePools.elastic.initialSize=%d", n);
            snprintf(rule, sizeof rule, "nodePools.elastic.onDemandRounding=%s", rows[r].rule);
            struct fixture_scenario p =
                PLAY("users-spot", "horizon=60s", ONE_REPLICA, size, rule,
                     "nodePools.elastic.onDemandPercentageAboveBaseCapacity=30");
            double on_demand = fixture_value(&p, "nodes.hours.onDemand") * 60;
            double spot = fixture_value(&p, "nodes.hours.spot") * 60;
            cr_assert_float_eq(on_demand, rows[r].on_demand[n - 1], 1e-9, "%s of %d: %g",
                               rows[r].rule, n, on_demand);
            cr_assert_float_eq(on_demand + spot, n, 1e-9);
            fixture_stop(&p);
        }
}

/* Ten nodes, three on demand. Three of the seven spot nodes go: 3/7 is 12.9 points above 30 %. */
Test(users_spot, d29_the_table_is_printed_and_the_drift_is_a_series)
{
    struct fixture_scenario p =
        PLAY("users-spot", "services.bert.initialReplicas=10",
             "services.bert.autoscaler={\"fixed\": 10}", "nodePools.elastic.initialSize=10",
             "nodePools.elastic.onDemandPercentageAboveBaseCapacity=30",
             "drills=[\"spot-loss=3/7@20m\"]");
    const char *told = fixture_finding(&p, "on-demand-split");
    cr_assert(told && strstr(told, "1 1 1 2 2 2 3 3 3 3 (ceil)"), "%s", told ? told : "nothing");
    const char *drift = "nodes.elastic.onDemandDrift";
    cr_assert_float_eq(fixture_level(&p, drift, 0), 0, 1e-9);
    /* One after another: 3/9, 3/8, 3/7. */
    const struct result_series *series = result_find_series(p.r, drift);
    size_t bin = (size_t)(1320 * SIM_SECOND / series->step);
    cr_assert_float_eq(series->min[bin], 3.0 / 9 - 0.3, 1e-9);
    cr_assert_float_eq(series->max[bin], 3.0 / 7 - 0.3, 1e-9);
    fixture_stop(&p);
}

/* A base of two counts before the percentage does. */
Test(users_spot, d29_the_base_comes_before_the_percentage)
{
    static const double on_demand[10] = {1, 2, 3, 3, 3, 4, 4, 4, 5, 5}; /* 2 + ceil(0.3 (n - 2)) */
    for (int n = 1; n <= 10; n++) {
        char size[64];
        snprintf(size, sizeof size, "nodePools.elastic.initialSize=%d", n);
        struct fixture_scenario p =
            PLAY("users-spot", "horizon=60s", ONE_REPLICA, size,
                 "nodePools.elastic.onDemandBaseCapacity=2",
                 "nodePools.elastic.onDemandPercentageAboveBaseCapacity=30");
        cr_assert_float_eq(fixture_value(&p, "nodes.hours.onDemand") * 60, on_demand[n - 1], 1e-9,
                           "%d nodes", n);
        fixture_stop(&p);
    }
}

#define STOCK_OUT "horizon=12h", "drills=[\"stock-out=2h@1h\", \"spot-loss=1/2@1h\"]"

/* From 1 h to 3 h there is no spot; a node is lost at 1 h 2 min and replaced on demand 90 s later
 * at 26 instead of 7.80 CNY an hour. Without a way back that lasts to the horizon: 10.94 h x 18.20.
 * With spotAutoReplaceOnDemand it ends within ten minutes after 3 h: 2.03 h x 18.20. */
Test(users_spot, d30_compensation_is_undone_only_by_auto_replace)
{
    struct fixture_scenario p = PLAY("users-spot", STOCK_OUT);
    cr_assert_eq(fixture_value(&p, "nodes.compensations"), 1);
    cr_assert_eq(fixture_value(&p, "nodes.migrations"), 0);
    double hours = fixture_value(&p, "nodes.hours.onDemand");
    cr_assert_float_eq(hours, 12 - (3600 + 120 + 90) / 3600.0, 0.02);
    cr_assert_float_eq(fixture_value(&p, "cost.byClass.onDemandPremium"), hours * 18.2, 1e-4);
    cr_assert(fixture_finding(&p, "on-demand-share"), "0 %% were asked for");
    double never_undone = fixture_value(&p, "cost.total");
    fixture_stop(&p);
    p = PLAY("users-spot", STOCK_OUT, "nodePools.elastic.spotAutoReplaceOnDemand=true");
    cr_assert_eq(fixture_value(&p, "nodes.compensations"), 1);
    cr_assert_eq(fixture_value(&p, "nodes.migrations"), 1);
    hours = fixture_value(&p, "nodes.hours.onDemand");
    cr_assert(hours > 1.9 && hours < 2.2, "%g", hours);
    cr_assert_float_eq(fixture_value(&p, "cost.byClass.onDemandPremium"), hours * 18.2, 1e-4);
    cr_assert_float_eq(fixture_level(&p, "nodes.onDemand", 12 * SIM_HOUR - SIM_SECOND), 0, 1e-9);
    cr_assert_lt(fixture_value(&p, "cost.total"), never_undone - 150);
    /* Replace before you remove: for a while both stand, and the old one goes when the new one is
     * complete, however long that takes. */
    cr_assert_eq(fixture_value(&p, "nodes.max"), 3);
    fixture_stop(&p);
    p = PLAY("users-spot", STOCK_OUT, "nodePools.elastic.spotAutoReplaceOnDemand=true",
             "nodePools.elastic.bootTime=400s");
    const struct result_entry *bought =
        fixture_line(&p, "elastic", "bought", "it replaces an on-demand node", 0);
    const struct result_entry *replaced = fixture_line(&p, "elastic", "replaced", NULL, 0);
    cr_assert(bought && replaced && replaced->at >= bought->at + 400 * SIM_SECOND);
    fixture_stop(&p);
}

#define POOL(name, zone, size)                                                                     \
    "{\"name\": \"" name "\", \"zones\": [\"" zone "\"], \"instanceTypes\": "                      \
    "[\"ecs.gn6v-c8g1.2xlarge\"], \"maxSize\": 5, \"initialSize\": " size                          \
    ", \"bootTime\": \"180s\", \"gpuReadyTime\": \"0s\", \"spotMarket\": \"calm\", "               \
    "\"onDemandPercentageAboveBaseCapacity\": 0, \"onSpotNotice\": \"drain\"}"
#define TWO_POOLS                                                                                  \
    "nodePools=[" POOL("a", "cn-hangzhou-h", "1") ", " POOL("b", "cn-hangzhou-i", "1") "]"
#define ONE_POOL "nodePools=[" POOL("a", "cn-hangzhou-h", "2") "]"

/* A floor of one ready replica. Two pools in two zones hold it under the loss of either, with
 * notice or without; a single pool does not. The way back to spot replaces before it removes, and
 * its drain asks the budget: it holds as well. */
Test(users_spot, d31_a_floor_holds_under_any_single_pool_reclaim)
{
    static const char *const drills[] = {"drills=[\"zone-loss=cn-hangzhou-h/1h@20m\"]",
                                         "drills=[\"zone-loss=cn-hangzhou-i/1h@20m\"]",
                                         "drills=[\"spot-loss=1/2@20m\"]"};
    for (size_t i = 0; i < sizeof drills / sizeof drills[0]; i++) {
        struct fixture_scenario p =
            PLAY("users-spot", TWO_POOLS, drills[i], "services.bert.pod={\"minAvailable\": 1}");
        cr_assert_eq(least(&p, "replicas.ready"), 1, "%s", drills[i]);
        cr_assert_eq(fixture_value(&p, "replicas.noneReadyShare"), 0);
        cr_assert_eq(fixture_value(&p, "requests.failed.refused"), 0);
        assert_conserved(&p);
        fixture_stop(&p);
    }
    struct fixture_scenario p = PLAY("users-spot", ONE_POOL, drills[0]);
    cr_assert_gt(fixture_value(&p, "replicas.noneReadyShare"), 0.4);
    fixture_stop(&p);
    p = PLAY("users-spot", STOCK_OUT, "nodePools.elastic.spotAutoReplaceOnDemand=true",
             "nodePools.elastic.onSpotNotice=drain", "services.bert.pod={\"minAvailable\": 1}");
    cr_assert_eq(least(&p, "replicas.ready"), 1);
    cr_assert_eq(fixture_value(&p, "nodes.migrations"), 1);
    fixture_stop(&p);
}
