/* traffic: how many requests arrive at a service, and exactly when. */
#ifndef SLUICE_WORKLOADS_TRAFFIC_H
#define SLUICE_WORKLOADS_TRAFFIC_H

#include "sim/clock.h"
#include "sim/dist.h"
#include "sim/err.h"
#include "sim/knob.h"

#include <stddef.h>
#include <stdint.h>

struct arena;
struct traffic;  /* checked and immutable; shared by all replications and threads */
struct arrivals; /* the stream of one replication */

/* What the run fixes for every workload. */
struct traffic_frame {
    sim_ns horizon;
    int64_t epoch_s;       /* Unix time of simulated time 0 */
    const char *time_zone; /* IANA name; profiles and naive time stamps are in it */
    const char *base_dir;  /* relative file names start here */
};

/* The settings under `services[].traffic`; bound by traffic_knobs. Fields are in traffic_config.h
 */
struct traffic_config;
extern const struct knob_table traffic_knobs;

/* Reads and checks files. ERR_INPUT names file and line. NULL on failure; lives in the arena. */
struct traffic *traffic_load(struct arena *a, const struct traffic_config *c,
                             const struct traffic_frame *frame, struct err *e);

/* Expected arrivals per second at t, after scale, growth and repeat; NAN in a gap of a trace (no
 * arrivals then) and for closed-loop clients and request lists. */
double traffic_qps(const struct traffic *t, sim_ns at);
/* Largest rate over the horizon; 0 when unknown. */
double traffic_peak_qps(const struct traffic *t);
/* Expected number of requests over the horizon; of a request list the number itself. */
double traffic_expected(const struct traffic *t);
/* What was repaired in the files, and what may surprise: a sentence each, for the report. */
const struct knob_texts *traffic_notes(const struct traffic *t);
/* Closed loop: number of clients, 0 for open traffic, and their think time in ns. */
int64_t traffic_clients(const struct traffic *t);
const struct dist *traffic_think_time(const struct traffic *t);

/* Evenly spaced: request k = 1, 2, ... comes when the cumulated rate reaches k. Poisson, gamma,
 * weibull: when it reaches the sum of the first k draws, which depend on (seed, replication,
 * entity, k) alone. Nothing arrives at or after the horizon; closed-loop traffic has an empty
 * stream. entity: the service's number in the scenario. NULL and ERR_SYSTEM without memory. */
struct arrivals *arrivals_open(const struct traffic *t, uint64_t seed, uint64_t replication,
                               uint64_t entity, struct err *e);
/* The next arrivals strictly before `until`, in order, at most cap; fewer than cap means that no
 * more come before `until`. A later call goes on where this one stopped. Times never decrease;
 * several requests may share one. */
size_t arrivals_fill(struct arrivals *a, sim_ns until, sim_ns *out, size_t cap);
void arrivals_close(struct arrivals *a);

/* A stream of these times, which are copied: ascending, not negative. For tests. */
struct arrivals *arrivals_of_list(const sim_ns *times, size_t n, struct err *e);

#endif
