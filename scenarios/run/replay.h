/* replay: one replication played again with something else in it, over the whole horizon or a
 * stretch, and what its promises came to. */
#ifndef SLUICE_SCENARIOS_RUN_REPLAY_H
#define SLUICE_SCENARIOS_RUN_REPLAY_H

#include "sim/clock.h"
#include "sim/err.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct result;
struct scenario;
struct scenario_change;
struct standing;

#define REPLAY_SERVICES 64

/* Open data: what promises are held against, summed over `n` replications. */
struct replay_sums {
    double windows[REPLAY_SERVICES], held[REPLAY_SERVICES];
    double month, total; /* money */
    double jobs_failed, jobs_never, jobs_cut;
    uint32_t n;
};

void replay_add(struct replay_sums *sums, const struct result *r, const struct scenario *s);
/* As if these replications had been the run; share has room for one a service. */
void replay_standing(const struct replay_sums *sums, const struct scenario *s, double *share,
                     struct standing *out);

/* Part of the horizon. */
struct replay_stretch {
    sim_ns from, length;
};

/* The stretch of so many whole hours that holds most of the SLO windows that were missed, by the
 * latency series of r, and of those the one with the most traffic. From 0 where the traffic cannot
 * be begun later: it grows, comes from a list or a fixed number of clients. */
struct replay_stretch replay_busiest(const struct scenario *s, const struct result *r,
                                     sim_ns length);

/* Borrowed. */
struct replay {
    const struct scenario *scenario;
    const struct scenario_change *change; /* NULL: none */
    struct replay_stretch stretch;        /* length 0: the whole horizon */
    uint64_t replication;
    bool use_events;
    const volatile sig_atomic_t *stop; /* may be NULL */
};

/* Adds what came of it to *sums. -1 and *e when the models refuse the value, or it was stopped. */
int replay_play(const struct replay *p, struct replay_sums *sums, struct err *e);

#endif
