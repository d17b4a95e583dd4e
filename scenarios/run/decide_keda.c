/* decide_keda: steps, fallbacks and job strategies of KEDA. */
#include "scenarios/run/decide_keda.h"

#include "models/control/keda.h"
#include "scenarios/run/decide_read.h"
#include "scenarios/run/decide_result.h"

#include <math.h>
#include <string.h>

static int32_t read_count(const struct json *o, const char *key, struct err *e)
{
    return (int32_t)decide_read_int(o, key, 0, INT32_MAX, e);
}

static enum keda_fallback read_behavior(const struct json *o, struct err *e)
{
    static const char *const names[] = {"static", "currentReplicas", "currentReplicasIfHigher",
                                        "currentReplicasIfLower"};
    if (!decide_read_field(o, "behavior", e))
        return KEDA_STATIC;
    const char *s = decide_read_string(o, "behavior", e);
    for (size_t i = 0; s && i < 4; i++)
        if (strcmp(s, names[i]) == 0)
            return (enum keda_fallback)i;
    if (s)
        decide_read_fail(json_get(o, "behavior"), "behavior", e,
                         "'%s', but must be static, currentReplicas, currentReplicasIfHigher or "
                         "currentReplicasIfLower",
                         s);
    return KEDA_STATIC;
}

/* A number, or {"replicas", "behavior"?}. */
static void read_fallback(struct keda_object *o, const struct json *input, int32_t current,
                          struct err *e)
{
    const struct json *f = decide_read_field(input, "fallback", e);
    if (!f)
        return;
    o->has_fallback = true;
    if (f->type != JSON_OBJECT)
        o->fallback = read_count(input, "fallback", e);
    else
        o->fallback =
            keda_fallback_replicas(read_behavior(f, e), read_count(f, "replicas", e), current);
}

static struct keda_object read_object(const struct json *input, int32_t current, struct err *e)
{
    struct keda_object o = {
        .min = (int32_t)decide_read_int_or(input, "min", 0, 0, INT32_MAX, e),
        .has_idle = decide_read_field(input, "idle", e) != NULL,
        .idle = (int32_t)decide_read_int_or(input, "idle", 0, 0, INT32_MAX, e),
        .paused = decide_read_bool_or(input, "paused", false, e),
        .pause_scale_in = decide_read_bool_or(input, "pause_scale_in", false, e),
        .pause_scale_out = decide_read_bool_or(input, "pause_scale_out", false, e),
        .force_activation = decide_read_bool_or(input, "force_activation", false, e),
        .cooldown = decide_read_seconds_or(input, "cooldown_s", 300 * SIM_SECOND, e),
        .initial_cooldown = decide_read_seconds_or(input, "initial_cooldown_s", 0, e),
    };
    read_fallback(&o, input, current, e);
    return o;
}

static int step(struct decide_trial *trial, struct err *e)
{
    const struct json *input = trial->input;
    struct decide_result r = {0};
    struct keda_look look = {
        .current = read_count(input, "current", e),
        .triggers_active = decide_read_bool(input, "triggers_active", e),
        .scaler_error = decide_read_bool_or(input, "scaler_error", false, e),
        .was_active = decide_read_field(input, "last_active_age_s", e) != NULL,
        .last_active_age = decide_read_seconds_or(input, "last_active_age_s", 0, e),
        .created_age = decide_read_seconds_or(input, "created_age_s", 1000000000 * SIM_SECOND, e),
    };
    struct keda_object o = read_object(input, look.current, e);
    if (e->code != ERR_NONE)
        return -1;
    struct keda_decision d = keda_step(&o, &look);
    decide_result_int(&r, "replicas", d.replicas);
    decide_result_bool(&r, "active", d.active);
    decide_result_text(&r, "rule", keda_rule_name(d.rule));
    text_printf(trial->reason, "%d -> %d, %s", (int)look.current, (int)d.replicas,
                keda_rule_name(d.rule));
    return decide_result_finish(&r, trial);
}

static enum keda_strategy read_strategy(const struct json *o, struct err *e)
{
    static const char *const names[] = {"default", "custom", "accurate", "eager"};
    const char *s = decide_read_string(o, "strategy", e);
    for (size_t i = 0; s && i < 4; i++)
        if (strcmp(s, names[i]) == 0)
            return (enum keda_strategy)i;
    if (s)
        decide_read_fail(json_get(o, "strategy"), "strategy", e,
                         "'%s', but must be default, custom, accurate or eager", s);
    return KEDA_DEFAULT;
}

