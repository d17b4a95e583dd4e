/* hpa_config: the knob table of the HPA, profiles by Kubernetes version, and their resolution. */
#include "models/control/hpa_config.h"
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

/* ---- readers of values that no other kind fits ---- */

static int refuse(const struct json *value, const char *path, const char *allowed, struct err *e)
{
    char place[512];
    return err_set(e, ERR_INPUT, json_place(place, sizeof place, value), "%s: found %s%s%s, %s",
                   path, value->type == JSON_NUMBER ? "" : json_type_name(value->type),
                   value->type == JSON_STRING ? " " : "",
                   value->string && value->type != JSON_BOOL ? value->string : "", allowed);
}

/* A whole number of seconds in low..high. */
static int read_seconds(const struct json *value, const char *path, const int32_t bounds[2],
                        sim_ns *out, struct err *e)
{
    char allowed[96];
    double v = value->number;
    if (value->type == JSON_NUMBER && v >= bounds[0] && v <= bounds[1] && v == (double)(int64_t)v) {
        *out = (int64_t)v * SIM_SECOND;
        return 0;
    }
    snprintf(allowed, sizeof allowed, "allowed are whole seconds in %d..%d", (int)bounds[0],
             (int)bounds[1]);
    return refuse(value, path, allowed, e);
}

static int read_window(struct bind *b, const struct json *value, const char *path, void *out,
                       struct err *e)
{
    static const int32_t bounds[2] = {0, 3600};
    struct hpa_optional_span *o = out;
    (void)b;
    o->given = true;
    return read_seconds(value, path, bounds, &o->span, e);
}

static int read_period(struct bind *b, const struct json *value, const char *path, void *out,
                       struct err *e)
{
    static const int32_t bounds[2] = {1, 1800};
    (void)b;
    return read_seconds(value, path, bounds, out, e);
}

/* 0.05, "0.05" or "50m", as a Kubernetes quantity. */
static int read_tolerance(struct bind *b, const struct json *value, const char *path, void *out,
                          struct err *e)
{
    struct hpa_optional_number *o = out;
    int64_t milli;
    (void)b;
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
    return refuse(value, path, "allowed is a quantity of at least 0, such as 0.05", e);
}

static int read_gates(struct bind *b, const struct json *value, const char *path, void *out,
                      struct err *e)
{
    struct hpa_gates *g = out;
    (void)b;
    if (value->type != JSON_OBJECT)
        return refuse(value, path, "allowed is an object of feature gates", e);
    for (const struct json *c = value->first; c; c = c->next) {
        enum hpa_switch *gate = strcmp(c->key, "HPAConfigurableTolerance") == 0
                                    ? &g->configurable_tolerance
                                : strcmp(c->key, "HPAScaleToZero") == 0 ? &g->scale_to_zero
                                                                        : NULL;
        if (!gate || c->type != JSON_BOOL)
            return refuse(c, path,
                          "allowed are HPAConfigurableTolerance and HPAScaleToZero, true or false",
                          e);
        *gate = c->boolean ? HPA_ON : HPA_OFF;
    }
    return 0;
}

/* matchExpressions and the like: kept by Kubernetes, of no meaning to a simulation. */
static int read_nothing(struct bind *b, const struct json *value, const char *path, void *out,
                        struct err *e)
{
    (void)b, (void)value, (void)path, (void)out, (void)e;
    return 0;
}

/* ---- tables, innermost first ---- */

static const struct knob ref_rows[] = {
    {.key = "apiVersion",
     .kind = KNOB_TEXT,
     .offset = offsetof(struct hpa_object_ref, api_version),
     .doc = "API version of the object.",
     .preset = ""},
    {.key = "kind",
     .kind = KNOB_TEXT,
     .offset = offsetof(struct hpa_object_ref, kind),
     .doc = "Kind of the object.",
     .preset = ""},
    {.key = "name",
     .kind = KNOB_TEXT,
     .offset = offsetof(struct hpa_object_ref, name),
     .doc = "Name of the object.",
     .preset = ""},
    {0},
};

static const struct knob_table ref_knobs = {
    .name = "hpa.objectRef",
    .doc = "An object of the cluster.",
    .rows = ref_rows,
    .size = sizeof(struct hpa_object_ref),
};

