/* arrivals: the stream of requests of one replication, in blocks.
 *
 * A rate is turned into requests by a change of time: points whose gaps do not depend on the rate
 * (unit exponentials for Poisson, 1 for evenly spaced) are laid on the axis of the cumulated rate,
 * and each is carried back to the time at which the cumulated rate reaches it. This is exact for
 * every rate, costs one draw a request, and lets request i depend on draw i and the rate alone.
 * Blocks are made ahead, whatever the caller asks for, so the pieces in which a caller fetches
 * requests cannot change them. */
#include "sim/chance.h"
#include "workloads/rate.h"
#include "workloads/traffic.h"
#include "workloads/traffic_inside.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Two arrays of 4 KiB stay in the first cache. */
#define BLOCK 512

struct arrivals {
    const struct traffic *traffic; /* NULL: a list of the caller's */
    sim_ns horizon;                /* nothing arrives at or after it */
    bool ended;                    /* nothing comes after the block */

    size_t head, count; /* of block */
    sim_ns block[BLOCK];

    /* by rate */
    struct chance chance;
    uint64_t drawn; /* index of the next draw */
    size_t draw_head, draw_count;
    double draws[BLOCK];
    struct rate_piece piece;
    double reached;     /* cumulated rate since the piece began */
    double total;       /* over the whole piece; 0 in a gap */
    double ns_per_unit; /* constant piece: 1e9 / rate */
    double slope;       /* rate change per second; 0: constant piece */

    /* by list */
    const sim_ns *times;
    sim_ns *own_times;
    size_t n_times, next_time;
    sim_ns lap, lap_shift; /* period of a loop (0: once), and what is added in this lap */
};

/* ---- the change of time ---- */

static void enter_piece(struct arrivals *a, sim_ns from)
{
    struct rate_piece p = rate_piece_at(&a->traffic->rate, from);
    double length_s = (double)(p.to - p.from) / (double)SIM_SECOND;
    a->piece = p;
    a->reached = a->total = a->slope = 0;
    if (isnan(p.begin)) {
        return;
    }
    a->slope = (p.end - p.begin) / length_s;
    a->total = (p.begin + p.end) / 2 * length_s;
    a->ns_per_unit = (double)SIM_SECOND / p.begin;
}

/* Time at which the cumulated rate reaches `at` inside a piece with a slope: the smaller root of
 * begin * x + slope / 2 * x^2 = at, in the form that does not cancel. */
static sim_ns time_on_slope(const struct arrivals *a, double at)
{
    double begin = a->piece.begin;
    double square = begin * begin + 2 * a->slope * at;
    double root = square > 0 ? sqrt(square) : 0;
    double x_ns = begin + root > 0 ? 2 * at / (begin + root) * (double)SIM_SECOND : 0;
    sim_ns t = a->piece.from + (sim_ns)(x_ns + 0.5);
    return t < a->piece.to ? t : a->piece.to;
}

/* Lays the draws that end inside this piece; returns how many times were written. */
static size_t lay_on_constant(struct arrivals *a, sim_ns *out, size_t room)
{
    size_t left = a->draw_count - a->draw_head;
    size_t n = left < room ? left : room;
    if (a->total == 0) {
        return 0;
    }
    const double *draw = a->draws + a->draw_head;
    double reached = a->reached, total = a->total, scale = a->ns_per_unit;
    sim_ns from = a->piece.from;
    size_t i = 0;
    for (; i < n; i++) {
        double next = reached + draw[i];
        if (next > total) {
            break;
        }
        reached = next;
        out[i] = from + (sim_ns)(next * scale + 0.5);
    }
    a->reached = reached;
    a->draw_head += i;
    return i;
}

static size_t lay_on_slope(struct arrivals *a, sim_ns *out, size_t room)
{
    size_t n = 0;
    while (n < room && a->draw_head < a->draw_count) {
        double next = a->reached + a->draws[a->draw_head];
        if (next > a->total) {
            break;
        }
        a->reached = next;
        a->draw_head++;
        out[n++] = time_on_slope(a, next);
    }
    return n;
}

/* The draw that does not end in this piece goes on in the pieces that follow; the first time it
 * is carried to is *out. False when the horizon comes first. */
static bool carry_over(struct arrivals *a, sim_ns *out)
{
    double owed = a->draws[a->draw_head++];
    while (a->total == 0 || a->reached + owed > a->total) {
        owed -= a->total - a->reached;
        if (a->piece.to >= a->horizon) {
            return false;
        }
        enter_piece(a, a->piece.to);
        /* A difference of nearly equal numbers may come out as nothing, or less. */
        owed = owed > 0 ? owed : 0;
    }
    a->reached += owed;
    *out = a->slope == 0 ? a->piece.from + (sim_ns)(a->reached * a->ns_per_unit + 0.5)
                         : time_on_slope(a, a->reached);
    return true;
}

