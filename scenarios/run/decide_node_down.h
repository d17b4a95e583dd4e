/* decide_node_down: conformance kinds about giving nodes back. */
#ifndef SLUICE_SCENARIOS_RUN_DECIDE_NODE_DOWN_H
#define SLUICE_SCENARIOS_RUN_DECIDE_NODE_DOWN_H

#include "scenarios/run/decide.h"

decide_fn decide_node_down_utilization;
decide_fn decide_node_down_eligible;
decide_fn decide_node_down_removable_one;
decide_fn decide_node_down_removable_many;
decide_fn decide_node_down_unneeded_update;
decide_fn decide_node_down_local_delay;

#endif
