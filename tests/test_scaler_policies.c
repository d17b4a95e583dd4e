/* test_scaler_policies: KPA, KEDA, schedule, oracle and fixed as policies of a service. */
#include "tests/policy_rig.h"

#define S SIM_SECOND

Test(scaler_policies, every_policy_has_a_name_a_table_and_its_functions)
{
    static const char *const names[] = {"fixed", "hpa", "keda", "kpa", "oracle", "schedule"};
    size_t n = 0;
    for (const struct knob_option *const *o = scaler_options; *o; o++, n++) {
        const struct scaler_policy *p = (*o)->descriptor;
        cr_expect_str_eq((*o)->name, names[n]);
        cr_expect(p->memory_size && p->period && p->wants && p->decide);
        cr_expect_eq(scaler_find((*o)->name), p);
    }
    cr_expect_eq(n, 6u);
    cr_expect_null(scaler_find("none"));
}

/* ---- kpa ---- */

Test(scaler_policies, kpa_reads_two_windows_and_panics)
{
    struct policy_rig r;
    struct scaler_wants w[4];
    struct scaler_decision d;
    policy_rig_load(&r, "kpa", "{'target': 10, 'target-utilization-percentage': 100}");
    cr_assert(r.memory, "%s", r.e.msg);
    cr_expect_eq(r.policy->wants(r.config, w, 4), 2u);
    cr_expect_eq(w[0].window, 60 * S);
    cr_expect_eq(w[1].window, 6 * S);
    cr_expect_eq(r.policy->period(r.config), 2 * S);
    cr_expect_eq(policy_rig_pass(&r, 0, 1, (int64_t[]){5000, 8000}, 2, &d), 1);
    cr_expect_str_eq(d.rule, "stable");
    cr_expect_str_eq(d.reason, "concurrency 5 / 10 -> 1: 1");
    cr_expect_eq(policy_rig_pass(&r, 2 * S, 1, (int64_t[]){9000, 95000}, 2, &d), 10);
    cr_expect_str_eq(d.rule, "panic");
    cr_expect_str_eq(d.reason, "concurrency 95 (panic window) / 10 -> 10: 10");
    cr_expect_eq(policy_rig_pass(&r, 4 * S, 10, (int64_t[]){9000, 20000}, 2, &d), 10);
    cr_expect_str_eq(d.reason, "concurrency 20 (panic window) / 10 -> 5, panic never shrinks: 10");
    cr_expect_eq(policy_rig_pass(&r, 6 * S, 10, (int64_t[]){-1, -1}, 2, &d), 10);
    cr_expect(d.metric_missing);
    policy_rig_free(&r);
}

Test(scaler_policies, kpa_goes_to_zero_after_window_and_grace)
{
    struct policy_rig r;
    struct scaler_decision d;
    int32_t size = 1;
    sim_ns zero_at = -1;
    policy_rig_load(&r, "kpa", "{}");
    for (sim_ns now = 0; now < 200 * S; now += 2 * S) {
        size = policy_rig_pass(&r, now, size, (int64_t[]){0, 0}, 2, &d);
        if (size == 0 && zero_at < 0)
            zero_at = now;
    }
    cr_expect_eq(zero_at, 90 * S);
    cr_expect_eq(policy_rig_pass(&r, 200 * S, 0, (int64_t[]){1000, 1000}, 2, &d), 1);
    policy_rig_free(&r);
}

/* ---- keda ---- */

#define TRIGGER "'triggers': [{'type': 'prometheus', 'metadata': {'threshold': '10'}}]"

Test(scaler_policies, keda_wakes_polls_and_lets_its_hpa_work)
{
    struct policy_rig r;
    struct scaler_decision d;
    policy_rig_load(&r, "keda", "{" TRIGGER "}");
    cr_assert(r.memory, "%s", r.e.msg);
    cr_expect_eq(r.policy->period(r.config), 15 * S);
    cr_expect_eq(policy_rig_pass(&r, 0, 0, (int64_t[]){0}, 1, &d), 0);
    cr_expect_eq(policy_rig_pass(&r, 15 * S, 0, (int64_t[]){95000}, 1, &d), 0,
                 "between two polls nobody looks");
    cr_expect_eq(policy_rig_pass(&r, 30 * S, 0, (int64_t[]){95000}, 1, &d), 1);
    cr_expect_str_eq(d.rule, "activates");
    cr_expect_eq(policy_rig_pass(&r, 45 * S, 1, (int64_t[]){95000}, 1, &d), 4);
    cr_expect_eq(policy_rig_pass(&r, 60 * S, 4, (int64_t[]){95000}, 1, &d), 8);
    cr_expect_eq(policy_rig_pass(&r, 75 * S, 8, (int64_t[]){95000}, 1, &d), 10);
    policy_rig_free(&r);
}