static void draw_block(struct arrivals *a)
{
    const struct traffic *t = a->traffic;
    switch (t->arrivals) {
    case TRAFFIC_POISSON:
        chance_exponentials(a->chance, a->drawn, a->draws, BLOCK);
        break;
    case TRAFFIC_EVENLY:
        for (size_t i = 0; i < BLOCK; i++) {
            a->draws[i] = 1;
        }
        break;
    case TRAFFIC_GAMMA:
    case TRAFFIC_WEIBULL:
        for (size_t i = 0; i < BLOCK; i++) {
            a->draws[i] = dist_draw(&t->gap, a->chance, a->drawn + i);
        }
        break;
    }
    a->drawn += BLOCK;
    a->draw_head = 0;
    a->draw_count = BLOCK;
}

static void fill_by_rate(struct arrivals *a)
{
    while (a->count < BLOCK && !a->ended) {
        if (a->draw_head == a->draw_count) {
            draw_block(a);
        }
        sim_ns *out = a->block + a->count;
        size_t room = BLOCK - a->count;
        a->count += a->slope == 0 ? lay_on_constant(a, out, room) : lay_on_slope(a, out, room);
        if (a->count < BLOCK && a->draw_head < a->draw_count) {
            bool more = carry_over(a, a->block + a->count);
            a->count += more;
            a->ended = !more;
        }
    }
}

/* ---- lists ---- */

static void fill_by_list(struct arrivals *a)
{
    while (a->count < BLOCK && !a->ended) {
        if (a->next_time == a->n_times) {
            a->next_time = 0;
            a->lap_shift += a->lap;
            a->ended = a->lap == 0 || a->n_times == 0 || a->lap_shift >= a->horizon;
            continue;
        }
        a->block[a->count++] = a->lap_shift + a->times[a->next_time++];
    }
}

/* ---- the stream ---- */

static void refill(struct arrivals *a)
{
    a->head = a->count = 0;
    if (a->ended) {
        return;
    }
    if (a->traffic != NULL && a->traffic->kind == TRAFFIC_BY_RATE) {
        fill_by_rate(a);
    } else {
        fill_by_list(a);
    }
    /* The last piece, or lap, may reach over the horizon. */
    while (a->count > 0 && a->block[a->count - 1] >= a->horizon) {
        a->count--;
        a->ended = true;
    }
}

/* How many of the n times at `from`, ascending, lie before `until`. */
static size_t before(const sim_ns *from, size_t n, sim_ns until)
{
    size_t low = 0, high = n;
    if (n > 0 && from[n - 1] < until) {
        return n;
    }
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (from[middle] < until) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

size_t arrivals_fill(struct arrivals *a, sim_ns until, sim_ns *out, size_t cap)
{
    size_t n = 0;
    while (n < cap) {
        if (a->head == a->count) {
            refill(a);
            if (a->count == 0) {
                break;
            }
        }
        size_t have = a->count - a->head;
        size_t take = before(a->block + a->head, have < cap - n ? have : cap - n, until);
        memcpy(out + n, a->block + a->head, take * sizeof *out);
        a->head += take;
        n += take;
        if (a->head < a->count && a->block[a->head] >= until) {
            break;
        }
    }
    return n;
}

static struct arrivals *arrivals_new(struct err *e)
{
    struct arrivals *a = calloc(1, sizeof *a);
    if (a == NULL) {
        (void)err_set(e, ERR_SYSTEM, NULL, "no memory for the arrivals of a service");
    }
    return a;
}

struct arrivals *arrivals_open(const struct traffic *t, uint64_t seed, uint64_t replication,
                               uint64_t entity, struct err *e)
{
    assert(t != NULL);
    struct arrivals *a = arrivals_new(e);
    if (a == NULL) {
        return NULL;
    }
    a->traffic = t;
    a->horizon = t->horizon;
    switch (t->kind) {
    case TRAFFIC_BY_RATE:
        a->chance = chance_stream(seed, replication, CHANCE_ARRIVAL, entity);
        enter_piece(a, 0);
        break;
    case TRAFFIC_BY_LIST:
        a->times = t->times;
        a->n_times = t->n_times;
        a->lap = t->lap;
        break;
    case TRAFFIC_BY_CLIENTS:
        a->ended = true;
        break;
    }
    return a;
}

struct arrivals *arrivals_of_list(const sim_ns *times, size_t n, struct err *e)
{
    struct arrivals *a = arrivals_new(e);
    if (a == NULL) {
        return NULL;
    }
    a->horizon = SIM_NEVER;
    a->own_times = malloc(n > 0 ? n * sizeof *times : 1);
    if (a->own_times == NULL) {
        (void)err_set(e, ERR_SYSTEM, NULL, "no memory for a list of %zu arrivals", n);
        free(a);
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        assert(times[i] >= 0 && (i == 0 || times[i] >= times[i - 1]));
        a->own_times[i] = times[i];
    }
    a->times = a->own_times;
    a->n_times = n;
    return a;
}

void arrivals_close(struct arrivals *a)
{
    if (a != NULL) {
        free(a->own_times);
        free(a);
    }
}
