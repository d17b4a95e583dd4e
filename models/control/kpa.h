/* kpa: the Knative pod autoscaler: stable and panic windows, rate limits, scale to zero.
 *
 * Pure functions. Source: knative/serving pkg/autoscaler and pkg/reconciler/autoscaling, read
 * 2026-08. */
#ifndef SLUICE_MODELS_CONTROL_KPA_H
#define SLUICE_MODELS_CONTROL_KPA_H

#include "sim/clock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The largest value of the last `size` slots. Storage is the caller's: size entries. */
struct kpa_entry {
    int64_t slot;
    double value;
};
struct kpa_window {
    struct kpa_entry *entries;
    size_t size, first, n;
};
/* Slots never go back. Returns the largest value after it. */
double kpa_window_record(struct kpa_window *w, int64_t slot, double value);

struct kpa_spec {
    double target;          /* concurrency (or requests a second) a pod */
    double total_per_pod;   /* what a pod can take at most; for the excess burst */
    double target_burst;    /* 0: none; below 0: no limit */
    double panic_threshold; /* 2: wanted over ready pods */
    double max_up_rate, max_down_rate;
    sim_ns stable_window;
    bool reachable; /* some route points here: it may not shrink too fast */
    int32_t activation_scale;
};

struct kpa_state {
    bool started;
    bool panicking;
    sim_ns panic_since; /* last moment above the threshold */
    int32_t max_panic_pods;
    struct kpa_window delay; /* scale-down delay in slots of two seconds; size 0: none */
    bool idle;               /* inactive: on the way to zero */
    sim_ns active_since, idle_since;
};

/* A new scaler: with more than one ready pod it begins in panic, so as not to shrink at once. */
void kpa_start(struct kpa_state *s, int32_t ready, sim_ns now);
/* Slots of the delay window. */
size_t kpa_delay_slots(sim_ns delay);

struct kpa_decision {
    int32_t desired;
    double excess_burst;
    int32_t stable, panic; /* both wishes, after the rate limits */
    bool delayed;          /* the scale-down delay holds a larger size */
};
/* stable, panic: the metric over each window, >= 0. */
struct kpa_decision kpa_scale(const struct kpa_spec *spec, struct kpa_state *s, sim_ns now,
                              int32_t ready, double stable, double panic);

struct kpa_bounds {
    int32_t min, max; /* max 0: none */
    bool to_zero;     /* enable-scale-to-zero */
    sim_ns stable_window, grace;
};
enum kpa_bound { KPA_FREE, KPA_MIN, KPA_MAX, KPA_KEPT };
/* Bounds, and the way to zero: a whole stable window as active, then the grace period as idle, at
 * one pod meanwhile. *why tells what bound. */
int32_t kpa_clamp(const struct kpa_bounds *b, struct kpa_state *s, int32_t current, int32_t desired,
                  sim_ns now, enum kpa_bound *why);

enum kpa_metric { KPA_CONCURRENCY, KPA_RPS };
struct kpa_aim {
    enum kpa_metric metric;
    double container_concurrency;      /* 0: no limit */
    double default_total;              /* of this metric */
    double default_utilization;        /* share */
    double own_total, own_utilization; /* annotations; below 0: not given */
};
struct kpa_target {
    double target, total;
};
struct kpa_target kpa_resolve(const struct kpa_aim *aim);

#endif
