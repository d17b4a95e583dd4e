/* decide_hpa: one metric, one limit, one history: the kinds that are smaller than a pass. */
#include "scenarios/run/decide_hpa.h"

#include "models/control/hpa.h"
#include "scenarios/run/decide_herd.h"
#include "scenarios/run/decide_hpa_pass.h"
#include "scenarios/run/decide_read.h"
#include "scenarios/run/decide_result.h"

#include <stdlib.h>
#include <string.h>

/* ---- one metric ---- */

static void say(const struct hpa_metric *m, const struct hpa_tolerance *t,
                const struct scaler_view *view, const struct hpa_proposal *p, struct text *reason)
{
    char words[256];
    struct hpa_spec spec = {.metrics = m, .n_metrics = 1, .tolerance = *t};
    struct hpa_outcome o = {.recommended = p->replicas,
                            .stabilized = p->replicas,
                            .replicas = p->replicas,
                            .proposal = *p,
                            .failed = 1};
    if (p->fault) {
        text_add(reason, hpa_replicas_fault_name(p->fault));
        return;
    }
    o.rule = p->inside ? HPA_RULE_TOLERANCE : p->guarded ? HPA_RULE_GUARD : HPA_RULE_RATIO;
    hpa_reason(&spec, view, &o, words, sizeof words);
    text_add(reason, words);
}

/* What a proposal shows, by kind. */
static void show(const struct hpa_metric *m, const struct hpa_proposal *p, struct decide_result *r)
{
    if (p->fault) {
        decide_result_text(r, "error", hpa_replicas_fault_name(p->fault));
        return;
    }
    decide_result_int(r, "replicas", p->replicas);
    if (m->kind == HPA_UTILIZATION)
        decide_result_int(r, "utilization_pct", p->utilization_pct);
    bool mean = m->kind == HPA_UTILIZATION || m->kind == HPA_PODS;
    decide_result_int(r, mean ? "average_milli" : "usage_milli", p->usage_milli);
}

/* Reads what the metric's kind needs, as hpa_pass would be shown it, and lets it propose. */
static int propose(const char *type, struct decide_trial *trial, struct err *e)
{
    struct hpa_spec spec = {0};
    struct decide_view v;
    struct decide_result r = {0};
    decide_hpa_pass_read_one(&v, type, trial->input, &spec, e);
    if (e->code == ERR_NONE) {
        struct hpa_proposal p = hpa_propose(&spec, 0, &v.view);
        say(spec.metrics, &spec.tolerance, &v.view, &p, trial->reason);
        show(spec.metrics, &p, &r);
        decide_result_finish(&r, trial);
    }
    decide_hpa_pass_free(&v);
    return e->code == ERR_NONE ? 0 : -1;
}

static int resource_utilization(struct decide_trial *trial, struct err *e)
{
    return propose("resource", trial, e);
}

static int pods_metric(struct decide_trial *trial, struct err *e)
{
    return propose("pods", trial, e);
}

static int object_value(struct decide_trial *trial, struct err *e)
{
    return propose("object_value", trial, e);
}

static int object_average(struct decide_trial *trial, struct err *e)
{
    return propose("object_average", trial, e);
}

static int external_value(struct decide_trial *trial, struct err *e)
{
    return propose("external_value", trial, e);
}

static int external_average(struct decide_trial *trial, struct err *e)
{
    return propose("external_average", trial, e);
}

/* ---- sorting pods ---- */

static int group_pods(struct decide_trial *trial, struct err *e)
{
    const struct json *input = trial->input;
    static const char *const keys[] = {NULL, "not_ready", "missing", "ignored"};
    struct decide_herd herd;
    struct decide_reports reports = {0};
    struct hpa_readiness readiness = {0};
    struct decide_result r = {0};
    int64_t ready = 0;
    const char **names[4] = {NULL};
    size_t n[4] = {0};
    decide_herd_read(&herd, input, e);
    const char *resource = decide_read_string(input, "resource", e);
    readiness.cpu = resource && strcmp(resource, "cpu") == 0;
    readiness.cpu_initialization =
        decide_read_seconds_or(input, "cpu_initialization_period_s", 300 * SIM_SECOND, e);
    readiness.initial_delay =
        decide_read_seconds_or(input, "initial_readiness_delay_s", 30 * SIM_SECOND, e);
    if (e->code == ERR_NONE)
        decide_herd_reports(&herd, input, NULL, &reports, e);
    for (int g = 1; g < 4; g++)
        names[g] = decide_read_room(herd.n, sizeof *names[g], e);
    size_t s = 0;
    for (size_t i = 0; i < herd.n && e->code == ERR_NONE; i++) {
        while (s < reports.n && reports.samples[s].pod < i)
            s++;
        bool own = s < reports.n && reports.samples[s].pod == i;
        enum hpa_group g =
            hpa_replicas_group(&herd.pods[i], own ? &reports.samples[s] : NULL, &readiness, 0);
        if (g == HPA_GROUP_READY)
            ready++;
        else
            names[g][n[g]++] = herd.names[i];
    }
    if (e->code == ERR_NONE) {
        decide_result_int(&r, "ready_count", ready);
        for (int g = 1; g < 4; g++)
            decide_result_texts(&r, keys[g], names[g], n[g]);
        text_printf(trial->reason, "%lld ready, %zu not ready, %zu missing, %zu ignored",
                    (long long)ready, n[1], n[2], n[3]);
        decide_result_finish(&r, trial);
    }
    for (int g = 1; g < 4; g++)
        free(names[g]);
    decide_herd_reports_free(&reports);
    decide_herd_free(&herd);
    return e->code == ERR_NONE ? 0 : -1;
}

