/* node_unneeded: which nodes are not needed, since when, and whether they may go now (N21-N27). */
#ifndef SLUICE_MODELS_CONTROL_NODE_UNNEEDED_H
#define SLUICE_MODELS_CONTROL_NODE_UNNEEDED_H

#include "models/control/node_scaler.h"
#include "models/control/node_settings.h"
#include "models/control/node_utilization.h"

/* What eligibility looks at. */
struct node_candidate {
    bool autoscaled;
    bool ready;
    bool scale_down_disabled;
    sim_ns deleting_since; /* SIM_NEVER: not being deleted */
    bool gpu_node;
    const struct node_utilization *utilization; /* NULL: cannot be told */
};

/* NODE_DOWN_UNNEEDED, or the first reason against it. A deletion older than 5 minutes has gone
 * wrong: the node is looked at again. */
enum node_down_reason node_unneeded_eligible(const struct node_scaler_config *c,
                                             const struct node_candidate *n, sim_ns now);

/* One tracked node. */
struct node_unneeded {
    uint64_t id;
    sim_ns since;
};

/* The list after a scan: `next` holds the ids found unneeded now; their `since` is filled from
 * the list before, or with now. Nodes that left the list are forgotten. */
void node_unneeded_update(const struct node_unneeded *before, size_t n_before,
                          struct node_unneeded *next, size_t n_next, sim_ns now);
/* Where a node stands in a list, or NULL. */
const struct node_unneeded *node_unneeded_find(const struct node_unneeded *list, size_t n,
                                               uint64_t id);

/* How long it must stay unneeded. */
sim_ns node_unneeded_wait(const struct node_scaler_config *c, bool ready);

struct node_removal {
    bool scale_down_disabled, autoscaled, ready;
    sim_ns unneeded_for;
    int32_t group_size; /* nodes left, those being deleted still counted; without those that this
                           scan has picked before */
    int32_t group_min;
    int32_t deletions_in_progress; /* in the group */
};

/* NODE_DOWN_DELETE, or why the node stays for now. */
enum node_down_reason node_unneeded_removable(const struct node_scaler_config *c,
                                              const struct node_removal *r);

/* How long the list may be: `length` now (N27). */
int64_t node_unneeded_limit(const struct node_scaler_config *c, int64_t length);

#endif
