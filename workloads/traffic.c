/* traffic: how many requests arrive at a service, and exactly when. */
#include "workloads/traffic.h"

#include "sim/arena.h"
#include "sim/json.h"
#include "workloads/traffic_inside.h"

#include <assert.h>
#include <math.h>

static int load_points(struct arena *a, const struct traffic_config *c, struct rate *r,
                       struct err *e)
{
    size_t n = c->qps.source == TRAFFIC_PROFILE ? c->qps.profile->count : 1;
    struct rate_point *points = arena_take(a, n, sizeof *points, e);
    if (points == NULL) {
        return -1;
    }
    if (c->qps.source == TRAFFIC_PROFILE) {
        if (traffic_knobs_profile(c->qps.profile, points, e) < 0) {
            return -1;
        }
    } else {
        points[0] = (struct rate_point){0, c->qps.constant};
    }
    r->points = points;
    r->count = n;
    r->linear = c->qps.linear;
    return 0;
}

static int load_rate(struct arena *a, const struct traffic_config *c, struct traffic *t,
                     struct err *e)
{
    struct rate *r = &t->rate;
    if (load_points(a, c, r, e) != 0) {
        return -1;
    }
    r->start = c->start;
    r->scale = c->scale == 0 ? 1 : c->scale;
    r->growth_log = c->growth_per_month == 0 ? 0 : chance_log(1 + c->growth_per_month);
    t->totals = rate_totals(r, t->horizon);
    if (t->totals.peak_qps > TRAFFIC_MAX_QPS) {
        return err_set(e, ERR_INPUT, NULL, "a rate of %g requests a second is above %g",
                       t->totals.peak_qps, TRAFFIC_MAX_QPS);
    }
    return 0;
}

static int load_arrivals(const struct traffic_config *c, struct traffic *t, struct err *e)
{
    t->arrivals = TRAFFIC_POISSON;
    if (c->arrivals.option != NULL) {
        t->arrivals = *(const enum traffic_arrivals *)c->arrivals.option->descriptor;
    }
    if (t->arrivals == TRAFFIC_GAMMA || t->arrivals == TRAFFIC_WEIBULL) {
        const struct traffic_renewal *renewal = c->arrivals.config;
        enum dist_kind kind = t->arrivals == TRAFFIC_GAMMA ? DIST_GAMMA : DIST_WEIBULL;
        return dist_make(&t->gap, kind, 1, renewal->cv, e);
    }
    return 0;
}

struct traffic *traffic_load(struct arena *a, const struct traffic_config *c,
                             const struct traffic_frame *frame, struct err *e)
{
    assert(frame->horizon > 0);
    struct traffic *t = arena_take(a, 1, sizeof *t, e);
    if (t == NULL) {
        return NULL;
    }
    t->horizon = frame->horizon;
    if (c->clients > 0) {
        t->kind = TRAFFIC_BY_CLIENTS;
        t->clients = c->clients;
        t->think_time = c->think_time;
        return t;
    }
    t->kind = TRAFFIC_BY_RATE;
    if (load_arrivals(c, t, e) != 0 || load_rate(a, c, t, e) != 0) {
        return NULL;
    }
    return t;
}

double traffic_qps(const struct traffic *t, sim_ns at)
{
    return t->kind == TRAFFIC_BY_RATE ? rate_at(&t->rate, at) : (double)NAN;
}

double traffic_peak_qps(const struct traffic *t)
{
    return t->totals.peak_qps;
}

double traffic_expected(const struct traffic *t)
{
    return t->totals.requests;
}

int64_t traffic_clients(const struct traffic *t)
{
    return t->clients;
}

const struct dist *traffic_think_time(const struct traffic *t)
{
    return &t->think_time;
}
