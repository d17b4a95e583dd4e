/* node_delay: three clocks. */
#include "models/control/node_delay.h"

struct node_delay node_delay_start(sim_ns start)
{
    sim_ns t = start - SIM_HOUR;
    return (struct node_delay){.last_add = t, .last_delete = t, .last_failure = t};
}

static bool holds(sim_ns last, sim_ns delay, sim_ns now)
{
    return last != SIM_NEVER && now - last < delay;
}

enum node_cool_down node_delay_holds(const struct node_delay *d, sim_ns after_add,
                                     sim_ns after_failure, sim_ns after_delete, sim_ns now)
{
    if (holds(d->last_add, after_add, now))
        return NODE_COOL_AFTER_ADD;
    if (holds(d->last_failure, after_failure, now))
        return NODE_COOL_AFTER_FAILURE;
    if (holds(d->last_delete, after_delete, now))
        return NODE_COOL_AFTER_DELETE;
    return NODE_COOL_NONE;
}
