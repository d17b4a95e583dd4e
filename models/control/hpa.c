/* hpa: gates, metrics, stabilisation, limits, memory: one pass in the controller's order. */
#include "models/control/hpa.h"
#include "models/control/phrase.h"

#include <assert.h>

const char *hpa_rule_name(enum hpa_rule rule)
{
    static const char *const names[] = {
        [HPA_RULE_RATIO] = "ratio",
        [HPA_RULE_TOLERANCE] = "tolerance",
        [HPA_RULE_GUARD] = "guard",
        [HPA_RULE_UP_STABILIZED] = "ScaleUpStabilized",
        [HPA_RULE_DOWN_STABILIZED] = "ScaleDownStabilized",
        [HPA_RULE_UP_LIMIT] = "ScaleUpLimit",
        [HPA_RULE_DOWN_LIMIT] = "ScaleDownLimit",
        [HPA_RULE_TOO_MANY] = "TooManyReplicas",
        [HPA_RULE_TOO_FEW] = "TooFewReplicas",
        [HPA_RULE_ABOVE_MAX] = "AboveMax",
        [HPA_RULE_BELOW_MIN] = "BelowMin",
        [HPA_RULE_DISABLED] = "ScalingDisabled",
        [HPA_RULE_NO_METRIC] = "NoMetric",
    };
    return names[rule];
}

/* One metric. */

static struct hpa_proposal from_pods(const struct hpa_spec *spec, const struct hpa_metric *m,
                                     const struct scaler_pod_metric *v,
                                     const struct scaler_view *view)
{
    struct hpa_question q = {
        .now = view->now,
        .current = view->spec_replicas,
        .pods = view->pods,
        .n_pods = view->n_pods,
        .samples = v->samples,
        .n_samples = v->n_samples,
        .requests = v->requests_milli,
        .readiness = {m->cpu, spec->cpu_initialization, spec->initial_delay},
        .tolerance = spec->tolerance,
    };
    if (m->kind == HPA_UTILIZATION)
        return hpa_replicas_utilization(&q, (int32_t)m->target);
    return hpa_replicas_pods(&q, m->target);
}

static struct hpa_value_pods value_pods(const struct scaler_view *view)
{
    struct hpa_value_pods pods = {.current = view->spec_replicas, .ready = view->ready_replicas};
    if (!view->pods) {
        pods.none = view->status_replicas == 0;
        return pods;
    }
    pods.ready = 0;
    pods.none = view->n_pods == 0;
    for (size_t i = 0; i < view->n_pods; i++)
        pods.ready +=
            view->pods[i].phase == SCALER_POD_RUNNING && view->pods[i].ready == SCALER_READY_TRUE;
    return pods;
}

/* Pods that a rollout surges up are in the status size, not in the spec. Inside the band the
 * controller proposes the status size, so that they leak into the spec and stay
 * (kubernetes#138505); surge_fixed is the behaviour with that mended. */
static struct hpa_proposal from_average(const struct hpa_spec *spec, const struct hpa_metric *m,
                                        int64_t usage, const struct scaler_view *view)
{
    struct hpa_proposal p =
        hpa_replicas_average(usage, m->target, view->status_replicas, &spec->tolerance);
    if (p.inside && spec->surge_fixed)
        p.replicas = view->spec_replicas;
    return p;
}

/* All that is known of the pods is how many are ready and their sum, or their mean share. */
static struct hpa_proposal from_mean(const struct hpa_spec *spec, const struct hpa_metric *m,
                                     int64_t milli, const struct scaler_view *view)
{
    if (m->kind != HPA_UTILIZATION) {
        int64_t ready = view->ready_replicas > 0 ? view->ready_replicas : 1;
        return hpa_replicas_mean(milli / ready, m->target, view, &spec->tolerance);
    }
    int64_t percent = milli / 10;
    struct hpa_proposal p = hpa_replicas_mean(percent, m->target, view, &spec->tolerance);
    p.utilization_pct = percent > INT32_MAX ? INT32_MAX : (int32_t)percent;
    p.usage_milli = milli;
    return p;
}

