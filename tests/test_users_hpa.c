/* test_users_hpa: what people ask of an HPA, case by case, as whole runs.
 *
 * Passes are at 0 s, 15 s, ... (scalerPhase 0) and read the window [t - 25 s, t - 10 s), so a rate
 * that changes at 5 s, 20 s, 35 s, ... falls between two windows. */
#include "tests/fixture_scenario.h"

#include <criterion/criterion.h>
#include <criterion/logging.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define S SIM_SECOND
#define HPA "services.bert.autoscaler.hpa."
#define QPS "services.bert.traffic.qps="
#define START "services.bert.initialReplicas="
#define MANY "limits.inFlight=1000000"

static void expect_path(const struct fixture_scenario *p, const char *want)
{
    char path[512];
    fixture_path(p, "hpa bert", path, sizeof path);
    cr_expect_str_eq(path, want, "went %s, not %s", path, want);
}

/* The HPA's decision "5 -> 6" was taken at this time. */
static void expect_at(const struct fixture_scenario *p, const char *what, sim_ns at)
{
    const struct result_entry *line = fixture_line(p, "hpa bert", what, NULL, 0);
    cr_assert(line, "there is no line %s", what);
    cr_expect_eq(line->at, at, "%s at %lld s", what, (long long)(line->at / S));
}

static void expect_line(const struct fixture_scenario *p, const char *what, const char *reason)
{
    cr_expect(fixture_line(p, "hpa bert", what, reason, 0), "there is no line %s because of %s",
              what, reason);
}

static void expect_finding(const struct fixture_scenario *p, const char *code, const char *part)
{
    const char *text = fixture_finding(p, code);
    cr_assert(text, "there is no finding %s", code);
    cr_expect(strstr(text, part), "%s: %s", code, text);
}

/* ---- A1: the dead band ---- */

Test(users_hpa, a1_54_qps_stay_with_5_replicas_and_56_do_not)
{
    struct fixture_scenario p = PLAY("users-hpa", START "5", QPS "54");
    expect_path(&p, "");
    expect_line(&p, "5", "tolerance: 54 / (10 x 5) = 1.08 within 0.9..1.1, stays 5");
    expect_finding(&p, "bands", "5: 40.001..55, 6: 50.001..66");
    expect_finding(&p, "never-scaled",
                   "were bound by tolerance: 54 / (10 x 5) = 1.08 within 0.9..1.1");
    fixture_stop(&p);
    p = PLAY("users-hpa", START "5", QPS "56");
    expect_path(&p, "5 -> 6");
    expect_line(&p, "5 -> 6", "ratio: 56 / 10 -> 6");
    fixture_stop(&p);
}

