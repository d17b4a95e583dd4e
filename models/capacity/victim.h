/* victim: which spot machine its platform takes first. */
#ifndef SLUICE_MODELS_CAPACITY_VICTIM_H
#define SLUICE_MODELS_CAPACITY_VICTIM_H

#include "sim/chance.h"
#include "sim/clock.h"

#include <stdint.h>

struct node;
struct pools;

/* Machines that come into question: spot, there, not announced yet. */
struct victim_filter {
    uint64_t before;       /* only those with a smaller uid */
    int64_t group, zone;   /* of this pool and zone; below 0: any */
    sim_ns unprotected_at; /* only those whose protection has ended by then; below 0: any */
};

int64_t victim_count(const struct pools *s, const struct victim_filter *f);
/* The lowest bid goes first, ties are random (ECS documentation, preemptible instances,
 * 2021-07-19). NODES_NONE when there is none. */
uint32_t victim_next(const struct pools *s, const struct victim_filter *f, struct chance ties);

#endif
