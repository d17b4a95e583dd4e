/* test_supply_eci: pods as container instances: phases, bills, quotas, spot, overflow. */
#include "tests/fixture_cluster.h"

#include <criterion/criterion.h>
#include <math.h>
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

Test(supply_eci, without_stock_a_pod_fails_or_waits_as_its_annotation_says)
{
    static struct fixture_cluster f;
    fixture_open(&f, FILE(", \"noStockShare\": 1, \"rescheduleEnable\": true"), SIM_MINUTE, 1);
    fixture_start(&f);
    fixture_want_at(&f, 0, 0, 1);
    fixture_close(&f);
    cr_assert_eq(f.counts[CALL_GONE], 0);
    cr_assert_gt(fixture_logged(&f, "bert-0", "NoStock"), 3);
    fixture_fini(&f);
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
