/* recorder: what happened in one replication: levels over time, windowed series, the control log
 * with its digest, spans, bills and closing figures.
 *
 * Everything is taken at create; nothing allocates while the run goes on. A recorder holds one
 * replication; merge_results (sim/merge.h) makes one result of several. */
#ifndef SLUICE_SIM_RECORDER_H
#define SLUICE_SIM_RECORDER_H

#include "sim/clock.h"
#include "sim/err.h"
#include "sim/result.h"

#include <stddef.h>
#include <stdint.h>

struct recorder;

/* Open data. Kept entries, spans and bills are capped; what is beyond is counted, for the log still
 * digested, for bills still summed (result.bills_dropped_micro). Series and figures are our own
 * doing: more than max_series or max_figures is an assert. */
struct recorder_config {
    sim_ns horizon; /* > 0 */
    size_t max_series;
    size_t max_entries;
    size_t max_spans;
    size_t max_bills;
    size_t max_figures;
};

typedef uint32_t rec_id;

struct recorder *recorder_create(const struct recorder_config *c, struct err *e);
void recorder_destroy(struct recorder *r);

/* A level: an integer that holds until it is set again (replicas, nodes). Its series keeps the
 * time-weighted mean, minimum and maximum per bin; its area is exact. A value that lasted no time
 * leaves no trace. Times may not decrease, nor lie beyond the horizon. path and unit are copied; a
 * path stands for one series. */
rec_id recorder_level(struct recorder *r, const char *path, const char *unit, int64_t initial);
void recorder_set(struct recorder *r, rec_id level, sim_ns now, int64_t value);
void recorder_change(struct recorder *r, rec_id level, sim_ns now, int64_t by);
int64_t recorder_now(const struct recorder *r, rec_id level);
/* Value x ns from 0 to `now`, which is not before the last set. Asserts that it fits: about 292
 * years of a level of 1. */
int64_t recorder_area(const struct recorder *r, rec_id level, sim_ns now);
/* Time-weighted mean from 0 to `now` > 0. */
double recorder_mean(const struct recorder *r, rec_id level, sim_ns now);
/* Over the values that lasted, and the present one. */
int64_t recorder_min(const struct recorder *r, rec_id level);
int64_t recorder_max(const struct recorder *r, rec_id level);

/* A sampled series: points at times that do not decrease, up to and with the horizon (a metric
 * value, a window's p99). NaN says that nothing is known then and leaves a gap. */
rec_id recorder_samples(struct recorder *r, const char *path, const char *unit);
void recorder_sample(struct recorder *r, rec_id samples, sim_ns at, double value);

/* The control log, in order of time. Every call enters the ordered digest (time, subject, what,
 * reason); `keep` says whether the line is also kept for people (a pass that changes nothing need
 * not be). */
void recorder_log(struct recorder *r, sim_ns now, bool keep, const char *subject, const char *what,
                  const char *reason_fmt, ...) ERR_PRINTF(6, 7);
/* The same without a format, for what is logged hundreds of thousands of times. */
struct recorder_line {
    const char *subject, *what, *reason;
    bool keep;
};
void recorder_write(struct recorder *r, sim_ns now, const struct recorder_line *line);

void recorder_span(struct recorder *r, const char *track, const char *phase, sim_ns from,
                   sim_ns to);
void recorder_bill(struct recorder *r, const struct result_bill *bill);
/* Closing figures; the path is copied, each path at most once. Finite; NaN says that this run has
 * no such figure (the mean of nothing), which is then left out. */
void recorder_figure(struct recorder *r, const char *path, const char *unit,
                     enum figure_merge merge, double value);
/* Something to tell in words; the same words are kept once. */
void recorder_finding(struct recorder *r, const char *level, const char *code, const char *fmt, ...)
    ERR_PRINTF(4, 5);

uint64_t recorder_digest(const struct recorder *r);

/* Closes levels at the horizon and shows what was recorded: sets horizon, control_digest and the
 * arrays (not the assumptions) of *out, whose other fields are the caller's. The result borrows the
 * recorder's memory and lives as long as it. Nothing may be recorded afterwards. */
void recorder_close(struct recorder *r, struct result *out);

#endif
