/* rate: requests per second as a function of simulated time, handed out in pieces. */
#include "workloads/rate.h"

#include "sim/chance.h"
#include "workloads/local.h"
#include "workloads/shape.h"

#include <assert.h>
#include <math.h>

static void cut(sim_ns *length, sim_ns limit)
{
    if (limit < *length) {
        *length = limit;
    }
}

/* Index of the last point at or before position, or count when there is none. */
static size_t point_before(const struct rate *r, sim_ns position)
{
    size_t low = 0, high = r->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (r->points[middle].at <= position) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low == 0 ? r->count : low - 1;
}

static sim_ns wrapped(sim_ns position, sim_ns period)
{
    sim_ns rest = position % period;
    return rest < 0 ? rest + period : rest;
}

/* Where simulated time t, at this wall time, stands among the points; cuts *length at the end of
 * the period. */
static sim_ns position_of(const struct rate *r, sim_ns t, sim_ns wall, sim_ns *length)
{
    sim_ns position = r->start + (r->by_clock ? wall - r->anchor_ns : t);
    if (r->period == 0) {
        return position;
    }
    position = wrapped(position, r->period);
    cut(length, r->period - position);
    return position;
}

/* Growth is compounded daily: constant within each day of the run. */
static double growth_at(const struct rate *r, sim_ns t)
{
    if (r->growth_log == 0) {
        return 1;
    }
    double days = (double)(t / SIM_DAY);
    return chance_exp(r->growth_log * (days * (double)SIM_DAY / (double)SIM_MONTH));
}

static double on_line(const struct rate_point *a, const struct rate_point *b, sim_ns position)
{
    double share = (double)(position - a->at) / (double)(b->at - a->at);
    return a->qps + (b->qps - a->qps) * share;
}

/* Values at both ends of [position, position + *length), which is cut at the next point. */
static void base_piece(const struct rate *r, sim_ns position, sim_ns *length, double value[2])
{
    size_t i = point_before(r, position);
    if (i == r->count) {
        cut(length, r->points[0].at - position);
        value[0] = value[1] = (double)NAN;
        return;
    }
    const struct rate_point *here = &r->points[i];
    value[0] = value[1] = here->qps;
    if (i + 1 == r->count) {
        return;
    }
    cut(length, here[1].at - position);
    if (r->linear) {
        value[0] = on_line(here, here + 1, position);
        value[1] = on_line(here, here + 1, position + *length);
    }
}

/* Wall time at t, with what the calendar makes of the rate; both cut *length. */
static sim_ns calendar(const struct rate *r, sim_ns t, sim_ns *length, double *factor)
{
    sim_ns left;
    if (r->local == NULL) {
        return 0;
    }
    sim_ns wall = local_wall(r->local, t, &left);
    cut(length, left);
    if (r->shape != NULL) {
        *factor *= shape_factor(r->shape, wall, &left);
        cut(length, left);
    }
    return wall;
}

struct rate_piece rate_piece_at(const struct rate *r, sim_ns from)
{
    assert(r->count > 0 && from >= 0);
    assert(r->local != NULL || (!r->by_clock && r->shape == NULL));
    sim_ns length = RATE_LONGEST_PIECE - from % RATE_LONGEST_PIECE;
    double value[2], factor = r->scale * growth_at(r, from);
    sim_ns wall = calendar(r, from, &length, &factor);
    sim_ns position = position_of(r, from, wall, &length);
    base_piece(r, position, &length, value);
    assert(length > 0);
    return (struct rate_piece){from, from + length, value[0] * factor, value[1] * factor};
}

double rate_at(const struct rate *r, sim_ns t)
{
    return rate_piece_at(r, t).begin;
}

struct rate_totals rate_totals(const struct rate *r, sim_ns horizon)
{
    struct rate_totals sum = {0, 0};
    for (sim_ns t = 0; t < horizon;) {
        struct rate_piece p = rate_piece_at(r, t);
        sim_ns to = p.to < horizon ? p.to : horizon;
        double share = (double)(to - p.from) / (double)(p.to - p.from);
        double end = p.begin + (p.end - p.begin) * share;
        if (!isnan(p.begin)) {
            double high = p.begin > end ? p.begin : end;
            sum.peak_qps = high > sum.peak_qps ? high : sum.peak_qps;
            sum.requests += (p.begin + end) / 2 * ((double)(to - p.from) / (double)SIM_SECOND);
        }
        t = to;
    }
    return sum;
}
