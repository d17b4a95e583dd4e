/* hpa_config: the knob table of the HPA, profiles by Kubernetes version, and their resolution. */
#include "models/control/hpa_config.h"

#include "models/control/kube_version.h"
#include "models/control/metric_name.h"
#include "sim/err.h"
#include "sim/json.h"
#include "sim/text.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define DEFAULTS "kubernetes pkg/apis/autoscaling/v2/defaults.go, read 2026-08"
#define FLAGS "kubernetes pkg/controller/podautoscaler/config/v1alpha1/defaults.go, read 2026-08"
#define CONTROLLER "kubernetes pkg/controller/podautoscaler/horizontal.go, read 2026-08"

/* ---- values that no other kind of knob fits ---- */

static int refuse(const struct json *at, const char *allowed, struct err *e)
{
    char place[512];
    return err_set(e, ERR_INPUT, json_place(place, sizeof place, at), "found %s%s%s, %s",
                   at->type == JSON_NUMBER ? "" : json_type_name(at->type),
                   at->type == JSON_STRING ? " " : "",
                   at->string && at->type != JSON_BOOL ? at->string : "", allowed);
}

/* A whole number of seconds in low..high. */
static int read_seconds(const struct json *value, const int32_t bounds[2], sim_ns *out,
                        struct err *e)
{
    char allowed[96];
    double v = value->number;
    if (value->type == JSON_NUMBER && v >= bounds[0] && v <= bounds[1] && v == (double)(int64_t)v) {
        *out = (int64_t)v * SIM_SECOND;
        return 0;
    }
    snprintf(allowed, sizeof allowed, "allowed are whole seconds in %d..%d", (int)bounds[0],
             (int)bounds[1]);
    return refuse(value, allowed, e);
}

static int read_window(const struct knob_given *g, struct err *e)
{
    static const int32_t bounds[2] = {0, 3600};
    struct hpa_optional_span *o = g->out;
    o->given = true;
    return read_seconds(g->value, bounds, &o->span, e);
}

static int read_period(const struct knob_given *g, struct err *e)
{
    static const int32_t bounds[2] = {1, 1800};
    return read_seconds(g->value, bounds, g->out, e);
}

/* 0.05, "0.05" or "50m", as a Kubernetes quantity. */
static int read_tolerance(const struct knob_given *g, struct err *e)
{
    const struct json *value = g->value;
    struct hpa_optional_number *o = g->out;
    int64_t milli;
    o->given = true;
    o->value = value->number;
    bool ok = value->type == JSON_NUMBER;
    if (value->type == JSON_STRING && text_parse_double(value->string, &o->value))
        ok = true;
    else if (value->type == JSON_STRING && text_parse_quantity(value->string, &milli)) {
        ok = true;
        o->value = (double)milli / 1000;
    }
    if (ok && o->value >= 0 && o->value <= 1e6)
        return 0;
    return refuse(value, "allowed is a quantity of at least 0, such as 0.05", e);
}

static int read_gates(const struct knob_given *g, struct err *e)
{
    struct hpa_gates *gates = g->out;
    if (g->value->type != JSON_OBJECT)
        return refuse(g->value, "allowed is an object of feature gates", e);
    for (const struct json *c = g->value->first; c; c = c->next) {
        enum hpa_switch *gate = strcmp(c->key, "HPAConfigurableTolerance") == 0
                                    ? &gates->configurable_tolerance
                                : strcmp(c->key, "HPAScaleToZero") == 0 ? &gates->scale_to_zero
                                                                        : NULL;
        if (!gate || c->type != JSON_BOOL)
            return refuse(
                c, "allowed are HPAConfigurableTolerance and HPAScaleToZero, true or false", e);
        *gate = c->boolean ? HPA_ON : HPA_OFF;
    }
    return 0;
}

/* "current": an average inside the band keeps the status size, so that surge pods enter the spec;
 * "fixed": it keeps the spec size. */
static int read_surge(const struct knob_given *g, struct err *e)
{
    const char *word = g->value->type == JSON_STRING ? g->value->string : "";
    bool *fixed = g->out;
    *fixed = strcmp(word, "fixed") == 0;
    if (*fixed || strcmp(word, "current") == 0)
        return 0;
    return refuse(g->value, "allowed are current and fixed", e);
}

/* ---- behavior ---- */

