/* findings: what explains the numbers of a result, in words. */
#ifndef SLUICE_SCENARIOS_RUN_FINDINGS_H
#define SLUICE_SCENARIOS_RUN_FINDINGS_H

#include "sim/err.h"

#include <stddef.h>

struct result;
struct result_finding;
struct scenario;

#define FINDINGS_MAX 96

/* Fills at most FINDINGS_MAX; the words live in the result's arena. Returns how many, or -1 with
 * ERR_SYSTEM. */
int findings_collect(const struct result *r, const struct scenario *s, struct result_finding *out,
                     struct err *e);

#endif
