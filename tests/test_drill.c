/* test_drill: what is written, what is refused, and what each drill does to a cluster. */
#include "models/capacity/drill.h"

#include "models/capacity/cluster_config.h"
#include "tests/fixture_cluster.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define S SIM_SECOND
#define M SIM_MINUTE

Test(drill, reads_what_is_written)
{
    struct drill d;
    struct err e = {0};
    cr_assert_eq(drill_parse("spot-loss=7/10@10h", &d, &e), 0);
    cr_assert(d.kind == DRILL_SPOT_LOSS && d.lose == 7 && d.of == 10 && d.at == 10 * SIM_HOUR);
    cr_assert_eq(drill_parse("stock-out=2h@9h30m", &d, &e), 0);
    cr_assert(d.kind == DRILL_STOCK_OUT && d.lasts == 2 * SIM_HOUR && d.at == 570 * M);
    cr_assert_eq(drill_end(&d), 690 * M);
    cr_assert_eq(drill_parse("metric-frozen=15m@9h", &d, &e), 0);
    cr_assert(d.kind == DRILL_METRIC_FROZEN && d.lasts == 15 * M);
    cr_assert_eq(drill_parse("zone-loss=cn-hangzhou-h@12h", &d, &e), 0);
    cr_assert(d.kind == DRILL_ZONE_LOSS && drill_end(&d) == SIM_NEVER);
    cr_assert_str_eq(d.zone, "cn-hangzhou-h");
    cr_assert_eq(drill_parse("registry-slow=10x/2h@8h", &d, &e), 0);
    cr_assert(d.kind == DRILL_REGISTRY_SLOW && d.factor == 10 && d.lasts == 2 * SIM_HOUR);
}

Test(drill, takes_a_share_rounded_half_up)
{
    static const struct {
        int64_t there, lost;
    } rows[] = {{0, 0}, {1, 1}, {2, 1}, {3, 2}, {4, 3}, {5, 4}, {10, 7}, {13, 9}, {20, 14}};
    struct drill d;
    struct err e = {0};
    cr_assert_eq(drill_parse("spot-loss=7/10@1h", &d, &e), 0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        cr_assert_eq(drill_share(&d, rows[i].there), rows[i].lost, "%lld",
                     (long long)rows[i].there);
}

Test(drill, refuses_the_rest_and_says_what_is_allowed)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"spot-los=7/10@10h", "did you mean spot-loss?"},
        {"fire=1@1h", "allowed are spot-loss, stock-out, metric-frozen, zone-loss"},
        {"spot-loss", "spot-loss=7/10@10h"},
        {"spot-loss=7/10", "spot-loss=7/10@10h"},
        {"spot-loss=11/10@1h", "no share of the nodes"},
        {"spot-loss=0/10@1h", "no share of the nodes"},
        {"spot-loss=7@1h", "no share of the nodes"},
        {"spot-loss=7/10@noon", "no time after the start: 'noon'"},
        {"stock-out=@9h", "stock-out=2h@9h"},
        {"stock-out=0@9h", "no duration: '0'"},
        {"stock-out=long@9h", "no duration: 'long'"},
        {"zone-loss=@9h", "no zone"},
        {"registry-slow=0.5x@9h", "no factor of 1x or more"},
        {"registry-slow=x@9h", "no factor of 1x or more"},
        {"", "no drill ''"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct drill d;
        struct err e = {0};
        cr_assert_eq(drill_parse(rows[i].text, &d, &e), -1, "%s", rows[i].text);
        cr_assert_eq(e.code, ERR_INPUT);
        cr_assert(strstr(e.msg, rows[i].message), "%s: %s", rows[i].text, e.msg);
    }
}

/* ---- played ---- */

static struct fixture_cluster f;

#define POOL(name, zones, more)                                                                    \
    "{\"name\": \"" name "\", \"instanceTypes\": [\"ecs.gn6v-c8g1.2xlarge\"], \"zones\": [" zones  \
    "], \"bootTime\": \"100s\", \"gpuReadyTime\": \"50s\"" more "}"
#define H "\"cn-hangzhou-h\""
#define HI "\"cn-hangzhou-h\", \"cn-hangzhou-i\""
#define SPOT(market)                                                                               \
    ", \"spotMarket\": \"" market                                                                  \
    "\", \"onDemandPercentageAboveBaseCapacity\": 0, \"multiAZPolicy\": \"COST_OPTIMIZED\""
