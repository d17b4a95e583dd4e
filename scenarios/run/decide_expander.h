/* decide_expander: conformance kinds about the choice among pools that could grow. */
#ifndef SLUICE_SCENARIOS_RUN_DECIDE_EXPANDER_H
#define SLUICE_SCENARIOS_RUN_DECIDE_EXPANDER_H

#include "scenarios/run/decide.h"

decide_fn decide_expander_least_waste;
decide_fn decide_expander_most_pods;
decide_fn decide_expander_least_nodes;
decide_fn decide_expander_priority;
decide_fn decide_expander_price;

#endif
