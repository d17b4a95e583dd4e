/* dispatch_play: a random life of one service, played on any dispatcher, with a record of what it
 * said; for the tests of the dispatchers. */
#ifndef SLUICE_TESTS_DISPATCH_PLAY_H
#define SLUICE_TESTS_DISPATCH_PLAY_H

#include "models/serving/dispatch.h"
#include "sim/chance.h"
#include "workloads/traffic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLAY_REPLICAS 8
#define PLAY_RECORDS 512

enum play_kind { PLAY_MARK, PLAY_ADD, PLAY_ENDPOINT, PLAY_DRAIN, PLAY_KILL, PLAY_STOP, PLAY_HOLD };
static const char *const play_names[] = {"mark", "add",  "endpoint", "drain",
                                         "kill", "stop", "hold"};

/* What a dispatcher was told, and its tally right after. */
struct play_record {
    enum play_kind kind;
    sim_ns at;
    int64_t detail; /* replica, or what dispatch_drain returned */
    uint64_t digest;
    uint64_t arrived, served, failed[FAIL_CAUSES], tries, sent, refused, timed_out;
    uint64_t waiting, running, retrying;
    int64_t busy_ns;
    uint64_t inside_ns;             /* modulo 2^64 */
    int64_t busy_of[PLAY_REPLICAS]; /* -1: not in use */
};

struct play {
    struct dispatch_setup setup;
    struct dist services[3];
    sim_ns *times;
    size_t n_times;
    struct chance chance;
    /* the player */
    struct dispatch *d;
    uint64_t draws;
    sim_ns now, horizon, kill_at[PLAY_REPLICAS];
    int use[PLAY_REPLICAS]; /* 0 free, 1 listed, 2 draining */
    int state[PLAY_REPLICAS];
    size_t n;
    struct play_record records[PLAY_RECORDS];
    char failure[256]; /* a broken law, or the dispatcher's own error */
};

static uint64_t play_below(struct play *p, uint64_t n)
{
    return chance_below(p->chance, p->draws++, n);
}

static double play_uniform(struct play *p, double low, double high)
{
    return low + (high - low) * chance_uniform(p->chance, p->draws++);
}

static bool play_says(struct play *p, double share)
{
    return chance_uniform(p->chance, p->draws++) < share;
}

/* PLAY_TINY: durations of some tens of nanoseconds, so that everything happens at the same times.
 * PLAY_GIANT: of an hour, in runs of years, so that what could overflow does. */
enum play_scale { PLAY_TINY, PLAY_USUAL, PLAY_GIANT };

static double play_make_mean(struct play *p, enum play_scale scale)
{
    switch (scale) {
    case PLAY_TINY:
        return 1 + (double)play_below(p, 60);
    case PLAY_USUAL:
        return play_uniform(p, 1e6, 4e7);
    default:
        return play_uniform(p, 1e11, 4e12);
    }
}

static void play_make_services(struct play *p, enum play_scale scale)
{
    static const enum dist_kind kinds[] = {DIST_CONSTANT, DIST_EXPONENTIAL, DIST_UNIFORM,
                                           DIST_LOGNORMAL, DIST_GAMMA};
    enum dist_kind kind = kinds[play_below(p, 5)];
    for (int i = 0; i < 3; i++) {
        double mean = play_make_mean(p, scale);
        struct err e = {0};
        if (play_says(p, 0.3))
            kind = kinds[play_below(p, 5)];
        if (dist_make(&p->services[i], kind, mean, 0.5, &e))
            abort();
    }
}

static double play_mean_service(const struct play *p)
{
    return (p->services[0].mean + p->services[1].mean + p->services[2].mean) / 3;
}

static void play_make_times(struct play *p, size_t n, enum play_scale scale)
{
    double mean = play_mean_service(p), gap = mean / play_uniform(p, 0.3, 8);
    uint64_t quantum = scale == PLAY_TINY && play_says(p, 0.5) ? 1 + play_below(p, 20) : 1;
    bool even = play_says(p, 0.2);
    struct chance c = chance_sub(p->chance, 1);
    double at = 0;
    p->times = malloc(n * sizeof *p->times);
    p->n_times = n;
    for (size_t i = 0; i < n; i++) {
        at += even ? gap : gap * chance_exponential(c, i);
        p->times[i] = (sim_ns)((uint64_t)at / quantum * quantum);
    }
    p->horizon = p->times[n - 1] + (sim_ns)(10 * mean) + 1;
}

