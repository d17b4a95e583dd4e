/* metric_name: names by what they show. */
#include "models/control/metric_name.h"

#include "models/control/scaler.h"
#include "sim/text.h"

#include <string.h>

struct simulated {
    const char *name;
    enum metric_kind kind;
    double quantile;
    int32_t scale;
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

static const struct simulated *find(const char *name)
{
    for (size_t i = 0; i < N_SIMULATED; i++)
        if (strcmp(simulated[i].name, name) == 0)
            return &simulated[i];
    return NULL;
}

bool metric_name_find(const char *name, struct scaler_wants *out, int32_t *scale)
{
    const struct simulated *s = find(name);
    if (!s)
        return false;
    *out = (struct scaler_wants){.kind = s->kind, .quantile = s->quantile};
    *scale = s->scale;
    return true;
}

const char *metric_name_nearest(const char *name)
{
    const char *names[N_SIMULATED];
    for (size_t i = 0; i < N_SIMULATED; i++)
        names[i] = simulated[i].name;
    return text_nearest(name, names, N_SIMULATED);
}
