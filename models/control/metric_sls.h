/* metric_sls: the way of a metric from the ingress log to the autoscaler.
 *
 * alibaba-cloud-metrics-adapter asks SLS for the log lines of [now - delay - interval, now - delay)
 * each time the HPA asks for the metric; lines are written when requests end. The value is cut to a
 * whole number. Other metrics go the same way without being cut, over a window of their own where
 * the autoscaler wishes one. Pure functions: the meter keeps the marks at the two edges. Faults
 * make time stand still, lag or carry nothing; what was visible once stays visible, so edges never
 * go back. */
#ifndef SLUICE_MODELS_CONTROL_METRIC_SLS_H
#define SLUICE_MODELS_CONTROL_METRIC_SLS_H

#include "models/control/scaler.h"
#include "sim/chance.h"
#include "sim/clock.h"
#include "sim/knob.h"

#include <stdbool.h>
#include <stdint.h>

enum metric_fault_kind {
    METRIC_FROZEN,  /* the value of the fault's first instant is repeated */
    METRIC_LATE,    /* the window lies `lag` further back */
    METRIC_MISSING, /* no value */
    METRIC_NOISY,   /* the value times 1 + noise x a standard normal draw, never below 0 */
};

struct metric_fault {
    int kind;   /* enum metric_fault_kind */
    int metric; /* 0: all; else 1 + enum metric_kind */
    sim_ns at, lasts;
    sim_ns lag;   /* METRIC_LATE */
    double noise; /* METRIC_NOISY, share */
};

/* Open data, filled through metric_sls_knobs. */
struct metric_sls_config {
    sim_ns interval;         /* sls.query.interval, never below 15 s */
    sim_ns delay;            /* sls.query.delay */
    sim_ns search_range;     /* lines older than this are not found */
    int32_t max_retry;       /* sls.query.max_retry, for incomplete answers */
    double incomplete_share; /* of answers that are incomplete */
    bool empty_is_missing;   /* a window without lines gives no row instead of 0 */
    sim_ns export_every;     /* values come into being that often; 0: when asked */
    double export_phase;     /* of the first one, as a share of that; negative: not drawn yet */
    struct knob_list faults; /* struct metric_fault */
};

extern const struct knob_table metric_sls_knobs;

/* Does the fault concern this metric? */
bool metric_sls_concerns(const struct metric_fault *f, const struct scaler_wants *wish);

struct metric_sls_window {
    sim_ns from, to; /* [from, to) */
};
/* What a pass at `now` reads. Neither edge goes back when now goes on; both may lie before 0. */
struct metric_sls_window metric_sls_window(const struct metric_sls_config *c,
                                           const struct scaler_wants *wish, sim_ns now);
/* The furthest that a window of this metric can begin before its pass. */
sim_ns metric_sls_reach(const struct metric_sls_config *c, const struct scaler_wants *wish);
/* False while a fault carries nothing. */
bool metric_sls_present(const struct metric_sls_config *c, const struct scaler_wants *wish,
                        sim_ns now);

/* Requests that ended in the window, over its nominal length, in whole requests a second. */
struct scaler_metric metric_sls_qps(const struct metric_sls_config *c, uint64_t ended);
/* Mean or quantile of the window's `lines` requests, in whole ms; none without lines. */
struct scaler_metric metric_sls_latency(double ms, uint64_t lines);

/* One asking for a metric. */
struct metric_sls_query {
    const struct scaler_wants *wish;
    sim_ns now;
    struct chance stream; /* one a service */
    uint64_t pass;
};
/* What faults and chance do to an answer: none while nothing is carried or when it stays incomplete
 * over all tries, and noise. */
struct scaler_metric metric_sls_disturb(const struct metric_sls_config *c,
                                        const struct metric_sls_query *q, struct scaler_metric m);

#endif
