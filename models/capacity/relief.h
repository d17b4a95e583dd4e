/* relief: whether node pools will bring a node for a waiting pod, or it is of no use to wait. */
#ifndef SLUICE_MODELS_CAPACITY_RELIEF_H
#define SLUICE_MODELS_CAPACITY_RELIEF_H

#include "sim/clock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct group;
struct nodes;
struct pod_shape;
struct pods;

/* Open data, borrowed for the call. */
struct relief {
    const struct group *groups;
    size_t n_groups;
    const struct nodes *nodes;
    const struct pods *pods;
    const struct pod_shape *shapes; /* [shape] */
    bool buys;                      /* an autoscaler buys what pods wait for */
};

/* True when machines that are on their way have room for the pod after those that wait before it,
 * or a pool below its maximum has stock of a machine that holds it. */
bool relief_comes(const struct relief *r, sim_ns now, uint32_t pod);

#endif