static const struct knob selector_rows[] = {
    {.key = "matchLabels",
     .kind = KNOB_MAP,
     .offset = offsetof(struct hpa_selector, match_labels),
     .doc = "Labels of the metric's series, such as sls.ingress.route.",
     .preset = ""},
    {.key = "matchExpressions",
     .kind = KNOB_CUSTOM,
     .doc = "Accepted, without meaning to a simulation.",
     .preset = "",
     .read = read_nothing,
     .shape = "anything"},
    {0},
};

static const struct knob_table selector_knobs = {
    .name = "hpa.metricSelector",
    .doc = "Which series of a metric are added up.",
    .rows = selector_rows,
    .size = sizeof(struct hpa_selector),
};

/* The name may be absent here: v2beta1 has metricName instead. */
static const struct knob named_rows[] = {
    {.key = "name",
     .kind = KNOB_TEXT,
     .offset = offsetof(struct hpa_metric_id, name),
     .doc = "Name of the metric.",
     .preset = ""},
    {.key = "selector",
     .kind = KNOB_OBJECT,
     .offset = offsetof(struct hpa_metric_id, selector),
     .doc = "Which of its series.",
     .preset = "",
     .table = &selector_knobs},
    {0},
};

static const struct knob_table named_knobs = {
    .name = "hpa.metric",
    .doc = "A metric by name and labels.",
    .rows = named_rows,
    .size = sizeof(struct hpa_metric_id),
};

#define TARGET_ROWS                                                                                \
    {.key = "type",                                                                                \
     .kind = KNOB_TEXT,                                                                            \
     .offset = offsetof(struct hpa_target, type),                                                  \
     .doc = "Utilization, Value or AverageValue.",                                                 \
     .preset = ""},                                                                                \
        {.key = "value",                                                                           \
         .kind = KNOB_QUANTITY,                                                                    \
         .offset = offsetof(struct hpa_target, value),                                             \
         .doc = "Target of the metric's total.",                                                   \
         .preset = ""},                                                                            \
        {.key = "averageValue",                                                                    \
         .kind = KNOB_QUANTITY,                                                                    \
         .offset = offsetof(struct hpa_target, average_value),                                     \
         .doc = "Target a pod.",                                                                   \
         .preset = ""},                                                                            \
    {                                                                                              \
        .key = "averageUtilization", .kind = KNOB_INT32,                                           \
        .offset = offsetof(struct hpa_target, average_utilization), .unit = "%",                   \
        .doc = "Target as a share of what pods request.", .preset = "", .min = 1, .max = 1000000   \
    }

static const struct knob target_rows[] = {TARGET_ROWS, {0}};

static const struct knob_table target_knobs = {
    .name = "hpa.target",
    .doc = "What the HPA aims at.",
    .rows = target_rows,
    .size = sizeof(struct hpa_target),
};

/* In v2beta1 the target of an object metric is the object itself. */
static const struct knob object_target_rows[] = {
    TARGET_ROWS,
    {.key = "kind",
     .kind = KNOB_TEXT,
     .offset = offsetof(struct hpa_target, object.kind),
     .doc = "v2beta1: kind of the object.",
     .preset = ""},
    {.key = "name",
     .kind = KNOB_TEXT,
     .offset = offsetof(struct hpa_target, object.name),
     .doc = "v2beta1: name of the object.",
     .preset = ""},
    {.key = "apiVersion",
     .kind = KNOB_TEXT,
     .offset = offsetof(struct hpa_target, object.api_version),
     .doc = "v2beta1: API version of the object.",
     .preset = ""},
    {0},
};

static const struct knob_table object_target_knobs = {
    .name = "hpa.objectTarget",
    .doc = "What the HPA aims at; in v2beta1 the object that has the metric.",
    .rows = object_target_rows,
    .size = sizeof(struct hpa_target),
};

#define TARGET_ROW(with)                                                                           \
    {                                                                                              \
        .key = "target", .kind = KNOB_OBJECT, .offset = offsetof(struct hpa_source, target),       \
        .doc = "v2beta2 and v2: what to aim at.", .preset = "", .table = (with)                    \
    }
#define METRIC_ROW                                                                                 \
    {                                                                                              \
        .key = "metric", .kind = KNOB_OBJECT, .offset = offsetof(struct hpa_source, metric),       \
        .doc = "v2beta2 and v2: which metric.", .preset = "", .table = &named_knobs                \
    }
