/* test_supply_eci: pods as container instances: phases, bills, quotas, spot, overflow. */
#include "tests/fixture_cluster.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* create 10 s, image 77 MB at 7.7 MB/s = 10 s, nothing else. */
#define SERVICE                                                                                    \
    "{\"name\": \"bert\", \"pod\": {\"gpus\": 1, \"gpuTypes\": [\"V100\"]},"                       \
    " \"startup\": {\"image\": {\"size\": \"77M\", \"registry\": \"hub\", \"overhead\": \"0s\"},"  \
    " \"volumeMount\": \"0s\", \"containerStart\": \"0s\", \"frameworkInit\": \"0s\"}}"
#define ONLY(more)                                                                                 \
    "{\"virtualNode\": {\"burstResource\": \"eci_only\", \"create\": \"10s\"" more "},"
#define FILE(more) ONLY(more) " \"maxPods\": 1200, \"services\": [" SERVICE "]}"

static double billed(const struct fixture_cluster *f)
{
    return fixture_figure(f, "eci.bert.billedSeconds");
}

Test(supply_eci, an_instance_is_paid_from_its_image_download_to_its_end)
{
    static struct fixture_cluster f;
    fixture_open(&f, FILE(""), SIM_HOUR, 1);
    fixture_start(&f);
    fixture_want_at(&f, 60 * SIM_SECOND, 0, 1);
    fixture_want_at(&f, 160 * SIM_SECOND, 0, 0);
    fixture_close(&f);
    /* Asked for at 60 s, created by 70 s, image there at 80 s; deleted at 160 s, ended at 161 s. */
    cr_assert_eq(fixture_call(&f, CALL_READY, 0)->at, 80 * SIM_SECOND);
    cr_assert_float_eq(billed(&f), 91, 1e-9);
    cr_assert_float_eq(fixture_figure(&f, "cost.total"), 26.0 * 91 / 3600, 1e-6);
    cr_assert_float_eq(fixture_figure(&f, "cost.byBilling.eciOnDemand"), 26.0 * 91 / 3600, 1e-6);
    cr_assert_float_eq(fixture_figure(&f, "cost.byResource.eci"), 26.0 * 91 / 3600, 1e-6);
    fixture_fini(&f);
}

Test(supply_eci, five_hundred_pods_wait_for_the_creation_rate)
{
    static struct fixture_cluster f;
    fixture_open(&f, FILE(""), SIM_HOUR, 1);
    fixture_start(&f);
    fixture_want_at(&f, SIM_SECOND, 0, 500);
    fixture_close(&f);
    cr_assert_eq(f.counts[CALL_READY], 500);
    /* The 500th call is accepted 400 / 20 s after the first hundred. */
    cr_assert_eq(fixture_call(&f, CALL_READY, 99)->at, 21 * SIM_SECOND);
    cr_assert_eq(fixture_call(&f, CALL_READY, 499)->at, 41 * SIM_SECOND);
    cr_assert_float_eq(fixture_figure(&f, "eci.longestThrottle"), 20, 1e-9);
    fixture_fini(&f);
}

Test(supply_eci, a_quota_holds_pods_back)
{
    static struct fixture_cluster f;
    fixture_open(&f, FILE(", \"vcpuQuota\": 16"), SIM_HOUR, 1);
    fixture_start(&f);
    fixture_want_at(&f, SIM_SECOND, 0, 2);
    fixture_want_at(&f, 600 * SIM_SECOND, 0, 5);
    fixture_close(&f);
    cr_assert_eq(f.counts[CALL_READY], 2); /* 8 vCPU each */
    cr_assert_gt(fixture_figure(&f, "eci.quotaWaits"), 0);
    fixture_fini(&f);
}

Test(supply_eci, a_cached_image_takes_five_seconds)
{
    static struct fixture_cluster f;
    fixture_open(&f, FILE(", \"imageCache\": true"), SIM_HOUR, 1);
    fixture_start(&f);
    fixture_want_at(&f, 0, 0, 1);
    fixture_close(&f);
    cr_assert_eq(fixture_call(&f, CALL_READY, 0)->at, 15 * SIM_SECOND);
    fixture_fini(&f);
}

#define SPOT(more) FILE(", \"spotStrategy\": \"SpotAsPriceGo\", \"spotMarket\": \"plenty\"" more)

