/* test_blind: time without news of a metric, and what was missed in it. */
#include "tests/fixture_scenario.h"

#include <criterion/criterion.h>

#define FAULTS "services.bert.metric.faults="
#define FAULT(kind, at, lasts)                                                                     \
    "{\"kind\": \"" kind "\", \"at\": \"" at "\", \"for\": \"" lasts "\"}"
/* One replica that serves 50 QPS of 10 QPS, and of 100 QPS in the second ten minutes. */
#define PEAK                                                                                       \
    "services.bert.traffic.qps={\"profile\": [{\"at\": \"0s\", \"qps\": 10}, {\"at\": \"10m\", "   \
    "\"qps\": 100}, {\"at\": \"20m\", \"qps\": 10}]}",                                             \
        "services.bert.serving.serviceTime=20ms", "services.bert.serving.discipline=fifo",         \
        "services.bert.autoscaler={\"fixed\": 1}", "horizon=40m"

static double figure(const char *faults, const char *slo, const char *path)
{
    struct fixture_scenario p = PLAY("users-hpa", PEAK, faults, slo);
    double v = fixture_value(&p, path);
    fixture_stop(&p);
    return v;
}

#define SLO "services.bert.slo.p99=500ms"
#define TIME(faults) figure(FAULTS "[" faults "]", SLO, "metric.blindTime")
#define MISSED(faults) figure(FAULTS "[" faults "]", SLO, "metric.blindMissed")

Test(blind, counts_the_time_of_each_fault_that_hides)
{
    cr_expect_eq(TIME(FAULT("frozen", "10m", "90s")), 90);
    cr_expect_eq(TIME(FAULT("missing", "10m", "90s")), 90);
    cr_expect_eq(TIME("{\"kind\": \"late\", \"at\": \"10m\", \"for\": \"90s\", \"lag\": \"60s\"}"),
                 90);
    cr_expect_eq(TIME("{\"kind\": \"noisy\", \"at\": \"10m\", \"for\": \"90s\", \"noise\": 0.1}"),
                 0, "noise hides nothing");
}

Test(blind, counts_time_once_where_faults_overlap)
{
    cr_expect_eq(TIME(FAULT("frozen", "10m", "120s") ", " FAULT("missing", "11m", "120s")), 180);
    cr_expect_eq(TIME(FAULT("frozen", "10m", "300s") ", " FAULT("missing", "11m", "60s")), 300);
    cr_expect_eq(TIME(FAULT("frozen", "10m", "60s") ", " FAULT("missing", "20m", "60s")), 120);
}

Test(blind, ends_with_the_run)
{
    cr_expect_eq(TIME(FAULT("frozen", "30m", "3600s")), 600);
    cr_expect_eq(TIME(FAULT("frozen", "50m", "60s")), 0);
}

/* In the first ten minutes nothing is slow. From then on 50 requests a second end, each after more
 * than 500 ms but for the first second: the queue grows by 50 a second, so that it passes 25 then.
 */
Test(blind, counts_what_was_too_slow_in_that_time)
{
    cr_expect_eq(MISSED(FAULT("frozen", "5m", "5m")), 0);
    double missed = MISSED(FAULT("frozen", "10m", "60s"));
    cr_expect_float_eq(missed, 59 * 50, 60, "%g", missed);
    double twice = MISSED(FAULT("frozen", "10m", "60s") ", " FAULT("missing", "10m", "60s"));
    cr_expect_eq(twice, missed, "each once");
}

/* Time-outs begin 60 s after a queue of 60 s has built up; without an SLO only they are missed. */
Test(blind, counts_failures_where_no_limit_is_set)
{
    double none = figure(FAULTS "[" FAULT("frozen", "10m", "60s") "]", "services.bert.slo={}",
                         "metric.blindMissed");
    cr_expect_eq(none, 0);
    double failed = figure(FAULTS "[" FAULT("frozen", "0s", "40m") "]", "services.bert.slo={}",
                           "metric.blindMissed");
    struct fixture_scenario p = PLAY("users-hpa", PEAK);
    cr_expect_gt(failed, 0.0);
    cr_expect_eq(failed, fixture_value(&p, "requests.failed.total"));
    fixture_stop(&p);
}

Test(blind, says_nothing_without_faults)
{
    struct fixture_scenario p = PLAY("users-hpa", PEAK);
    cr_expect_null(result_figure(p.r, "metric.blindTime"));
    fixture_stop(&p);
}
