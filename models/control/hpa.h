/* hpa: one pass of the HorizontalPodAutoscaler over one service.
 *
 * Gates, metrics, stabilisation, limits and memory in the controller's order (rules H1 to H5, H28,
 * H29, H35, H36); the arithmetic is in hpa_replicas and hpa_limits. The same function serves the
 * simulation, `sluice decide` and the conformance cases. */
#ifndef SLUICE_MODELS_CONTROL_HPA_H
#define SLUICE_MODELS_CONTROL_HPA_H

#include "models/control/hpa_limits.h"
#include "models/control/hpa_replicas.h"
#include "models/control/scaler.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hpa_kind {
    HPA_EXTERNAL_AVERAGE,
    HPA_EXTERNAL_VALUE,
    HPA_OBJECT_AVERAGE,
    HPA_OBJECT_VALUE,
    HPA_PODS,        /* mean over pods: a Pods metric */
    HPA_RESOURCE,    /* mean over pods: a resource with an AverageValue target */
    HPA_UTILIZATION, /* a resource as a share of what is requested */
    HPA_FAILING,     /* never has a value: an invalid source */
};

/* One entry of spec.metrics. */
struct hpa_metric {
    enum hpa_kind kind;
    int64_t target;   /* milli-units; HPA_UTILIZATION: percent. > 0 */
    bool cpu;         /* HPA_RESOURCE, HPA_UTILIZATION */
    const char *name; /* for reasons; NULL: none */
};

/* What an HPA at zero replicas does. */
enum hpa_zero {
    HPA_ZERO_CLASSIC, /* disabled, unless minReplicas is 0 */
    HPA_ZERO_MARKED,  /* disabled, unless this HPA itself went to zero (kept as a condition) */
};

/* Everything filled in; borrowed pointers. */
struct hpa_spec {
    int32_t min, max;
    const struct hpa_metric *metrics;
    size_t n_metrics;
    bool has_behavior;
    struct hpa_rules up, down; /* has_behavior only */
    sim_ns down_window;        /* without one: the controller's down-scale stabilisation */
    struct hpa_tolerance tolerance;
    sim_ns cpu_initialization, initial_delay;
    double scale_up_factor, scale_up_floor; /* without behavior: the constants 2 and 4 */
    enum hpa_zero zero;
    bool zero_enabled; /* HPA_ZERO_MARKED: feature gate HPAScaleToZero */
    bool surge_fixed;  /* inside the band an average keeps the spec size, not the status size */
};

struct hpa_state {
    bool started;        /* false: the first pass stores the current size (H4) */
    bool scaled_to_zero; /* condition ScaledToZero */
    struct hpa_history history;
    struct hpa_events ups, downs;
};

/* What bound the decision, in the words of the HPA's own conditions where it has some. */
enum hpa_rule {
    HPA_RULE_RATIO, /* usage / target */
    HPA_RULE_TOLERANCE,
    HPA_RULE_GUARD, /* missing or not-ready pods would turn the move around */
    HPA_RULE_UP_STABILIZED,
    HPA_RULE_DOWN_STABILIZED,
    HPA_RULE_UP_LIMIT,
    HPA_RULE_DOWN_LIMIT,
    HPA_RULE_TOO_MANY,
    HPA_RULE_TOO_FEW,
    HPA_RULE_ABOVE_MAX, /* the size was above max before any metric was read */
    HPA_RULE_BELOW_MIN,
    HPA_RULE_DISABLED,  /* ScalingDisabled: the target is at zero */
    HPA_RULE_NO_METRIC, /* no metric, or not enough to shrink on */
};
const char *hpa_rule_name(enum hpa_rule rule);

struct hpa_outcome {
    int32_t replicas; /* after the pass */
    enum hpa_rule rule;
    int32_t recommended;  /* largest proposal */
    int32_t stabilized;   /* after stabilisation */
    enum hpa_limit limit; /* why stabilized was cut; HPA_LIMIT_NONE when it was not */
    bool disabled;
    bool error;         /* nothing was decided: the size stays */
    bool partial_error; /* decided, though a metric failed */
    size_t metric;      /* whose proposal won; n_metrics: none */
    struct hpa_proposal proposal;
    size_t failed; /* the first metric that failed; n_metrics: none */
    enum hpa_fault fault;
    size_t policy; /* rules' policy that set the limit; n_policies: none */
};

/* view->metrics[i] belongs to spec->metrics[i]. Changes the state. */
void hpa_pass(const struct hpa_spec *spec, struct hpa_state *state, const struct scaler_view *view,
              struct hpa_outcome *out);
/* One metric's proposal. */
struct hpa_proposal hpa_propose(const struct hpa_spec *spec, size_t metric,
                                const struct scaler_view *view);
/* The outcome in words, cut to size: "95 / 10 -> 10, held to 4 by ScaleUpLimit max(2 x 1, 4)". */
void hpa_reason(const struct hpa_spec *spec, const struct scaler_view *view,
                const struct hpa_outcome *o, char *out, size_t size);
/* A pass as a policy's decision, with its rule and reason. */
void hpa_decide(const struct hpa_spec *spec, struct hpa_state *state,
                const struct scaler_view *view, struct scaler_decision *out);

#endif