#define MOST_JOBS (INT64_C(1) << 52)

static struct keda_jobs read_jobs(const struct json *input, struct err *e)
{
    return (struct keda_jobs){
        .strategy = read_strategy(input, e),
        .max_scale = decide_read_int(input, "max_scale", -MOST_JOBS, MOST_JOBS, e),
        .running = decide_read_int(input, "running", 0, MOST_JOBS, e),
        .pending = decide_read_int_or(input, "pending", 0, 0, MOST_JOBS, e),
        .min_replicas = decide_read_int_or(input, "min_replicas", 0, 0, MOST_JOBS, e),
        .max_replicas = decide_read_int_or(input, "max_replicas", 100, 0, MOST_JOBS, e),
        .scale_to = decide_read_int_or(input, "scale_to", 0, 0, MOST_JOBS, e),
        .queue_deduction = decide_read_int_or(input, "queue_deduction", 0, 0, MOST_JOBS, e),
        .running_share = decide_read_number_or(input, "running_share", 0, e),
    };
}

typedef struct keda_plan planner(const struct keda_jobs *jobs);

static int plan(planner *make, struct decide_trial *trial, struct err *e)
{
    struct decide_result r = {0};
    struct keda_jobs j = read_jobs(trial->input, e);
    if (e->code == ERR_NONE && !(j.running_share >= 0 && j.running_share <= 1000))
        decide_read_fail(json_get(trial->input, "running_share"), "running_share", e,
                         "must be in 0..1000");
    if (e->code != ERR_NONE)
        return -1;
    struct keda_plan p = make(&j);
    decide_result_int(&r, "effective_max", p.effective_max);
    decide_result_int(&r, "scale_to", p.scale_to);
    text_printf(trial->reason, "%lld of %lld running: at most %lld more", (long long)j.running,
                (long long)j.max_replicas, (long long)p.effective_max);
    return decide_result_finish(&r, trial);
}

static int job_strategy(struct decide_trial *trial, struct err *e)
{
    return plan(keda_strategy_plan, trial, e);
}

static int job_decision(struct decide_trial *trial, struct err *e)
{
    return plan(keda_jobs_plan, trial, e);
}

static void put_metric(double v, bool given, struct decide_result *r)
{
    if (given)
        decide_result_number(r, "metric", v);
    else
        decide_result_text(r, "metric", NULL);
}

static int fallback(struct decide_trial *trial, struct err *e)
{
    const struct json *input = trial->input;
    struct decide_result r = {0};
    int64_t before = decide_read_int(input, "failures_before", 0, INT64_MAX - 1, e);
    int64_t threshold = decide_read_int(input, "failure_threshold", 0, INT64_MAX, e);
    int32_t fixed = read_count(input, "fallback_replicas", e);
    int32_t current = (int32_t)decide_read_int_or(input, "current_replicas", -1, -1, INT32_MAX, e);
    double target = decide_read_number(input, "target_average", e);
    bool failed = decide_read_bool_or(input, "scaler_failed", true, e);
    enum keda_fallback behavior = read_behavior(input, e);
    const struct json *value = decide_read_field(input, "value", e);
    double metric = value ? decide_read_number(input, "value", e) : 0;
    if (e->code != ERR_NONE)
        return -1;
    bool falls = failed && keda_falls_back(before + 1, threshold);
    int32_t n = keda_fallback_replicas(behavior, fixed, current);
    put_metric(falls ? target * n : metric, falls || (!failed && value), &r);
    decide_result_int(&r, "failures_after", failed ? before + 1 : 0);
    text_printf(trial->reason,
                falls ? "%lld failures: reports the target of %d pods"
                      : "%lld failures: no fallback, threshold %d",
                (long long)(failed ? before + 1 : 0),
                falls ? (int)n : (int)fmin((double)threshold, 2147483647.0));
    return decide_result_finish(&r, trial);
}

const struct decide_kind decide_keda_kinds[] = {
    {"keda_step", step},
    {"keda_job_strategy", job_strategy},
    {"keda_job_decision", job_decision},
    {"keda_fallback", fallback},
    {0},
};