Test(supply_eci, a_preemptible_instance_ends_after_its_hour_with_three_minutes_notice)
{
    static struct fixture_cluster f;
    fixture_open(&f, SPOT(""), 2 * SIM_HOUR, 1);
    fixture_start(&f);
    fixture_want_at(&f, 0, 0, 1);
    fixture_close(&f);
    /* Bought at 10 s; the first check after the hour is at 1 h 5 min, the end 180 s later. */
    sim_ns dead = 10 * SIM_SECOND + 65 * SIM_MINUTE + 180 * SIM_SECOND;
    cr_assert_eq(fixture_call(&f, CALL_DEAD, 0)->at, dead);
    cr_assert_eq(fixture_call(&f, CALL_GONE, 0)->at, dead + 5 * SIM_SECOND);
    cr_assert_eq(fixture_logged(&f, "bert-0", "Expired"), 1);
    /* Its follower is created 10 s after the pod was seen as Failed and lives to the horizon. */
    double first = 65 * 60 + 180, second = 7200 - (10 + first + 5 + 10);
    cr_assert_float_eq(billed(&f), first + second, 1e-9);
    cr_assert_float_eq(fixture_figure(&f, "cost.byBilling.eciSpot"),
                       26.0 * 0.3 * (first + second) / 3600, 1e-5);
    fixture_fini(&f);
}

Test(supply_eci, a_notice_handler_replaces_the_pod_in_time)
{
    static struct fixture_cluster f;
    fixture_open(&f, SPOT(", \"onSpotNotice\": \"drain\""), 2 * SIM_HOUR, 1);
    fixture_start(&f);
    fixture_want_at(&f, 0, 0, 1);
    fixture_close(&f);
    cr_assert_eq(f.counts[CALL_EVICTED], 1);
    cr_assert_eq(f.counts[CALL_DEAD], 0);
    fixture_fini(&f);
}

/* The share of calls without stock is 1: at 0, 10, 30, 70, 150, 310 s and then every 5 minutes; the
 * sixteenth is at 3,310 s. */
Test(supply_eci, a_pod_without_stock_stays_pending_and_is_tried_at_growing_distances)
{
    static struct fixture_cluster f;
    fixture_open(&f, FILE(", \"noStockShare\": 1"), SIM_HOUR, 1);
    fixture_start(&f);
    fixture_want_at(&f, 0, 0, 1);
    fixture_close(&f);
    cr_assert_eq(f.counts[CALL_GONE], 0);
    cr_assert_eq(fixture_figure(&f, "eci.failedCalls.total"), 16);
    cr_assert_eq(fixture_figure(&f, "eci.failedCalls.stock"), 16);
    cr_assert_eq(fixture_figure(&f, "eci.scheduleFailed"), 0);
    cr_assert_eq(fixture_logged(&f, "bert-0", "NoStock"), 1, "what it is told once is no news");
    cr_assert_eq(fixture_logged(&f, "bert-0", "unschedulable"), 0, "it waits for no node");
    const char *told = fixture_told(&f, "eci-unavailable");
    cr_assert(told && strstr(told, "1 pod had to wait for a container instance, the longest for "
                                   "3600 s (16 creation calls failed: no stock 16 times); 1 still"),
              "%s", told);
    cr_assert_null(fixture_told(&f, "unplaced"), "one finding is enough");
    fixture_fini(&f);
}

/* Told to fail: calls at 0, 10, 30, 70 and 150 s, Failed 5 s later, and its owner asks for another.
 * Within the hour 23 pods fail, of 155 s each. */
Test(supply_eci, a_pod_that_is_told_to_fail_does_so_after_its_tries)
{
    static struct fixture_cluster f;
    fixture_open(&f, FILE(", \"noStockShare\": 1, \"rescheduleEnable\": false"), SIM_HOUR, 1);
    fixture_start(&f);
    fixture_want_at(&f, 0, 0, 1);
    fixture_close(&f);
    cr_assert_eq(f.counts[CALL_GONE], 23);
    cr_assert_eq(fixture_call(&f, CALL_GONE, 0)->at, 155 * SIM_SECOND);
    cr_assert_eq(fixture_figure(&f, "eci.scheduleFailed"), 23);
    cr_assert_eq(fixture_logged(&f, NULL, "ScheduleFailed"), 23);
    fixture_fini(&f);
}