/* N -> 1 through the HPA's window, then to 0 after the cool-down. */
Test(scaler_policies, keda_goes_to_one_and_then_to_zero)
{
    struct policy_rig r;
    struct scaler_decision d;
    int32_t size = 6;
    sim_ns one_at = -1, zero_at = -1;
    policy_rig_load(&r, "keda", "{" TRIGGER "}");
    policy_rig_pass(&r, 0, size, (int64_t[]){60000}, 1, &d);
    for (sim_ns now = 15 * S; now < 1200 * S; now += 15 * S) {
        size = policy_rig_pass(&r, now, size, (int64_t[]){0}, 1, &d);
        if (size == 1 && one_at < 0)
            one_at = now;
        if (size == 0 && zero_at < 0)
            zero_at = now;
    }
    /* cool-down: more than 300 s since the poll at 0, seen at the poll at 330; the HPA's own window
     * ends with its pass at 315 */
    cr_expect_eq(one_at, 315 * S);
    cr_expect_eq(zero_at, 330 * S);
    policy_rig_free(&r);
}

/* 8 replicas, the metric goes: the fallback of 5 is reached once, without swinging. */
Test(scaler_policies, keda_falls_back_once)
{
    struct policy_rig r;
    struct scaler_decision d;
    int32_t size = 8, moves = 0;
    policy_rig_load(&r, "keda",
                    "{" TRIGGER ", 'minReplicaCount': 1, 'fallback': "
                    "{'failureThreshold': 3, 'replicas': 5}}");
    cr_assert(r.memory, "%s", r.e.msg);
    for (sim_ns now = 0; now < 1200 * S; now += 15 * S) {
        int32_t next =
            policy_rig_pass(&r, now, size, (int64_t[]){now < 60 * S ? 80000 : -1}, 1, &d);
        moves += next != size;
        size = next;
    }
    cr_expect_eq(size, 5);
    cr_expect_eq(moves, 1);
    policy_rig_free(&r);
}

Test(scaler_policies, keda_without_fallback_holds)
{
    struct policy_rig r;
    struct scaler_decision d;
    policy_rig_load(&r, "keda", "{" TRIGGER "}");
    for (sim_ns now = 0; now < 1200 * S; now += 15 * S)
        cr_assert_eq(policy_rig_pass(&r, now, 8, (int64_t[]){-1}, 1, &d), 8);
    policy_rig_free(&r);
}

Test(scaler_policies, keda_pauses_directions)
{
    struct policy_rig r;
    struct scaler_decision d;
    policy_rig_load(&r, "keda", "{" TRIGGER ", 'minReplicaCount': 1, 'pausedScaleIn': true}");
    for (sim_ns now = 0; now < 900 * S; now += 15 * S)
        cr_assert_eq(policy_rig_pass(&r, now, 8, (int64_t[]){10000}, 1, &d), 8, "%s", d.reason);
    cr_expect_eq(policy_rig_pass(&r, 900 * S, 8, (int64_t[]){100000}, 1, &d), 10);
    policy_rig_free(&r);
    policy_rig_load(&r, "keda", "{" TRIGGER ", 'paused': true}");
    cr_expect_eq(policy_rig_pass(&r, 0, 3, (int64_t[]){100000}, 1, &d), 3);
    cr_expect_eq(policy_rig_pass(&r, 30 * S, 0, (int64_t[]){100000}, 1, &d), 0);
    policy_rig_free(&r);
}

Test(scaler_policies, keda_idle_mode)
{
    struct policy_rig r;
    struct scaler_decision d;
    policy_rig_load(&r, "keda",
                    "{" TRIGGER ", 'minReplicaCount': 3, 'idleReplicaCount': 0, "
                    "'cooldownPeriod': 60}");
    cr_expect_eq(policy_rig_pass(&r, 0, 3, (int64_t[]){20000}, 1, &d), 3);
    cr_expect_eq(policy_rig_pass(&r, 60 * S, 3, (int64_t[]){0}, 1, &d), 3, "not yet");
    cr_expect_eq(policy_rig_pass(&r, 90 * S, 3, (int64_t[]){0}, 1, &d), 0);
    cr_expect_eq(policy_rig_pass(&r, 120 * S, 0, (int64_t[]){1}, 1, &d), 3);
    policy_rig_free(&r);
}

/* ---- schedule ---- */

static int32_t at(struct policy_rig *r, sim_ns now, struct scaler_view *v)
{
    struct scaler_decision d = {0};
    int64_t second = now / S;
    v->now = now;
    v->local_s = (double)(second % 86400);
    v->local_weekday = (int32_t)((second / 86400 + 1) % 7); /* the run begins on a Monday */
    v->local_day = (int32_t)(1 + second / 86400);
    v->local_month = 6;
    v->local_year = 2026;
    r->policy->decide(r->config, r->memory, v, &d);
    v->spec_replicas = d.replicas;
    return d.replicas;
}

