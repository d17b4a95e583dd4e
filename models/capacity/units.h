/* units: which unit of its owner's placement a waiting pod goes to. */
#ifndef SLUICE_MODELS_CAPACITY_UNITS_H
#define SLUICE_MODELS_CAPACITY_UNITS_H

#include "sim/clock.h"
#include "sim/sim.h"

#include <stdbool.h>
#include <stdint.h>

struct cluster_setup;
struct nodes;
struct pod;
struct pods;
struct shapes;

/* Open data of a cluster; borrowed. */
struct units {
    const struct cluster_setup *set;
    const struct shapes *shapes;
    const struct pods *pods;
    const struct nodes *nodes;
    const bool *off_nodes; /* [shape]: no node may have its pods */
    void *self;
    sim_fn *due; /* a pod has waited for its timeout: the scheduler looks again */
};

/* Gives a pending pod of a placement the unit that it belongs to now. Whether it may look for a
 * place at all; *node is set when a unit has found one already. A pod without a placement may. */
bool units_find(struct units *u, sim_ns now, struct pod *p, uint32_t *node);

#endif
