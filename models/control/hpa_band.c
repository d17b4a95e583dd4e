/* hpa_band: ends of a band, by halving. */
#include "models/control/hpa_band.h"

#include <assert.h>

/* What the search shows one metric of; the others play no part. */
#define MOST_METRICS 64

static int32_t size_at(const struct hpa_spec *spec, size_t metric, int32_t n, int64_t milli)
{
    struct scaler_metric values[MOST_METRICS] = {{false, 0}};
    const struct hpa_metric *m = &spec->metrics[metric];
    int64_t shown = m->kind == HPA_UTILIZATION                       ? milli / 100
                    : m->kind == HPA_PODS || m->kind == HPA_RESOURCE ? milli * n
                                                                     : milli;
    values[metric] = (struct scaler_metric){true, shown};
    struct scaler_view v = {.spec_replicas = n,
                            .status_replicas = n,
                            .ready_replicas = n,
                            .metrics = values,
                            .n_metrics = spec->n_metrics};
    struct hpa_proposal p = hpa_propose(spec, metric, &v);
    int32_t size = p.replicas < spec->min ? spec->min : p.replicas;
    return size > spec->max ? spec->max : size;
}

/* Proposals never fall as the metric rises. */
struct hpa_band hpa_band_of(const struct hpa_spec *spec, size_t metric, int32_t replicas)
{
    assert(metric < spec->n_metrics && spec->n_metrics <= MOST_METRICS && replicas >= 0);
    int64_t most = INT64_MAX / 4 / (replicas + 2) / 1000;
    int64_t below = -1, above = most;
    struct hpa_band b = {.open = size_at(spec, metric, replicas, most) <= replicas};
    while (above - below > 1) {
        int64_t mid = below + (above - below) / 2;
        *(size_at(spec, metric, replicas, mid) >= replicas ? &above : &below) = mid;
    }
    b.low = above;
    b.from_zero = above == 0;
    below = above - 1;
    above = most;
    while (above - below > 1) {
        int64_t mid = below + (above - below) / 2;
        *(size_at(spec, metric, replicas, mid) > replicas ? &above : &below) = mid;
    }
    b.high = below;
    return b;
}
