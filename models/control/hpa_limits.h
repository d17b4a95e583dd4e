/* hpa_limits: what an HPA remembers, and how its memory and its rules bend a proposal.
 *
 * Pure functions of time stamps, never of tick counts: real passes jitter, and at a window's edge a
 * nanosecond decides. Stabilisation (H30, H33) holds back, clamps and rate limits (H31, H34) cap,
 * histories (H37, H38) reuse the last slot that has expired, as the controller does. */
#ifndef SLUICE_MODELS_CONTROL_HPA_LIMITS_H
#define SLUICE_MODELS_CONTROL_HPA_LIMITS_H

#include "sim/clock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Why a size is what it is after the last step; the names are Kubernetes' own. */
enum hpa_limit {
    HPA_LIMIT_NONE, /* DesiredWithinRange */
    HPA_LIMIT_TOO_FEW,
    HPA_LIMIT_TOO_MANY,
    HPA_LIMIT_UP,
    HPA_LIMIT_DOWN,
};
const char *hpa_limits_name(enum hpa_limit limit);

enum hpa_policy_type { HPA_POLICY_PODS, HPA_POLICY_PERCENT };
struct hpa_policy {
    enum hpa_policy_type type;
    int32_t value; /* pods, or percent of the size at the start of the period */
    sim_ns period;
};

enum hpa_select { HPA_SELECT_MAX, HPA_SELECT_MIN, HPA_SELECT_DISABLED };
/* One direction of a behavior block, with all defaults filled in. */
struct hpa_rules {
    enum hpa_select select;
    sim_ns window; /* stabilisation */
    const struct hpa_policy *policies;
    size_t n_policies;
};
/* +4 pods or +100 % in 15 s, whichever is more, at once; -100 % in 15 s after the controller's
 * --horizontal-pod-autoscaler-downscale-stabilization. Source: kubernetes
 * pkg/apis/autoscaling/v2/defaults.go, read 2026-08. */
struct hpa_rules hpa_limits_default_up(void);
struct hpa_rules hpa_limits_default_down(sim_ns window);

struct hpa_recommendation {
    int32_t replicas;
    sim_ns at;
};
/* Storage is the caller's. A full history makes room by dropping its oldest entry. */
struct hpa_history {
    struct hpa_recommendation *items;
    size_t n, cap;
};
void hpa_limits_remember(struct hpa_history *h, int32_t replicas, sim_ns now);

struct hpa_event {
    int32_t change; /* > 0 */
    sim_ns at;
    bool outdated;
};
struct hpa_events {
    struct hpa_event *items;
    size_t n, cap;
};
/* Pods changed within the period; an event exactly one period old no longer counts. */
int64_t hpa_limits_changed(const struct hpa_events *e, sim_ns period, sim_ns now);
/* Stores a scale event; those older than the longest period of the rules are outdated. */
void hpa_limits_store(struct hpa_events *e, const struct hpa_rules *rules, int32_t change,
                      sim_ns now);

/* Without a behavior block: the highest recommendation not older than the window (an age of exactly
 * the window still counts). Stores the new one. Never below desired. */
int32_t hpa_limits_stabilize_legacy(struct hpa_history *h, sim_ns window, int32_t desired,
                                    sim_ns now);
struct hpa_windows {
    sim_ns up, down;
};
/* With one: current, raised to the lowest of the up window, lowered to the highest of the down
 * window (an age of exactly the window no longer counts). Stores the new one. */
int32_t hpa_limits_stabilize(struct hpa_history *h, struct hpa_windows w, int32_t current,
                             int32_t desired, sim_ns now);

struct hpa_range {
    int32_t current, desired, min, max;
};
/* Without a behavior block: between min and the smaller of max and max(factor x current, floor). */
int32_t hpa_limits_clamp(const struct hpa_range *r, double factor, double floor,
                         enum hpa_limit *why);

/* The highest (lowest) size that the rules let a service of this size have now. *policy, when not
 * NULL, tells which policy gave it; n_policies when none did. */
struct hpa_pace {
    const struct hpa_events *ups, *downs;
    sim_ns now;
};
int32_t hpa_limits_up(int32_t current, const struct hpa_rules *rules, const struct hpa_pace *pace,
                      size_t *policy);
int32_t hpa_limits_down(int32_t current, const struct hpa_rules *rules, const struct hpa_pace *pace,
                        size_t *policy);
/* Both directions, then min and max. */
int32_t hpa_limits_rate(const struct hpa_range *r, const struct hpa_rules *up,
                        const struct hpa_rules *down, const struct hpa_pace *pace,
                        enum hpa_limit *why);

#endif