struct hpa_proposal hpa_propose(const struct hpa_spec *spec, size_t metric,
                                const struct scaler_view *view)
{
    assert(metric < spec->n_metrics && metric < view->n_metrics);
    const struct hpa_metric *m = &spec->metrics[metric];
    const struct scaler_metric *v = &view->metrics[metric];
    if (!v->present || m->kind == HPA_FAILING)
        return (struct hpa_proposal){.fault = HPA_FAULT_NO_VALUE};
    switch (m->kind) {
    case HPA_EXTERNAL_AVERAGE:
    case HPA_OBJECT_AVERAGE:
        return from_average(spec, m, v->milli, view);
    case HPA_EXTERNAL_VALUE:
    case HPA_OBJECT_VALUE: {
        struct hpa_value_pods pods = value_pods(view);
        return hpa_replicas_value(v->milli, m->target, &pods, &spec->tolerance);
    }
    default:
        break;
    }
    if (view->pod_metrics)
        return from_pods(spec, m, &view->pod_metrics[metric], view);
    return from_mean(spec, m, v->milli, view);
}

/* The largest proposal (H28). False when it must not be acted on (H29): all failed, or one failed
 * and the rest would shrink the service. */
static bool read_metrics(const struct hpa_spec *spec, const struct scaler_view *view,
                         struct hpa_outcome *o)
{
    size_t failures = 0;
    int32_t best = 0;
    for (size_t i = 0; i < spec->n_metrics; i++) {
        struct hpa_proposal p = hpa_propose(spec, i, view);
        if (p.fault) {
            if (failures++ == 0) {
                o->failed = i;
                o->fault = p.fault;
            }
            continue;
        }
        if (best != 0 && p.replicas <= best)
            continue;
        best = p.replicas;
        o->metric = i;
        o->proposal = p;
    }
    o->recommended = best > 0 ? best : 0;
    o->partial_error = failures > 0;
    return failures < spec->n_metrics && !(failures > 0 && best < view->spec_replicas);
}

/* Limits. */

static bool has_external(const struct hpa_spec *spec)
{
    for (size_t i = 0; i < spec->n_metrics; i++)
        if (spec->metrics[i].kind <= HPA_OBJECT_VALUE)
            return true;
    return false;
}

static bool disabled_at_zero(const struct hpa_spec *spec, const struct hpa_state *state)
{
    if (spec->zero == HPA_ZERO_CLASSIC)
        return spec->min != 0;
    bool marked = spec->zero_enabled && state->scaled_to_zero;
    return !(marked && (spec->min != 0 || has_external(spec)));
}

static enum hpa_rule rule_of_limit(enum hpa_limit limit)
{
    static const enum hpa_rule rules[] = {
        [HPA_LIMIT_NONE] = HPA_RULE_RATIO,        [HPA_LIMIT_TOO_FEW] = HPA_RULE_TOO_FEW,
        [HPA_LIMIT_TOO_MANY] = HPA_RULE_TOO_MANY, [HPA_LIMIT_UP] = HPA_RULE_UP_LIMIT,
        [HPA_LIMIT_DOWN] = HPA_RULE_DOWN_LIMIT,
    };
    return rules[limit];
}

static enum hpa_rule binding_rule(const struct hpa_outcome *o, int32_t current)
{
    if (o->limit != HPA_LIMIT_NONE)
        return rule_of_limit(o->limit);
    if (o->stabilized != o->recommended)
        return o->recommended >= current ? HPA_RULE_UP_STABILIZED : HPA_RULE_DOWN_STABILIZED;
    if (o->proposal.inside)
        return HPA_RULE_TOLERANCE;
    return o->proposal.guarded ? HPA_RULE_GUARD : HPA_RULE_RATIO;
}

static void remember_policy(const struct hpa_spec *spec, const struct hpa_pace *pace,
                            int32_t current, struct hpa_outcome *o)
{
    if (o->limit == HPA_LIMIT_UP)
        hpa_limits_up(current, &spec->up, pace, &o->policy);
    if (o->limit == HPA_LIMIT_DOWN)
        hpa_limits_down(current, &spec->down, pace, &o->policy);
}

