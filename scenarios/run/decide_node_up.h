/* decide_node_up: conformance kinds about adding nodes. */
#ifndef SLUICE_SCENARIOS_RUN_DECIDE_NODE_UP_H
#define SLUICE_SCENARIOS_RUN_DECIDE_NODE_UP_H

#include "scenarios/run/decide.h"

decide_fn decide_node_up_backoff;
decide_fn decide_node_up_request;
decide_fn decide_node_up_balance;
decide_fn decide_node_up_binpack;

#endif
