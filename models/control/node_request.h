/* node_request: nodes that were asked for and have not come yet (N15-N17). */
#ifndef SLUICE_MODELS_CONTROL_NODE_REQUEST_H
#define SLUICE_MODELS_CONTROL_NODE_REQUEST_H

#include "sim/clock.h"

#include <stdbool.h>
#include <stdint.h>

/* One a group; {0}: nothing asked for. */
struct node_request {
    int32_t increase; /* nodes asked for and not written off; 0: no request */
    sim_ns asked;     /* last increase */
    sim_ns deadline;
};

/* More (delta > 0) sets a new deadline for all; fewer keeps it; at zero or below the request is
 * gone. */
void node_request_change(struct node_request *r, int32_t delta, sim_ns max_provision, sim_ns now);
/* Looks at the group: `upcoming` nodes are still missing. All here: the request is done and gone.
 * Deadline passed, strictly: returns the whole recorded increase, by which the target is to fall
 * even if some nodes came, and the request is gone. Else 0. */
int32_t node_request_update(struct node_request *r, int32_t upcoming, sim_ns now);

#endif