static void play_make(struct play *p, uint64_t seed, enum balance balance,
                      enum discipline discipline, size_t requests)
{
    memset(p, 0, sizeof *p);
    p->chance = chance_stream(seed, 0, CHANCE_TEST, 7);
    bool shared = discipline == DISCIPLINE_SHARED;
    enum play_scale scale = play_says(p, 0.5) ? PLAY_TINY : PLAY_USUAL;
    if (play_says(p, 0.1))
        scale = PLAY_GIANT;
    play_make_services(p, scale);
    play_make_times(p, requests, scale);
    double mean = play_mean_service(p);
    struct dispatch_setup *s = &p->setup;
    *s = (struct dispatch_setup){.balance = balance,
                                 .discipline = discipline,
                                 .concurrency = 1,
                                 .max_queue = INT64_MAX,
                                 .timeout_ns = SIM_NEVER,
                                 .service = p->services,
                                 .n_services = 3,
                                 .max_replicas = 1 + play_below(p, PLAY_REPLICAS),
                                 .max_in_flight = 2 * requests,
                                 .seed = seed,
                                 .entity = 3};
    if (play_says(p, 0.5))
        s->concurrency = 1 + (int64_t)play_below(p, 6);
    else if (shared && play_says(p, 0.7))
        s->concurrency = INT64_MAX;
    if (play_says(p, 0.5))
        s->max_queue = (int64_t)play_below(p, play_says(p, 0.5) ? 4 : 30);
    if (play_says(p, 0.7))
        s->timeout_ns = 1 + (sim_ns)(mean * play_uniform(p, 0.2, play_says(p, 0.5) ? 4 : 40));
    s->connect_timeout_ns = 1 + (sim_ns)(mean * play_uniform(p, 0, 8));
    s->tries = 1 + (int32_t)play_below(p, 4);
    s->workers = 1 + (uint32_t)play_below(p, 4);
}

static void play_record(struct play *p, enum play_kind kind, int64_t detail)
{
    static struct tally t;
    dispatch_mark(p->d, p->now, &t);
    if (!tally_conserves(&t))
        snprintf(p->failure, sizeof p->failure, "a tally does not conserve at %lld",
                 (long long)p->now);
    if (p->n == PLAY_RECORDS)
        return;
    struct play_record *r = &p->records[p->n++];
    *r = (struct play_record){.kind = kind,
                              .at = p->now,
                              .detail = detail,
                              .digest = dispatch_digest(p->d, p->now),
                              .arrived = t.arrived,
                              .served = t.served,
                              .tries = t.tries,
                              .sent = t.sent,
                              .refused = t.tries_refused,
                              .timed_out = t.tries_timed_out,
                              .waiting = t.waiting,
                              .running = t.running,
                              .retrying = t.retrying,
                              .busy_ns = t.busy_ns};
    r->inside_ns = tally_inside_ns(&t, p->now);
    for (uint32_t i = 0; i < PLAY_REPLICAS; i++)
        r->busy_of[i] = p->use[i] ? dispatch_busy(p->d, p->now, i) : -1;
    memcpy(r->failed, t.failed, sizeof r->failed);
}

static void play_add(struct play *p, uint32_t r)
{
    enum endpoint_state state = ENDPOINT_SERVING;
    if (play_says(p, 0.3))
        state = play_says(p, 0.8) ? ENDPOINT_LOADING : ENDPOINT_DEAD;
    dispatch_add(p->d, p->now, r, state, (uint32_t)play_below(p, 3));
    p->use[r] = 1;
    p->state[r] = (int)state;
    play_record(p, PLAY_ADD, r);
}

static void play_kill(struct play *p, uint32_t r, enum fail_cause cause)
{
    dispatch_kill(p->d, p->now, r, cause);
    p->use[r] = 0;
    p->kill_at[r] = SIM_NEVER;
    play_record(p, PLAY_KILL, r);
}

/* The time that dispatch_drain gives must be the first at which a kill fails nobody. */
static void play_kill_drained(struct play *p, uint32_t r)
{
    size_t before = p->n;
    play_record(p, PLAY_MARK, r);
    play_kill(p, r, FAIL_ABORTED);
    if (p->n >= before + 2 && p->records[before].digest != p->records[before + 1].digest)
        snprintf(p->failure, sizeof p->failure, "replica %u was not empty at %lld", (unsigned)r,
                 (long long)p->now);
}

static void play_drain(struct play *p, uint32_t r)
{
    sim_ns empty = dispatch_drain(p->d, p->now, r);
    p->use[r] = 2;
    p->kill_at[r] = SIM_NEVER;
    if (play_says(p, 0.7) && empty < p->horizon)
        p->kill_at[r] = empty;
    play_record(p, PLAY_DRAIN, empty);
}

