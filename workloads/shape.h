/* shape: a factor on the rate that follows the calendar. */
#ifndef SLUICE_WORKLOADS_SHAPE_H
#define SLUICE_WORKLOADS_SHAPE_H

#include "sim/clock.h"

#include <stddef.h>
#include <stdint.h>

struct arena;
struct err;
struct traffic_shape;

/* Open data, immutable once filled. */
struct shape {
    const struct traffic_shape *config;
    const int64_t *holidays; /* days since 1970-01-01, ascending */
    size_t n_holidays;
};

/* ERR_INPUT on a holiday that is no date. config outlives the shape. */
int shape_init(struct shape *s, struct arena *a, const struct traffic_shape *config, struct err *e);
/* Factor at this wall time (ns since 1970-01-01 00:00 local), and how long it holds at least. */
double shape_factor(const struct shape *s, sim_ns wall, sim_ns *left);

#endif