static void limit_with_behavior(const struct hpa_spec *spec, struct hpa_state *state, sim_ns now,
                                int32_t current, struct hpa_outcome *o)
{
    struct hpa_windows w = {spec->up.window, spec->down.window};
    o->stabilized = hpa_limits_stabilize(&state->history, w, current, o->recommended, now);
    struct hpa_range range = {current, o->stabilized, spec->min, spec->max};
    struct hpa_pace pace = {&state->ups, &state->downs, now};
    o->replicas = hpa_limits_rate(&range, &spec->up, &spec->down, &pace, &o->limit);
    remember_policy(spec, &pace, current, o);
}

static void limit_legacy(const struct hpa_spec *spec, struct hpa_state *state, sim_ns now,
                         int32_t current, struct hpa_outcome *o)
{
    o->stabilized =
        hpa_limits_stabilize_legacy(&state->history, spec->down_window, o->recommended, now);
    struct hpa_range range = {current, o->stabilized, spec->min, spec->max};
    o->replicas = hpa_limits_clamp(&range, spec->scale_up_factor, spec->scale_up_floor, &o->limit);
}

static void by_metrics(const struct hpa_spec *spec, struct hpa_state *state,
                       const struct scaler_view *view, struct hpa_outcome *o)
{
    int32_t current = view->spec_replicas;
    assert(spec->n_metrics > 0);
    if (!read_metrics(spec, view, o)) {
        o->rule = HPA_RULE_NO_METRIC;
        o->replicas = o->recommended = o->stabilized = current;
        o->error = true;
        return;
    }
    if (spec->has_behavior)
        limit_with_behavior(spec, state, view->now, current, o);
    else
        limit_legacy(spec, state, view->now, current, o);
    if (o->replicas == o->stabilized)
        o->limit = HPA_LIMIT_NONE;
    o->rule = binding_rule(o, current);
    if (current == 0 && o->replicas < spec->min) {
        o->replicas = spec->min;
        o->rule = HPA_RULE_TOO_FEW;
    }
}

/* Before any metric is read (H3): both gates skip tolerance, stabilisation and rate limits. */
static bool gates(const struct hpa_spec *spec, struct hpa_state *state, int32_t current,
                  struct hpa_outcome *o)
{
    if (current == 0) {
        o->disabled = disabled_at_zero(spec, state);
        o->rule = HPA_RULE_DISABLED;
        if (o->disabled && spec->zero == HPA_ZERO_MARKED && !spec->zero_enabled)
            state->scaled_to_zero = false;
        return o->disabled;
    }
    if (current > spec->max) {
        o->replicas = spec->max;
        o->rule = HPA_RULE_ABOVE_MAX;
        return true;
    }
    if (current < spec->min) {
        o->replicas = spec->min;
        o->rule = HPA_RULE_BELOW_MIN;
        return true;
    }
    return false;
}

static void write_size(const struct hpa_spec *spec, struct hpa_state *state, int32_t current,
                       int32_t next, sim_ns now)
{
    if (next == current)
        return;
    if (spec->has_behavior && next > current)
        hpa_limits_store(&state->ups, &spec->up, next - current, now);
    if (spec->has_behavior && next < current)
        hpa_limits_store(&state->downs, &spec->down, current - next, now);
    state->scaled_to_zero = spec->zero_enabled && next == 0 && spec->min == 0 && has_external(spec);
}

void hpa_pass(const struct hpa_spec *spec, struct hpa_state *state, const struct scaler_view *view,
              struct hpa_outcome *out)
{
    assert(spec->min >= 0 && spec->max >= spec->min && view->spec_replicas >= 0);
    int32_t current = view->spec_replicas;
    *out = (struct hpa_outcome){.replicas = current,
                                .recommended = current,
                                .stabilized = current,
                                .metric = spec->n_metrics,
                                .failed = spec->n_metrics,
                                .policy = SIZE_MAX};
    if (!state->started)
        hpa_limits_remember(&state->history, current, view->now);
    state->started = true;
    if (!gates(spec, state, current, out))
        by_metrics(spec, state, view, out);
    write_size(spec, state, current, out->replicas, view->now);
    assert(out->replicas >= 0);
}

/* Words. */

static void say_arrow(struct phrase *p, int32_t n)
{
    phrase_text(p, " -> ");
    phrase_int(p, n);
}

static void say_band(struct phrase *p, const struct hpa_tolerance *t)
{
    phrase_text(p, " within ");
    phrase_ratio(p, 1 - (t->by_distance ? t->up : t->down));
    phrase_text(p, "..");
    phrase_ratio(p, 1 + t->up);
}

