/* scaler_keda: a ScaledObject: KEDA between zero and some, and the HPA that it makes behind it. */
#include "models/control/hpa.h"
#include "models/control/hpa_config.h"
#include "models/control/keda.h"
#include "models/control/metric_name.h"
#include "models/control/phrase.h"
#include "models/control/scaler.h"
#include "sim/err.h"
#include "sim/json.h"
#include "sim/text.h"

#include <assert.h>
#include <string.h>

#define KEDA "keda.sh ScaledObject spec and kedacore/keda defaults, read 2026-08"

/* metadata of a trigger. */
struct trigger_metadata {
    const char *metric, *query, *server;
    int64_t threshold, activation; /* milli */
};
struct trigger {
    int type; /* all are read alike */
    const char *metric_type;
    struct trigger_metadata metadata;
};

struct fallback_config {
    int32_t threshold, replicas;
    int behavior; /* enum keda_fallback */
};

struct hpa_part {
    struct hpa_behavior_config *behavior;
};
struct advanced {
    struct hpa_part hpa;
};

struct scaler_keda_config {
    struct hpa_object_ref *target;
    sim_ns polling, cooldown, initial_cooldown, sync;
    int32_t min, max;
    int32_t idle; /* below 0: none */
    struct knob_list triggers;
    struct fallback_config *fallback;
    struct advanced advanced;
    const char *kubernetes_version;
    bool paused, pause_scale_in, pause_scale_out, force_activation;
};

/* KEDA counts in whole seconds; "30s" is taken too. */
static int read_span(const struct knob_given *g, struct err *e)
{
    const struct json *value = g->value;
    sim_ns *span = g->out;
    bool ok = value->type == JSON_STRING && text_parse_duration(value->string, span);
    if (value->type == JSON_NUMBER && value->number >= 0 && value->number <= 1e9) {
        ok = true;
        *span = (sim_ns)value->number * SIM_SECOND;
    }
    if (ok && *span >= 0)
        return 0;
    return err_set(e, ERR_INPUT, NULL, "allowed are whole seconds, or a duration such as 30s");
}

#define SPAN_ROW(word, field, text, value)                                                         \
    {                                                                                              \
        .key = (word), .kind = KNOB_CUSTOM, .offset = offsetof(struct scaler_keda_config, field),  \
        .doc = (text), .preset = (value), .quality = QUALITY_OFFICIAL, .source = KEDA,             \
        .read = read_span, .shape = "whole seconds, or a duration"                                 \
    }
#define FLAG_ROW(word, field, text)                                                                \
    {                                                                                              \
        .key = (word), .kind = KNOB_BOOL, .offset = offsetof(struct scaler_keda_config, field),    \
        .doc = (text), .preset = "false"                                                           \
    }
#define TEXT_ROW(word, of, field, text, value)                                                     \
    {                                                                                              \
        .key = (word), .kind = KNOB_TEXT, .offset = offsetof(of, field), .doc = (text),            \
        .preset = (value)                                                                          \
    }

static const struct knob metadata_rows[] = {
    TEXT_ROW("metricName", struct trigger_metadata, metric,
             "The simulated metric that stands for the query.", "sls_ingress_qps"),
    TEXT_ROW("query", struct trigger_metadata, query, "Accepted, without meaning here.", ""),
    TEXT_ROW("serverAddress", struct trigger_metadata, server, "Accepted, without meaning here.",
             ""),
    {.key = "threshold",
     .kind = KNOB_QUANTITY,
     .offset = offsetof(struct trigger_metadata, threshold),
     .doc = "Target a pod."},
    {.key = "activationThreshold",
     .kind = KNOB_QUANTITY,
     .offset = offsetof(struct trigger_metadata, activation),
     .doc = "The trigger is active above this.",
     .preset = "0"},
    {0},
};

static int metadata_check(const void *config, const char **key, struct err *e)
{
    const struct trigger_metadata *m = config;
    struct scaler_wants want;
    int32_t scale;
    *key = "threshold";
    if (m->threshold <= 0)
        return err_set(e, ERR_INPUT, NULL, "must be above 0");
    *key = "metricName";
    if (!metric_name_find(m->metric, &want, &scale))
        return err_set(e, ERR_INPUT, NULL, "metric '%s' is not simulated, see `explain hpa`",
                       m->metric);
    return 0;
}

static const struct knob_table metadata_knobs = {
    .name = "keda.metadata",
    .doc = "What a trigger asks for.",
    .rows = metadata_rows,
    .size = sizeof(struct trigger_metadata),
    .check = metadata_check,
};

