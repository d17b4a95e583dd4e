/* scaler_kpa: the Knative pod autoscaler as a policy; keys are Knative's own. */
#include "models/control/kpa.h"
#include "models/control/phrase.h"
#include "models/control/scaler.h"

#include <assert.h>

#define KNATIVE "knative/serving config/core/configmaps/autoscaler.yaml, read 2026-08"

struct scaler_kpa_config {
    int metric;                                                   /* enum kpa_metric */
    double container_concurrency, target, target_utilization_pct; /* below 0: not given */
    double concurrency_default, rps_default, utilization_default_pct;
    int32_t min, max, activation_scale;
    sim_ns window, scale_down_delay, grace, tick;
    double panic_window_pct, panic_threshold_pct, max_up_rate, max_down_rate, burst;
    bool to_zero;
};

static const struct knob_name metric_names[] = {
    {"concurrency", KPA_CONCURRENCY, "requests in progress"},
    {"rps", KPA_RPS, "requests a second"},
    {0},
};

#define ROW(word, of, field, text, value, low, high)                                               \
    {                                                                                              \
        .key = (word), .kind = (of), .offset = offsetof(struct scaler_kpa_config, field),          \
        .doc = (text), .preset = (value), .min = (low), .max = (high),                             \
        .quality = QUALITY_OFFICIAL, .source = KNATIVE                                             \
    }

static const struct knob rows[] = {
    {.key = "metric",
     .kind = KNOB_NAME,
     .offset = offsetof(struct scaler_kpa_config, metric),
     .doc = "What is aimed at.",
     .preset = "concurrency",
     .names = metric_names},
    ROW("container-concurrency", KNOB_NUMBER, container_concurrency,
        "Requests that a pod takes at once; 0: no limit.", "0", 0, 100000),
    ROW("target", KNOB_NUMBER, target, "Own target a pod; -1: the default of the metric.", "-1", -1,
        1e9),
    ROW("target-utilization-percentage", KNOB_NUMBER, target_utilization_pct,
        "Own share of the target that is aimed at; -1: the default.", "-1", -1, 100),
    ROW("container-concurrency-target-default", KNOB_NUMBER, concurrency_default,
        "Target concurrency when a pod has no limit.", "100", 0.01, 1e9),
    ROW("requests-per-second-target-default", KNOB_NUMBER, rps_default, "Target for rps.", "200",
        0.01, 1e9),
    ROW("container-concurrency-target-percentage", KNOB_NUMBER, utilization_default_pct,
        "Share of the target that is aimed at.", "70", 1, 100),
    ROW("min-scale", KNOB_INT32, min, "Smallest size; 0 allows zero.", "0", 0, 100000),
    ROW("max-scale", KNOB_INT32, max, "Largest size; 0: no limit.", "0", 0, 100000),
    ROW("activation-scale", KNOB_INT32, activation_scale, "Smallest size that is not zero.", "1", 1,
        100000),
    ROW("window", KNOB_DURATION, window, "Stable window.", "60s", 6, 3600),
    ROW("panic-window-percentage", KNOB_NUMBER, panic_window_pct,
        "Panic window as a part of the stable one.", "10", 1, 100),
    ROW("panic-threshold-percentage", KNOB_NUMBER, panic_threshold_pct,
        "Wanted over ready pods that starts a panic.", "200", 110, 1000),
    ROW("max-scale-up-rate", KNOB_NUMBER, max_up_rate, "Largest factor up a tick.", "1000", 1.01,
        1e9),
    ROW("max-scale-down-rate", KNOB_NUMBER, max_down_rate, "Largest factor down a tick.", "2", 1.01,
        1e9),
    ROW("target-burst-capacity", KNOB_NUMBER, burst, "Spare capacity; -1: no limit.", "211", -1,
        1e9),
    ROW("scale-down-delay", KNOB_DURATION, scale_down_delay, "The largest size of this time holds.",
        "0s", 0, 3600),
    ROW("scale-to-zero-grace-period", KNOB_DURATION, grace, "Kept at one pod before zero.", "30s",
        0, 3600),
    ROW("tick-interval", KNOB_DURATION, tick, "Time between two decisions.", "2s", 1, 3600),
    ROW("enable-scale-to-zero", KNOB_BOOL, to_zero, "Whether zero is allowed at all.", "true", 0,
        0),
    {0},
};

static int check(const void *config, const char **key, struct err *e)
{
    const struct scaler_kpa_config *c = config;
    *key = "max-scale";
    if (c->max > 0 && c->min > c->max)
        return err_set(e, ERR_INPUT, NULL, "%d is below min-scale %d", (int)c->max, (int)c->min);
    *key = "target";
    if (c->target >= 0 && c->target < 0.01)
        return err_set(e, ERR_INPUT, NULL, "must be at least 0.01");
    return 0;
}

static const struct knob_table knobs = {
    .name = "kpa",
    .doc = "The Knative pod autoscaler.",
    .rows = rows,
    .size = sizeof(struct scaler_kpa_config),
    .check = check,
};

struct memory {
    struct kpa_state state;
};

static size_t memory_size(const void *config)
{
    const struct scaler_kpa_config *c = config;
    return sizeof(struct memory) + kpa_delay_slots(c->scale_down_delay) * sizeof(struct kpa_entry);
}

