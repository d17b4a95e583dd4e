/* keda: what KEDA itself decides: between zero and some, fallback values, how many jobs.
 *
 * Everything between min and max is the business of the HPA that KEDA makes (scaler_keda joins the
 * two). Pure functions. Source: kedacore/keda pkg/scaling/executor and pkg/fallback, read 2026-08.
 */
#ifndef SLUICE_MODELS_CONTROL_KEDA_H
#define SLUICE_MODELS_CONTROL_KEDA_H

#include "sim/clock.h"

#include <stdbool.h>
#include <stdint.h>

struct keda_object {
    int32_t min;
    bool has_idle;
    int32_t idle; /* size while nothing is active, below min */
    bool has_fallback;
    int32_t fallback;                             /* size when a trigger fails and none is active */
    bool paused, pause_scale_in, pause_scale_out; /* annotations */
    bool force_activation;
    sim_ns cooldown, initial_cooldown;
};

struct keda_look {
    int32_t current;
    bool triggers_active;
    bool scaler_error;
    bool was_active;        /* ever */
    sim_ns last_active_age; /* was_active only */
    sim_ns created_age;
};

enum keda_rule {
    KEDA_KEEPS,     /* the HPA's business, or nothing to do */
    KEDA_ACTIVATES, /* from zero, or from idle */
    KEDA_COOLS,     /* inactive, but not for long enough */
    KEDA_IDLES,     /* to zero, idle or min */
    KEDA_LIFTS,     /* below min */
    KEDA_FALLS_BACK,
    KEDA_ERROR, /* a trigger failed: nothing */
    KEDA_PAUSED,
};
const char *keda_rule_name(enum keda_rule rule);

struct keda_decision {
    int32_t replicas;
    bool active;
    enum keda_rule rule;
};
struct keda_decision keda_step(const struct keda_object *o, const struct keda_look *look);

enum keda_fallback {
    KEDA_STATIC,
    KEDA_CURRENT,
    KEDA_CURRENT_IF_HIGHER,
    KEDA_CURRENT_IF_LOWER,
};
/* Size whose target is reported in place of a failing trigger. current below 0: not known. */
int32_t keda_fallback_replicas(enum keda_fallback behavior, int32_t fixed, int32_t current);
/* Whether this many failures in a row bring the fallback. */
bool keda_falls_back(int64_t failures, int64_t threshold);

enum keda_strategy { KEDA_DEFAULT, KEDA_CUSTOM, KEDA_ACCURATE, KEDA_EAGER };
struct keda_jobs {
    enum keda_strategy strategy;
    int64_t max_scale; /* jobs that the queue is good for */
    int64_t running, pending;
    int64_t min_replicas, max_replicas;
    int64_t scale_to;
    int64_t queue_deduction; /* KEDA_CUSTOM */
    double running_share;    /* KEDA_CUSTOM */
};
struct keda_plan {
    int64_t effective_max; /* most jobs to create now; may be negative: none */
    int64_t scale_to;
};
/* The strategy alone, and with filling up to min before it. */
struct keda_plan keda_strategy_plan(const struct keda_jobs *j);
struct keda_plan keda_jobs_plan(const struct keda_jobs *j);

#endif