static const struct knob_name type_names[] = {
    {"prometheus", 0, "a query"},
    {"graphite", 1, "a query"},
    {"new-relic", 2, "a query"},
    {"external", 3, "a scaler of one's own"},
    {"external-push", 4, "a scaler of one's own"},
    {0},
};

static const struct knob trigger_rows[] = {
    {.key = "type",
     .kind = KNOB_NAME,
     .offset = offsetof(struct trigger, type),
     .doc = "Kind of trigger; those that are asked for a value with a threshold are simulated.",
     .preset = "prometheus",
     .names = type_names},
    TEXT_ROW("metricType", struct trigger, metric_type, "AverageValue, the only one simulated.",
             "AverageValue"),
    {.key = "metadata",
     .kind = KNOB_OBJECT,
     .offset = offsetof(struct trigger, metadata),
     .doc = "What it asks for.",
     .table = &metadata_knobs},
    {0},
};

static int trigger_check(const void *config, const char **key, struct err *e)
{
    const struct trigger *t = config;
    *key = "metricType";
    if (strcmp(t->metric_type, "AverageValue") == 0)
        return 0;
    return err_set(e, ERR_INPUT, NULL, "'%s' is not simulated; allowed is AverageValue",
                   t->metric_type);
}

static const struct knob_table trigger_knobs = {
    .name = "keda.triggers",
    .doc = "A source of load.",
    .rows = trigger_rows,
    .size = sizeof(struct trigger),
    .check = trigger_check,
};

static const struct knob_name behavior_names[] = {
    {"static", KEDA_STATIC, "the fixed number"},
    {"currentReplicas", KEDA_CURRENT, "the size as it is"},
    {"currentReplicasIfHigher", KEDA_CURRENT_IF_HIGHER, "the larger of both"},
    {"currentReplicasIfLower", KEDA_CURRENT_IF_LOWER, "the smaller of both"},
    {0},
};

static const struct knob fallback_rows[] = {
    {.key = "failureThreshold",
     .kind = KNOB_INT32,
     .offset = offsetof(struct fallback_config, threshold),
     .doc = "More failures in a row than this bring the fallback.",
     .min = 0,
     .max = 100000},
    {.key = "replicas",
     .kind = KNOB_INT32,
     .offset = offsetof(struct fallback_config, replicas),
     .unit = "replicas",
     .doc = "Size to fall back to.",
     .min = 0,
     .max = 100000},
    {.key = "behavior",
     .kind = KNOB_NAME,
     .offset = offsetof(struct fallback_config, behavior),
     .doc = "Which size counts.",
     .preset = "static",
     .names = behavior_names},
    {0},
};

static const struct knob_table fallback_knobs = {
    .name = "keda.fallback",
    .doc = "What a failing trigger is taken to say.",
    .rows = fallback_rows,
    .size = sizeof(struct fallback_config),
};

static const struct knob hpa_part_rows[] = {
    {.key = "behavior",
     .kind = KNOB_POINTER,
     .offset = offsetof(struct hpa_part, behavior),
     .doc = "spec.behavior of the HPA.",
     .preset = "",
     .table = &hpa_config_behavior_knobs},
    {0},
};
static const struct knob_table hpa_part_knobs = {
    .name = "keda.horizontalPodAutoscalerConfig",
    .doc = "The HPA that KEDA makes.",
    .rows = hpa_part_rows,
    .size = sizeof(struct hpa_part),
};
static const struct knob advanced_rows[] = {
    {.key = "horizontalPodAutoscalerConfig",
     .kind = KNOB_OBJECT,
     .offset = offsetof(struct advanced, hpa),
     .doc = "The HPA that KEDA makes.",
     .preset = "",
     .table = &hpa_part_knobs},
    {0},
};
static const struct knob_table advanced_knobs = {
    .name = "keda.advanced",
    .doc = "More settings.",
    .rows = advanced_rows,
    .size = sizeof(struct advanced),
};

