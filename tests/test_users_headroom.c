/* test_users_headroom: what headroom buys, as whole runs (issues karpenter-provider-aws 3240, 987
 * and 5802, autoscaler 735: overprovisioning with placeholder pods). */
#include "tests/fixture_scenario.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define HEADROOMS 5
#define QPS "services.bert.traffic.qps="

/* The seed HPA with a spike from 5 to 38.9 QPS each hour: 1 -> 2 -> 4 pods of one GPU each. */
static const char *const spikes[] = {
    "horizon=4h",
    "services.bert.serving.balance=central_fifo",
    "services.bert.serving.discipline=fifo",
    "services.bert.serving.serviceTime=25ms",
    "services.bert.ingress.timeout=0s",
    "services.bert.traffic.arrivals=poisson",
    "services.bert.traffic.repeat=loop",
    QPS "{\"profile\": [{\"at\": \"0s\", \"qps\": 5}, {\"at\": \"30m\", \"qps\": 38.9}, "
        "{\"at\": \"50m\", \"qps\": 5}, {\"at\": \"60m\", \"qps\": 5}]}",
};
enum { SPIKES = sizeof spikes / sizeof spikes[0] };

struct point {
    double p99, cost, pending, preempted, knee;
};

/* The placeholders' nodes are there from the start. */
static struct point play(int headroom, const char *more)
{
    char size[64], initial[64];
    const char *sets[SPIKES + 4] = {0};
    for (int i = 0; i < SPIKES; i++)
        sets[i] = spikes[i];
    snprintf(size, sizeof size, "nodePools.elastic.headroom=%d", headroom);
    snprintf(initial, sizeof initial, "nodePools.elastic.initialSize=%d", headroom + 1);
    sets[SPIKES] = size;
    sets[SPIKES + 1] = initial;
    sets[SPIKES + 2] = more;
    struct fixture_scenario p = fixture_play("users-pool", sets);
    struct point v = {
        .p99 = fixture_value(&p, "latency.p99"),
        .cost = fixture_value(&p, "cost.total"),
        .pending = fixture_value(&p, "pods.pendingSeconds"),
        .preempted = fixture_value(&p, "pods.preempted"),
        .knee = headroom > 0 ? fixture_value(&p, "headroom.knee") : -1,
    };
    cr_assert_eq(fixture_value(&p, "requests.failed.total"), 0);
    fixture_stop(&p);
    return v;
}

Test(users_headroom, more_of_it_waits_less_serves_faster_and_costs_more)
{
    struct point v[HEADROOMS];
    int knee = 0;
    for (int h = 0; h < HEADROOMS; h++)
        v[h] = play(h, NULL);
    for (int h = 1; h < HEADROOMS; h++) {
        cr_assert_leq(v[h].p99, v[h - 1].p99, "p99 at %d", h);
        cr_assert_leq(v[h].pending, v[h - 1].pending, "pending at %d", h);
        /* Each GPU of headroom is one more V100 for four hours at 26 CNY. */
        cr_assert_float_eq(v[h].cost - v[h - 1].cost, 4 * 26, 0.01, "cost at %d: %g", h,
                           v[h].cost - v[h - 1].cost);
        if (v[h].pending < v[h - 1].pending)
            knee = h;
    }
    cr_assert_lt(v[1].p99, v[0].p99);
    cr_assert_gt(v[0].pending, 0);
    cr_assert_eq(v[3].pending, 0, "three more pods are wanted at once");
    cr_assert_eq(v[0].preempted, 0);
    cr_assert_eq(v[1].preempted, 4, "once in each of four spikes");
    cr_assert_eq(v[4].preempted, 12, "never more than three at once");
    /* Where more no longer helps is told by every single run. */
    cr_assert_eq(knee, 3);
    for (int h = 1; h < HEADROOMS; h++)
        cr_assert_eq(v[h].knee, knee, "told at %d: %g", h, v[h].knee);
}

/* Omi 6028: no spare node, and an image of 3.6 GB. How long it takes until the queue is gone after
 * one spike that one replica cannot serve. */
struct recovery {
    double seconds, worst;
};

static struct recovery recover(int headroom, const char *image, const char *loading)
{
    char size[64], initial[64];
    snprintf(size, sizeof size, "nodePools.elastic.headroom=%d", headroom);
    snprintf(initial, sizeof initial, "nodePools.elastic.initialSize=%d", headroom + 1);
    struct fixture_scenario p = PLAY(
        "users-pool", "horizon=40m", size, initial, image, loading,
        "services.bert.serving.balance=central_fifo", "services.bert.serving.discipline=fifo",
        "services.bert.ingress.timeout=0s",
        "services.bert.autoscaler={\"schedule\": {\"jobs\": "
        "[{\"schedule\": \"0 0 0 * * *\", \"targetSize\": 1}, "
        "{\"schedule\": \"0 10 0 * * *\", \"targetSize\": 3}]}}",
        "services.bert.startup.image.registry=typical", "services.bert.startup.image.overhead=0s",
        QPS "{\"profile\": [{\"at\": \"0s\", \"qps\": 5}, {\"at\": \"10m\", \"qps\": 28}]}",
        "nodePools.elastic.bootTime=150s", "nodePools.elastic.gpuReadyTime=60s");
    struct recovery r = {.worst = fixture_value(&p, "latency.max")};
    const sim_ns step = 10 * SIM_SECOND;
    sim_ns at = 10 * SIM_MINUTE;
    /* Windows of a minute are judged by their p99. */
    for (sim_ns t = at; t < 39 * SIM_MINUTE; t += step)
        if (fixture_level(&p, "latency.p99", t) > 0.5)
            at = t;
    r.seconds = (double)(at - 10 * SIM_MINUTE) / (double)SIM_SECOND;
    fixture_stop(&p);
    return r;
}

