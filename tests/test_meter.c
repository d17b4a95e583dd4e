/* test_meter: what an autoscaler is shown of a service, read from the reasons that it gives.
 *
 * One replica that takes 10 ms a request, one after another; 10 QPS up to 305 s and more from then
 * on. The pass at 330 s is the first to see the new rate, over the window [305 s, 320 s). */
#include "tests/fixture_scenario.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define S SIM_SECOND
#define HPA "services.bert.autoscaler.hpa."
#define STEP_TO(qps)                                                                               \
    "services.bert.traffic.qps={\"profile\": [{\"at\": \"0s\", \"qps\": 10}, {\"at\": \"305s\", "  \
    "\"qps\": " #qps "}]}"
#define ONE_BY_ONE "services.bert.serving.serviceTime=10ms", "services.bert.serving.discipline=fifo"
#define FIRST HPA "metrics[0].external."

/* The value that the pass at 330 s divided by its target. */
static double value_at_330(const char *metric, const char *target, const char *step)
{
    char name[128], average[128];
    snprintf(name, sizeof name, FIRST "metric.name=%s", metric);
    snprintf(average, sizeof average, FIRST "target.averageValue=\"%s\"", target);
    struct fixture_scenario p = PLAY("users-hpa", ONE_BY_ONE, step, name, average, "horizon=6m");
    const struct result_entry *line = fixture_line(&p, "hpa bert", "1 -> ", NULL, 300 * S);
    cr_assert(line, "%s: no pass grows", metric);
    cr_expect_eq(line->at, 330 * S, "%s: at %lld s", metric, (long long)(line->at / S));
    double v = strtod(strchr(line->reason, ':') + 1, NULL);
    fixture_stop(&p);
    return v;
}

/* 40 QPS at 10 ms: a utilization and a concurrency of 0.4. */
Test(meter, reads_each_metric_over_its_window)
{
    static const struct {
        const char *metric, *target;
        double value;
    } rows[] = {
        {"sls_ingress_qps", "20", 40},
        {"sls_alb_ingress_qps", "20", 40},
        {"in_flight", "200m", 0.4},
        {"concurrency", "200m", 0.4},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_float_eq(value_at_330(rows[i].metric, rows[i].target, STEP_TO(40)), rows[i].value,
                           1e-9, "%s", rows[i].metric);
}

/* 150 QPS at 10 ms: in the 15 s 2,250 come and 1,500 go, request k waits k x (10 - 6.667) ms. */
Test(meter, reads_queue_and_latency_of_an_overload)
{
    double queue = value_at_330("queue_length", "100", STEP_TO(150));
    cr_expect_float_eq(queue, 749, 1.5, "%g wait", queue);
    static const struct {
        const char *metric;
        double ms;
    } rows[] = {
        {"sls_ingress_latency_avg", 10 + 750 * 10.0 / 3},
        {"sls_ingress_latency_p50", 10 + 750 * 10.0 / 3},
        {"sls_ingress_latency_p95", 10 + 1425 * 10.0 / 3},
        {"sls_ingress_latency_p99", 10 + 1485 * 10.0 / 3},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double v = value_at_330(rows[i].metric, "1000", STEP_TO(150));
        cr_expect_float_eq(v, rows[i].ms, 0.01 * rows[i].ms, "%s: %g", rows[i].metric, v);
        cr_expect_eq(v, floor(v), "whole milliseconds");
    }
}

#define RESOURCE(target)                                                                           \
    HPA "metrics[0]={\"type\": \"Resource\", \"resource\": {\"name\": \"cpu\", \"target\": "       \
        "{\"type\": \"Utilization\", \"averageUtilization\": " #target "}}}"

static void expect_line(const struct fixture_scenario *p, const char *what, const char *reason)
{
    const struct result_entry *line = fixture_line(p, "hpa bert", what, NULL, 300 * S);
    cr_assert(line, "there is no line %s", what);
    cr_expect(strstr(line->reason, reason), "%s", line->reason);
}

/* Two replicas share 180 QPS of 10 ms: a little less than 0.9 each, as the window begins with the
 * first of them. The mean is over the samples of two pods. */
Test(meter, shows_a_sample_of_each_pod)
{
    struct fixture_scenario p =
        PLAY("users-hpa", ONE_BY_ONE, STEP_TO(180), RESOURCE(60), "services.bert.initialReplicas=2",
             HPA "minReplicas=2", "horizon=6m");
    expect_line(&p, "2 -> 3", "89% / 60% = 1.483 x 2 pods -> 3");
    fixture_stop(&p);
}

/* A pod that starts has no sample of worth: it is not ready, counts with nothing while the load is
 * too high, and keeps the size from growing again. */
Test(meter, a_starting_pod_counts_with_nothing)
{
    struct fixture_scenario p =
        PLAY("users-pool", "services.bert.serving.serviceTime={\"V100\": \"10ms\"}",
             "services.bert.serving.discipline=fifo", STEP_TO(90), RESOURCE(60), "horizon=12m");
    expect_line(&p, "1 -> 2", "90% / 60% = 1.5 x 1 pods -> 2");
    const struct result_entry *guard = fixture_line(&p, "hpa bert", "2", "guard:", 0);
    cr_assert(guard);
    cr_expect_eq(guard->at, 345 * S);
    cr_expect(strstr(guard->reason, "90% / 60% = 0.75 once missing and not-ready pods count"), "%s",
              guard->reason);
    fixture_stop(&p);
}

/* A Pods metric is a share of the whole for each pod that serves. */
Test(meter, splits_a_pods_metric_over_those_that_serve)
{
    struct fixture_scenario p =
        PLAY("users-hpa", ONE_BY_ONE, STEP_TO(60), "services.bert.initialReplicas=2",
             HPA "minReplicas=2", "horizon=6m",
             HPA "metrics[0]={\"type\": \"Pods\", \"pods\": {\"metric\": {\"name\": "
                 "\"sls_ingress_qps\"}, \"target\": {\"type\": \"AverageValue\", \"averageValue\": "
                 "20}}}");
    expect_line(&p, "2 -> 3", "30 / 20 = 1.5 x 2 pods -> 3");
    fixture_stop(&p);
}

/* A window of one's own ends with the pass and counts what arrives: 40 QPS from 305 s on are 31 QPS
 * or so over the stable window of 60 s at 352 s. */
Test(meter, a_window_of_ones_own_ends_with_the_pass)
{
    struct fixture_scenario p =
        PLAY("users-hpa", ONE_BY_ONE, STEP_TO(40), "horizon=7m",
             "services.bert.autoscaler={\"kpa\": {\"metric\": \"rps\", \"target\": 10, "
             "\"target-utilization-percentage\": 100, \"min-scale\": 1, \"max-scale\": 3, "
             "\"panic-threshold-percentage\": 1000}}");
    const struct result_entry *two = fixture_line(&p, "kpa bert", "1 -> 2", NULL, 300 * S);
    const struct result_entry *three = fixture_line(&p, "kpa bert", "2 -> 3", NULL, 300 * S);
    cr_assert(two && three);
    /* ceil(v / 10) is 2 as soon as v > 10, and 3 when 10 + 30 t / 60 > 20, 20 s after the step */
    cr_expect_leq(two->at, 307 * S);
    cr_expect_geq(three->at, 325 * S);
    cr_expect_leq(three->at, 327 * S);
    fixture_stop(&p);
}