#define FILE_OF(drills, pools, scaler)                                                             \
    "{\"drills\": [" drills "], \"nodePools\": [" pools                                            \
    "], \"clusterAutoscaler\": {\"profile\": \"ack\", \"scanInterval\": \"15s\"" scaler            \
    "}, \"services\": [{\"name\": \"bert\", \"startup\": {\"image\": {\"size\": \"1000M\", "       \
    "\"bandwidth\": \"100M\", \"overhead\": \"0s\"}, \"volumeMount\": \"0s\", "                    \
    "\"containerStart\": \"0s\", \"frameworkInit\": \"0s\"}}]}"

static void play(const char *text, sim_ns horizon, int32_t want)
{
    fixture_open(&f, text, horizon, 1);
    fixture_start(&f);
    fixture_want(&f, 0, want);
    fixture_close(&f);
}

static size_t between(enum fixture_call call, sim_ns from, sim_ns to)
{
    size_t n = 0;
    for (size_t i = 0; i < f.n_seen; i++)
        n += f.seen[i].call == call && f.seen[i].at >= from && f.seen[i].at < to;
    return n;
}

/* Ten spot nodes, seven taken at one moment, in their protected hour: notices at 30 min, machines
 * gone at 35 min, and seven replacements within a few minutes. */
Test(drill, seven_of_ten_spot_nodes_go_together_and_are_replaced)
{
    play(FILE_OF("\"spot-loss=7/10@30m\"",
                 POOL("p", H, SPOT("steps") ", \"initialSize\": 10, \"maxSize\": 20"), ""),
         SIM_HOUR, 10);
    cr_assert_eq(fixture_logged(&f, NULL, "spot notice"), 7);
    cr_assert_eq(fixture_logged(&f, "drill", "spot-loss"), 1);
    cr_assert_eq(f.counts[CALL_DEAD], 7);
    for (size_t i = 0; i < 7; i++)
        cr_assert_eq(fixture_call(&f, CALL_DEAD, i)->at, 35 * M);
    cr_assert_eq(f.counts[CALL_READY], 17, "all came back");
    fixture_fini(&f);
}

/* Two pools of one zone each: the bid of `low` is 10, that of `high` is as the price goes. */
Test(drill, the_lowest_bids_go_first)
{
    play(FILE_OF("\"spot-loss=1/2@30m\"",
                 POOL("high", H, SPOT("calm") ", \"initialSize\": 2") ", " POOL(
                     "low", H,
                     SPOT("calm") ", \"initialSize\": 2, \"spotStrategy\": "
                                  "\"SpotWithPriceLimit\", \"spotPriceLimit\": \"10 CNY\""),
                 ""),
         SIM_HOUR, 4);
    cr_assert_eq(fixture_logged(&f, "low", "spot notice"), 2);
    cr_assert_eq(fixture_logged(&f, "high", "spot notice"), 0);
    fixture_fini(&f);
}

/* Notice 120 s; the replacement takes 150 s for the node and 10 s for the image, and the autoscaler
 * up to 45 s to buy it: the gap is what the notice does not cover. */
Test(drill, a_notice_shorter_than_the_replacement_leaves_a_gap)
{
    play(FILE_OF("\"spot-loss=1/1@30m\"",
                 POOL("p", H,
                      SPOT("steps") ", \"initialSize\": 1, \"spotNotice\": \"120s\", "
                                    "\"onSpotNotice\": \"drain\""),
                 ", \"unschedulableGpuPodAge\": \"0s\", \"unschedulablePodAge\": \"0s\""),
         SIM_HOUR, 1);
    sim_ns evicted = fixture_call(&f, CALL_EVICTED, 0)->at;
    sim_ns ready = fixture_call(&f, CALL_READY, 1)->at;
    cr_assert_eq(evicted, 30 * M);
    cr_assert(ready >= evicted + 160 * S && ready <= evicted + 175 * S,
              "one scan, then 100 + 50 + 10 s");
    cr_assert_gt(ready, evicted + 120 * S, "the machine was gone before");
    fixture_fini(&f);
}

/* g pools of spot alone are tried first, each until maxNodeProvisionTime T = 5 min; the on-demand
 * pool comes after g x T at the earliest. */
