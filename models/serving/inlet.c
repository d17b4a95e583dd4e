/* inlet: the open arrivals of one dispatcher. */
#include "models/serving/inlet.h"

#include "workloads/traffic.h"

#include <assert.h>

sim_ns inlet_refill(struct inlet *in, sim_ns until)
{
    assert(in->next == in->n);
    if (!in->arrivals || until <= in->read_to)
        return SIM_NEVER;
    in->next = 0;
    in->n = arrivals_fill(in->arrivals, until, in->at, INLET_BLOCK);
    if (in->n < INLET_BLOCK)
        in->read_to = until;
    return in->n > 0 ? in->at[0] : SIM_NEVER;
}