static const struct knob_name policy_names[] = {
    {"Pods", HPA_POLICY_PODS, "a number of pods"},
    {"Percent", HPA_POLICY_PERCENT, "a percentage of the size when the period began"},
    {0},
};

static const struct knob policy_rows[] = {
    {.key = "type",
     .kind = KNOB_NAME,
     .offset = offsetof(struct hpa_policy, type),
     .doc = "Unit of the value.",
     .names = policy_names},
    {.key = "value",
     .kind = KNOB_INT32,
     .offset = offsetof(struct hpa_policy, value),
     .doc = "Most that may change within a period.",
     .min = 1,
     .max = 2147483647},
    {.key = "periodSeconds",
     .kind = KNOB_CUSTOM,
     .offset = offsetof(struct hpa_policy, period),
     .doc = "Length of the period; changes younger than it count.",
     .read = read_period,
     .shape = "whole seconds, 1..1800"},
    {0},
};

static const struct knob_table policy_knobs = {
    .name = "hpa.policies",
    .doc = "A cap on how fast the size changes: never a step to be taken.",
    .rows = policy_rows,
    .size = sizeof(struct hpa_policy),
};

static const struct knob_name select_names[] = {
    {"Max", HPA_SELECT_MAX, "the policy that allows the largest change"},
    {"Min", HPA_SELECT_MIN, "the policy that allows the smallest change"},
    {"Disabled", HPA_SELECT_DISABLED, "no change in this direction"},
    {0},
};

static const struct knob rules_rows[] = {
    {.key = "stabilizationWindowSeconds",
     .kind = KNOB_CUSTOM,
     .offset = offsetof(struct hpa_rules_config, window),
     .doc = "The most cautious recommendation of this time is taken; scale-up 0, scale-down the "
            "controller's downscaleStabilization when absent.",
     .preset = "",
     .read = read_window,
     .shape = "whole seconds, 0..3600"},
    {.key = "selectPolicy",
     .kind = KNOB_NAME,
     .offset = offsetof(struct hpa_rules_config, select),
     .doc = "Which policy counts.",
     .preset = "Max",
     .names = select_names},
    {.key = "policies",
     .kind = KNOB_LIST,
     .offset = offsetof(struct hpa_rules_config, policies),
     .doc = "Caps; absent: +4 pods or +100 % in 15 s up, -100 % in 15 s down.",
     .preset = "",
     .table = &policy_knobs},
    {.key = "tolerance",
     .kind = KNOB_CUSTOM,
     .offset = offsetof(struct hpa_rules_config, tolerance),
     .doc = "Tolerance of this direction in place of the controller's.",
     .preset = "",
     .read = read_tolerance,
     .shape = "a quantity, such as 0.05"},
    {0},
};

static const struct knob_table rules_knobs = {
    .name = "hpa.scalingRules",
    .doc = "How fast and how late the size changes in one direction.",
    .rows = rules_rows,
    .size = sizeof(struct hpa_rules_config),
};

static const struct knob behavior_rows[] = {
    {.key = "scaleUp",
     .kind = KNOB_POINTER,
     .offset = offsetof(struct hpa_behavior_config, up),
     .doc = "Growing.",
     .preset = "",
     .table = &rules_knobs},
    {.key = "scaleDown",
     .kind = KNOB_POINTER,
     .offset = offsetof(struct hpa_behavior_config, down),
     .doc = "Shrinking.",
     .preset = "",
     .table = &rules_knobs},
    {0},
};

const struct knob_table hpa_config_behavior_knobs = {
    .name = "hpa.behavior",
    .doc = "Rules of change. Without the block growth is held to max(2 x size, 4) a pass; an empty "
           "block brings the default policies.",
    .rows = behavior_rows,
    .size = sizeof(struct hpa_behavior_config),
};

/* ---- the whole ---- */