static void say_average(struct phrase *p, const struct hpa_spec *spec, const struct hpa_metric *m,
                        const struct scaler_view *view, const struct hpa_outcome *o)
{
    phrase_milli(p, view->metrics[o->metric].milli);
    phrase_text(p, " / ");
    if (!o->proposal.inside) {
        phrase_milli(p, m->target);
        return;
    }
    phrase_text(p, "(");
    phrase_milli(p, m->target);
    phrase_text(p, " x ");
    phrase_int(p, view->status_replicas);
    phrase_text(p, ") = ");
    phrase_ratio(p, o->proposal.ratio);
    say_band(p, &spec->tolerance);
}

static void say_usage(struct phrase *p, const struct hpa_spec *spec, const struct hpa_metric *m,
                      const struct hpa_outcome *o)
{
    bool percent = m->kind == HPA_UTILIZATION && o->proposal.utilization_pct;
    if (percent) {
        phrase_int(p, o->proposal.utilization_pct);
        phrase_text(p, "%");
    } else {
        phrase_milli(p, o->proposal.usage_milli);
    }
    phrase_text(p, " / ");
    if (m->kind == HPA_UTILIZATION)
        phrase_int(p, m->target);
    else
        phrase_milli(p, m->target);
    phrase_text(p, percent ? "% = " : " = ");
    phrase_ratio(p, o->proposal.ratio);
    if (o->proposal.inside)
        say_band(p, &spec->tolerance);
    else if (o->proposal.guarded)
        phrase_text(p, " once missing and not-ready pods count");
    if (o->proposal.counted) {
        phrase_text(p, " x ");
        phrase_int(p, o->proposal.counted);
        phrase_text(p, " pods");
    }
}

/* A target of type Value multiplies the pods that are ready, and there are none. */
static bool none_ready(const struct hpa_metric *m, const struct scaler_view *view,
                       const struct hpa_outcome *o)
{
    bool value = m->kind == HPA_EXTERNAL_VALUE || m->kind == HPA_OBJECT_VALUE;
    return value && view->spec_replicas > 0 && !o->proposal.inside && o->proposal.counted == 0;
}

static void say_proposal(struct phrase *p, const struct hpa_spec *spec,
                         const struct scaler_view *view, const struct hpa_outcome *o)
{
    const struct hpa_metric *m = &spec->metrics[o->metric];
    if (spec->n_metrics > 1 && m->name) {
        phrase_text(p, m->name);
        phrase_text(p, " ");
    }
    if (m->kind == HPA_EXTERNAL_AVERAGE || m->kind == HPA_OBJECT_AVERAGE)
        say_average(p, spec, m, view, o);
    else
        say_usage(p, spec, m, o);
    if (none_ready(m, view, o))
        phrase_text(p, " x 0 ready pods");
    if (o->recommended == view->spec_replicas) {
        phrase_text(p, ", stays ");
        phrase_int(p, o->recommended);
    } else {
        say_arrow(p, o->recommended);
    }
}

static void say_stabilized(struct phrase *p, const struct hpa_spec *spec,
                           const struct hpa_outcome *o, int32_t current)
{
    if (o->stabilized == o->recommended)
        return;
    bool up = o->recommended >= current && spec->has_behavior;
    sim_ns window = !spec->has_behavior ? spec->down_window
                    : up                ? spec->up.window
                                        : spec->down.window;
    phrase_text(p, ", held at ");
    phrase_int(p, o->stabilized);
    phrase_text(p,
                up ? " by ScaleUpStabilized (lowest of " : " by ScaleDownStabilized (highest of ");
    phrase_span(p, window);
    phrase_text(p, ")");
}

static void say_policy(struct phrase *p, const struct hpa_rules *rules, size_t policy)
{
    if (rules->select == HPA_SELECT_DISABLED) {
        phrase_text(p, " (Disabled)");
        return;
    }
    if (policy >= rules->n_policies)
        return;
    const struct hpa_policy *rule = &rules->policies[policy];
    phrase_text(p, " (");
    phrase_int(p, rule->value);
    phrase_text(p, rule->type == HPA_POLICY_PODS ? " pods in " : "% in ");
    phrase_span(p, rule->period);
    phrase_text(p, ")");
}

