/* inlet: the open arrivals of one dispatcher, read in blocks. */
#ifndef SLUICE_MODELS_SERVING_INLET_H
#define SLUICE_MODELS_SERVING_INLET_H

#include "sim/clock.h"

#include <stddef.h>
#include <stdint.h>

struct arrivals;

#define INLET_BLOCK 256

struct inlet {
    struct arrivals *arrivals; /* borrowed; NULL: nothing arrives */
    uint64_t taken;            /* requests taken so far: the index of the next one */
    sim_ns read_to;            /* everything before this time is in the block or taken */
    size_t next, n;
    sim_ns at[INLET_BLOCK];
};

/* Time of the next arrival strictly before `until`, or SIM_NEVER. */
sim_ns inlet_refill(struct inlet *in, sim_ns until);

static inline sim_ns inlet_peek(struct inlet *in, sim_ns until)
{
    if (in->next < in->n)
        return in->at[in->next] < until ? in->at[in->next] : SIM_NEVER;
    return inlet_refill(in, until);
}

/* After inlet_peek has shown a time. */
static inline void inlet_take(struct inlet *in)
{
    in->next++;
    in->taken++;
}

#endif