static void play_endpoint(struct play *p, uint32_t r)
{
    int state = p->use[r] == 2 ? ENDPOINT_DEAD : (int)play_below(p, 3);
    if (play_says(p, 0.4) && p->use[r] == 1)
        state = ENDPOINT_SERVING;
    if (p->state[r] == ENDPOINT_CLOSING)
        state = ENDPOINT_DEAD;
    else if (p->state[r] == ENDPOINT_SERVING && p->use[r] == 1 && play_says(p, 0.3))
        state = ENDPOINT_CLOSING;
    dispatch_endpoint(p->d, p->now, r, (enum endpoint_state)state);
    p->state[r] = state;
    play_record(p, PLAY_ENDPOINT, r);
    if (p->use[r] == 2)
        play_drain(p, r);
}

static void play_control(struct play *p)
{
    uint32_t r = (uint32_t)play_below(p, p->setup.max_replicas);
    double what = play_uniform(p, 0, 1);
    if (what < 0.25)
        play_record(p, PLAY_MARK, 0);
    else if (what < 0.30) {
        dispatch_hold(p->d, play_says(p, 0.6));
        play_record(p, PLAY_HOLD, 0);
    } else if (p->use[r] == 0)
        play_add(p, r);
    else if (what < 0.60)
        play_endpoint(p, r);
    else if (what < 0.75)
        play_drain(p, r);
    else if (what < 0.85)
        play_kill(p, r, FAIL_LOST);
    else
        play_record(p, PLAY_MARK, 0);
}

/* Time of the next control change: some at the same nanosecond, some exactly at an arrival. */
static sim_ns play_next(struct play *p)
{
    if (play_says(p, 0.25))
        return p->now;
    sim_ns next =
        p->now + (sim_ns)((double)p->horizon / 60 * chance_exponential(p->chance, p->draws++));
    if (play_says(p, 0.3)) {
        size_t i = play_below(p, p->n_times);
        if (p->times[i] > p->now && p->times[i] < next)
            next = p->times[i];
    }
    return next < p->horizon ? next : p->horizon;
}

static void play_advance(struct play *p, sim_ns until)
{
    for (int guard = 0; p->now < until && guard < 100; guard++) {
        struct advance a = dispatch_advance(p->d, until);
        p->now = a.reached;
        if (a.why == STOP_HORIZON)
            return;
        play_record(p, PLAY_STOP, 0);
        uint32_t r = (uint32_t)play_below(p, p->setup.max_replicas);
        if (play_says(p, 0.5) && p->use[r] == 0)
            play_add(p, r);
        if (guard > 20)
            dispatch_hold(p->d, false);
    }
}

/* Advances to a control time, killing drained replicas on the way when they are empty. */
static void play_until(struct play *p, sim_ns until)
{
    for (;;) {
        uint32_t first = 0;
        for (uint32_t r = 1; r < PLAY_REPLICAS; r++)
            if (p->kill_at[r] < p->kill_at[first])
                first = r;
        sim_ns next = p->kill_at[first] < until ? p->kill_at[first] : until;
        play_advance(p, next);
        if (next == until)
            return;
        if (p->kill_at[first] == next && p->use[first] == 2 && p->now == next)
            play_kill_drained(p, first);
        p->kill_at[first] = SIM_NEVER;
    }
}

/* Plays it; the records are the same for every right implementation. */
static void play_run(struct play *p, bool use_events)
{
    struct err e = {0};
    struct arrivals *arrivals = arrivals_of_list(p->times, p->n_times, &e);
    p->draws = 1000000; /* the player's own numbers, the same for all */
    p->now = 0;
    p->n = 0;
    p->failure[0] = '\0';
    memset(p->use, 0, sizeof p->use);
    for (int r = 0; r < PLAY_REPLICAS; r++)
        p->kill_at[r] = SIM_NEVER;
    p->setup.arrivals = arrivals;
    p->setup.use_events = use_events;
    p->d = dispatch_create(&p->setup, &e);
    if (!p->d || !arrivals)
        abort();
    for (uint32_t r = 0; r < p->setup.max_replicas; r++)
        if (play_says(p, 0.7))
            play_add(p, r);
    while (p->now < p->horizon && p->n < PLAY_RECORDS) {
        play_until(p, play_next(p));
        play_control(p);
    }
    play_until(p, 2 * p->horizon);
    play_record(p, PLAY_MARK, 0);
    if (dispatch_failed(p->d, &e))
        snprintf(p->failure, sizeof p->failure, "%.200s", e.msg);
    dispatch_destroy(p->d);
    arrivals_close(arrivals);
}

static void play_free(struct play *p)
{
    free(p->times);
}

#endif