Test(drill, in_a_stock_out_each_spot_pool_costs_one_provision_time)
{
#define DRY(name) POOL(name, H, SPOT("calm") ", \"compensateWithOnDemand\": false")
#define SURE POOL("sure", H, "")
#define TRIES                                                                                      \
    ", \"maxNodeProvisionTime\": \"5m\", \"initialNodeGroupBackoff\": \"30m\", \"expander\": "     \
    "[\"priority\"], \"expanderPriorities\": "                                                     \
    "[{\"priority\": 30, \"pattern\": \"^a$\"}, {\"priority\": 20, \"pattern\": \"^b$\"}, "        \
    "{\"priority\": 10, \"pattern\": \"^sure$\"}]"
    static const char *const rows[] = {
        FILE_OF("\"stock-out=2h@1s\"", DRY("a") ", " SURE, TRIES),
        FILE_OF("\"stock-out=2h@1s\"", DRY("a") ", " DRY("b") ", " SURE, TRIES),
    };
    for (int g = 1; g <= 2; g++) {
        fixture_open(&f, rows[g - 1], SIM_HOUR, 1);
        fixture_start(&f);
        fixture_want_at(&f, 10 * S, 0, 1);
        fixture_close(&f);
        sim_ns bought = fixture_call(&f, CALL_READY, 0)->at - 160 * S;
        cr_assert_geq(bought, 10 * S + g * 5 * M, "%d spot pools", g);
        cr_assert_leq(bought, 10 * S + g * (5 * M + 60 * S), "%d spot pools", g);
        cr_assert_eq(fixture_logged(&f, "sure", "bought"), 1);
        fixture_fini(&f);
    }
}

/* Two hours without spot: both nodes of a scale-up are on demand. Without spotAutoReplaceOnDemand
 * they stay so to the end; with it both move to spot, the new node first. */
#define COMPENSATED(more)                                                                          \
    FILE_OF("\"stock-out=2h@1m\"", POOL("p", H, SPOT("steps") ", \"maxSize\": 6" more), "")

Test(drill, compensation_is_undone_only_where_the_pool_is_told_to)
{
    double cost[2];
    for (int undo = 0; undo <= 1; undo++) {
        fixture_open(&f,
                     undo ? COMPENSATED(", \"spotAutoReplaceOnDemand\": true") : COMPENSATED(""),
                     12 * SIM_HOUR, 1);
        fixture_start(&f);
        fixture_want_at(&f, 10 * M, 0, 2);
        fixture_close(&f);
        cost[undo] = fixture_figure(&f, "cost.total");
        cr_assert_eq(fixture_figure(&f, "nodes.compensations"), 2);
        cr_assert_eq(fixture_figure(&f, "nodes.migrations"), undo ? 2 : 0);
        const struct result_series *on_demand = result_find_series(&f.result, "nodes.onDemand");
        cr_assert_eq(on_demand->max[on_demand->n - 1], undo ? 0 : 2);
        cr_assert_eq(f.counts[CALL_EVICTED], undo ? 2 : 0);
        for (size_t i = 0; i < f.n_seen; i++)
            if (f.seen[i].call == CALL_EVICTED)
                cr_assert_gt(f.seen[i].at, 121 * M, "not before there is stock");
        fixture_fini(&f);
    }
    cr_assert_lt(cost[1], cost[0]);
}

/* The notice is 300 s and a node takes 150: with the remedy the next node is Ready before the old
 * one goes, without it is bought after. */
Test(drill, with_the_remedy_the_replacement_is_bought_at_the_notice)
{
    for (int early = 0; early <= 1; early++) {
        play(early ? FILE_OF("\"spot-loss=1/1@30m\"",
                             POOL("p", H,
                                  SPOT("steps") ", \"minSize\": 1, \"spotInstanceRemedy\": "
                                                "true"),
                             "")
                   : FILE_OF("\"spot-loss=1/1@30m\"",
                             POOL("p", H, SPOT("steps") ", \"minSize\": 1"), ""),
             SIM_HOUR, 1);
        sim_ns bought = SIM_NEVER;
        for (size_t i = 0; i < f.result.n_entries; i++)
            if (strcmp(f.result.entries[i].what, "bought") == 0)
                bought = f.result.entries[i].at;
        cr_assert_eq(bought, early ? 30 * M : 35 * M);
        cr_assert_eq(fixture_figure(&f, "nodes.bought"), 2);
        fixture_fini(&f);
    }
}

Test(drill, a_lost_zone_sells_nothing_and_the_other_takes_over)
{
    play(FILE_OF("\"zone-loss=cn-hangzhou-h/20m@30m\"", POOL("p", HI, ", \"initialSize\": 4"), ""),
         SIM_HOUR, 4);
    cr_assert_eq(f.counts[CALL_DEAD], 2, "BALANCE had put two into each zone");
    cr_assert_eq(fixture_call(&f, CALL_DEAD, 0)->at, 30 * M, "no notice");
    cr_assert_eq(between(CALL_READY, 30 * M, 50 * M), 2);
    for (size_t i = 0; i < f.result.n_entries; i++)
        if (strcmp(f.result.entries[i].what, "bought") == 0)
            cr_assert(strstr(f.result.entries[i].reason, "cn-hangzhou-i"));
    fixture_fini(&f);
}

