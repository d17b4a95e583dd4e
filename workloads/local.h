/* local: wall time of the run's time zone over simulated time. */
#ifndef SLUICE_WORKLOADS_LOCAL_H
#define SLUICE_WORKLOADS_LOCAL_H

#include "sim/clock.h"

#include <stddef.h>
#include <stdint.h>

struct arena;
struct err;
struct traffic_frame;

/* The zone's offset from simulated time `from` on. */
struct local_span {
    sim_ns from, offset_ns;
};

/* Open data; one span a clock change within the horizon. */
struct local {
    sim_ns epoch_ns; /* Unix time of simulated time 0 */
    const struct local_span *spans;
    size_t count;
};

/* ERR_INPUT when there is no such zone or the run leaves the years 1970..2199. */
int local_init(struct local *l, struct arena *a, const struct traffic_frame *frame, struct err *e);
/* Wall time at t, in ns since 1970-01-01 00:00 of the wall clock; *left is how long the clock
 * runs on without a change. */
sim_ns local_wall(const struct local *l, sim_ns t, sim_ns *left);

#endif
