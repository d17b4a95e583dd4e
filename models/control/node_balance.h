/* node_balance: which groups are similar, and how new nodes are spread over them (N14). */
#ifndef SLUICE_MODELS_CONTROL_NODE_BALANCE_H
#define SLUICE_MODELS_CONTROL_NODE_BALANCE_H

#include "models/control/node_scaler.h"

struct node_balance_group {
    int32_t size, max; /* size may exceed max */
    int32_t add;       /* out */
};

/* Adds node by node to the smallest group, the earlier one when sizes are equal; full groups drop
 * out; what no group can take is cut. Returns the nodes added. */
int32_t node_balance_spread(struct node_balance_group *groups, size_t n, int32_t new_nodes);

/* Same labels apart from zone-like ones, equal CPU and GPU capacity, memory capacity within
 * 1.5 %, allocatable and free within 5 % of the larger. */
bool node_balance_similar(const struct node_scaler_group *a, const struct node_scaler_group *b);

#endif
