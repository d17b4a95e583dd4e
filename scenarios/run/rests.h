/* rests: the catalogue's figures that a run used, among what the answer rests on. */
#ifndef SLUICE_SCENARIOS_RUN_RESTS_H
#define SLUICE_SCENARIOS_RUN_RESTS_H

#include "sim/err.h"
#include "sim/result.h"

struct scenario;

/* Fills r->assumptions: the scenario's own, then the prices of what r has bills of (on demand, by
 * subscription, as spot), the spot markets and the delivery times of its pools. -1 and
 * ERR_SYSTEM. */
int rests_collect(struct result *r, const struct scenario *s, struct err *e);

#endif