static const struct knob hpa_rows[] = {
    {.key = "minReplicas",
     .kind = KNOB_INT32,
     .offset = offsetof(struct hpa_config, min),
     .unit = "replicas",
     .doc = "Smallest size; 0 needs scale to zero.",
     .preset = "1",
     .min = 0,
     .max = 100000,
     .quality = QUALITY_OFFICIAL,
     .source = DEFAULTS},
    {.key = "maxReplicas",
     .kind = KNOB_INT32,
     .offset = offsetof(struct hpa_config, max),
     .unit = "replicas",
     .doc = "Largest size.",
     .min = 1,
     .max = 100000},
    {.key = "metrics",
     .kind = KNOB_LIST,
     .offset = offsetof(struct hpa_config, metrics),
     .doc = "What the size follows; absent: 80 % of the requested CPU.",
     .preset = "",
     .table = &hpa_metric_config_knobs},
    {.key = "behavior",
     .kind = KNOB_POINTER,
     .offset = offsetof(struct hpa_config, behavior),
     .doc = "Rules of change; without it the older limits hold.",
     .preset = "",
     .table = &hpa_config_behavior_knobs},
    {.key = "targetCPUUtilizationPercentage",
     .kind = KNOB_INT32,
     .offset = offsetof(struct hpa_config, target_cpu_pct),
     .unit = "%",
     .doc = "autoscaling/v1: the one metric.",
     .preset = "",
     .min = 1,
     .max = 1000000},
    {.key = "scaleTargetRef",
     .kind = KNOB_POINTER,
     .offset = offsetof(struct hpa_config, scale_target),
     .doc = "The deployment; in a scenario the service says which.",
     .preset = "",
     .table = &hpa_metric_config_object_knobs},
    {.key = "apiVersion",
     .kind = KNOB_TEXT,
     .offset = offsetof(struct hpa_config, api_version),
     .doc = "Of the manifest; all of autoscaling/v1, v2beta1, v2beta2 and v2 are read.",
     .preset = ""},
    {.key = "syncPeriod",
     .kind = KNOB_DURATION,
     .offset = offsetof(struct hpa_config, sync_period),
     .doc = "Time between two passes (--horizontal-pod-autoscaler-sync-period).",
     .preset = "15s",
     .min = 1,
     .max = 3600,
     .quality = QUALITY_OFFICIAL,
     .source = FLAGS},
    {.key = "tolerance",
     .kind = KNOB_NUMBER,
     .offset = offsetof(struct hpa_config, tolerance),
     .doc = "No move while usage / target is this close to 1 (--horizontal-pod-autoscaler-"
            "tolerance).",
     .preset = "0.1",
     .min = 0,
     .max = 10,
     .quality = QUALITY_OFFICIAL,
     .source = FLAGS},
    {.key = "downscaleStabilization",
     .kind = KNOB_DURATION,
     .offset = offsetof(struct hpa_config, downscale_stabilization),
     .doc = "The highest recommendation of this time holds (--horizontal-pod-autoscaler-"
            "downscale-stabilization).",
     .preset = "300s",
     .min = 0,
     .max = 3600,
     .quality = QUALITY_OFFICIAL,
     .source = FLAGS},
    {.key = "cpuInitializationPeriod",
     .kind = KNOB_DURATION,
     .offset = offsetof(struct hpa_config, cpu_initialization),
     .doc = "CPU samples of pods younger than this are doubted (--horizontal-pod-autoscaler-cpu-"
            "initialization-period).",
     .preset = "300s",
     .min = 0,
     .max = 86400,
     .quality = QUALITY_OFFICIAL,
     .source = FLAGS},
    {.key = "initialReadinessDelay",
     .kind = KNOB_DURATION,
     .offset = offsetof(struct hpa_config, initial_delay),
     .doc = "A pod that was unready since before this age was never ready (--horizontal-pod-"
            "autoscaler-initial-readiness-delay).",
     .preset = "30s",
     .min = 0,
     .max = 86400,
     .quality = QUALITY_OFFICIAL,
     .source = FLAGS},
    {.key = "scaleUpLimitFactor",
     .kind = KNOB_NUMBER,
     .offset = offsetof(struct hpa_config, scale_up_factor),
     .doc = "Without behavior a pass grows to at most this times the size.",
     .preset = "2",
     .min = 1,
     .max = 1000,
     .quality = QUALITY_OFFICIAL,
     .source = CONTROLLER},
    {.key = "scaleUpLimitMinimum",
     .kind = KNOB_NUMBER,
     .offset = offsetof(struct hpa_config, scale_up_floor),
     .unit = "replicas",
     .doc = "Without behavior a pass may always grow to this.",
     .preset = "4",
     .min = 1,
     .max = 100000,
     .quality = QUALITY_OFFICIAL,
     .source = CONTROLLER},
    {.key = "kubernetesVersion",
     .kind = KNOB_TEXT,
     .offset = offsetof(struct hpa_config, kubernetes_version),
     .doc = "Chooses the rules that changed between versions, such as 1.20; absent: the newest.",
     .preset = ""},
    {.key = "featureGates",
     .kind = KNOB_CUSTOM,
     .offset = offsetof(struct hpa_config, gates),
     .doc = "Feature gates that differ from the version's own state.",
     .preset = "",
     .read = read_gates,
     .shape = "an object: HPAConfigurableTolerance, HPAScaleToZero, each true or false"},
    {.key = "surgePods",
     .kind = KNOB_CUSTOM,
     .offset = offsetof(struct hpa_config, surge_fixed),
     .doc = "Whether a rollout's surge pods enter the size (kubernetes#138505): current or fixed.",
     .preset = "current",
     .read = read_surge,
     .shape = "current, fixed"},
    {0},
};