#define SMALL "services.bert.startup.image.size=400M"
#define LARGE "services.bert.startup.image.size=3600M"
#define WHOLE "services.bert.startup.image.cachedShare=0"
#define STREAMED "services.bert.startup.image.lazy={\"bandwidth\": \"25M\"}"

/* One replica serves 1 / 70 ms of 28 QPS. The request that arrives T x 1/0.07/28 after the spike is
 * the one that the single replica ends just when the others come at T: it waits the longest. */
#define WORST_SHARE (1 - 1 / 0.07 / 28)

Test(users_headroom, recovery_depends_on_headroom_image_and_streaming)
{
    struct recovery t[3][4];
    for (int h = 0; h < 3; h++) {
        t[h][0] = recover(h, SMALL, STREAMED);
        t[h][1] = recover(h, SMALL, WHOLE);
        t[h][2] = recover(h, LARGE, STREAMED);
        t[h][3] = recover(h, LARGE, WHOLE);
    }
    for (int h = 0; h < 3; h++) {
        for (int i = 0; i < 4 && h > 0; i++) {
            cr_assert_leq(t[h][i].seconds, t[h - 1][i].seconds, "%d, %d", h, i);
            cr_assert_leq(t[h][i].worst, t[h - 1][i].worst + 0.01, "%d, %d", h, i);
        }
        cr_assert_lt(t[h][2].seconds, t[h][3].seconds, "streaming a large image, headroom %d", h);
        cr_assert_leq(t[h][1].seconds, t[h][3].seconds, "a small image, headroom %d", h);
        /* The first new replica is there 3200 MB / 20 MB/s sooner, or 6.4 % of it / 25 MB/s. */
        cr_assert_float_eq(t[h][3].worst - t[h][1].worst, 160 * WORST_SHARE, 1.0, "headroom %d: %g",
                           h, t[h][3].worst - t[h][1].worst);
        cr_assert_float_eq(t[h][2].worst - t[h][0].worst, 8.19 * WORST_SHARE, 1.0,
                           "headroom %d: %g", h, t[h][2].worst - t[h][0].worst);
    }
    /* Without a spare node it takes the node, whatever the image: 150 s boot, 60 s GPU, a scan. */
    cr_assert_gt(t[0][0].worst - t[1][0].worst, 210 * WORST_SHARE);
    cr_assert_lt(t[0][0].worst - t[1][0].worst, (210 + 60) * WORST_SHARE);
    cr_assert_gt(t[0][3].seconds, t[1][3].seconds);
    cr_assert_gt(t[1][3].seconds, t[2][3].seconds);
}

/* A placeholder that no machine takes, and more of them than maxSize has room for. */
Test(users_headroom, that_can_never_be_kept_is_said)
{
    struct fixture_scenario none = PLAY("users-pool", "horizon=10m", "nodePools.elastic.headroom=3",
                                        "nodePools.elastic.headroomCpu=\"100000\"");
    const char *why = fixture_finding(&none, "headroom-lacking");
    cr_assert(why && strstr(why, "never keeps any of its headroom"), "%s", why ? why : "-");
    cr_assert_null(fixture_finding(&none, "headroom"), "none was kept");
    fixture_stop(&none);
    struct fixture_scenario some = PLAY("users-pool", "horizon=10m", "nodePools.elastic.maxSize=4",
                                        "nodePools.elastic.headroom=5");
    why = fixture_finding(&some, "headroom-lacking");
    cr_assert(why && strstr(why, "maxSize, 4, has room for 4"), "%s", why ? why : "-");
    fixture_stop(&some);
}

/* The finding about pods without a place names what forbids every machine. */
Test(users_headroom, pods_whose_machines_are_never_in_stock_say_so)
{
    struct fixture_scenario p = PLAY("users-pool", "horizon=10m", "nodePools.elastic.initialSize=0",
                                     "nodePools.elastic.stockLimits=[{\"most\": 0}]");
    const char *why = fixture_finding(&p, "unplaced");
    cr_assert(why && strstr(why, "stockLimits[0] of pool elastic sells none"), "%s",
              why ? why : "-");
    fixture_stop(&p);
}
