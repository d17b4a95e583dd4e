/* hpa_metric_config: the tables of the metric sources, innermost first, and what they come to. */
#include "models/control/hpa_metric_config.h"

#include "models/control/hpa.h"
#include "sim/err.h"

#include <string.h>

/* matchExpressions and the like: kept by Kubernetes, of no meaning to a simulation. */
static int read_nothing(const struct knob_given *g, struct err *e)
{
    (void)g, (void)e;
    return 0;
}

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

const struct knob_table hpa_metric_config_object_knobs = {
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
     .table = &hpa_metric_config_object_knobs},
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

const struct knob_table hpa_metric_config_knobs = {
    .name = "hpa.metrics",
    .doc = "One metric of an HPA; with several, the largest proposal wins.",
    .rows = metric_rows,
    .size = sizeof(struct hpa_metric_config),
    .check = metric_check,
};

/* ---- what it comes to ---- */

static const struct hpa_source *source(const struct hpa_metric_config *m)
{
    return m->sources[m->type];
}

const char *hpa_metric_config_name(const struct hpa_metric_config *m)
{
    return name_of(source(m));
}

const struct knob_map *hpa_metric_config_selector(const struct hpa_metric_config *m)
{
    const struct hpa_source *s = source(m);
    if (is_resource(m->type))
        return NULL;
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

struct hpa_metric hpa_metric_config_resolve(const struct hpa_metric_config *m)
{
    const struct hpa_source *s = source(m);
    struct aim a = aim_of(s);
    return (struct hpa_metric){
        .kind = kind_of(m->type, &a),
        .target = a.utilization ? a.utilization : first_of(a.average, a.total),
        .cpu = is_resource(m->type) && strcmp(s->name, "cpu") == 0,
        .name = name_of(s),
    };
}
