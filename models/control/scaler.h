/* scaler: how many replicas a service should have; the seam of every autoscaler.
 *
 * A policy is a pure function of what it is shown: configuration, its own memory, a view. It knows
 * neither clock nor heap, so the conformance cases, `sluice decide` and the simulation call the
 * same function. A new autoscaler is one file models/control/scaler_<name>.c that exports one
 * `const struct scaler_policy scaler_<name>`; the build finds it by its name. */
#ifndef SLUICE_MODELS_CONTROL_SCALER_H
#define SLUICE_MODELS_CONTROL_SCALER_H

#include "sim/clock.h"
#include "sim/err.h"
#include "sim/knob.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum scaler_pod_phase {
    SCALER_POD_PENDING,
    SCALER_POD_UNKNOWN,
    SCALER_POD_RUNNING,
    SCALER_POD_SUCCEEDED,
    SCALER_POD_FAILED,
};

enum scaler_readiness {
    SCALER_READY_NONE, /* the pod has no readiness condition yet */
    SCALER_READY_FALSE,
    SCALER_READY_TRUE,
};

/* A pod as the API shows it, for policies that look at pods one by one. */
struct scaler_pod {
    enum scaler_pod_phase phase;
    enum scaler_readiness ready;
    bool deleting;
    sim_ns started_at;       /* SIM_NEVER: no start time */
    sim_ns ready_changed_at; /* of the readiness condition */
};

/* What one pod reported. */
#define SCALER_NO_POD UINT32_MAX
struct scaler_sample {
    uint32_t pod;  /* index into the view's pods; SCALER_NO_POD: a pod that the view lacks */
    int64_t milli; /* milli-units */
    sim_ns at;     /* end of the span it was measured over */
    sim_ns window; /* length of that span */
};

/* One metric as the metric path delivered it. */
struct scaler_metric {
    bool present;  /* false: no value (missing row, error): never the same as zero */
    int64_t milli; /* value in milli-units, as Kubernetes quantities are: of the whole service, a
                      utilization as a share of its ready replicas (1000: all busy) */
};

/* The same metric, pod by pod. */
struct scaler_pod_metric {
    const struct scaler_sample *samples; /* ordered by pod, at most one a pod, unknown pods last */
    size_t n_samples;
    const int64_t *requests_milli; /* a pod's request of the resource, by pod; -1: it has none */
};

/* What a policy may look at. Borrowed for the call. */
struct scaler_view {
    sim_ns now;
    int32_t spec_replicas;   /* what was asked for last */
    int32_t status_replicas; /* pods that exist */
    int32_t ready_replicas;
    const struct scaler_metric *metrics; /* one for each of the policy's metrics, in its order */
    size_t n_metrics;
    const struct scaler_pod *pods; /* every pod of the service; NULL: only the counts above */
    size_t n_pods;
    const struct scaler_pod_metric *pod_metrics; /* with pods only: one for each metric */
    double true_qps; /* highest true rate from now to the policy's lookahead, for `oracle` only */
    double local_s;  /* seconds since local midnight, for `schedule` */
    int32_t local_weekday;                      /* 0 = Sunday */
    int32_t local_day, local_month, local_year; /* 1..31, 1..12; all 0: only the weekday is known */
};

struct scaler_decision {
    int32_t replicas;    /* wanted size */
    const char *rule;    /* the binding rule, a stable short name: "tolerance", "ScaleUpLimit" */
    char reason[160];    /* the same in words, with the numbers */
    bool metric_missing; /* the size stays since a metric had no value */
    int32_t needed;      /* what the metrics alone ask for; the caller presets -1: as `replicas` */
    bool at_max;         /* a maximum cut the size */
};

/* What the policy wants to be shown. */
enum metric_kind {
    METRIC_INGRESS_QPS,     /* sls_ingress_qps: log lines of the window / its length */
    METRIC_INGRESS_LATENCY, /* sls_ingress_latency_*, ms */
    METRIC_IN_FLIGHT,
    METRIC_QUEUE_LENGTH,
    METRIC_UTILIZATION,
    METRIC_CONCURRENCY,
};

struct scaler_wants {
    enum metric_kind kind;
    double quantile; /* METRIC_INGRESS_LATENCY: 0.99 for p99, 0 for the mean */
    sim_ns window;   /* length of the window, which ends with the pass; 0: the metric path's own */
    bool per_pod;    /* as samples of each pod, beside the value of the service */
    int32_t scale;   /* factor of the samples; 0 stands for 1 */
};

/* Values of a service's first metric at which a size stays. */
struct scaler_band {
    double low, high; /* both ends hold; high is infinite where nothing is too much */
};

struct scaler_policy {
    /* Name, knobs and short key ({"fixed": 8}); option.descriptor is the policy itself. */
    struct knob_option option;
    /* Bytes of memory between two decisions; zeroed before the first. */
    size_t (*memory_size)(const void *config);
    sim_ns (*period)(const void *config);    /* between two passes; SIM_NEVER: decides once */
    sim_ns (*lookahead)(const void *config); /* NULL: sees nothing of the future */
    /* Fills at most cap wishes; returns how many metrics the policy reads. */
    size_t (*wants)(const void *config, struct scaler_wants *out, size_t cap);
    void (*decide)(const void *config, void *memory, const struct scaler_view *view,
                   struct scaler_decision *out);
    /* True: an activator stands in front. It sends to ready pods only, holds what finds none, and
     * has the policy decide at once when the first one comes to a service of size zero. NULL: the
     * platform has none. */
    bool (*activates)(const void *config);
    /* The band of a size that is all ready; false when the policy has no bands. NULL stands for
     * that. For verdicts, never for a decision. */
    bool (*band)(const void *config, int32_t replicas, struct scaler_band *out);
    /* Requests a second and replica that the policy aims at; 0 when it aims at something else.
     * NULL stands for 0. For lint and verdicts, never for a decision. */
    double (*target_qps)(const void *config);
};

/* Every policy's option, sorted by name; ends with NULL. Written by the build from scaler_*.c. */
extern const struct knob_option *const scaler_options[];
/* NULL when there is none of this name. */
const struct scaler_policy *scaler_find(const char *name);

#endif
