/* decide_kpa: the conformance kinds of the Knative pod autoscaler. */
#ifndef SLUICE_SCENARIOS_RUN_DECIDE_KPA_H
#define SLUICE_SCENARIOS_RUN_DECIDE_KPA_H

#include "scenarios/run/decide.h"

/* Ends with a NULL kind. */
extern const struct decide_kind decide_kpa_kinds[];

#endif
