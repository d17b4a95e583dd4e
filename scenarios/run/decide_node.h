/* decide_node: the conformance kinds of the node autoscaler. */
#ifndef SLUICE_SCENARIOS_RUN_DECIDE_NODE_H
#define SLUICE_SCENARIOS_RUN_DECIDE_NODE_H

#include "scenarios/run/decide.h"

/* Ends with a NULL kind. */
extern const struct decide_kind decide_node_kinds[];

#endif
