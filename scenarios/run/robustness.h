/* robustness: which figures and presets would turn the verdict.
 *
 * One candidate at a time is put to another value and a replication is played again with the same
 * chance. What it changes in the shares of windows and in the money is added to what the whole run
 * found (paired differences), and the verdict is given anew. Where all candidates do not fit into
 * the work allowed, they are first screened over a stretch of one replication: the one with the
 * most missed windows, or the most traffic. Only what replays of the whole horizon over all
 * replications, or over three, confirm is said to turn the verdict; every spot market gets a whole
 * replication if there is work left. A figure that turns the verdict at the end of its range is
 * then halved in, to the nearest value that does.
 *
 * The plan depends on counts of the run alone, never on time or threads: same bytes everywhere. */
#ifndef SLUICE_SCENARIOS_RUN_ROBUSTNESS_H
#define SLUICE_SCENARIOS_RUN_ROBUSTNESS_H

#include "sim/err.h"
#include "sim/result.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

struct scenario;

/* Open data, borrowed. */
struct robustness {
    const struct scenario *scenario;
    const struct result *const *each; /* [replication]: of that one alone */
    size_t threads;
    bool use_events;
    const volatile sig_atomic_t *stop;          /* may be NULL */
    void (*progress)(void *self, double share); /* may be NULL */
    void *self;
};

/* Fills r->trials, r->trials_left, r->trials_from and r->trials_part, from r, which is merged and
 * has its verdict. -1 and ERR_SYSTEM or ERR_INTERRUPTED. A value that the models refuse is left
 * out. */
int robustness_try(struct result *r, const struct robustness *how, struct err *e);

#endif
