/* run: a scenario's replications over threads, merged into one result. */
#ifndef SLUICE_SCENARIOS_RUN_RUN_H
#define SLUICE_SCENARIOS_RUN_RUN_H

#include "sim/err.h"
#include "sim/result.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

struct scenario;

struct run_options {
    size_t threads; /* 0: as many as processors are on line */
    bool use_events;
    bool robustness; /* tries other figures and presets too, as far as the scenario allows */
    const volatile sig_atomic_t *stop;          /* may be NULL */
    void (*progress)(void *self, double share); /* called by one thread at a time; may be NULL */
    void *self;
    const char *command; /* how the user can do it again */
};

struct run; /* owns the replications' recorders and the merged result */

/* Same result for any number of threads. NULL and *e when any replication failed: the error of the
 * lowest replication number. */
struct run *run_scenario(const struct scenario *s, const struct run_options *o, struct err *e);
const struct result *run_result(const struct run *r);
void run_destroy(struct run *r);

#endif