/* ---- limits ---- */

static int32_t read_count(const struct json *o, const char *key, struct err *e)
{
    return (int32_t)decide_read_int(o, key, 0, INT32_MAX, e);
}

static struct hpa_range read_range(const struct json *input, struct err *e)
{
    struct hpa_range r = {.current = read_count(input, "current", e),
                          .desired = read_count(input, "desired", e),
                          .min = read_count(input, "min", e),
                          .max = read_count(input, "max", e)};
    return r;
}

static void say_limit(const struct hpa_range *r, int32_t n, enum hpa_limit why, struct text *reason)
{
    text_printf(reason, "%d -> %d, %s %d", (int)r->current, (int)r->desired,
                n == r->desired ? "allowed" : "held to", (int)n);
    text_printf(reason, " by %s", hpa_limits_name(why));
}

static int clamp_legacy(struct decide_trial *trial, struct err *e)
{
    const struct json *input = trial->input;
    struct decide_result r = {0};
    struct hpa_range range = read_range(input, e);
    double factor = decide_read_number_or(input, "scale_up_factor", 2, e);
    double floor = decide_read_number_or(input, "scale_up_floor", 4, e);
    enum hpa_limit why;
    if (e->code != ERR_NONE)
        return -1;
    int32_t n = hpa_limits_clamp(&range, factor, floor, &why);
    say_limit(&range, n, why, trial->reason);
    decide_result_int(&r, "replicas", n);
    decide_result_text(&r, "reason", hpa_limits_name(why));
    return decide_result_finish(&r, trial);
}

/* What the three kinds of rate limits share. */
struct rates {
    struct decide_rules up, down;
    struct decide_events ups, downs;
};

static void read_rates(struct rates *t, const struct json *up, const struct json *down,
                       const struct json *input, struct err *e)
{
    const sim_ns window = 300 * SIM_SECOND;
    decide_hpa_pass_rules(&t->up, up, hpa_limits_default_up(), e);
    decide_hpa_pass_rules(&t->down, down, hpa_limits_default_down(window), e);
    decide_hpa_pass_events(&t->ups, decide_read_field(input, "up_events", e), 0, e);
    decide_hpa_pass_events(&t->downs, decide_read_field(input, "down_events", e), 0, e);
}

static void free_rates(struct rates *t)
{
    free(t->up.own);
    free(t->down.own);
    free(t->ups.list.items);
    free(t->downs.list.items);
}

static int one_limit(bool grows, struct decide_trial *trial, struct err *e)
{
    const struct json *input = trial->input;
    struct decide_result r = {0};
    struct rates t = {0};
    int32_t current = read_count(input, "current", e);
    const struct json *rules = decide_read_field(input, "rules", e);
    read_rates(&t, grows ? rules : NULL, grows ? NULL : rules, input, e);
    if (e->code == ERR_NONE) {
        struct hpa_pace pace = {&t.ups.list, &t.downs.list, 0};
        int32_t n = grows ? hpa_limits_up(current, &t.up.rules, &pace, NULL)
                          : hpa_limits_down(current, &t.down.rules, &pace, NULL);
        decide_result_int(&r, "limit", n);
        text_printf(trial->reason, "%d may %s to %d", (int)current, grows ? "grow" : "shrink",
                    (int)n);
        decide_result_finish(&r, trial);
    }
    free_rates(&t);
    return e->code == ERR_NONE ? 0 : -1;
}

static int scale_up_limit(struct decide_trial *trial, struct err *e)
{
    return one_limit(true, trial, e);
}

static int scale_down_limit(struct decide_trial *trial, struct err *e)
{
    return one_limit(false, trial, e);
}