static const struct knob rows[] = {
    {.key = "triggers",
     .kind = KNOB_LIST,
     .offset = offsetof(struct scaler_keda_config, triggers),
     .doc = "Sources of load.",
     .table = &trigger_knobs},
    {.key = "minReplicaCount",
     .kind = KNOB_INT32,
     .offset = offsetof(struct scaler_keda_config, min),
     .unit = "replicas",
     .doc = "Smallest size; 0 allows zero.",
     .preset = "0",
     .max = 100000,
     .quality = QUALITY_OFFICIAL,
     .source = KEDA},
    {.key = "maxReplicaCount",
     .kind = KNOB_INT32,
     .offset = offsetof(struct scaler_keda_config, max),
     .unit = "replicas",
     .doc = "Largest size.",
     .preset = "100",
     .min = 1,
     .max = 100000,
     .quality = QUALITY_OFFICIAL,
     .source = KEDA},
    {.key = "idleReplicaCount",
     .kind = KNOB_INT32,
     .offset = offsetof(struct scaler_keda_config, idle),
     .unit = "replicas",
     .doc = "Size while no trigger is active, below minReplicaCount; -1: none.",
     .preset = "-1",
     .min = -1,
     .max = 100000},
    SPAN_ROW("pollingInterval", polling, "Time between two looks at the triggers.", "30s"),
    SPAN_ROW("cooldownPeriod", cooldown, "Inactive for longer than this before zero.", "300s"),
    SPAN_ROW("initialCooldownPeriod", initial_cooldown,
             "The same after creation, while no trigger has been active.", "0s"),
    SPAN_ROW("syncPeriod", sync, "Time between two passes of the HPA.", "15s"),
    {.key = "fallback",
     .kind = KNOB_POINTER,
     .offset = offsetof(struct scaler_keda_config, fallback),
     .doc = "What a failing trigger is taken to say.",
     .preset = "",
     .table = &fallback_knobs},
    {.key = "advanced",
     .kind = KNOB_OBJECT,
     .offset = offsetof(struct scaler_keda_config, advanced),
     .doc = "More settings.",
     .preset = "",
     .table = &advanced_knobs},
    TEXT_ROW("kubernetesVersion", struct scaler_keda_config, kubernetes_version,
             "Chooses the HPA's rules; absent: the newest.", ""),
    FLAG_ROW("paused", paused, "autoscaling.keda.sh/paused."),
    FLAG_ROW("pausedScaleIn", pause_scale_in, "autoscaling.keda.sh/paused-scale-in."),
    FLAG_ROW("pausedScaleOut", pause_scale_out, "autoscaling.keda.sh/paused-scale-out."),
    FLAG_ROW("forceActivation", force_activation, "autoscaling.keda.sh/force-activation."),
    {0},
};

static int check(const void *config, const char **key, struct err *e)
{
    const struct scaler_keda_config *c = config;
    struct hpa_profile profile;
    *key = "triggers";
    if (c->triggers.count == 0)
        return err_set(e, ERR_INPUT, NULL, "at least one is needed");
    *key = "maxReplicaCount";
    if (c->min > c->max)
        return err_set(e, ERR_INPUT, NULL, "%d is below minReplicaCount %d", (int)c->max,
                       (int)c->min);
    *key = "idleReplicaCount";
    if (c->idle >= 0 && c->idle >= c->min)
        return err_set(e, ERR_INPUT, NULL, "%d must be below minReplicaCount %d", (int)c->idle,
                       (int)c->min);
    *key = c->polling < SIM_SECOND ? "pollingInterval" : "syncPeriod";
    if (c->polling < SIM_SECOND || c->sync < SIM_SECOND)
        return err_set(e, ERR_INPUT, NULL, "must be at least 1s");
    *key = "kubernetesVersion";
    if (!hpa_config_profile(c->kubernetes_version, &profile))
        return err_set(e, ERR_INPUT, NULL, "'%s' is no version from 1.12 on",
                       c->kubernetes_version);
    return 0;
}

static const struct knob_table knobs = {
    .name = "keda",
    .doc = "A KEDA ScaledObject.",
    .rows = rows,
    .size = sizeof(struct scaler_keda_config),
    .check = check,
};

/* One block: this, the triggers' metrics and failures, the HPA's histories. */
struct memory {
    bool started, was_active;
    sim_ns created, last_active, next_poll, next_sync;
    struct hpa_spec spec;
    struct hpa_state state;
    struct hpa_metric *metrics;
    struct scaler_metric *values;
    int64_t *failures;
};

static struct hpa_config hpa_of(const struct scaler_keda_config *c)
{
    return (struct hpa_config){
        .min = c->min > 1 ? c->min : 1,
        .max = c->max,
        .behavior = c->advanced.hpa.behavior,
        .sync_period = c->sync,
        .downscale_stabilization = 300 * SIM_SECOND,
        .tolerance = 0.1,
        .scale_up_factor = 2,
        .scale_up_floor = 4,
        .kubernetes_version = c->kubernetes_version,
    };
}

