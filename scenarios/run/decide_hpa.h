/* decide_hpa: the conformance kinds of the HorizontalPodAutoscaler. */
#ifndef SLUICE_SCENARIOS_RUN_DECIDE_HPA_H
#define SLUICE_SCENARIOS_RUN_DECIDE_HPA_H

#include "scenarios/run/decide.h"

/* Ends with a NULL kind. */
extern const struct decide_kind decide_hpa_kinds[];

#endif
