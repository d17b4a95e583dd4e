/* rate: requests per second as a function of simulated time, handed out in pieces.
 *
 * A rate is a list of points (a constant, steps, a polygon, or the rows of a file) put on the
 * simulated clock by start, repeat and time zone, and multiplied by scale, growth and shape.
 * Nothing is unrolled: memory is that of the points, whatever the horizon. */
#ifndef SLUICE_WORKLOADS_RATE_H
#define SLUICE_WORKLOADS_RATE_H

#include "sim/clock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct local;
struct shape;

struct rate_point {
    sim_ns at;
    double qps; /* from here on; NAN: a gap, nothing arrives */
};

/* Open data, immutable once filled; borrowed pointers outlive it. */
struct rate {
    const struct rate_point *points; /* at least one, ascending; before the first is a gap */
    size_t count;
    bool linear;   /* straight lines between points instead of steps */
    sim_ns period; /* 0: no repeat, the last point holds for ever */
    /* Position among the points: start + simulated time; with by_clock it is local wall time
     * since anchor, so that a repeated day follows the clock through a change to summer time. */
    sim_ns start;
    bool by_clock;
    int64_t anchor_ns;         /* local time of position 0, ns since 1970-01-01 00:00 local */
    const struct local *local; /* needed by by_clock and shape */
    double scale;
    double growth_log;         /* log(1 + growth per month) */
    const struct shape *shape; /* NULL: none */
};

/* Between from and to the rate runs straight from `begin` to `end`; both NAN in a gap. */
struct rate_piece {
    sim_ns from, to;
    double begin, end;
};

/* The longest piece is one hour, and pieces are cut at whole hours of simulated time, so that
 * time within a piece is exact in a double. */
#define RATE_LONGEST_PIECE SIM_HOUR
/* Days in a month of growth: 365.25 / 12. */

/* The piece that begins at `from` (>= 0). It depends on the rate and on from alone, never on what
 * was asked before. */
struct rate_piece rate_piece_at(const struct rate *r, sim_ns from);
/* Requests a second at t; NAN in a gap. */
double rate_at(const struct rate *r, sim_ns t);

/* Over [0, horizon): the largest rate, and the expected number of requests. */
struct rate_totals {
    double peak_qps;
    double requests;
};
struct rate_totals rate_totals(const struct rate *r, sim_ns horizon);

#endif