/* What the log says is what it is. */
Test(supply_eci, a_pod_without_an_instance_is_told_what_it_lacks)
{
    static const struct {
        const char *more, *what, *words;
    } rows[] = {
        {", \"stockLimits\": [{\"zone\": \"h\"}], \"zones\": [\"h\"]", "NoStock",
         "ecs.gn6v-c8g1.2xlarge is out of stock in zone h (stockLimits[0] sells 0)"},
        {", \"spotStrategy\": \"SpotWithPriceLimit\", \"spotPriceLimit\": \"7.79 CNY\","
         " \"spotMarket\": \"calm\"",
         "BidTooLow",
         "the bid of 7.790 CNY an hour is below the market's 7.800 for ecs.gn6v-c8g1.2xlarge"},
        {", \"vcpuQuota\": 7", "QuotaFull",
         "vcpuQuota is 7, 0 vCPU are taken, and ecs.gn6v-c8g1.2xlarge has 8"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        static struct fixture_cluster f;
        char text[1200];
        snprintf(text, sizeof text,
                 "{\"virtualNode\": {\"burstResource\": \"eci_only\"%s}, \"services\": [%s]}",
                 rows[i].more, SERVICE);
        fixture_open(&f, text, SIM_HOUR, 1);
        fixture_start(&f);
        fixture_want_at(&f, 0, 0, 1);
        fixture_close(&f);
        cr_assert_eq(fixture_logged(&f, "bert-0", rows[i].what), 1, "row %zu", i);
        cr_assert_eq(fixture_logged(&f, NULL, "nodes are available"), 0, "row %zu", i);
        const char *told = fixture_told(&f, "eci-unavailable");
        cr_assert(told && strstr(told, rows[i].words), "row %zu: %s", i, told);
        fixture_fini(&f);
    }
}

#define POOL(max, autoscaler)                                                                      \
    "{\"nodePools\": [{\"name\": \"elastic\", \"zones\": [\"z\"], \"instanceTypes\":"              \
    " [\"ecs.gn6v-c8g1.2xlarge\"], \"minSize\": 0, \"maxSize\": " max ", \"initialSize\": 1,"      \
    " \"onDemandPercentageAboveBaseCapacity\": 100}]," autoscaler                                  \
    " \"virtualNode\": {\"burstResource\": \"eci\", \"create\": \"10s\"}, \"services\": [" SERVICE \
    "]}"

Test(supply_eci, what_a_full_pool_cannot_hold_overflows)
{
    static struct fixture_cluster f;
    fixture_open(&f, POOL("1", "\"clusterAutoscaler\": {},"), SIM_HOUR, 1);
    fixture_want(&f, 0, 1);
    fixture_start(&f);
    fixture_want_at(&f, 600 * SIM_SECOND, 0, 3);
    fixture_close(&f);
    cr_assert_eq(f.counts[CALL_READY], 3);
    cr_assert_eq(fixture_call(&f, CALL_READY, 0)->at, 0);
    cr_assert_eq(fixture_call(&f, CALL_READY, 1)->at, 620 * SIM_SECOND);
    cr_assert_float_eq(fixture_figure(&f, "eci.created"), 2, 1e-9);
    cr_assert_eq(fixture_figure(&f, "nodes.max"), 1);
    fixture_fini(&f);
}

Test(supply_eci, a_pool_that_can_grow_keeps_its_pods)
{
    static struct fixture_cluster f;
    fixture_open(&f, POOL("5", "\"clusterAutoscaler\": {},"), SIM_HOUR, 1);
    fixture_want(&f, 0, 1);
    fixture_start(&f);
    fixture_want_at(&f, 600 * SIM_SECOND, 0, 3);
    fixture_close(&f);
    cr_assert_float_eq(fixture_figure(&f, "eci.created"), 0, 1e-9);
    cr_assert_eq(fixture_figure(&f, "nodes.max"), 3);
    fixture_fini(&f);
}

/* A machine of 8 vCPU keeps half a vCPU for its kubelet and half for a DaemonSet: the pool buys
 * none for pods of 7.5, and it is of no use that they wait for one. */
Test(supply_eci, a_pod_that_no_node_has_room_for_does_not_wait_for_one)
{
    static const struct {
        const char *cpu, *memory;
        double instances;
    } rows[] = {{"7", "30Gi", 0}, {"7001m", "30Gi", 1}, {"7", "30721Mi", 1}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        static struct fixture_cluster f;
        char text[1200];
        snprintf(
            text, sizeof text,
            "{\"nodePools\": [{\"name\": \"elastic\", \"zones\": [\"z\"], \"instanceTypes\": "
            "[\"ecs.gn6v-c8g1.2xlarge\"], \"minSize\": 0, \"maxSize\": 5, \"initialSize\": 0, "
            "\"onDemandPercentageAboveBaseCapacity\": 100, \"reservedCpu\": \"500m\", "
            "\"daemonSetCpu\": \"500m\", \"reservedMemory\": \"1Gi\", \"daemonSetMemory\": "
            "\"1Gi\"}], \"clusterAutoscaler\": {}, \"virtualNode\": {\"burstResource\": \"eci\", "
            "\"create\": \"10s\"}, \"services\": [{\"name\": \"bert\", \"instant\": true, "
            "\"pod\": {\"gpus\": 1, \"cpu\": \"%s\", \"memory\": \"%s\"}}]}",
            rows[i].cpu, rows[i].memory);
        fixture_open(&f, text, SIM_HOUR, 1);
        fixture_start(&f);
        fixture_want_at(&f, 60 * SIM_SECOND, 0, 1);
        fixture_close(&f);
        cr_assert_eq(f.counts[CALL_READY], 1, "row %zu", i);
        cr_assert_eq(fixture_figure(&f, "eci.created"), rows[i].instances, "row %zu", i);
        fixture_fini(&f);
    }
}

Test(supply_eci, the_start_has_its_instances_running)
{
    static struct fixture_cluster f;
    fixture_open(&f, FILE(""), SIM_HOUR, 1);
    fixture_want(&f, 0, 2);
    fixture_start(&f);
    fixture_close(&f);
    cr_assert_eq(fixture_call(&f, CALL_READY, 1)->at, 0);
    cr_assert_float_eq(fixture_figure(&f, "cost.total"), 52, 1e-9);
    fixture_fini(&f);
}

/* ---- quotas, zones, stock ---- */

/* Five are asked for at once: the quota counts those on their way. */
Test(supply_eci, a_quota_counts_what_is_on_its_way)
{
    static struct fixture_cluster f;
    fixture_open(&f, FILE(", \"vcpuQuota\": 16"), SIM_HOUR, 1);
    fixture_start(&f);
    fixture_want_at(&f, SIM_SECOND, 0, 5);
    fixture_want_at(&f, 600 * SIM_SECOND, 0, 1);
    fixture_want_at(&f, 900 * SIM_SECOND, 0, 2);
    fixture_close(&f);
    const struct result_series *n = result_find_series(&f.result, "eci.instances");
    double most = 0;
    for (size_t i = 0; i < n->n; i++)
        most = n->max[i] > most ? n->max[i] : most;
    cr_assert_float_eq(most, 2, 1e-9);
    cr_assert_float_eq(n->mean[n->n - 1], 2, 1e-9, "what was given back can be had again");
    fixture_fini(&f);
}

#define ZONES ", \"zones\": [\"h\", \"i\"]"

static size_t bills(const struct fixture_cluster *f, const char *zone)
{
    size_t n = 0;
    for (size_t i = 0; i < f->result.n_bills; i++)
        n += strcmp(f->result.bills[i].zone, zone) == 0;
    return n;
}

/* Zone h sells two: the third goes to zone i. Out of stock from ten minutes on, none. */
Test(supply_eci, zones_are_tried_in_order_and_have_their_own_stock)
{
    static struct fixture_cluster f;
    fixture_open(&f,
                 FILE(ZONES ", \"rescheduleEnable\": true, \"stockLimits\": [{\"zone\": \"h\", "
                            "\"most\": 2}, {\"type\": \"ecs.gn6v-c8g1.2xlarge\", \"from\": "
                            "\"10m\"}]"),
                 SIM_HOUR, 1);
    fixture_start(&f);
    fixture_want_at(&f, SIM_SECOND, 0, 3);
    fixture_want_at(&f, 600 * SIM_SECOND, 0, 4);
    fixture_close(&f);
    cr_assert_eq(f.counts[CALL_READY], 3);
    cr_assert(bills(&f, "h") == 2 && bills(&f, "i") == 1, "%zu and %zu", bills(&f, "h"),
              bills(&f, "i"));
    /* Half a minute, then every five minutes of the other fifty. */
    cr_assert_eq(fixture_figure(&f, "eci.failedCalls.stock"), 14);
    fixture_fini(&f);
}

Test(supply_eci, zones_in_any_order_share_the_pods)
{
    static struct fixture_cluster f;
    fixture_open(&f, FILE(ZONES ", \"randomZones\": true"), SIM_HOUR, 1);
    fixture_start(&f);
    fixture_want_at(&f, SIM_SECOND, 0, 100);
    fixture_close(&f);
    cr_assert(bills(&f, "h") > 30 && bills(&f, "i") > 30, "%zu and %zu", bills(&f, "h"),
              bills(&f, "i"));
    cr_assert_eq(bills(&f, "h") + bills(&f, "i"), 100);
    fixture_fini(&f);
}

/* Zone h goes at ten minutes, for half an hour: its instance is lost and billed no longer, and its
 * pod starts anew in zone i. */
Test(supply_eci, a_lost_zone_takes_its_instances)
{
    static struct fixture_cluster f;
    fixture_open(&f,
                 ONLY(ZONES) " \"drills\": [\"zone-loss=h/30m@10m\"], \"services\": [" SERVICE "]}",
                 SIM_HOUR, 1);
    fixture_start(&f);
    fixture_want_at(&f, 0, 0, 1);
    fixture_close(&f);
    cr_assert_eq(fixture_call(&f, CALL_DEAD, 0)->at, 600 * SIM_SECOND);
    cr_assert_eq(fixture_call(&f, CALL_READY, 1)->at, (600 + 5 + 20) * SIM_SECOND);
    cr_assert(bills(&f, "h") == 1 && bills(&f, "i") == 1);
    cr_assert_float_eq(billed(&f), (600 - 10) + (3600 - 615), 1e-9);
    fixture_fini(&f);
}

/* Zone h goes twice: the shorter loss within the longer one does not bring it back. */
Test(supply_eci, a_zone_is_gone_until_the_last_loss_is_over)
{
    static struct fixture_cluster f;
    fixture_open(&f,
                 ONLY(ZONES) " \"drills\": [\"zone-loss=h/30m@10m\", \"zone-loss=h/5m@15m\"], "
                             "\"services\": [" SERVICE "]}",
                 SIM_HOUR, 1);
    fixture_start(&f);
    fixture_want_at(&f, 0, 0, 1);
    fixture_want_at(&f, 25 * SIM_MINUTE, 0, 2);
    fixture_want_at(&f, 45 * SIM_MINUTE, 0, 3);
    fixture_close(&f);
    cr_assert(bills(&f, "h") == 2 && bills(&f, "i") == 2, "%zu and %zu", bills(&f, "h"),
              bills(&f, "i"));
    fixture_fini(&f);
}

/* Two pods of 1.5 vCPU and 3 GiB get 2 vCPU and 4 GiB each, 0.441072 CNY an hour by hand, from 20 s
 * after they are asked for; a quota of 4 vCPU has room for no third. */
Test(supply_eci, pods_without_a_gpu_run_on_sizes_by_vcpu_and_memory)
{
    static struct fixture_cluster f;
    fixture_open(
        &f,
        ONLY(", \"vcpuQuota\": 4") " \"services\": [{\"name\": \"bert\", \"pod\": {\"gpus\": 0, "
                                   "\"cpu\": \"1500m\", \"memory\": \"3Gi\"}, \"startup\": "
                                   "{\"image\": {\"time\": \"10s\", \"overhead\": \"0s\"}, "
                                   "\"volumeMount\": \"0s\", \"containerStart\": \"0s\", "
                                   "\"frameworkInit\": \"0s\"}}]}",
        SIM_HOUR + 10 * SIM_SECOND, 1);
    fixture_start(&f);
    fixture_want_at(&f, 0, 0, 3);
    fixture_close(&f);
    cr_assert_eq(f.counts[CALL_READY], 2);
    cr_assert_eq(fixture_call(&f, CALL_READY, 1)->at, 20 * SIM_SECOND);
    cr_assert_float_eq(billed(&f), 7200, 1e-9);
    cr_assert_float_eq(fixture_figure(&f, "cost.total"), 2 * 0.441072, 1e-9);
    cr_assert_float_eq(fixture_figure(&f, "cost.byBilling.eciOnDemand"), 2 * 0.441072, 1e-9);
    cr_assert_float_eq(fixture_figure(&f, "cost.byClass.starting"), 2 * 0.441072 / 360, 1e-6);
    cr_assert(strstr(fixture_told(&f, "eci-spec"), "2-4Gi (2 vCPU, 4 GiB) at 0.4411 CNY an hour"),
              "%s", fixture_told(&f, "eci-spec"));
    cr_assert_gt(fixture_figure(&f, "eci.quotaWaits"), 0);
    fixture_fini(&f);
}

/* ---- preemptible ones ---- */

#define LIMIT(price)                                                                               \
    FILE(", \"spotStrategy\": \"SpotWithPriceLimit\", \"spotPriceLimit\": \"" price                \
         " CNY\", \"spotMarket\": \"calm\", \"rescheduleEnable\": true")

/* The market is at 0.3 x 26 = 7.80. */
Test(supply_eci, an_instance_is_created_only_at_a_bid_of_the_market_or_more)
{
    static struct fixture_cluster f;
    fixture_open(&f, LIMIT("7.79"), SIM_HOUR, 1);
    fixture_start(&f);
    fixture_want_at(&f, 0, 0, 1);
    fixture_close(&f);
    cr_assert_eq(f.counts[CALL_READY], 0);
    cr_assert_float_eq(fixture_figure(&f, "cost.total"), 0, 1e-9);
    fixture_fini(&f);
    fixture_open(&f, LIMIT("7.8"), SIM_HOUR, 1);
    fixture_start(&f);
    fixture_want_at(&f, 0, 0, 1);
    fixture_close(&f);
    cr_assert_eq(f.counts[CALL_READY], 1);
    fixture_fini(&f);
}

/* `harsh` takes every instance at the first check after its hour, and the zone has none then for
 * two hours: the follower is created at the first call after they are over, and calls are five
 * minutes apart by then. */
Test(supply_eci, after_a_loss_the_zone_may_have_no_stock)
{
    static struct fixture_cluster f;
    fixture_open(&f,
                 FILE(", \"spotStrategy\": \"SpotAsPriceGo\", \"spotMarket\": \"harsh\", "
                      "\"rescheduleEnable\": true"),
                 4 * SIM_HOUR, 1);
    fixture_start(&f);
    fixture_want_at(&f, 0, 0, 1);
    fixture_close(&f);
    sim_ns lost = fixture_call(&f, CALL_DEAD, 0)->at;
    sim_ns again = fixture_call(&f, CALL_READY, 1)->at;
    cr_assert(again >= lost + 2 * SIM_HOUR + 20 * SIM_SECOND &&
                  again <= lost + 2 * SIM_HOUR + 5 * SIM_MINUTE + 35 * SIM_SECOND,
              "%lld s later", (long long)((again - lost) / SIM_SECOND));
    fixture_fini(&f);
}

/* One pod: asked for at 60 s; Scheduling 10 s; Pending 10 s; Running from 80 to 160 s; Terminating
 * 1 s. What is billed is the sum of the billed states. */
Test(supply_eci, time_is_billed_in_the_states_of_the_document)
{
    static struct fixture_cluster f;
    fixture_open(&f, FILE(""), SIM_HOUR, 1);
    fixture_start(&f);
    fixture_want_at(&f, 60 * SIM_SECOND, 0, 1);
    fixture_want_at(&f, 160 * SIM_SECOND, 0, 0);
    fixture_close(&f);
    cr_assert_float_eq(fixture_figure(&f, "eci.states.Scheduling"), 10, 1e-9);
    cr_assert_float_eq(fixture_figure(&f, "eci.states.Pending"), 10, 1e-9);
    cr_assert_float_eq(fixture_figure(&f, "eci.states.Running"), 80, 1e-9);
    cr_assert_float_eq(fixture_figure(&f, "eci.states.Terminating"), 1, 1e-9);
    cr_assert_float_eq(billed(&f), 10 + 80 + 1, 1e-9);
    fixture_fini(&f);
}