static const struct hpa_profile profiles[] = {
    {.since = 12, .by_distance = true, .zero = HPA_ZERO_CLASSIC},
    {.since = 33, .zero = HPA_ZERO_CLASSIC},
    {.since = 35, .own_tolerance = true, .zero = HPA_ZERO_CLASSIC},
    {.since = 37, .own_tolerance = true, .zero = HPA_ZERO_MARKED, .zero_enabled = true},
};
#define N_PROFILES (sizeof profiles / sizeof profiles[0])
#define BEHAVIOR_SINCE 18 /* minor version that brought spec.behavior */

bool hpa_config_profile(const char *version, struct hpa_profile *out)
{
    int32_t minor;
    *out = profiles[N_PROFILES - 1];
    if (!version || !*version)
        return true;
    const char *rest = kube_version_minor(version, &minor);
    if (!rest || minor < profiles[0].since || (*rest && !strchr(".-+", *rest)))
        return false;
    for (size_t i = 0; i < N_PROFILES; i++)
        if (minor >= profiles[i].since)
            *out = profiles[i];
    return true;
}

static int hpa_check(const void *config, const char **key, struct err *e)
{
    const struct hpa_config *c = config;
    struct hpa_profile profile;
    int32_t minor;
    if (c->min > c->max) {
        *key = "maxReplicas";
        return err_set(e, ERR_INPUT, NULL, "%d is below minReplicas %d", (int)c->max, (int)c->min);
    }
    if (!hpa_config_profile(c->kubernetes_version, &profile)) {
        *key = "kubernetesVersion";
        return err_set(e, ERR_INPUT, NULL, "'%s' is no version from 1.12 on, such as 1.20",
                       c->kubernetes_version);
    }
    if (c->target_cpu_pct && c->metrics.count) {
        *key = "targetCPUUtilizationPercentage";
        return err_set(e, ERR_INPUT, NULL, "does not go with metrics");
    }
    if (c->behavior && c->kubernetes_version && kube_version_minor(c->kubernetes_version, &minor) &&
        minor < BEHAVIOR_SINCE) {
        *key = "behavior";
        return err_set(e, ERR_INPUT, NULL, "exists from Kubernetes 1.18 on, not in %s",
                       c->kubernetes_version);
    }
    return 0;
}

/* ---- metrics ---- */

static const struct hpa_metric_config *item(const struct hpa_config *c, size_t i)
{
    assert(i < c->metrics.count);
    return (const struct hpa_metric_config *)c->metrics.items + i;
}

size_t hpa_config_metrics(const struct hpa_config *c)
{
    return c->metrics.count ? c->metrics.count : 1;
}

const char *hpa_config_metric_name(const struct hpa_config *c, size_t i)
{
    return c->metrics.count ? hpa_metric_config_name(item(c, i)) : "cpu";
}

const struct knob_map *hpa_config_selector(const struct hpa_config *c, size_t i)
{
    return c->metrics.count ? hpa_metric_config_selector(item(c, i)) : NULL;
}

struct hpa_metric hpa_config_metric(const struct hpa_config *c, size_t i)
{
    int64_t pct = c->target_cpu_pct ? c->target_cpu_pct : 80;
    if (!c->metrics.count)
        return (struct hpa_metric){HPA_UTILIZATION, pct, true, "cpu"};
    return hpa_metric_config_resolve(item(c, i));
}

bool hpa_config_wants(const struct hpa_config *c, size_t i, struct scaler_wants *out,
                      int32_t *scale)
{
    return metric_name_find(hpa_config_metric_name(c, i), out, scale);
}

