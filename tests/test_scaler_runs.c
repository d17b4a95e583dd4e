/* test_scaler_runs: the yardsticks (fixed, schedule, oracle) and closed-loop clients as whole runs.
 */
#include "tests/fixture_scenario.h"

#include <criterion/criterion.h>
#include <criterion/logging.h>
#include <string.h>

#define S SIM_SECOND
#define SCALER "services.bert.autoscaler="
#define QPS "services.bert.traffic.qps="
#define STEP_95 QPS "{\"profile\": [{\"at\": \"0s\", \"qps\": 1}, {\"at\": \"305s\", \"qps\": 95}]}"

static void expect_path(const struct fixture_scenario *p, const char *subject, const char *want)
{
    char path[512];
    fixture_path(p, subject, path, sizeof path);
    cr_expect_str_eq(path, want, "went %s, not %s", path, want);
}

static void expect_at(const struct fixture_scenario *p, const char *subject, const char *what,
                      sim_ns at)
{
    const struct result_entry *line = fixture_line(p, subject, what, NULL, 0);
    cr_assert(line, "there is no line %s", what);
    cr_expect_eq(line->at, at, "%s at %lld s", what, (long long)(line->at / S));
}

/* ---- fixed ---- */

Test(scaler_runs, fixed_takes_its_size_at_once_and_keeps_it)
{
    struct fixture_scenario p = PLAY("users-hpa", STEP_95, SCALER "{\"fixed\": 8}");
    expect_path(&p, "fixed bert", "1 -> 8");
    expect_at(&p, "fixed bert", "1 -> 8", 0);
    cr_expect_eq(fixture_value(&p, "scaler.passes"), 1);
    cr_expect_eq(fixture_value(&p, "replicas.max"), 8);
    cr_expect_eq(fixture_level(&p, "replicas.have", 1799 * S), 8);
    fixture_stop(&p);
}

/* ---- schedule ---- */

/* From 09:00 to 20:00 on the wall; the run begins at midnight there. */
#define OFFICE                                                                                     \
    SCALER "{\"schedule\": {\"jobs\": [{\"schedule\": \"0 0 9 * * 1-5\", \"targetSize\": 8}, "     \
           "{\"schedule\": \"0 0 20 * * 1-5\", \"targetSize\": 2}]}}"

Test(scaler_runs, schedule_follows_local_time_and_the_day_of_the_week)
{
    struct fixture_scenario p =
        PLAY("users-hpa", OFFICE, "timeZone=Asia/Shanghai", "start=2024-01-05", "horizon=4d",
             QPS "1", "services.bert.initialReplicas=2");
    /* Friday, two days off, Monday */
    expect_path(&p, "schedule bert", "2 -> 8 -> 2 -> 8 -> 2");
    expect_at(&p, "schedule bert", "2 -> 8", 9 * SIM_HOUR);
    expect_at(&p, "schedule bert", "8 -> 2", 20 * SIM_HOUR);
    const struct result_entry *monday =
        fixture_line(&p, "schedule bert", "2 -> 8", NULL, 24 * SIM_HOUR);
    cr_assert(monday);
    cr_expect_eq(monday->at, 3 * SIM_DAY + 9 * SIM_HOUR);
    fixture_stop(&p);
}

/* ---- oracle ---- */

/* A step at 305 s; passes are 15 s apart. */
Test(scaler_runs, oracle_is_ready_before_the_step_it_foresees)
{
    struct fixture_scenario p =
        PLAY("users-hpa", STEP_95, SCALER "{\"oracle\": {\"target\": 10, \"lookahead\": \"60s\"}}");
    expect_path(&p, "oracle bert", "1 -> 10");
    expect_at(&p, "oracle bert", "1 -> 10", 255 * S);
    fixture_stop(&p);
    p = PLAY("users-hpa", STEP_95, SCALER "{\"oracle\": {\"target\": 10}}");
    expect_path(&p, "oracle bert", "1 -> 10");
    expect_at(&p, "oracle bert", "1 -> 10", 315 * S);
    fixture_stop(&p);
}

/* On a pool a start takes two and a half minutes and more: who sees that far ahead holds its SLO,
 * an HPA on the same traffic does not. */
#define SLOW_STEP                                                                                  \
    QPS "{\"profile\": [{\"at\": \"0s\", \"qps\": 5}, {\"at\": \"20m\", \"qps\": 60}]}"

Test(scaler_runs, oracle_holds_where_an_hpa_is_late)
{
    struct fixture_scenario p = PLAY(
        "users-pool", SLOW_STEP, SCALER "{\"oracle\": {\"target\": 10, \"lookahead\": \"5m\"}}");
    cr_expect_eq(fixture_value(&p, "slo.missed"), 0);
    fixture_stop(&p);
    p = PLAY("users-pool", SLOW_STEP);
    cr_expect_gt(fixture_value(&p, "slo.missed"), 2.0);
    fixture_stop(&p);
}

/* ---- closed loop ---- */

/* N clients, think time Z, service time S on c replicas that are not full: each client comes back
 * after Z + S, so N / (Z + S) requests a second (the interactive response time law). */
Test(scaler_runs, clients_that_think_come_back_after_their_answer)
{
    struct fixture_scenario p =
        PLAY("users-hpa", "services.bert.traffic={\"clients\": 10, \"thinkTime\": \"950ms\"}",
             "services.bert.serving.serviceTime=50ms", SCALER "{\"fixed\": 10}");
    double rate = fixture_value(&p, "requests.served") / 1800;
    cr_expect_float_eq(rate, 10.0, 0.15, "%g", rate);
    cr_expect_leq(fixture_value(&p, "requests.inFlight"), 10.0);
    fixture_stop(&p);
}

/* Clients that never think keep any number of replicas busy: each adds its 20 QPS to the metric,
 * twice the target, so that the HPA doubles to the maximum. An open load of the same 20 QPS stops
 * at 2. */
Test(scaler_runs, a_closed_loop_drives_an_hpa_to_its_maximum)
{
    struct fixture_scenario p =
        PLAY("users-hpa", "services.bert.traffic={\"clients\": 100}",
             "services.bert.serving.serviceTime=50ms", "services.bert.serving.discipline=fifo");
    cr_expect_eq(fixture_value(&p, "replicas.wantMax"), 10);
    cr_expect_gt(fixture_value(&p, "scaler.cappedShare"), 0.9);
    double rate = fixture_value(&p, "requests.served") / 1800;
    cr_expect_gt(rate, 180.0);
    cr_expect_leq(rate, 200.0);
    fixture_stop(&p);
    p = PLAY("users-hpa", QPS "20", "services.bert.serving.serviceTime=50ms",
             "services.bert.serving.discipline=fifo", "services.bert.initialReplicas=2");
    expect_path(&p, "hpa bert", "");
    fixture_stop(&p);
}
