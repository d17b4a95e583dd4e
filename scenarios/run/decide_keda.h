/* decide_keda: the conformance kinds of KEDA. */
#ifndef SLUICE_SCENARIOS_RUN_DECIDE_KEDA_H
#define SLUICE_SCENARIOS_RUN_DECIDE_KEDA_H

#include "scenarios/run/decide.h"

/* Ends with a NULL kind. */
extern const struct decide_kind decide_keda_kinds[];

#endif