Test(scaler_policies, schedule_follows_the_clock_on_the_wall)
{
    struct policy_rig r;
    struct scaler_view v = {.spec_replicas = 1};
    policy_rig_load(
        &r, "schedule",
        "{'jobs': [{'schedule': '0 8 * * mon-fri', 'targetSize': 6, 'name': 'morning'}, "
        "{'schedule': '0 30 20 * * *', 'targetSize': 2}]}");
    cr_assert(r.memory, "%s", r.e.msg);
    cr_expect_eq(at(&r, 7 * S, &v), 2, "what the evening before has left");
    v.spec_replicas = 3; /* somebody else moved it: nothing is due */
    cr_expect_eq(at(&r, 22 * S, &v), 3);
    for (sim_ns now = 37 * S; now < 8 * SIM_HOUR; now += 15 * S)
        cr_assert_eq(at(&r, now, &v), 3);
    cr_expect_eq(at(&r, 8 * SIM_HOUR + 7 * S, &v), 6);
    cr_expect_eq(at(&r, 20 * SIM_HOUR + 30 * SIM_MINUTE - S, &v), 6);
    cr_expect_eq(at(&r, 20 * SIM_HOUR + 30 * SIM_MINUTE, &v), 2);
    cr_expect_eq(at(&r, 5 * SIM_DAY + 9 * SIM_HOUR, &v), 2, "several days: the last job counts");
    policy_rig_free(&r);
}

Test(scaler_policies, schedule_runs_a_job_once_when_asked)
{
    struct policy_rig r;
    struct scaler_view v = {.spec_replicas = 1};
    policy_rig_load(&r, "schedule",
                    "{'jobs': [{'schedule': '0 8 * * *', 'targetSize': 6, 'runOnce': true}]}");
    cr_expect_eq(at(&r, 0, &v), 1, "its time before the run is not its once");
    cr_expect_eq(at(&r, 8 * SIM_HOUR, &v), 6);
    v.spec_replicas = 1;
    cr_expect_eq(at(&r, SIM_DAY + 8 * SIM_HOUR, &v), 1);
    policy_rig_free(&r);
}

/* ---- oracle, fixed ---- */

Test(scaler_policies, oracle_divides_the_true_rate)
{
    struct policy_rig r;
    struct scaler_decision d = {0};
    struct scaler_view v = {.spec_replicas = 3, .true_qps = 91};
    policy_rig_load(&r, "oracle", "{'target': 10, 'maxReplicas': 12, 'lookahead': '5m'}");
    cr_assert(r.memory, "%s", r.e.msg);
    cr_expect_eq(r.policy->lookahead(r.config), 300 * S);
    r.policy->decide(r.config, r.memory, &v, &d);
    cr_expect_eq(d.replicas, 10);
    cr_expect_str_eq(d.reason, "true rate 91 / 10 -> 10");
    v.true_qps = 0;
    r.policy->decide(r.config, r.memory, &v, &d);
    cr_expect_eq(d.replicas, 1);
    v.true_qps = 5000;
    r.policy->decide(r.config, r.memory, &v, &d);
    cr_expect_eq(d.replicas, 12);
    v.true_qps = 0.0 / (v.true_qps - 5000); /* closed-loop traffic */
    r.policy->decide(r.config, r.memory, &v, &d);
    cr_expect_eq(d.replicas, 3);
    policy_rig_free(&r);
}

Test(scaler_policies, settings_are_checked)
{
    static const char *const rows[][3] = {
        {"kpa", "{'min-scale': 5, 'max-scale': 2}", "max-scale: 2 is below min-scale 5"},
        {"kpa", "{'target': 0}", "target"},
        {"kpa", "{'minScale': 5}", "min-scale"},
        {"keda", "{'triggers': []}", "triggers: at least one"},
        {"keda", "{'triggers': [{'type': 'promtheus', 'metadata': {'threshold': 1}}]}",
         "prometheus"},
        {"keda", "{'triggers': [{'type': 'kafka', 'metadata': {'threshold': 1}}]}", "type"},
        {"keda", "{'triggers': [{'metadata': {'threshold': 0}}]}", "threshold: must be above 0"},
        {"keda", "{'triggers': [{'metadata': {'threshold': 1, 'metricName': 'x'}}]}", "metricName"},
        {"keda", "{" TRIGGER ", 'minReplicaCount': 2, 'idleReplicaCount': 2}", "idleReplicaCount"},
        {"keda", "{" TRIGGER ", 'pollingInterval': 'soon'}", "pollingInterval"},
        {"keda", "{" TRIGGER ", 'pollingInterval': 0}", "pollingInterval"},
        {"schedule", "{'jobs': [{'schedule': '0 25 * * *', 'targetSize': 1}]}", "hour '25'"},
        {"schedule", "{'jobs': []}", "jobs: at least one"},
        {"oracle", "{'target': 0}", "target: must be above 0"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct policy_rig r;
        policy_rig_load(&r, rows[i][0], rows[i][1]);
        cr_expect_eq(r.e.code, ERR_INPUT, "row %zu passes", i);
        cr_expect(strstr(r.e.msg, rows[i][2]), "row %zu: %s", i, r.e.msg);
        policy_rig_free(&r);
    }
}
