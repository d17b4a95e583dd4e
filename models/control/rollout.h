/* rollout: a Deployment's rolling update: which pods to start and to stop next.
 *
 * Pure. Source: kubernetes/kubernetes pkg/controller/deployment/rolling.go and util, read 2026-08.
 * While it goes on there are more pods than the Deployment's size; an HPA sees them in its status
 * (kubernetes#138505). */
#ifndef SLUICE_MODELS_CONTROL_ROLLOUT_H
#define SLUICE_MODELS_CONTROL_ROLLOUT_H

#include "sim/clock.h"
#include "sim/knob.h"

#include <stdbool.h>
#include <stdint.h>

/* Kubernetes' IntOrString: pods, or percent of the size. */
struct rollout_bound {
    bool percent;
    int32_t value;
};

/* Open data, filled through rollout_knobs. */
struct rollout_config {
    sim_ns at;
    struct rollout_bound surge, unavailable;
};

extern const struct knob_table rollout_knobs; /* "rollout" */

/* Pods above the size, rounded up, and below it, rounded down; the latter is 1 when both are 0. */
int32_t rollout_surge(const struct rollout_config *c, int32_t size);
int32_t rollout_unavailable(const struct rollout_config *c, int32_t size);

/* Pods that are not terminating: of the old template, and of the new one. */
struct rollout_pods {
    int32_t old, old_ready, fresh, fresh_ready;
};
struct rollout_step {
    int32_t start;        /* of the new template */
    int32_t stop_unready; /* of the old one */
    int32_t stop_ready;
};
/* The next step towards `size` fresh pods; nothing to do: all 0. */
struct rollout_step rollout_next(const struct rollout_config *c, int32_t size,
                                 const struct rollout_pods *p);

#endif
