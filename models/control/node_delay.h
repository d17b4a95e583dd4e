/* node_delay: how long nodes are left alone after something happened (N25). */
#ifndef SLUICE_MODELS_CONTROL_NODE_DELAY_H
#define SLUICE_MODELS_CONTROL_NODE_DELAY_H

#include "models/control/node_scaler.h"

/* Of the cluster, or of one group. SIM_NEVER: it never happened. */
struct node_delay {
    sim_ns last_add, last_delete, last_failure;
};

/* As at the start of an autoscaler: all one hour back. */
struct node_delay node_delay_start(sim_ns start);
/* Which delay holds now; the end of a delay is outside it. The first that holds, in the order
 * add, failure, delete. */
enum node_cool_down node_delay_holds(const struct node_delay *d, sim_ns after_add,
                                     sim_ns after_failure, sim_ns after_delete, sim_ns now);

#endif