static void say_limit(struct phrase *p, const struct hpa_spec *spec, const struct hpa_outcome *o,
                      int32_t current)
{
    if (o->limit == HPA_LIMIT_NONE)
        return;
    phrase_text(p, o->limit == HPA_LIMIT_TOO_FEW ? ", raised to " : ", held to ");
    phrase_int(p, o->replicas);
    phrase_text(p, " by ");
    phrase_text(p, hpa_limits_name(o->limit));
    if (o->limit == HPA_LIMIT_UP && !spec->has_behavior) {
        phrase_text(p, " max(");
        phrase_ratio(p, spec->scale_up_factor);
        phrase_text(p, " x ");
        phrase_int(p, current);
        phrase_text(p, ", ");
        phrase_ratio(p, spec->scale_up_floor);
        phrase_text(p, ")");
    } else if (o->limit == HPA_LIMIT_UP || o->limit == HPA_LIMIT_DOWN) {
        say_policy(p, o->limit == HPA_LIMIT_UP ? &spec->up : &spec->down, o->policy);
    } else {
        phrase_text(p, o->limit == HPA_LIMIT_TOO_MANY ? " (max " : " (min ");
        phrase_int(p, o->limit == HPA_LIMIT_TOO_MANY ? spec->max : spec->min);
        phrase_text(p, ")");
    }
}

static void say_failure(struct phrase *p, const struct hpa_spec *spec, const struct hpa_outcome *o)
{
    const char *name = spec->metrics[o->failed].name;
    phrase_text(p, name ? name : "metric");
    phrase_text(p, o->fault == HPA_FAULT_NO_VALUE ? " has no value" : ": ");
    if (o->fault != HPA_FAULT_NO_VALUE)
        phrase_text(p, hpa_replicas_fault_name(o->fault));
}

static bool say_gate(struct phrase *p, const struct hpa_spec *spec, const struct hpa_outcome *o,
                     int32_t current)
{
    switch (o->rule) {
    case HPA_RULE_ABOVE_MAX:
    case HPA_RULE_BELOW_MIN: {
        bool above = o->rule == HPA_RULE_ABOVE_MAX;
        phrase_int(p, current);
        phrase_text(p, above ? " is above max " : " is below min ");
        phrase_int(p, above ? spec->max : spec->min);
        return true;
    }
    case HPA_RULE_DISABLED:
        phrase_text(p, "the target is at zero: scaling is disabled");
        return true;
    case HPA_RULE_NO_METRIC:
        say_failure(p, spec, o);
        phrase_text(p, o->metric < spec->n_metrics ? ", so no shrinking: stays " : ", stays ");
        phrase_int(p, o->replicas);
        return true;
    default:
        return false;
    }
}

void hpa_reason(const struct hpa_spec *spec, const struct scaler_view *view,
                const struct hpa_outcome *o, char *out, size_t size)
{
    struct phrase p;
    phrase_init(&p, out, size);
    if (say_gate(&p, spec, o, view->spec_replicas))
        return;
    assert(o->metric < spec->n_metrics);
    say_proposal(&p, spec, view, o);
    say_stabilized(&p, spec, o, view->spec_replicas);
    say_limit(&p, spec, o, view->spec_replicas);
    if (o->limit == HPA_LIMIT_NONE && o->rule == HPA_RULE_TOO_FEW) {
        phrase_text(&p, ", raised to ");
        phrase_int(&p, o->replicas);
        phrase_text(&p, " by min");
    }
    if (o->partial_error) {
        phrase_text(&p, "; ");
        say_failure(&p, spec, o);
    }
}

void hpa_decide(const struct hpa_spec *spec, struct hpa_state *state,
                const struct scaler_view *view, struct scaler_decision *out)
{
    struct hpa_outcome o;
    hpa_pass(spec, state, view, &o);
    hpa_reason(spec, view, &o, out->reason, sizeof out->reason);
    out->replicas = o.replicas;
    out->rule = hpa_rule_name(o.rule);
    out->metric_missing = o.error || o.partial_error;
    out->needed = o.recommended;
    out->at_max = o.rule == HPA_RULE_TOO_MANY || o.rule == HPA_RULE_ABOVE_MAX;
}
