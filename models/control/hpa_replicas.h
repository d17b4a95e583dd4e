/* hpa_replicas: how many replicas one metric of a HorizontalPodAutoscaler proposes.
 *
 * Pure functions of the metric and the pods; histories and limits are in hpa_limits. Values are in
 * milli-units, as Kubernetes computes; ratios are IEEE doubles, evaluated in the order of the
 * controller (pkg/controller/podautoscaler/replica_calculator.go), since the last bit decides at
 * the edge of the tolerance band. Numbers such as H26 name rules of
 * tests/conformance/RULES.md. */
#ifndef SLUICE_MODELS_CONTROL_HPA_REPLICAS_H
#define SLUICE_MODELS_CONTROL_HPA_REPLICAS_H

#include "models/control/scaler.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How far the ratio of usage to target may be from 1 without any move. */
struct hpa_tolerance {
    double up, down;  /* shares */
    bool by_distance; /* before 1.33: |1 - r| <= up; since: 1 - down <= r <= 1 + up. In doubles the
                         two differ at a ratio of exactly 1.1: 99 QPS on nine pods of ten each */
};

bool hpa_replicas_inside(const struct hpa_tolerance *t, double ratio);

/* Why a metric proposes nothing. */
enum hpa_fault {
    HPA_FAULT_NONE,
    HPA_FAULT_NO_VALUE,        /* the metric path has none */
    HPA_FAULT_NO_SAMPLES,      /* no pod reported */
    HPA_FAULT_NO_USABLE,       /* only pods that are ignored or not ready reported */
    HPA_FAULT_NO_MATCHING,     /* no sample belongs to a pod with a request */
    HPA_FAULT_MISSING_REQUEST, /* a pod or container has no request for the resource */
    HPA_FAULT_NO_PODS,         /* the selector matches none */
};
const char *hpa_replicas_fault_name(enum hpa_fault fault); /* "no_samples", ... */

struct hpa_proposal {
    enum hpa_fault fault; /* when set, only it is meaningful */
    int32_t replicas;
    bool inside;         /* within tolerance: the size stays as it is */
    bool guarded;        /* missing or not-ready pods, once counted, turned the move around */
    double ratio;        /* that decided */
    int64_t usage_milli; /* as the HPA's status shows it: per pod for averages, else the total */
    int32_t utilization_pct; /* utilization only */
    int64_t counted;         /* pods that the ratio was multiplied with; 0: none */
};

/* AverageValue of an Object or External metric: ceil(usage / target), readiness plays no part;
 * inside the band the *status* size comes back. target > 0. */
struct hpa_proposal hpa_replicas_average(int64_t usage, int64_t target, int32_t status,
                                         const struct hpa_tolerance *t);

/* Who the answer is multiplied with. */
struct hpa_value_pods {
    int32_t current; /* spec size */
    int64_t ready;   /* Running and Ready */
    bool none;       /* the selector matches no pod at all */
};
/* Value of an Object or External metric: ceil(usage / target x ready pods). target > 0. */
struct hpa_proposal hpa_replicas_value(int64_t usage, int64_t target,
                                       const struct hpa_value_pods *pods,
                                       const struct hpa_tolerance *t);

/* Sum of an External metric's series; stops at INT64_MAX. */
int64_t hpa_replicas_sum(const int64_t *series, size_t n);

/* Where each pod goes before its sample counts. */
enum hpa_group { HPA_GROUP_READY, HPA_GROUP_NOT_READY, HPA_GROUP_MISSING, HPA_GROUP_IGNORED };

struct hpa_readiness {
    bool cpu;                  /* only CPU samples of young pods are doubted */
    sim_ns cpu_initialization; /* --horizontal-pod-autoscaler-cpu-initialization-period */
    sim_ns initial_delay;      /* --horizontal-pod-autoscaler-initial-readiness-delay */
};

/* sample: the pod's own, NULL when it reported none. */
enum hpa_group hpa_replicas_group(const struct scaler_pod *pod, const struct scaler_sample *sample,
                                  const struct hpa_readiness *readiness, sim_ns now);

/* A metric that pods report one by one. */
struct hpa_question {
    sim_ns now;
    int32_t current; /* spec size */
    const struct scaler_pod *pods;
    size_t n_pods;
    const struct scaler_sample *samples; /* ordered by pod, at most one a pod, unknown pods last */
    size_t n_samples;
    const int64_t *requests; /* milli, by pod; -1: missing. Utilization only */
    struct hpa_readiness readiness;
    struct hpa_tolerance tolerance;
};

/* Usage as a share of what the pods request, in whole percent. target_pct > 0. */
struct hpa_proposal hpa_replicas_utilization(const struct hpa_question *q, int32_t target_pct);
/* Mean over pods: a Pods metric, or a resource with an AverageValue target. target > 0. */
struct hpa_proposal hpa_replicas_pods(const struct hpa_question *q, int64_t target);
/* The same when only the mean over the ready pods is known and all others are not ready yet. */
struct hpa_proposal hpa_replicas_mean(int64_t mean, int64_t target, const struct scaler_view *view,
                                      const struct hpa_tolerance *t);

#endif