#define METRIC_NAME_ROW                                                                            \
    {                                                                                              \
        .key = "metricName", .kind = KNOB_TEXT,                                                    \
        .offset = offsetof(struct hpa_source, metric_name), .doc = "v2beta1: name of the metric.", \
        .preset = ""                                                                               \
    }
#define SELECTOR_ROW(word, field)                                                                  \
    {                                                                                              \
        .key = (word), .kind = KNOB_OBJECT, .offset = offsetof(struct hpa_source, field),          \
        .doc = "v2beta1: which of its series.", .preset = "", .table = &selector_knobs             \
    }
#define QUANTITY_ROW(word, field, text)                                                            \
    {                                                                                              \
        .key = (word), .kind = KNOB_QUANTITY, .offset = offsetof(struct hpa_source, field),        \
        .doc = (text), .preset = ""                                                                \
    }
#define NAME_ROW                                                                                   \
    {                                                                                              \
        .key = "name", .kind = KNOB_TEXT, .offset = offsetof(struct hpa_source, name),             \
        .doc = "The resource: cpu, memory, nvidia.com/gpu."                                        \
    }
#define UTILIZATION_ROW                                                                            \
    {                                                                                              \
        .key = "targetAverageUtilization", .kind = KNOB_INT32,                                     \
        .offset = offsetof(struct hpa_source, target_average_utilization), .unit = "%",            \
        .doc = "v2beta1: target as a share of what pods request.", .preset = "", .min = 1,         \
        .max = 1000000                                                                             \
    }

static const struct knob resource_rows[] = {
    NAME_ROW,
    TARGET_ROW(&target_knobs),
    UTILIZATION_ROW,
    QUANTITY_ROW("targetAverageValue", target_average_value, "v2beta1: target a pod."),
    {0},
};
static const struct knob container_rows[] = {
    NAME_ROW,
    {.key = "container",
     .kind = KNOB_TEXT,
     .offset = offsetof(struct hpa_source, container),
     .doc = "The container whose usage and request count."},
    TARGET_ROW(&target_knobs),
    UTILIZATION_ROW,
    QUANTITY_ROW("targetAverageValue", target_average_value, "v2beta1: target a pod."),
    {0},
};
static const struct knob pods_rows[] = {
    METRIC_ROW,
    TARGET_ROW(&target_knobs),
    METRIC_NAME_ROW,
    SELECTOR_ROW("selector", selector),
    QUANTITY_ROW("targetAverageValue", target_average_value, "v2beta1: target a pod."),
    {0},
};
static const struct knob object_rows[] = {
    METRIC_ROW,
    TARGET_ROW(&object_target_knobs),
    {.key = "describedObject",
     .kind = KNOB_OBJECT,
     .offset = offsetof(struct hpa_source, described_object),
     .doc = "v2beta2 and v2: the object that has the metric.",
     .preset = "",
     .table = &ref_knobs},
    METRIC_NAME_ROW,
    SELECTOR_ROW("selector", selector),
    QUANTITY_ROW("targetValue", target_value, "v2beta1: target of the metric's value."),
    QUANTITY_ROW("averageValue", average_value, "v2beta1: target a pod."),
    {0},
};
static const struct knob external_rows[] = {
    METRIC_ROW,
    TARGET_ROW(&target_knobs),
    METRIC_NAME_ROW,
    SELECTOR_ROW("metricSelector", metric_selector),
    QUANTITY_ROW("targetValue", target_value, "v2beta1: target of the metric's total."),
    QUANTITY_ROW("targetAverageValue", target_average_value,
                 "v2beta1: target a pod: the size moves when the total leaves the band around "
                 "target x pods."),
    {0},
};

#define SOURCE_TABLE(id, word, text)                                                               \
    static const struct knob_table id##_knobs = {                                                  \
        .name = (word), .doc = (text), .rows = id##_rows, .size = sizeof(struct hpa_source)}
SOURCE_TABLE(resource, "hpa.resource", "A resource of the pods.");
SOURCE_TABLE(container, "hpa.containerResource", "A resource of one container of the pods.");
SOURCE_TABLE(pods, "hpa.pods", "A metric of each pod.");
SOURCE_TABLE(object, "hpa.object", "A metric of another object.");
SOURCE_TABLE(external, "hpa.external", "A metric from outside the cluster.");