static size_t memory_size(const void *config)
{
    const struct scaler_keda_config *c = config;
    struct hpa_config hpa = hpa_of(c);
    return sizeof(struct memory) +
           c->triggers.count *
               (sizeof(struct hpa_metric) + sizeof(struct scaler_metric) + sizeof(int64_t)) +
           hpa_config_history(&hpa) *
               (sizeof(struct hpa_recommendation) + 2 * sizeof(struct hpa_event));
}

static const struct trigger *trigger(const struct scaler_keda_config *c, size_t i)
{
    return (const struct trigger *)c->triggers.items + i;
}

/* Pausing one direction disables it in the HPA's behavior, which brings the block's defaults. */
static void pause_directions(const struct scaler_keda_config *c, struct hpa_spec *spec)
{
    if (!c->pause_scale_in && !c->pause_scale_out)
        return;
    if (!spec->has_behavior) {
        spec->up = hpa_limits_default_up();
        spec->down = hpa_limits_default_down(spec->down_window);
    }
    spec->has_behavior = true;
    if (c->pause_scale_in)
        spec->down.select = HPA_SELECT_DISABLED;
    if (c->pause_scale_out)
        spec->up.select = HPA_SELECT_DISABLED;
}

static void start(const struct scaler_keda_config *c, struct memory *m, sim_ns now)
{
    struct hpa_config hpa = hpa_of(c);
    size_t n = c->triggers.count, entries = hpa_config_history(&hpa);
    m->metrics = (struct hpa_metric *)(m + 1);
    m->values = (struct scaler_metric *)(m->metrics + n);
    m->failures = (int64_t *)(m->values + n);
    struct hpa_recommendation *r = (struct hpa_recommendation *)(m->failures + n);
    struct hpa_event *ups = (struct hpa_event *)(r + entries);
    hpa_config_resolve(&hpa, m->metrics, &m->spec);
    m->spec.n_metrics = n;
    for (size_t i = 0; i < n; i++)
        m->metrics[i] = (struct hpa_metric){HPA_EXTERNAL_AVERAGE, trigger(c, i)->metadata.threshold,
                                            false, trigger(c, i)->metadata.metric};
    pause_directions(c, &m->spec);
    m->state.history = (struct hpa_history){r, 0, entries};
    m->state.ups = (struct hpa_events){ups, 0, entries};
    m->state.downs = (struct hpa_events){ups + entries, 0, entries};
    m->created = m->next_poll = m->next_sync = now;
    m->started = true;
}

static sim_ns common(sim_ns a, sim_ns b)
{
    while (b) {
        sim_ns r = a % b;
        a = b;
        b = r;
    }
    return a;
}

static sim_ns period(const void *config)
{
    const struct scaler_keda_config *c = config;
    return common(c->polling, c->sync);
}

static size_t wants(const void *config, struct scaler_wants *out, size_t cap)
{
    const struct scaler_keda_config *c = config;
    int32_t scale;
    for (size_t i = 0; i < c->triggers.count && i < cap; i++) {
        bool known = metric_name_find(trigger(c, i)->metadata.metric, &out[i], &scale);
        assert(known);
    }
    return c->triggers.count;
}

/* What KEDA's metrics server tells the HPA: the value, or after enough failures the fallback's. */
static void read_values(const struct scaler_keda_config *c, struct memory *m,
                        const struct scaler_view *view, bool counts)
{
    const struct fallback_config *f = c->fallback;
    for (size_t i = 0; i < view->n_metrics; i++) {
        struct scaler_wants want;
        int32_t scale = 1;
        metric_name_find(trigger(c, i)->metadata.metric, &want, &scale);
        m->values[i] = view->metrics[i];
        m->values[i].milli *= scale;
        if (view->metrics[i].present) {
            m->failures[i] = 0;
            continue;
        }
        m->failures[i] += counts;
        if (!f || !keda_falls_back(m->failures[i], f->threshold))
            continue;
        int32_t n = keda_fallback_replicas((enum keda_fallback)f->behavior, f->replicas,
                                           view->spec_replicas);
        m->values[i] = (struct scaler_metric){true, trigger(c, i)->metadata.threshold * n};
    }
}

/* While the HPA is at work the fallback is its business alone: two hands on one size would pull it
 * to and fro (kedacore/keda#4249). */
