/* scaler_hpa: the HorizontalPodAutoscaler as a policy of a service. */
#include "models/control/hpa.h"
#include "models/control/hpa_band.h"
#include "models/control/hpa_config.h"
#include "models/control/scaler.h"

#include <assert.h>
#include <math.h>

/* A metric as Kubernetes would be told it. */
struct shown {
    int32_t scale; /* a utilization is shown as a share; DCGM's metrics are percent */
    bool mean;     /* over pods, where the pass expects a total */
};

/* One block: this, then the metrics, how they are shown, the recommendations, both events. */
struct hpa_memory {
    bool resolved;
    struct hpa_spec spec;
    struct hpa_state state;
    struct hpa_metric *metrics;
    struct scaler_metric *values;
    struct shown *shown;
};

static size_t memory_size(const void *config)
{
    const struct hpa_config *c = config;
    size_t entries = hpa_config_history(c);
    return sizeof(struct hpa_memory) +
           hpa_config_metrics(c) *
               (sizeof(struct hpa_metric) + sizeof(struct scaler_metric) + sizeof(struct shown)) +
           entries * (sizeof(struct hpa_recommendation) + 2 * sizeof(struct hpa_event));
}

static struct shown how_shown(const struct hpa_config *c, size_t i, enum hpa_kind kind)
{
    struct scaler_wants want;
    struct shown s = {.scale = 1};
    hpa_config_wants(c, i, &want, &s.scale);
    s.mean = (kind == HPA_PODS || kind == HPA_RESOURCE) && want.kind == METRIC_UTILIZATION;
    return s;
}

static void resolve(const struct hpa_config *c, struct hpa_memory *m)
{
    size_t n = hpa_config_metrics(c), entries = hpa_config_history(c);
    m->metrics = (struct hpa_metric *)(m + 1);
    m->values = (struct scaler_metric *)(m->metrics + n);
    m->shown = (struct shown *)(m->values + n);
    struct hpa_recommendation *r = (struct hpa_recommendation *)(m->shown + n);
    struct hpa_event *ups = (struct hpa_event *)(r + entries);
    hpa_config_resolve(c, m->metrics, &m->spec);
    for (size_t i = 0; i < n; i++)
        m->shown[i] = how_shown(c, i, m->metrics[i].kind);
    m->state.history = (struct hpa_history){r, 0, entries};
    m->state.ups = (struct hpa_events){ups, 0, entries};
    m->state.downs = (struct hpa_events){ups + entries, 0, entries};
    m->resolved = true;
}

static sim_ns period(const void *config)
{
    return ((const struct hpa_config *)config)->sync_period;
}

static size_t wants(const void *config, struct scaler_wants *out, size_t cap)
{
    const struct hpa_config *c = config;
    size_t n = hpa_config_metrics(c);
    int32_t scale;
    for (size_t i = 0; i < n && i < cap; i++) {
        bool known = hpa_config_wants(c, i, &out[i], &scale);
        assert(known);
        enum hpa_kind kind = hpa_config_metric(c, i).kind;
        out[i].per_pod = kind == HPA_PODS || kind == HPA_RESOURCE || kind == HPA_UTILIZATION;
        out[i].scale = scale;
    }
    return n;
}

static void show(struct hpa_memory *m, const struct scaler_view *view)
{
    assert(view->n_metrics == m->spec.n_metrics);
    for (size_t i = 0; i < view->n_metrics; i++) {
        int64_t factor = m->shown[i].mean ? view->ready_replicas : 1;
        m->values[i] = view->metrics[i];
        m->values[i].milli *= factor * m->shown[i].scale;
    }
}

static void decide(const void *config, void *memory, const struct scaler_view *view,
                   struct scaler_decision *out)
{
    struct hpa_memory *m = memory;
    if (!m->resolved)
        resolve(config, m);
    show(m, view);
    struct scaler_view seen = *view;
    seen.metrics = m->values;
    hpa_decide(&m->spec, &m->state, &seen, out);
}

static double target_qps(const void *config)
{
    const struct hpa_config *c = config;
    for (size_t i = 0; i < hpa_config_metrics(c); i++) {
        struct hpa_metric m = hpa_config_metric(c, i);
        struct scaler_wants want;
        int32_t scale;
        bool average =
            m.kind == HPA_EXTERNAL_AVERAGE || m.kind == HPA_OBJECT_AVERAGE || m.kind == HPA_PODS;
        if (average && hpa_config_wants(c, i, &want, &scale) && want.kind == METRIC_INGRESS_QPS)
            return (double)m.target / 1000;
    }
    return 0;
}

#define BAND_METRICS 16

static bool band(const void *config, int32_t replicas, struct scaler_band *out)
{
    const struct hpa_config *c = config;
    struct hpa_metric metrics[BAND_METRICS];
    struct hpa_spec spec;
    if (hpa_config_metrics(c) > BAND_METRICS)
        return false;
    hpa_config_resolve(c, metrics, &spec);
    if (replicas < spec.min || replicas > spec.max)
        return false;
    struct hpa_band b = hpa_band_of(&spec, 0, replicas);
    out->low = (double)b.low / 1000;
    out->high = b.open ? (double)INFINITY : (double)b.high / 1000;
    return b.open || b.high >= b.low;
}

const struct scaler_policy scaler_hpa = {
    .option = {.name = "hpa", .table = &hpa_config_simulated_knobs, .descriptor = &scaler_hpa},
    .memory_size = memory_size,
    .period = period,
    .wants = wants,
    .decide = decide,
    .band = band,
    .target_qps = target_qps,
};