static const struct knob_name type_names[] = {
    {"Resource", HPA_SOURCE_RESOURCE, "cpu, memory or a device of the pods"},
    {"ContainerResource", HPA_SOURCE_CONTAINER_RESOURCE, "the same of one container"},
    {"Pods", HPA_SOURCE_PODS, "a metric of each pod"},
    {"Object", HPA_SOURCE_OBJECT, "a metric of another object"},
    {"External", HPA_SOURCE_EXTERNAL, "a metric from outside the cluster"},
    {0},
};

#define SOURCE_ROW(word, of, id)                                                                   \
    {                                                                                              \
        .key = (word), .kind = KNOB_POINTER,                                                       \
        .offset =                                                                                  \
            offsetof(struct hpa_metric_config, sources) + (of) * sizeof(struct hpa_source *),      \
        .doc = "Source of a metric of this type.", .preset = "", .table = &id##_knobs              \
    }

static const struct knob metric_rows[] = {
    {.key = "type",
     .kind = KNOB_NAME,
     .offset = offsetof(struct hpa_metric_config, type),
     .doc = "Where the metric comes from.",
     .names = type_names},
    SOURCE_ROW("resource", HPA_SOURCE_RESOURCE, resource),
    SOURCE_ROW("containerResource", HPA_SOURCE_CONTAINER_RESOURCE, container),
    SOURCE_ROW("pods", HPA_SOURCE_PODS, pods),
    SOURCE_ROW("object", HPA_SOURCE_OBJECT, object),
    SOURCE_ROW("external", HPA_SOURCE_EXTERNAL, external),
    {0},
};

static const char *const source_keys[HPA_SOURCE_TYPES] = {
    "resource", "containerResource", "pods", "object", "external",
};

/* ---- targets ---- */

struct aim {
    int64_t total, average;
    int32_t utilization;
};

static int64_t first_of(int64_t a, int64_t b)
{
    return a ? a : b;
}

static struct aim aim_of(const struct hpa_source *s)
{
    return (struct aim){
        .total = first_of(s->target.value, s->target_value),
        .average =
            first_of(first_of(s->target.average_value, s->target_average_value), s->average_value),
        .utilization =
            (int32_t)first_of(s->target.average_utilization, s->target_average_utilization),
    };
}

static const char *name_of(const struct hpa_source *s)
{
    return s->name ? s->name : s->metric.name ? s->metric.name : s->metric_name;
}

static bool is_resource(int type)
{
    return type == HPA_SOURCE_RESOURCE || type == HPA_SOURCE_CONTAINER_RESOURCE;
}

static int check_type(const struct aim *a, const char *type, struct err *e)
{
    if (!type)
        return 0;
    bool fits = (strcmp(type, "Value") == 0 && a->total) ||
                (strcmp(type, "AverageValue") == 0 && a->average) ||
                (strcmp(type, "Utilization") == 0 && a->utilization);
    if (fits)
        return 0;
    return err_set(e, ERR_INPUT, NULL,
                   "target type '%s' does not go with the target given; allowed are Value with "
                   "value, AverageValue with averageValue, Utilization with averageUtilization",
                   type);
}

static int check_target(int type, const struct hpa_source *s, struct err *e)
{
    struct aim a = aim_of(s);
    int given = (a.total != 0) + (a.average != 0) + (a.utilization != 0);
    if (given == 0)
        return err_set(e, ERR_INPUT, NULL, "a target is missing");
    if (given > 1)
        return err_set(e, ERR_INPUT, NULL, "two targets are given; they exclude each other");
    if (a.total < 0 || a.average < 0)
        return err_set(e, ERR_INPUT, NULL, "a target must be above 0");
    if (is_resource(type) ? a.total != 0 : a.utilization != 0)
        return err_set(e, ERR_INPUT, NULL, "this type of metric has no such target; %s",
                       is_resource(type) ? "allowed are Utilization and AverageValue"
                                         : "allowed are Value and AverageValue");
    if (type == HPA_SOURCE_PODS && a.total)
        return err_set(e, ERR_INPUT, NULL, "a Pods metric has an averageValue only");
    return check_type(&a, s->target.type, e);
}