static int rate_limit(struct decide_trial *trial, struct err *e)
{
    const struct json *input = trial->input;
    struct decide_result r = {0};
    struct rates t = {0};
    struct hpa_range range = read_range(input, e);
    read_rates(&t, decide_read_field(input, "up_rules", e),
               decide_read_field(input, "down_rules", e), input, e);
    if (e->code == ERR_NONE) {
        enum hpa_limit why;
        struct hpa_pace pace = {&t.ups.list, &t.downs.list, 0};
        int32_t n = hpa_limits_rate(&range, &t.up.rules, &t.down.rules, &pace, &why);
        say_limit(&range, n, why, trial->reason);
        decide_result_int(&r, "replicas", n);
        decide_result_text(&r, "reason", hpa_limits_name(why));
        decide_result_finish(&r, trial);
    }
    free_rates(&t);
    return e->code == ERR_NONE ? 0 : -1;
}

/* ---- histories ---- */

static int stabilize_legacy(struct decide_trial *trial, struct err *e)
{
    const struct json *input = trial->input;
    struct decide_result r = {0};
    struct hpa_history h = {0};
    sim_ns window = decide_read_seconds(input, "window_s", e);
    int32_t desired = read_count(input, "desired", e);
    decide_hpa_pass_history(&h, decide_read_array(input, "history", e), 1, e);
    if (e->code == ERR_NONE) {
        int32_t n = hpa_limits_stabilize_legacy(&h, window, desired, 0);
        decide_result_int(&r, "replicas", n);
        decide_result_int(&r, "history_length", (int64_t)h.n);
        text_printf(trial->reason, "%d, highest of the window %d", (int)desired, (int)n);
        decide_result_finish(&r, trial);
    }
    free(h.items);
    return e->code == ERR_NONE ? 0 : -1;
}

static int stabilize_behavior(struct decide_trial *trial, struct err *e)
{
    const struct json *input = trial->input;
    struct decide_result r = {0};
    struct hpa_history h = {0};
    struct hpa_windows w = {decide_read_seconds(input, "up_window_s", e),
                            decide_read_seconds(input, "down_window_s", e)};
    int32_t current = read_count(input, "current", e), desired = read_count(input, "desired", e);
    decide_hpa_pass_history(&h, decide_read_array(input, "history", e), 1, e);
    int64_t *after = decide_read_room(h.cap, sizeof *after, e);
    if (e->code == ERR_NONE) {
        int32_t n = hpa_limits_stabilize(&h, w, current, desired, 0);
        for (size_t i = 0; i < h.n; i++)
            after[i] = h.items[i].replicas;
        decide_result_int(&r, "replicas", n);
        decide_result_ints(&r, "history_after", after, h.n);
        text_printf(trial->reason, "%d -> %d, stabilised at %d", (int)current, (int)desired,
                    (int)n);
        decide_result_finish(&r, trial);
    }
    free(after);
    free(h.items);
    return e->code == ERR_NONE ? 0 : -1;
}

/* Without rules there is no behavior block, and nothing is stored. */
static int store_event(struct decide_trial *trial, struct err *e)
{
    const struct json *input = trial->input;
    struct decide_result r = {0};
    struct decide_rules rules = {0};
    struct decide_events events = {0};
    const struct json *given = decide_read_field(input, "rules", e);
    int32_t change = (int32_t)decide_read_int(input, "new_change", 1, INT32_MAX, e);
    decide_hpa_pass_rules(&rules, given, hpa_limits_default_up(), e);
    decide_hpa_pass_events(&events, decide_read_array(input, "previous", e), 1, e);
    struct decide_change *after = decide_read_room(events.list.cap, sizeof *after, e);
    if (e->code == ERR_NONE) {
        int64_t before = hpa_limits_changed(&events.list, 60 * SIM_SECOND, 0);
        if (given)
            hpa_limits_store(&events.list, &rules.rules, change, 0);
        for (size_t i = 0; i < events.list.n; i++)
            after[i] =
                (struct decide_change){events.list.items[i].change, events.list.items[i].outdated};
        decide_result_int(&r, "change_in_last_60s_before", before);
        decide_result_changes(&r, "events_after", after, events.list.n);
        text_add(trial->reason, given ? "stored" : "no behavior block: nothing is stored");
        decide_result_finish(&r, trial);
    }
    free(after);
    free(events.list.items);
    free(rules.own);
    return e->code == ERR_NONE ? 0 : -1;
}

const struct decide_kind decide_hpa_kinds[] = {
    {"resource_utilization", resource_utilization},
    {"pods_metric", pods_metric},
    {"object_value", object_value},
    {"object_average", object_average},
    {"external_value", external_value},
    {"external_average", external_average},
    {"group_pods", group_pods},
    {"clamp_legacy", clamp_legacy},
    {"scale_up_limit", scale_up_limit},
    {"scale_down_limit", scale_down_limit},
    {"rate_limit", rate_limit},
    {"stabilize_legacy", stabilize_legacy},
    {"stabilize_behavior", stabilize_behavior},
    {"store_event", store_event},
    {"reconcile", decide_hpa_pass_reconcile},
    {"trajectory", decide_hpa_pass_trajectory},
    {0},
};