static int simulated_check(const void *config, const char **key, struct err *e)
{
    const struct hpa_config *c = config;
    struct scaler_wants want;
    int32_t scale;
    if (hpa_check(config, key, e))
        return -1;
    for (size_t i = 0; i < hpa_config_metrics(c); i++) {
        const char *name = hpa_config_metric_name(c, i);
        if (metric_name_find(name, &want, &scale))
            continue;
        const char *near = metric_name_nearest(name);
        *key = "metrics";
        return err_set(e, ERR_INPUT, NULL,
                       "metric '%s' is not simulated%s%s%s; known are sls_ingress_qps, "
                       "sls_ingress_latency_avg, _p50, _p95, _p99, _p9999, queue_length, "
                       "in_flight, concurrency, gpu_utilization, cpu and nvidia.com/gpu",
                       name, near ? ", did you mean '" : "", near ? near : "", near ? "'" : "");
    }
    return 0;
}

#define HPA_DOC                                                                                    \
    "The HorizontalPodAutoscaler: its own spec, the flags of its controller, the profile of a "    \
    "Kubernetes version."

const struct knob_table hpa_config_knobs = {
    .name = "hpa",
    .doc = HPA_DOC,
    .rows = hpa_rows,
    .size = sizeof(struct hpa_config),
    .check = hpa_check,
};

const struct knob_table hpa_config_simulated_knobs = {
    .name = "hpa",
    .doc = HPA_DOC,
    .rows = hpa_rows,
    .size = sizeof(struct hpa_config),
    .check = simulated_check,
};

/* ---- resolution ---- */

static void fill_rules(struct hpa_rules *rules, const struct hpa_rules_config *c)
{
    if (!c)
        return;
    rules->select = (enum hpa_select)c->select;
    if (c->window.given)
        rules->window = c->window.span;
    if (c->policies.count) {
        rules->policies = c->policies.items;
        rules->n_policies = c->policies.count;
    }
}

static bool switched(enum hpa_switch s, bool by_version)
{
    return s == HPA_BY_VERSION ? by_version : s == HPA_ON;
}

static void fill_behavior(const struct hpa_config *c, bool own_tolerance, struct hpa_spec *out)
{
    const struct hpa_behavior_config *b = c->behavior;
    if (!b)
        return;
    out->has_behavior = true;
    out->up = hpa_limits_default_up();
    out->down = hpa_limits_default_down(c->downscale_stabilization);
    fill_rules(&out->up, b->up);
    fill_rules(&out->down, b->down);
    if (own_tolerance && b->up && b->up->tolerance.given)
        out->tolerance.up = b->up->tolerance.value;
    if (own_tolerance && b->down && b->down->tolerance.given)
        out->tolerance.down = b->down->tolerance.value;
}

void hpa_config_resolve(const struct hpa_config *c, struct hpa_metric *metrics,
                        struct hpa_spec *out)
{
    struct hpa_profile p;
    bool known = hpa_config_profile(c->kubernetes_version, &p);
    assert(known);
    for (size_t i = 0; i < hpa_config_metrics(c); i++)
        metrics[i] = hpa_config_metric(c, i);
    *out = (struct hpa_spec){
        .min = c->min,
        .max = c->max,
        .metrics = metrics,
        .n_metrics = hpa_config_metrics(c),
        .down_window = c->downscale_stabilization,
        .tolerance = {c->tolerance, c->tolerance, p.by_distance},
        .cpu_initialization = c->cpu_initialization,
        .initial_delay = c->initial_delay,
        .scale_up_factor = c->scale_up_factor,
        .scale_up_floor = c->scale_up_floor,
        .zero = p.zero,
        .zero_enabled =
            p.zero == HPA_ZERO_MARKED && switched(c->gates.scale_to_zero, p.zero_enabled),
        .surge_fixed = c->surge_fixed,
    };
    fill_behavior(c, !p.by_distance && switched(c->gates.configurable_tolerance, p.own_tolerance),
                  out);
}

static sim_ns longest(const struct hpa_rules *r, sim_ns so_far)
{
    so_far = r->window > so_far ? r->window : so_far;
    for (size_t i = 0; i < r->n_policies; i++)
        so_far = r->policies[i].period > so_far ? r->policies[i].period : so_far;
    return so_far;
}

size_t hpa_config_history(const struct hpa_config *c)
{
    struct hpa_spec s = {.down_window = c->downscale_stabilization};
    fill_behavior(c, false, &s);
    sim_ns keep = longest(&s.down, longest(&s.up, s.down_window));
    return (size_t)(2 * keep / c->sync_period) + 4;
}
