/* decide_node: kinds by name. */
#include "scenarios/run/decide_node.h"

#include "scenarios/run/decide_expander.h"
#include "scenarios/run/decide_node_down.h"
#include "scenarios/run/decide_node_up.h"

const struct decide_kind decide_node_kinds[] = {
    {"utilization", decide_node_down_utilization},
    {"eligible", decide_node_down_eligible},
    {"removable_one", decide_node_down_removable_one},
    {"removable_many", decide_node_down_removable_many},
    {"unneeded_update", decide_node_down_unneeded_update},
    {"local_delay", decide_node_down_local_delay},
    {"expander_least_waste", decide_expander_least_waste},
    {"expander_most_pods", decide_expander_most_pods},
    {"expander_least_nodes", decide_expander_least_nodes},
    {"expander_priority", decide_expander_priority},
    {"expander_price", decide_expander_price},
    {"backoff", decide_node_up_backoff},
    {"scale_up_request", decide_node_up_request},
    {"balance", decide_node_up_balance},
    {"binpack", decide_node_up_binpack},
    {0},
};