static int metric_check(const void *config, const char **key, struct err *e)
{
    const struct hpa_metric_config *m = config;
    const struct hpa_source *s = m->sources[m->type];
    *key = source_keys[m->type];
    if (!s)
        return err_set(e, ERR_INPUT, NULL, "missing; type %s needs it", type_names[m->type].name);
    for (int i = 0; i < HPA_SOURCE_TYPES; i++)
        if (i != m->type && m->sources[i]) {
            *key = source_keys[i];
            return err_set(e, ERR_INPUT, NULL, "does not go with type %s",
                           type_names[m->type].name);
        }
    if (!name_of(s))
        return err_set(e, ERR_INPUT, NULL, "the metric has no name (metric.name, or metricName)");
    return check_target(m->type, s, e);
}

static const struct knob_table metric_knobs = {
    .name = "hpa.metrics",
    .doc = "One metric of an HPA; with several, the largest proposal wins.",
    .rows = metric_rows,
    .size = sizeof(struct hpa_metric_config),
    .check = metric_check,
};

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

static const struct knob_name surge_names[] = {
    {"current", 0, "an average inside the band keeps the status size: surge pods enter the spec"},
    {"fixed", 1, "it keeps the spec size"},
    {0},
};

static int read_surge(struct bind *b, const struct json *value, const char *path, void *out,
                      struct err *e)
{
    bool *fixed = out;
    (void)b;
    for (const struct knob_name *n = surge_names; n->name; n++)
        if (value->type == JSON_STRING && strcmp(value->string, n->name) == 0) {
            *fixed = n->value == 1;
            return 0;
        }
    return refuse(value, path, "allowed are current and fixed", e);
}

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
     .table = &metric_knobs},
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
     .table = &ref_knobs},
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

bool hpa_config_profile(const char *version, struct hpa_profile *out)
{
    *out = profiles[N_PROFILES - 1];
    if (!version || !*version)
        return true;
    const char *s = version + (*version == 'v');
    if (s[0] != '1' || s[1] != '.' || s[2] < '0' || s[2] > '9')
        return false;
    int32_t minor = 0;
    for (s += 2; *s >= '0' && *s <= '9' && minor < 1000; s++)
        minor = minor * 10 + (*s - '0');
    if (minor < profiles[0].since || (*s && *s != '.' && *s != '-' && *s != '+'))
        return false;
    for (size_t i = 0; i < N_PROFILES; i++)
        if (minor >= profiles[i].since)
            *out = profiles[i];
    return true;
}

static bool minor_below(const char *version, int32_t minor)
{
    const char *s = version ? version + (*version == 'v') : "";
    int32_t m = 0;
    if (strncmp(s, "1.", 2) != 0)
        return false;
    for (s += 2; *s >= '0' && *s <= '9' && m < 1000; s++)
        m = m * 10 + (*s - '0');
    return m < minor;
}

static int hpa_check(const void *config, const char **key, struct err *e)
{
    const struct hpa_config *c = config;
    struct hpa_profile profile;
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
    if (c->behavior && minor_below(c->kubernetes_version, 18)) {
        *key = "behavior";
        return err_set(e, ERR_INPUT, NULL, "exists from Kubernetes 1.18 on, not in %s",
                       c->kubernetes_version);
    }
    return 0;
}

/* ---- metrics ---- */

struct simulated {
    const char *name;
    enum metric_kind kind;
    double quantile;
    int32_t scale; /* of the shown milli-value: a utilization of 1 is 100 % in these metrics */
};

static const struct simulated simulated[] = {
    {"sls_ingress_qps", METRIC_INGRESS_QPS, 0, 1},
    {"sls_alb_ingress_qps", METRIC_INGRESS_QPS, 0, 1},
    {"requests-per-second", METRIC_INGRESS_QPS, 0, 1},
    {"requests_per_second", METRIC_INGRESS_QPS, 0, 1},
    {"sls_ingress_latency_avg", METRIC_INGRESS_LATENCY, 0, 1},
    {"sls_ingress_latency_p50", METRIC_INGRESS_LATENCY, 0.5, 1},
    {"sls_ingress_latency_p95", METRIC_INGRESS_LATENCY, 0.95, 1},
    {"sls_ingress_latency_p99", METRIC_INGRESS_LATENCY, 0.99, 1},
    {"sls_ingress_latency_p9999", METRIC_INGRESS_LATENCY, 0.9999, 1},
    {"queue_length", METRIC_QUEUE_LENGTH, 0, 1},
    {"in_flight", METRIC_IN_FLIGHT, 0, 1},
    {"concurrency", METRIC_CONCURRENCY, 0, 1},
    {"gpu_utilization", METRIC_UTILIZATION, 0, 100},
    {"DCGM_FI_DEV_GPU_UTIL", METRIC_UTILIZATION, 0, 100},
    {"DCGM_CUSTOM_PROCESS_SM_UTIL", METRIC_UTILIZATION, 0, 100},
    {"cpu", METRIC_UTILIZATION, 0, 1},
    {"nvidia.com/gpu", METRIC_UTILIZATION, 0, 1},
};
#define N_SIMULATED (sizeof simulated / sizeof simulated[0])

