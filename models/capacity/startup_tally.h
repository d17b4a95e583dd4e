/* startup_tally: what starts took, phase by phase, and which phase was the longest.
 *
 * The phases of one pod follow each other, so all of them are on its critical path: its longest
 * phase is where a saved second is easiest to find. */
#ifndef SLUICE_MODELS_CAPACITY_STARTUP_TALLY_H
#define SLUICE_MODELS_CAPACITY_STARTUP_TALLY_H

#include "models/capacity/startup.h"
#include "sim/clock.h"

#include <stdint.h>

struct recorder;

/* Open data; zeroed to begin with. */
struct startup_tally {
    uint64_t ready, restarts;
    double sum_s[STARTUP_PHASES], max_s[STARTUP_PHASES], total_s, total_max_s;
    uint64_t longest[STARTUP_PHASES]; /* pods whose longest phase this was */
};

/* A pod got ready: spent adds up to total. */
void startup_tally_add(struct startup_tally *t, const sim_ns spent[STARTUP_PHASES], sim_ns total);
/* The longest one; of equals the one that comes first in a start. */
enum startup_phase startup_tally_longest(const sim_ns spent[STARTUP_PHASES]);
/* Figures startup.<phase>.{mean,max,share,longest}, startup.total.{mean,max}, startup.pods,
 * startup.restarts, and the finding "startup-critical". */
void startup_tally_write(const struct startup_tally *t, struct recorder *r);

#endif