static sim_ns period(const void *config)
{
    return ((const struct scaler_kpa_config *)config)->tick;
}

static size_t wants(const void *config, struct scaler_wants *out, size_t cap)
{
    const struct scaler_kpa_config *c = config;
    enum metric_kind kind = c->metric == KPA_RPS ? METRIC_INGRESS_QPS : METRIC_CONCURRENCY;
    sim_ns panic = (sim_ns)((double)c->window * c->panic_window_pct / 100);
    if (cap > 0)
        out[0] = (struct scaler_wants){.kind = kind, .window = c->window};
    if (cap > 1)
        out[1] = (struct scaler_wants){.kind = kind, .window = panic};
    return 2;
}

static struct kpa_target target(const struct scaler_kpa_config *c)
{
    struct kpa_aim aim = {
        .metric = (enum kpa_metric)c->metric,
        .container_concurrency = c->container_concurrency,
        .default_total = c->metric == KPA_RPS ? c->rps_default : c->concurrency_default,
        .default_utilization = c->utilization_default_pct / 100,
        .own_total = c->target,
        .own_utilization = c->target_utilization_pct < 0 ? -1 : c->target_utilization_pct / 100,
    };
    return kpa_resolve(&aim);
}

static void say(const struct scaler_kpa_config *c, const struct kpa_state *s, double aim,
                const struct scaler_view *view, const struct kpa_decision *d, enum kpa_bound why,
                struct scaler_decision *out)
{
    static const char *const bounds[] = {"", " (min-scale)", " (max-scale)",
                                         " (kept until window and grace period are over)"};
    struct phrase p;
    phrase_init(&p, out->reason, sizeof out->reason);
    phrase_text(&p, c->metric == KPA_RPS ? "rps " : "concurrency ");
    phrase_milli(&p, view->metrics[s->panicking].milli);
    phrase_text(&p, s->panicking ? " (panic window) / " : " / ");
    phrase_ratio(&p, aim);
    phrase_text(&p, " -> ");
    phrase_int(&p, s->panicking ? d->panic : d->stable);
    if (s->panicking && d->desired != d->panic)
        phrase_text(&p, ", panic never shrinks");
    if (d->delayed)
        phrase_text(&p, ", held by scale-down-delay");
    phrase_text(&p, ": ");
    phrase_int(&p, out->replicas);
    phrase_text(&p, bounds[why]);
}

static const char *rule(const struct kpa_state *s, const struct kpa_decision *d, enum kpa_bound why)
{
    static const char *const bounds[] = {"", "minScale", "maxScale", "scaleToZeroGrace"};
    if (why != KPA_FREE)
        return bounds[why];
    return d->delayed ? "scaleDownDelay" : s->panicking ? "panic" : "stable";
}

static void start(const struct scaler_kpa_config *c, struct memory *m,
                  const struct scaler_view *view)
{
    if (m->state.started)
        return;
    kpa_start(&m->state, view->ready_replicas, view->now);
    m->state.delay = (struct kpa_window){(struct kpa_entry *)(m + 1),
                                         kpa_delay_slots(c->scale_down_delay), 0, 0};
}

static void decide(const void *config, void *memory, const struct scaler_view *view,
                   struct scaler_decision *out)
{
    const struct scaler_kpa_config *c = config;
    struct memory *m = memory;
    struct kpa_target aim = target(c);
    assert(view->n_metrics == 2);
    start(c, m, view);
    if (!view->metrics[0].present || !view->metrics[1].present) {
        struct phrase p;
        phrase_init(&p, out->reason, sizeof out->reason);
        phrase_text(&p, "no metric, stays ");
        phrase_int(&p, view->spec_replicas);
        out->replicas = view->spec_replicas;
        out->rule = "NoMetric";
        out->metric_missing = true;
        return;
    }
    struct kpa_spec spec = {
        aim.target,       aim.total, c->burst, c->panic_threshold_pct / 100, c->max_up_rate,
        c->max_down_rate, c->window, true,     c->activation_scale};
    struct kpa_bounds bounds = {c->min, c->max, c->to_zero, c->window, c->grace};
    struct kpa_decision d =
        kpa_scale(&spec, &m->state, view->now, view->ready_replicas,
                  (double)view->metrics[0].milli / 1000, (double)view->metrics[1].milli / 1000);
    enum kpa_bound why;
    out->replicas = kpa_clamp(&bounds, &m->state, view->spec_replicas, d.desired, view->now, &why);
    out->rule = rule(&m->state, &d, why);
    out->needed = d.desired;
    out->at_max = why == KPA_MAX;
    say(c, &m->state, aim.target, view, &d, why, out);
}

static bool activates(const void *config)
{
    (void)config;
    return true;
}

static double target_qps(const void *config)
{
    const struct scaler_kpa_config *c = config;
    return c->metric == KPA_RPS ? target(c).target : 0;
}

const struct scaler_policy scaler_kpa = {
    .option = {.name = "kpa", .table = &knobs, .descriptor = &scaler_kpa},
    .memory_size = memory_size,
    .period = period,
    .wants = wants,
    .decide = decide,
    .activates = activates,
    .target_qps = target_qps,
};
