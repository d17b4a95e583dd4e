/* recorder: what happened in one replication: levels over time, windowed series, the control log
 * with its digest, spans, bills and closing figures.
 *
 * Everything is taken at create; nothing allocates while the run goes on. A recorder holds one
 * replication; result_merge (sim/merge.h) makes one result of several. */
#ifndef SLUICE_SIM_RECORDER_H
#define SLUICE_SIM_RECORDER_H

#include "sim/clock.h"
#include "sim/err.h"
#include "sim/result.h"

#include <stddef.h>
#include <stdint.h>

struct recorder;

/* Open data. Kept entries, spans and bills are capped; what is beyond is counted, and for the log
 * still digested. */
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

/* A level: an integer that holds until it is set again (replicas, nodes). Its series keeps mean,
 * minimum and maximum per bin; its area is exact. path and unit are copied. */
rec_id recorder_level(struct recorder *r, const char *path, const char *unit, int64_t initial);
void recorder_set(struct recorder *r, rec_id level, sim_ns now, int64_t value);
void recorder_change(struct recorder *r, rec_id level, sim_ns now, int64_t by);
int64_t recorder_now(const struct recorder *r, rec_id level);
/* Value x ns up to now (the time of the last set, extended to `now`). */
int64_t recorder_area(const struct recorder *r, rec_id level, sim_ns now);
int64_t recorder_min(const struct recorder *r, rec_id level);
int64_t recorder_max(const struct recorder *r, rec_id level);

/* A sampled series: points at times that do not decrease (a metric value, a window's p99). */
rec_id recorder_samples(struct recorder *r, const char *path, const char *unit);
void recorder_sample(struct recorder *r, rec_id samples, sim_ns at, double value);

/* The control log. Every call enters the ordered digest (time, subject, what, reason); `keep` says
 * whether the line is also kept for people (a pass that changes nothing need not be). */
void recorder_log(struct recorder *r, sim_ns now, bool keep, const char *subject, const char *what,
                  const char *reason_fmt, ...) ERR_PRINTF(6, 7);

void recorder_span(struct recorder *r, const char *track, const char *phase, sim_ns from,
                   sim_ns to);
void recorder_bill(struct recorder *r, const struct result_bill *bill);
/* Closing figures; the path is copied, each path at most once. */
void recorder_figure(struct recorder *r, const char *path, const char *unit,
                     enum figure_merge merge, double value);
void recorder_finding(struct recorder *r, const char *level, const char *code, const char *fmt, ...)
    ERR_PRINTF(4, 5);

uint64_t recorder_digest(const struct recorder *r);

/* Closes levels at the horizon and shows what was recorded. The result borrows the recorder's
 * memory and lives as long as it. */
void recorder_close(struct recorder *r, struct result *out);

#endif