/* In doubles |1 - 99 / 90| is above 0.1, while 99 / 90 is at most 1 + 0.1. */
Test(users_hpa, a1_versions_differ_at_exactly_11_n_and_agree_at_9_n)
{
    static const struct {
        const char *version, *qps, *path;
    } rows[] = {
        {HPA "kubernetesVersion=\"1.20\"", QPS "99", "9 -> 10"},
        {HPA "kubernetesVersion=\"1.32\"", QPS "99", "9 -> 10"},
        {HPA "kubernetesVersion=\"1.33\"", QPS "99", ""},
        {HPA "kubernetesVersion=\"1.37\"", QPS "99", ""},
        {HPA "kubernetesVersion=\"1.20\"", QPS "81", ""},
        {HPA "kubernetesVersion=\"1.37\"", QPS "81", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fixture_scenario p = PLAY("users-hpa", START "9", rows[i].version, rows[i].qps);
        expect_path(&p, rows[i].path);
        fixture_stop(&p);
    }
    struct fixture_scenario p = PLAY("users-hpa", START "9", QPS "99", rows[0].version);
    expect_finding(&p, "bands", "9: 80.001..98.999");
    fixture_stop(&p);
}

/* ---- A2: a tolerance for each direction ---- */

Test(users_hpa, a2_two_percent_up_and_ten_percent_down)
{
    static const char behavior[] =
        HPA "behavior={\"scaleUp\": {\"tolerance\": 0.02}, \"scaleDown\": {\"tolerance\": 0.1}}";
    struct fixture_scenario p = PLAY("users-hpa", START "5", QPS "52", behavior);
    expect_path(&p, "5 -> 6");
    fixture_stop(&p);
    p = PLAY("users-hpa", START "5", QPS "46", behavior);
    expect_path(&p, "");
    expect_line(&p, "5", "tolerance: 46 / (10 x 5) = 0.92 within 0.9..1.02");
    fixture_stop(&p);
    p = PLAY("users-hpa", START "5", QPS "52", behavior, HPA "kubernetesVersion=\"1.32\"");
    expect_path(&p, ""); /* before the field there was one tolerance for both */
    fixture_stop(&p);
}

/* ---- A3: limits on growth ---- */

#define STEP_95 QPS "{\"profile\": [{\"at\": \"0s\", \"qps\": 1}, {\"at\": \"305s\", \"qps\": 95}]}"

Test(users_hpa, a3_without_behavior_1_4_8_10_and_with_an_empty_block_1_5_10)
{
    struct fixture_scenario p = PLAY("users-hpa", STEP_95);
    expect_path(&p, "1 -> 4 -> 8 -> 10");
    expect_line(&p, "1 -> 4",
                "ScaleUpLimit: 95 / 10 -> 10, held to 4 by ScaleUpLimit max(2 x 1, 4)");
    expect_at(&p, "1 -> 4", 330 * S);
    expect_at(&p, "4 -> 8", 345 * S);
    expect_at(&p, "8 -> 10", 360 * S);
    fixture_stop(&p);
    p = PLAY("users-hpa", STEP_95, HPA "behavior={}");
    expect_path(&p, "1 -> 5 -> 10");
    expect_line(&p, "1 -> 5", "ScaleUpLimit");
    expect_at(&p, "5 -> 10", 345 * S);
    fixture_stop(&p);
}

/* ---- A4: policies cap, they do not set ---- */

#define POLICY_UP(n)                                                                               \
    HPA "behavior={\"scaleUp\": {\"policies\": [{\"type\": \"Pods\", \"value\": " #n               \
        ", \"periodSeconds\": 15}]}}"

Test(users_hpa, a4_ten_pods_allowed_and_two_needed_are_two)
{
    struct fixture_scenario p = PLAY("users-hpa", START "5", QPS "70", POLICY_UP(10));
    expect_path(&p, "5 -> 7");
    expect_line(&p, "5 -> 7", "ratio");
    fixture_stop(&p);
    p = PLAY("users-hpa", START "5", QPS "70", POLICY_UP(1));
    expect_path(&p, "5 -> 6 -> 7");
    expect_line(&p, "5 -> 6", "held to 6 by ScaleUpLimit (1 pods in 15s)");
    fixture_stop(&p);
}

/* ---- A5: stabilisation is the largest of a window ---- */

#define FALL "{\"at\": \"0s\", \"qps\": 100}, {\"at\": \"605s\", \"qps\": 30}"

/* The last recommendation of 10 is of the pass at 615 s; without behavior an age of exactly 300 s
 * still counts. */
Test(users_hpa, a5_ten_hold_until_the_last_ten_has_left_the_window)
{
    struct fixture_scenario p = PLAY("users-hpa", START "10", QPS "{\"profile\": [" FALL "]}");
    expect_path(&p, "10 -> 3");
    expect_at(&p, "10 -> 3", 930 * S);
    expect_line(&p, "10", "held at 10 by ScaleDownStabilized (highest of 300s)");
    fixture_stop(&p);
    p = PLAY("users-hpa", START "10", QPS "{\"profile\": [" FALL "]}", HPA "behavior={}");
    expect_path(&p, "10 -> 3");
    expect_at(&p, "10 -> 3", 915 * S);
    fixture_stop(&p);
}

/* 285 s after the fall 15 s at 100 QPS, which one pass sees (915 s): 300 s begin anew. */
Test(users_hpa, a5_a_spike_of_one_pass_arms_it_again)
{
    struct fixture_scenario p =
        PLAY("users-hpa", START "10",
             QPS "{\"profile\": [" FALL
                 ", {\"at\": \"890s\", \"qps\": 100}, {\"at\": \"905s\", \"qps\": 30}]}");
    expect_path(&p, "10 -> 3");
    expect_at(&p, "10 -> 3", 1230 * S);
    fixture_stop(&p);
}

/* ---- A6: flapping ---- */

#define SQUARE                                                                                     \
    QPS "{\"profile\": [{\"at\": \"0s\", \"qps\": 100}, {\"at\": \"60s\", \"qps\": 30}, "          \
        "{\"at\": \"120s\", \"qps\": 100}]}"
#define DOWN_WINDOW(s) HPA "behavior={\"scaleDown\": {\"stabilizationWindowSeconds\": " #s "}}"

/* 100 QPS and 30 QPS by turns, a minute each: 30 periods an hour. Without a window the size turns
 * twice a period and seven pods start in each; a window of 300 s sees no minute without its 10. */
Test(users_hpa, a6_a_square_wave_turns_sixty_times_an_hour_or_never)
{
    struct fixture_scenario p = PLAY("users-hpa", START "10", SQUARE, "horizon=2h",
                                     "services.bert.traffic.repeat=loop", DOWN_WINDOW(0));
    cr_expect_float_eq(fixture_value(&p, "replicas.reversalsPerHour"), 59, 1.5);
    cr_expect_float_eq(fixture_value(&p, "replicas.startsPerHour"), 7 * 30, 7);
    cr_expect_float_eq(fixture_value(&p, "replicas.reversals"),
                       2 * fixture_value(&p, "replicas.reversalsPerHour"), 1e-9);
    expect_finding(&p, "flapping", "times an hour and 2");
    fixture_stop(&p);
    p = PLAY("users-hpa", START "10", SQUARE, "horizon=2h", "services.bert.traffic.repeat=loop",
             DOWN_WINDOW(300));
    cr_expect_eq(fixture_value(&p, "replicas.reversalsPerHour"), 0);
    cr_expect_eq(fixture_value(&p, "replicas.startsPerHour"), 0);
    cr_expect_null(fixture_finding(&p, "flapping"));
    fixture_stop(&p);
}

/* ---- A7: the chain of lags ---- */

#define CHAIN "services.bert.metric.exportInterval=60s"
#define STEP_FROM_10                                                                               \
    QPS "{\"profile\": [{\"at\": \"0s\", \"qps\": 10}, {\"at\": \"305s\", \"qps\": 95}]}"

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* A value every 60 s, 10 s on its way, a pass every 15 s: from 10 s to 85 s after the step, and
 * half of the way between in the middle. The first value that shows the step holds a third of a
 * second of it. */
Test(users_hpa, a7_the_first_scale_up_comes_within_85_s)
{
    enum { PHASES = 400 };
    double lag[PHASES];
    for (int i = 0; i < PHASES; i++) {
        char seed[32];
        snprintf(seed, sizeof seed, "seed=%d", i + 1);
        struct fixture_scenario p = PLAY("users-hpa", STEP_FROM_10, CHAIN,
                                         "services.bert.scalerPhase=-1", "horizon=7m", seed);
        const struct result_entry *first = fixture_line(&p, "hpa bert", "1 -> ", NULL, 0);
        cr_assert(first);
        lag[i] = (double)(first->at - 305 * S) / (double)S;
        fixture_stop(&p);
    }
    qsort(lag, PHASES, sizeof lag[0], by_value);
    double p50 = lag[PHASES / 2];
    cr_log_info("%.1f s to %.1f s, half within %.1f s", lag[0], lag[PHASES - 1], p50);
    cr_expect_geq(lag[0], 10.0);
    cr_expect_leq(lag[PHASES - 1], 85.4);
    cr_expect_gt(lag[PHASES - 1], 80.0);
    cr_expect_float_eq(p50, 47.5, 4.0);
}

/* The longer the chain, the longer one replica is alone with 95 QPS, of which it serves 50. */
Test(users_hpa, a7_p99_does_not_fall_as_the_lag_rises)
{
    static const char *const lags[][2] = {
        {"services.bert.metric.exportInterval=0", "services.bert.metric.delay=0"},
        {"services.bert.metric.exportInterval=0", "services.bert.metric.delay=10s"},
        {"services.bert.metric.exportInterval=30s", "services.bert.metric.delay=10s"},
        {"services.bert.metric.exportInterval=60s", "services.bert.metric.delay=10s"},
        {"services.bert.metric.exportInterval=60s", "services.bert.metric.delay=40s"},
    };
    double before = 0;
    for (size_t i = 0; i < sizeof lags / sizeof *lags; i++) {
        struct fixture_scenario p =
            PLAY("users-hpa", STEP_FROM_10, lags[i][0], lags[i][1], "replications=20",
                 "services.bert.scalerPhase=-1", "services.bert.serving.serviceTime=20ms",
                 "services.bert.serving.discipline=fifo", "services.bert.ingress.timeout=0");
        double p99 = fixture_value(&p, "latency.p99");
        cr_log_info("%s %s: p99 %.2f s", lags[i][0], lags[i][1], p99);
        cr_expect_gt(p99, before, "%s: %g s after %g s", lags[i][0], p99, before);
        before = p99;
        fixture_stop(&p);
    }
}

/* ---- A8: a frozen metric ---- */

/* The adapter repeats what it saw at 290 s for 900 s; the rate steps up at 305 s to 95 QPS, of
 * which one replica serves 50. */
Test(users_hpa, a8_a_frozen_metric_hides_a_spike)
{
    struct fixture_scenario p =
        PLAY("users-hpa", STEP_95, "services.bert.serving.serviceTime=20ms", MANY,
             "services.bert.metric.faults=[{\"kind\": \"frozen\", \"at\": \"290s\", \"for\": "
             "\"900s\"}]");
    expect_path(&p, "1 -> 4 -> 8 -> 10");
    expect_at(&p, "1 -> 4", 1200 * S);
    cr_expect_eq(fixture_value(&p, "metric.blindTime"), 900);
    double missed = fixture_value(&p, "metric.blindMissed");
    cr_expect_gt(missed, 0.9 * 885 * 50, "each of the 50 a second that end waited");
    cr_expect_leq(missed, 885.0 * 95);
    char part[96];
    snprintf(part, sizeof part, "for 15m; %.0f requests were slower", missed);
    expect_finding(&p, "metric-blind", part);
    fixture_stop(&p);
}

/* ---- A9: a missing metric ---- */

#define OUTAGE                                                                                     \
    "services.bert.metric.faults=[{\"kind\": \"missing\", \"at\": \"10m\", \"for\": \"10m\"}]"

Test(users_hpa, a9_ten_minutes_without_a_metric_hold_8)
{
    struct fixture_scenario p = PLAY("users-hpa", START "8", QPS "80", OUTAGE);
    expect_path(&p, "");
    expect_line(&p, "8", "NoMetric: sls_ingress_qps has no value, stays 8");
    cr_expect_eq(fixture_value(&p, "scaler.metricGaps"), 40);
    expect_finding(&p, "metric-gaps", "in 40 passes");
    fixture_stop(&p);
}

#define KEDA_TRIGGER                                                                               \
    "{\"type\": \"prometheus\", \"metadata\": {\"query\": \"sls_ingress_qps\", \"threshold\": "    \
    "\"10\"}}"
#define KEDA(triggers)                                                                             \
    "services.bert.autoscaler={\"keda\": {\"minReplicaCount\": 1, \"maxReplicaCount\": 10, "       \
    "\"triggers\": [" triggers "], \"fallback\": {\"failureThreshold\": 3, \"replicas\": 5}}}"

/* The fallback reports 5 x 10: the size goes there once, after the HPA's stabilisation, and comes
 * back once when the metric does. */
Test(users_hpa, a9_keda_falls_back_to_5_once)
{
    char path[256];
    struct fixture_scenario p =
        PLAY("users-hpa", START "8", QPS "80", OUTAGE, KEDA(KEDA_TRIGGER), "horizon=40m");
    fixture_path(&p, "keda bert", path, sizeof path);
    cr_expect_str_eq(path, "8 -> 5 -> 8");
    cr_expect_eq(fixture_value(&p, "replicas.reversals"), 1);
    const struct result_entry *down = fixture_line(&p, "keda bert", "8 -> 5", NULL, 0);
    cr_expect_geq(down->at, 900 * S);
    cr_expect_leq(down->at, 1200 * S);
    fixture_stop(&p);
}

/* ---- A10: surge pods leak into the spec ---- */

#define ROLLOUT "services.bert.rollouts=[{\"at\": \"20m\", \"maxSurge\": 1, \"maxUnavailable\": 0}]"
#define THREE_NODES "nodePools[0].initialSize=3"

/* 34 QPS are in the band of three pods and in that of four (a tolerance of 0.2). */
Test(users_hpa, a10_a_surge_pod_stays_and_buys_a_node_or_does_not)
{
    struct fixture_scenario p = PLAY("users-pool", START "3", QPS "34", HPA "tolerance=0.2",
                                     HPA "surgePods=current", ROLLOUT, THREE_NODES);
    expect_path(&p, "3 -> 4");
    const struct result_entry *line = fixture_line(&p, "hpa bert", "3 -> 4", NULL, 0);
    cr_expect_geq(line->at, 1200 * S);
    expect_line(&p, "3 -> 4", "tolerance: 33 / (10 x 4) = 0.825 within 0.8..1.2 -> 4");
    double leaked = fixture_value(&p, "nodes.max");
    cr_expect(fixture_line(&p, "elastic-4", "bought", NULL, line->at), "no node was bought for it");
    double cost = fixture_value(&p, "cost.total");
    fixture_stop(&p);
    p = PLAY("users-pool", START "3", QPS "34", HPA "tolerance=0.2", HPA "surgePods=fixed", ROLLOUT,
             THREE_NODES);
    expect_path(&p, "");
    cr_expect_eq(fixture_value(&p, "replicas.wantMax"), 3);
    cr_expect_lt(fixture_value(&p, "nodes.max"), leaked);
    cr_expect_lt(fixture_value(&p, "cost.total"), cost);
    fixture_stop(&p);
}

/* ---- A11: Value runs away ---- */

#define VALUE_TARGET HPA "metrics[0].external.target={\"type\": \"Value\", \"value\": 10}"

/* 30 QPS whatever the size. Pods that are pending do not count, so a slow start only spreads the
 * steps: each time the new ones are ready the size is multiplied by three again. */
Test(users_hpa, a11_value_multiplies_to_the_maximum_and_average_value_settles)
{
    struct fixture_scenario p = PLAY("users-hpa", QPS "30", VALUE_TARGET);
    expect_path(&p, "1 -> 3 -> 6 -> 10");
    expect_finding(&p, "value-target", "drives it to the maximum");
    fixture_stop(&p);
    p = PLAY("users-pool", QPS "30", VALUE_TARGET,
             "services.bert.serving.serviceTime={\"V100\": \"10ms\"}");
    expect_path(&p, "1 -> 3 -> 6 -> 9 -> 10");
    const struct result_entry *second = fixture_line(&p, "hpa bert", "3 -> 6", NULL, 0);
    cr_expect_gt(second->at, 180 * S, "not before the two new pods are ready");
    fixture_stop(&p);
    p = PLAY("users-hpa", QPS "30");
    expect_path(&p, "1 -> 3");
    cr_expect_null(fixture_finding(&p, "value-target"));
    fixture_stop(&p);
}

/* ---- A12: more is needed than the maximum allows ---- */

Test(users_hpa, a12_needed_25_capped_at_10)
{
    struct fixture_scenario p = PLAY("users-hpa", START "10", QPS "250");
    expect_line(&p, "10",
                "TooManyReplicas: 250 / 10 -> 25, held to 10 by TooManyReplicas (max 10)");
    cr_expect_eq(fixture_value(&p, "scaler.neededMax"), 25);
    cr_expect_float_eq(fixture_value(&p, "requests.served") / 1800 / 10, 25, 0.01);
    double lasted = fixture_value(&p, "scaler.cappedTime");
    double passes = fixture_value(&p, "scaler.cappedShare") * fixture_value(&p, "scaler.passes");
    cr_expect_float_eq(lasted, 1800 - 30, 15);
    /* 15 s between two passes, and from the last one to the end: a part of it */
    cr_expect(lasted > 15 * (passes - 1) && lasted <= 15 * passes, "%g s, %g passes", lasted,
              passes);
    cr_expect_float_eq(fixture_value(&p, "scaler.cappedReplicaHours"), (25 - 10) * lasted / 3600,
                       0.01);
    expect_finding(&p, "capped-at-max", "needed 25, capped at 10 for 29m");
    fixture_stop(&p);
}

/* On a pool each of the 10 serves 14 QPS: the SLO is missed in each window after the first pods
 * are full, and the 15 that are not there would have had a price. */
Test(users_hpa, a12_the_cap_has_its_effect_on_slo_and_money)
{
    struct fixture_scenario p =
        PLAY("users-pool", START "10", QPS "250", "nodePools[0].initialSize=10", MANY);
    cr_expect_gt(fixture_value(&p, "slo.missedCapped"), 50.0);
    expect_finding(&p, "capped-at-max", "windows missed their SLO while it was capped");
    const char *text = fixture_finding(&p, "capped-at-max");
    const char *money = strstr(text, "would have cost about ");
    cr_assert(money, "%s", text);
    double hours = fixture_value(&p, "scaler.cappedReplicaHours");
    cr_expect_float_eq(strtod(money + strlen("would have cost about "), NULL), 26 * hours,
                       0.05 * 26 * hours, "%s", text);
    fixture_stop(&p);
}

/* ---- A13: zero and back ---- */

#define TWICE(again)                                                                               \
    QPS "{\"profile\": [{\"at\": \"0s\", \"qps\": 10}, {\"at\": \"10m\", \"qps\": 0}, "            \
        "{\"at\": \"60m\", \"qps\": " #again "}]}"
/* One replica for anything that is inside; an ingress that lets requests wait for it. */
#define ZERO_POOL(min)                                                                             \
    PLAY("users-pool", TWICE(1), HPA "minReplicas=" min, "horizon=90m",                            \
         HPA "metrics[0].external.metric.name=in_flight",                                          \
         HPA "metrics[0].external.target.averageValue=1000", "services.bert.ingress.hold=true",    \
         "services.bert.ingress.timeout=10m")

/* A replica needs a node (90 s and 60 s) and its start: who comes first at 3600 s waits all of it.
 */
Test(users_hpa, a13_the_first_request_waits_the_whole_cold_start)
{
    struct fixture_scenario p = ZERO_POOL("0");
    expect_path(&p, "1 -> 0 -> 1");
    double start = fixture_value(&p, "startup.total.max"),
           cold = fixture_value(&p, "coldStart.requests");
    cr_expect_geq(fixture_value(&p, "latency.max"), start);
    cr_expect_lt(fixture_value(&p, "latency.max"), start + 60);
    cr_expect_eq(fixture_value(&p, "requests.failed.total"), 0);
    cr_expect_geq(cold, floor(start));
    cr_expect_float_eq(fixture_value(&p, "coldStart.share"),
                       cold / fixture_value(&p, "requests.arrived"), 1e-9);
    expect_finding(&p, "cold-start", "while no replica served");
    expect_finding(&p, "at-zero", "would have cost");
    cr_expect_null(fixture_finding(&p, "held-unseen"));
    fixture_stop(&p);
}

/* What the finding says is saved is what a run that keeps one replica costs more, but for the time
 * in which the empty node is still paid (from 930 s to 1552 s, at 26 CNY an hour). */
Test(users_hpa, a13_zero_saves_what_one_replica_would_have_cost)
{
    struct fixture_scenario zero = ZERO_POOL("0"), one = ZERO_POOL("1");
    double saved = fixture_value(&one, "cost.total") - fixture_value(&zero, "cost.total");
    const char *text = fixture_finding(&zero, "at-zero");
    cr_assert(text);
    cr_expect_null(fixture_finding(&one, "at-zero"));
    double said = strtod(strstr(text, "would have cost ") + strlen("would have cost "), NULL);
    const struct result_entry *gone = fixture_line(&zero, "elastic-0", "deleted", NULL, 0);
    double idle = 26 * (double)(gone->at - 930 * S) / 3600e9;
    cr_log_info("saved %.2f, said %.2f, %.2f of it idle", saved, said, idle);
    cr_expect_gt(saved, 0.0);
    cr_expect_float_eq(said - idle, saved, 0.05 * saved);
    fixture_stop(&zero);
    fixture_stop(&one);
}

/* A rate at the ingress counts what has ended, and what is held has not. */
Test(users_hpa, a13_a_rate_of_ended_requests_wakes_nobody_before_time_outs)
{
    struct fixture_scenario p =
        PLAY("users-hpa", TWICE(5), HPA "minReplicas=0", "horizon=90m",
             "services.bert.ingress.hold=true", "services.bert.ingress.timeout=10m");
    const struct result_entry *woken = fixture_line(&p, "hpa bert", "0 -> 1", NULL, 0);
    cr_assert(woken);
    cr_expect_geq(woken->at, 4200 * S);
    expect_finding(&p, "held-unseen", "in_flight shows it");
    fixture_stop(&p);
}

#define KEDA_ZERO(cooldown)                                                                        \
    "services.bert.autoscaler={\"keda\": {\"minReplicaCount\": 0, \"maxReplicaCount\": 10, "       \
    "\"cooldownPeriod\": " #cooldown ", \"triggers\": [" KEDA_TRIGGER "]}}"

/* KEDA takes N to zero at once when its cool-down ends before the HPA's window of 300 s, and the
 * last one only when it ends later. */
Test(users_hpa, a13_keda_jumps_from_n_to_zero_or_leaves_one_first)
{
    char path[256];
    struct fixture_scenario p = PLAY("users-hpa", START "2", TWICE(5), KEDA_ZERO(120),
                                     "horizon=90m", "services.bert.traffic.scale=2");
    fixture_path(&p, "keda bert", path, sizeof path);
    cr_expect_str_eq(path, "2 -> 0 -> 1");
    double early = fixture_value(&p, "replicas.zeroShare");
    fixture_stop(&p);
    p = PLAY("users-hpa", START "2", TWICE(5), KEDA_ZERO(900), "horizon=90m",
             "services.bert.traffic.scale=2");
    fixture_path(&p, "keda bert", path, sizeof path);
    cr_expect_str_eq(path, "2 -> 1 -> 0 -> 1");
    cr_expect_lt(fixture_value(&p, "replicas.zeroShare"), early);
    fixture_stop(&p);
}

/* ---- A14: nobody is ready at the peak ---- */

#define ALL_AT_ONCE                                                                                \
    "services.bert.rollouts=[{\"at\": \"20m\", \"maxSurge\": 0, \"maxUnavailable\": \"100%\"}]",   \
        "services.bert.startup.frameworkInit=150s", "nodePools[0].initialSize=5", MANY

/* 50 QPS and five pods, all of which a rollout replaces at once and which start for 150 s: a target
 * of type Value (50 / 60 of five pods are five) multiplies the ready ones, which are none. What the
 * service is refused is in the log, so the metric shows the peak all the while. */
Test(users_hpa, a14_a_ratio_of_no_ready_pods_recommends_zero)
{
    struct fixture_scenario p =
        PLAY("users-pool", START "5", QPS "50", ALL_AT_ONCE, DOWN_WINDOW(60),
             HPA "metrics[0].external.target={\"type\": \"Value\", \"value\": 60}");
    char path[256];
    fixture_path(&p, "hpa bert", path, sizeof path);
    cr_expect_eq(strncmp(path, "5 -> 1", 6), 0, "%s", path);
    const struct result_entry *line = fixture_line(&p, "hpa bert", "5 -> 1", NULL, 0);
    cr_assert(line);
    cr_expect(strstr(line->reason,
                     "50 / 60 = 0.833 x 0 ready pods -> 0, raised to 1 by TooFewReplicas (min 1)"),
              "%s", line->reason);
    cr_expect_geq(line->at, 1200 * S);
    fixture_stop(&p);
    p = PLAY("users-pool", START "5", QPS "50", ALL_AT_ONCE, DOWN_WINDOW(60));
    expect_path(&p, "");
    fixture_stop(&p);
}