static const struct hpa_metric_config *item(const struct hpa_config *c, size_t i)
{
    assert(i < c->metrics.count);
    return (const struct hpa_metric_config *)c->metrics.items + i;
}

static const struct hpa_source *source(const struct hpa_config *c, size_t i)
{
    return item(c, i)->sources[item(c, i)->type];
}

size_t hpa_config_metrics(const struct hpa_config *c)
{
    return c->metrics.count ? c->metrics.count : 1;
}

const char *hpa_config_metric_name(const struct hpa_config *c, size_t i)
{
    return c->metrics.count ? name_of(source(c, i)) : "cpu";
}

const struct knob_map *hpa_config_selector(const struct hpa_config *c, size_t i)
{
    if (!c->metrics.count || is_resource(item(c, i)->type))
        return NULL;
    const struct hpa_source *s = source(c, i);
    if (s->metric.selector.match_labels.count)
        return &s->metric.selector.match_labels;
    return s->metric_selector.match_labels.count ? &s->metric_selector.match_labels
                                                 : &s->selector.match_labels;
}

static enum hpa_kind kind_of(int type, const struct aim *a)
{
    switch (type) {
    case HPA_SOURCE_EXTERNAL:
        return a->average ? HPA_EXTERNAL_AVERAGE : HPA_EXTERNAL_VALUE;
    case HPA_SOURCE_OBJECT:
        return a->average ? HPA_OBJECT_AVERAGE : HPA_OBJECT_VALUE;
    case HPA_SOURCE_PODS:
        return HPA_PODS;
    default:
        return a->utilization ? HPA_UTILIZATION : HPA_RESOURCE;
    }
}

struct hpa_metric hpa_config_metric(const struct hpa_config *c, size_t i)
{
    if (!c->metrics.count) {
        int64_t pct = c->target_cpu_pct ? c->target_cpu_pct : 80;
        return (struct hpa_metric){HPA_UTILIZATION, pct, true, "cpu"};
    }
    const struct hpa_source *s = source(c, i);
    struct aim a = aim_of(s);
    int type = item(c, i)->type;
    return (struct hpa_metric){
        .kind = kind_of(type, &a),
        .target = a.utilization ? a.utilization : first_of(a.average, a.total),
        .cpu = is_resource(type) && strcmp(s->name, "cpu") == 0,
        .name = name_of(s),
    };
}

static const struct simulated *find(const char *name)
{
    for (size_t i = 0; i < N_SIMULATED; i++)
        if (strcmp(simulated[i].name, name) == 0)
            return &simulated[i];
    return NULL;
}

bool hpa_config_simulated(const char *name, struct scaler_wants *out, int32_t *scale)
{
    const struct simulated *s = find(name);
    if (!s)
        return false;
    *out = (struct scaler_wants){.kind = s->kind, .quantile = s->quantile};
    *scale = s->scale;
    return true;
}

bool hpa_config_wants(const struct hpa_config *c, size_t i, struct scaler_wants *out,
                      int32_t *scale)
{
    return hpa_config_simulated(hpa_config_metric_name(c, i), out, scale);
}

static int simulated_check(const void *config, const char **key, struct err *e)
{
    const struct hpa_config *c = config;
    const char *names[N_SIMULATED];
    if (hpa_check(config, key, e))
        return -1;
    for (size_t i = 0; i < N_SIMULATED; i++)
        names[i] = simulated[i].name;
    for (size_t i = 0; i < hpa_config_metrics(c); i++) {
        const char *name = hpa_config_metric_name(c, i);
        if (find(name))
            continue;
        const char *near = text_nearest(name, names, N_SIMULATED);
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
