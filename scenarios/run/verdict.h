/* verdict: one sentence on whether the scenario holds, and the findings that explain it. */
#ifndef SLUICE_SCENARIOS_RUN_VERDICT_H
#define SLUICE_SCENARIOS_RUN_VERDICT_H

#include "sim/err.h"
#include "sim/result.h"

struct scenario;

/* Fills r->verdict, r->judged and r->holds (what nothing is asked of, or nothing could be judged
 * of, does not hold) and adds findings, from the merged figures and the scenario. Takes memory from
 * r->arena. */
int verdict_give(struct result *r, const struct scenario *s, struct err *e);

#endif
