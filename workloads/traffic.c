/* traffic: how many requests arrive at a service, and exactly when. */
#include "workloads/traffic.h"

#include "sim/arena.h"
#include "sim/json.h"
#include "sim/text.h"
#include "sim/zone.h"
#include "workloads/local.h"
#include "workloads/request_list.h"
#include "workloads/series.h"
#include "workloads/shape.h"
#include "workloads/traffic_inside.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOTES_MAX 8
#define MONDAY_NS (4 * SIM_DAY) /* 1970-01-05 */

/* What all steps of loading need. */
struct loading {
    struct arena *arena;
    const struct traffic_config *config;
    const struct traffic_frame *frame;
    struct traffic *traffic;
    struct local *local;
};

/* How a file or profile is tied to the clock. */
struct origin {
    enum stamp_kind kind;
    int64_t ns;  /* the stamp of position 0 */
    sim_ns span; /* from there to its end; 0: it has none */
    const char *name;
};

static double scale_of(const struct traffic_config *c)
{
    return c->scale == 0 ? 1 : c->scale;
}

static int note(struct loading *l, struct err *e, const char *fmt, ...) ERR_PRINTF(3, 4);
static int note(struct loading *l, struct err *e, const char *fmt, ...)
{
    struct knob_texts *notes = &l->traffic->notes;
    char text[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (notes->items == NULL) {
        notes->items = arena_take(l->arena, NOTES_MAX, sizeof *notes->items, e);
    }
    const char *kept = arena_text(l->arena, text, strlen(text), e);
    if (notes->items == NULL || kept == NULL) {
        return -1;
    }
    assert(notes->count < NOTES_MAX);
    notes->items[notes->count++] = kept;
    return 0;
}

static const char *path_of(struct loading *l, const char *name, struct err *e)
{
    struct text path = {0};
    if (name[0] != '/' && l->frame->base_dir != NULL && l->frame->base_dir[0] != '\0') {
        text_printf(&path, "%s/", l->frame->base_dir);
    }
    text_add(&path, name);
    const char *kept = NULL;
    if (text_end(&path, e) == 0) {
        kept = arena_text(l->arena, path.s, path.length, e);
    }
    text_fini(&path);
    return kept;
}

/* ---- points ---- */

static int load_profile(struct loading *l, struct origin *o, struct err *e)
{
    const struct traffic_qps *q = &l->config->qps;
    struct rate *r = &l->traffic->rate;
    size_t n = q->source == TRAFFIC_PROFILE ? q->profile->count : 1;
    struct rate_point *points = arena_take(l->arena, n, sizeof *points, e);
    if (points == NULL) {
        return -1;
    }
    points[0] = (struct rate_point){0, q->constant};
    if (q->source == TRAFFIC_PROFILE && traffic_knobs_profile(q->profile, points, e) < 0) {
        return -1;
    }
    r->points = points;
    r->count = n;
    r->linear = q->linear;
    *o = (struct origin){STAMP_OFFSET, 0, n > 1 ? points[n - 1].at : 0, "the profile"};
    return 0;
}

static int note_series(struct loading *l, const struct series *s, const char *path, struct err *e)
{
    char length[64];
    if (s->out_of_order > 0 &&
        note(l, e, "%s: %zu %s out of order and sorted", path, s->out_of_order,
             text_plural(s->out_of_order, "row was", "rows were")) != 0) {
        return -1;
    }
    if (s->duplicates > 0 &&
        note(l, e, "%s: %zu %s with another, merged", path, s->duplicates,
             text_plural(s->duplicates, "row shares its time", "rows share their time")) != 0) {
        return -1;
    }
    if (s->jittered > 0 &&
        note(l, e, "%s: %zu %s less than half a bin late and closed the hole before", path,
             s->jittered, text_plural(s->jittered, "row came", "rows came")) != 0) {
        return -1;
    }
    text_duration(length, sizeof length, s->gap_total);
    if (s->gaps > 0 && note(l, e, "%s: %zu %s, %s in all: nothing arrives then", path, s->gaps,
                            text_plural(s->gaps, "gap", "gaps"), length) != 0) {
        return -1;
    }
    return 0;
}

static int load_series(struct loading *l, struct origin *o, struct err *e)
{
    struct rate *r = &l->traffic->rate;
    const char *path = path_of(l, l->config->qps.file, e);
    struct series s;
    if (path == NULL || series_load(&s, l->arena, path, l->config, e) != 0) {
        return -1;
    }
    r->points = s.points;
    r->count = s.count;
    *o = (struct origin){s.kind, s.origin_ns, s.span, path};
    return note_series(l, &s, path, e);
}

/* ---- the clock ---- */

static int64_t floor_seconds(int64_t ns)
{
    return ns / SIM_SECOND - (ns % SIM_SECOND < 0);
}

/* Turns time stamps of another zone than the run's into Unix time. */
static int resolve_zone(struct loading *l, struct origin *o, struct err *e)
{
    if (o->kind != STAMP_WALL || l->config->time_zone == NULL) {
        return 0;
    }
    struct zone *z = zone_load(l->config->time_zone, e);
    if (z == NULL) {
        return -1;
    }
    int64_t s = floor_seconds(o->ns), part = o->ns - s * SIM_SECOND;
    struct zone_time wall = {
        .year = 1970, .month = 1, .day = (int32_t)(1 + s / 86400), .second = (int32_t)(s % 86400)};
    o->ns = zone_unix(z, &wall) * SIM_SECOND + part;
    o->kind = STAMP_UNIX;
    zone_free(z);
    return 0;
}

/* The wall time of the run's zone at position 0. */
static int wall_of(struct loading *l, const struct origin *o, sim_ns *wall, struct err *e)
{
    *wall = o->ns;
    if (o->kind == STAMP_OFFSET) {
        *wall = l->config->repeat == TRAFFIC_WEEKLY ? MONDAY_NS : 0;
    }
    if (o->kind != STAMP_UNIX) {
        return 0;
    }
    struct zone *z = zone_load(l->frame->time_zone != NULL ? l->frame->time_zone : "UTC", e);
    if (z == NULL) {
        return -1;
    }
    *wall = o->ns + zone_offset_s(z, floor_seconds(o->ns)) * SIM_SECOND;
    zone_free(z);
    return 0;
}

/* Position at simulated time 0 for what runs by elapsed time. */
static int start_of(struct loading *l, const struct origin *o, sim_ns *start, struct err *e)
{
    *start = l->config->start;
    if (l->config->align != TRAFFIC_ALIGN_CLOCK) {
        return 0;
    }
    sim_ns left;
    switch (o->kind) {
    case STAMP_OFFSET:
        return err_set(e, ERR_INPUT, o->name,
                       "\"align\": \"clock\" needs time stamps with a date, or \"repeat\": "
                       "\"daily\" or \"weekly\"");
    case STAMP_UNIX:
        *start += l->local->epoch_ns - o->ns;
        break;
    case STAMP_WALL:
        *start += local_wall(l->local, 0, &left) - o->ns;
        break;
    }
    return 0;
}

static sim_ns period_of(const struct traffic_config *c, const struct origin *o)
{
    switch ((enum traffic_repeat)c->repeat) {
    case TRAFFIC_DAILY:
        return SIM_DAY;
    case TRAFFIC_WEEKLY:
        return 7 * SIM_DAY;
    case TRAFFIC_LOOP:
        return o->span;
    case TRAFFIC_ONCE:
        break;
    }
    return 0;
}

static int note_end(struct loading *l, const struct origin *o, sim_ns end, struct err *e)
{
    char length[64], horizon[64];
    text_duration(length, sizeof length, end);
    text_duration(horizon, sizeof horizon, l->frame->horizon);
    return note(l, e, "%s ends after %s of %s: nothing arrives later; \"repeat\" goes on", o->name,
                length, horizon);
}

static int tie(struct loading *l, struct origin *o, struct err *e)
{
    struct rate *r = &l->traffic->rate;
    if (resolve_zone(l, o, e) != 0) {
        return -1;
    }
    r->period = period_of(l->config, o);
    bool calendar = r->period > 0 && l->config->repeat != TRAFFIC_LOOP;
    if (calendar && o->span > r->period) {
        char length[64];
        text_duration(length, sizeof length, o->span);
        return err_set(e, ERR_INPUT, o->name,
                       "covers %s, more than one %s; \"repeat\": \"loop\" allows it", length,
                       l->config->repeat == TRAFFIC_DAILY ? "day" : "week");
    }
    r->by_clock = calendar && l->config->align != TRAFFIC_ALIGN_START;
    if (r->by_clock) {
        r->start = l->config->start % r->period;
        return wall_of(l, o, &r->anchor_ns, e);
    }
    if (start_of(l, o, &r->start, e) != 0) {
        return -1;
    }
    if (r->period == 0 && l->config->qps.source == TRAFFIC_FILE &&
        o->span - r->start < l->frame->horizon) {
        return note_end(l, o, o->span > r->start ? o->span - r->start : 0, e);
    }
    return 0;
}

/* ---- rates ---- */

static int load_local(struct loading *l, struct err *e)
{
    l->local = arena_take(l->arena, 1, sizeof *l->local, e);
    return l->local == NULL ? -1 : local_init(l->local, l->arena, l->frame, e);
}

static int load_shape(struct loading *l, struct err *e)
{
    if (l->config->shape == NULL) {
        return 0;
    }
    struct shape *s = arena_take(l->arena, 1, sizeof *s, e);
    if (s == NULL || shape_init(s, l->arena, l->config->shape, e) != 0) {
        return -1;
    }
    l->traffic->rate.shape = s;
    return 0;
}

static int load_factors(struct loading *l, struct err *e)
{
    const struct traffic_config *c = l->config;
    struct rate *r = &l->traffic->rate;
    r->scale = scale_of(c);
    r->growth_log = c->growth_per_month == 0 ? 0 : chance_log(1 + c->growth_per_month);
    if (load_shape(l, e) != 0) {
        return -1;
    }
    /* Pieces need no wall time when nothing follows it. */
    r->local = r->by_clock || r->shape != NULL ? l->local : NULL;
    return 0;
}

static int load_rate(struct loading *l, struct err *e)
{
    struct traffic *t = l->traffic;
    struct origin o;
    int status =
        l->config->qps.source == TRAFFIC_FILE ? load_series(l, &o, e) : load_profile(l, &o, e);
    if (status != 0 || tie(l, &o, e) != 0 || load_factors(l, e) != 0) {
        return -1;
    }
    if (l->config->repeat == TRAFFIC_LOOP && o.span == 0) {
        return err_set(e, ERR_INPUT, NULL, "a constant rate has no end to \"loop\" at");
    }
    t->totals = rate_totals(&t->rate, t->horizon);
    if (t->totals.peak_qps > TRAFFIC_MAX_QPS) {
        return err_set(e, ERR_INPUT, o.name, "reaches %g requests a second; at most %g",
                       t->totals.peak_qps, TRAFFIC_MAX_QPS);
    }
    return 0;
}

static int load_arrivals(struct loading *l, struct err *e)
{
    const struct traffic_config *c = l->config;
    struct traffic *t = l->traffic;
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

/* ---- lists ---- */

static int by_time(const void *a, const void *b)
{
    sim_ns x = *(const sim_ns *)a, y = *(const sim_ns *)b;
    return (x > y) - (x < y);
}

/* Moves the list so that position `start` becomes time 0, and scales it. What lies before goes to
 * the end of a loop, or is dropped. */
static size_t shift(sim_ns *times, const struct request_list *list, sim_ns start, sim_ns lap)
{
    size_t n = 0;
    for (size_t i = 0; i < list->count; i++) {
        sim_ns at = list->times[i] - start;
        if (lap > 0) {
            at = at % lap < 0 ? at % lap + lap : at % lap;
        }
        if (at >= 0) {
            times[n++] = at;
        }
    }
    if (lap > 0) {
        qsort(times, n, sizeof *times, by_time);
    }
    return n;
}

static sim_ns scaled(sim_ns t, double scale)
{
    double at = (double)t / scale;
    return scale == 1 ? t : at < 4e18 ? (sim_ns)at : INT64_C(4000000000000000000);
}

static double count_before(const struct traffic *t, sim_ns end)
{
    double laps = t->lap > 0 ? (double)(end / t->lap) : 0;
    sim_ns rest = t->lap > 0 ? end % t->lap : end;
    size_t n = 0;
    while (n < t->n_times && t->times[n] < rest) {
        n++;
    }
    return laps * (double)t->n_times + (double)n;
}

/* Last to first request, and a mean gap: then the rate of a loop is that of the list. */
static int lap_of(const struct loading *l, const struct request_list *list, const char *path,
                  sim_ns *lap, struct err *e)
{
    *lap = 0;
    if (l->config->repeat != TRAFFIC_LOOP) {
        return 0;
    }
    sim_ns span = list->times[list->count - 1] - list->times[0];
    if (span == 0) {
        return err_set(e, ERR_INPUT, path, "a list needs requests at two times to \"loop\"");
    }
    *lap = span + span / (sim_ns)(list->count - 1);
    double lap_s = (double)*lap / (double)SIM_SECOND / scale_of(l->config);
    if ((double)list->count / lap_s > TRAFFIC_MAX_QPS) {
        return err_set(e, ERR_INPUT, path, "scaled by %g it holds more than %g requests a second",
                       scale_of(l->config), TRAFFIC_MAX_QPS);
    }
    return 0;
}

static int load_list(struct loading *l, struct err *e)
{
    struct traffic *t = l->traffic;
    const char *path = path_of(l, l->config->requests, e);
    struct request_list list;
    if (path == NULL || request_list_load(&list, l->arena, path, l->config, e) != 0) {
        return -1;
    }
    struct origin o = {list.kind, list.origin_ns, list.times[list.count - 1], path};
    sim_ns start, lap;
    if (resolve_zone(l, &o, e) != 0 || start_of(l, &o, &start, e) != 0 ||
        lap_of(l, &list, path, &lap, e) != 0) {
        return -1;
    }
    sim_ns *times = arena_take(l->arena, list.count, sizeof *times, e);
    if (times == NULL) {
        return -1;
    }
    t->n_times = shift(times, &list, start, lap);
    double scale = scale_of(l->config);
    for (size_t i = 0; scale != 1 && i < t->n_times; i++) {
        times[i] = scaled(times[i], scale);
    }
    t->times = times;
    t->lap = scaled(lap, scale);
    t->totals.requests = count_before(t, t->horizon);
    if (list.out_of_order > 0 &&
        note(l, e, "%s: %zu %s out of order and sorted", path, list.out_of_order,
             text_plural(list.out_of_order, "row was", "rows were")) != 0) {
        return -1;
    }
    sim_ns end = t->n_times > 0 ? times[t->n_times - 1] : 0;
    return lap == 0 && end < t->horizon ? note_end(l, &o, end, e) : 0;
}

/* ---- all ---- */

struct traffic *traffic_load(struct arena *a, const struct traffic_config *c,
                             const struct traffic_frame *frame, struct err *e)
{
    assert(frame->horizon > 0);
    struct traffic *t = arena_take(a, 1, sizeof *t, e);
    if (t == NULL) {
        return NULL;
    }
    struct loading l = {a, c, frame, t, NULL};
    t->horizon = frame->horizon;
    t->clients = c->clients;
    t->think_time = c->think_time;
    t->kind = c->clients > 0        ? TRAFFIC_BY_CLIENTS
              : c->requests != NULL ? TRAFFIC_BY_LIST
                                    : TRAFFIC_BY_RATE;
    int status = load_local(&l, e);
    if (status == 0 && t->kind == TRAFFIC_BY_LIST) {
        status = load_list(&l, e);
    }
    if (status == 0 && t->kind == TRAFFIC_BY_RATE) {
        status = load_arrivals(&l, e) != 0 ? -1 : load_rate(&l, e);
    }
    return status == 0 ? t : NULL;
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

const struct knob_texts *traffic_notes(const struct traffic *t)
{
    return &t->notes;
}

int64_t traffic_clients(const struct traffic *t)
{
    return t->clients;
}

const struct dist *traffic_think_time(const struct traffic *t)
{
    return &t->think_time;
}