/* 1000 MB at 100 MB/s take 10 s, at a tenth 100 s. One pull has had 5 of its 10 s when the registry
 * turns slow: its other 500 MB take 50 s. */
Test(drill, a_slow_registry_slows_what_is_on_its_way_too)
{
    fixture_open(&f,
                 FILE_OF("\"registry-slow=10x/10m@1005s\"", POOL("p", H, ", \"minSize\": 3"), ""),
                 SIM_HOUR, 1);
    fixture_start(&f);
    fixture_want_at(&f, 1000 * S, 0, 1);
    fixture_want_at(&f, 1100 * S, 0, 2);
    fixture_want_at(&f, 1700 * S, 0, 3);
    fixture_close(&f);
    cr_assert_eq(fixture_call(&f, CALL_READY, 0)->at, 1055 * S);
    cr_assert_eq(fixture_call(&f, CALL_READY, 1)->at, 1200 * S);
    cr_assert_eq(fixture_call(&f, CALL_READY, 2)->at, 1710 * S, "the drill was over at 1605 s");
    cr_assert_eq(fixture_logged(&f, "drill", "over"), 1);
    fixture_fini(&f);
}

/* A tenth from 1000 s for ten minutes, a quarter from 1200 s for twenty: the pulls take 100 s, 100
 * s while both hold, 40 s once the first is over, and 10 s in the end. */
Test(drill, of_two_slow_registries_the_slower_one_counts)
{
    fixture_open(&f,
                 FILE_OF("\"registry-slow=10x/10m@1000s\", \"registry-slow=4x/20m@1200s\"",
                         POOL("p", H, ", \"minSize\": 4"), ""),
                 SIM_HOUR, 1);
    fixture_start(&f);
    fixture_want_at(&f, 1050 * S, 0, 1);
    fixture_want_at(&f, 1300 * S, 0, 2);
    fixture_want_at(&f, 1700 * S, 0, 3);
    fixture_want_at(&f, 2500 * S, 0, 4);
    fixture_close(&f);
    cr_assert_eq(fixture_call(&f, CALL_READY, 0)->at, 1150 * S);
    cr_assert_eq(fixture_call(&f, CALL_READY, 1)->at, 1400 * S);
    cr_assert_eq(fixture_call(&f, CALL_READY, 2)->at, 1740 * S, "the first was over at 1600 s");
    cr_assert_eq(fixture_call(&f, CALL_READY, 3)->at, 2510 * S);
    fixture_fini(&f);
}

/* A loss for twenty minutes and one for ten seconds within it: the zone sells again after the
 * twenty.
 */
Test(drill, a_zone_is_gone_until_the_last_of_two_losses_is_over)
{
    play(FILE_OF("\"zone-loss=cn-hangzhou-h/20m@30m\", \"zone-loss=cn-hangzhou-h/10s@31m\"",
                 POOL("p", H, ", \"initialSize\": 2"), ""),
         SIM_HOUR, 2);
    cr_assert_eq(f.counts[CALL_DEAD], 2);
    cr_assert_eq(between(CALL_READY, 30 * M, 50 * M), 0);
    cr_assert_eq(between(CALL_READY, 50 * M, 60 * M), 2);
    fixture_fini(&f);
}

Test(drill, is_refused_where_it_has_nothing_to_act_on)
{
    static const struct {
        const char *drill, *pool, *message;
    } rows[] = {
        {"spot-loss=1/2@1m", POOL("p", H, ""), "no pool buys spot machines"},
        {"stock-out=1h@1m", POOL("p", H, ""), "no pool buys spot machines"},
        {"zone-loss=cn-hangzhou-k@1m", POOL("p", H, ""), "did you mean 'cn-hangzhou-h'"},
        {"zone-loss=nope@1m", POOL("p", H, ""), "there is 'cn-hangzhou-h'"},
        {"zone-loss=nope@1m", POOL("p", HI, "") ", " POOL("q", H, ""),
         "there are 'cn-hangzhou-h', 'cn-hangzhou-i'"},
        {"registry-slow=2x@2h", POOL("p", H, ""), "the run ends after 3600 s"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[1024];
        struct err e = {0};
        snprintf(text, sizeof text,
                 "{\"drills\": [\"%s\"], \"nodePools\": [%s], \"services\": [{\"name\": \"a\"}]}",
                 rows[i].drill, rows[i].pool);
        cr_assert(!fixture_try(&f, text, SIM_HOUR, &e));
        cr_assert_str_eq(e.where, "drills[0]");
        cr_assert(strstr(e.msg, rows[i].message), "%s", e.msg);
        fixture_fini(&f);
    }
}