static struct keda_decision poll(const struct scaler_keda_config *c, struct memory *m,
                                 const struct scaler_view *view)
{
    struct keda_object o = {
        .min = c->min,
        .has_idle = c->idle >= 0,
        .idle = c->idle,
        .has_fallback = c->fallback && view->spec_replicas == 0,
        .fallback = c->fallback ? c->fallback->replicas : 0,
        .paused = c->paused,
        .pause_scale_in = c->pause_scale_in,
        .pause_scale_out = c->pause_scale_out,
        .force_activation = c->force_activation,
        .cooldown = c->cooldown,
        .initial_cooldown = c->initial_cooldown,
    };
    struct keda_look look = {
        .current = view->spec_replicas,
        .was_active = m->was_active,
        .last_active_age = view->now - m->last_active,
        .created_age = view->now - m->created,
    };
    for (size_t i = 0; i < view->n_metrics; i++) {
        look.scaler_error |= !view->metrics[i].present;
        look.triggers_active |=
            view->metrics[i].present && m->values[i].milli > trigger(c, i)->metadata.activation;
    }
    struct keda_decision d = keda_step(&o, &look);
    if (d.active) {
        m->was_active = true;
        m->last_active = view->now;
    }
    return d;
}

static void say_poll(const struct keda_decision *d, int32_t current, struct scaler_decision *out)
{
    static const char *const words[] = {
        [KEDA_KEEPS] = "no trigger asks for a change",
        [KEDA_ACTIVATES] = "a trigger is active",
        [KEDA_COOLS] = "inactive, but not for the whole cool-down",
        [KEDA_IDLES] = "inactive for longer than the cool-down",
        [KEDA_LIFTS] = "below minReplicaCount",
        [KEDA_FALLS_BACK] = "a trigger fails, fallback",
        [KEDA_ERROR] = "a trigger fails and there is no fallback",
        [KEDA_PAUSED] = "paused by annotation",
    };
    struct phrase p;
    phrase_init(&p, out->reason, sizeof out->reason);
    phrase_text(&p, words[d->rule]);
    phrase_text(&p, d->replicas == current ? ", stays " : " -> ");
    phrase_int(&p, d->replicas);
    out->rule = keda_rule_name(d->rule);
}

static void pass(struct memory *m, const struct scaler_view *view, struct scaler_decision *out)
{
    struct scaler_view seen = *view;
    seen.metrics = m->values;
    hpa_decide(&m->spec, &m->state, &seen, out);
}

/* True once `due` has come; sets the next time. */
static bool is_due(sim_ns *due, sim_ns now, sim_ns every)
{
    if (now < *due)
        return false;
    *due += every * ((now - *due) / every + 1);
    return true;
}

static void decide(const void *config, void *memory, const struct scaler_view *view,
                   struct scaler_decision *out)
{
    const struct scaler_keda_config *c = config;
    struct memory *m = memory;
    assert(view->n_metrics == c->triggers.count);
    if (!m->started)
        start(c, m, view->now);
    bool polls = is_due(&m->next_poll, view->now, c->polling);
    bool syncs = is_due(&m->next_sync, view->now, c->sync);
    struct keda_decision d = {.replicas = view->spec_replicas};
    read_values(c, m, view, syncs);
    if (polls)
        d = poll(c, m, view);
    out->replicas = d.replicas;
    say_poll(&d, view->spec_replicas, out);
    /* At zero, and in idle mode below min, the size is KEDA's; pausing removes the HPA. */
    bool hpa_works = d.replicas == view->spec_replicas && d.replicas > 0 && !c->paused &&
                     !(c->idle >= 0 && d.replicas < c->min);
    if (syncs && hpa_works)
        pass(m, view, out);
}

static double target_qps(const void *config)
{
    const struct scaler_keda_config *c = config;
    for (size_t i = 0; i < c->triggers.count; i++) {
        struct scaler_wants want;
        int32_t scale;
        if (metric_name_find(trigger(c, i)->metadata.metric, &want, &scale) &&
            want.kind == METRIC_INGRESS_QPS)
            return (double)trigger(c, i)->metadata.threshold / 1000;
    }
    return 0;
}

const struct scaler_policy scaler_keda = {
    .option = {.name = "keda", .table = &knobs, .descriptor = &scaler_keda},
    .memory_size = memory_size,
    .period = period,
    .wants = wants,
    .decide = decide,
    .target_qps = target_qps,
};
