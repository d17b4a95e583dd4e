/* lint: what an expert sees in a scenario and its manifests before any run.
 *
 * Rules, each named in its findings: route, api-version, readiness, liveness, target, peak,
 * plan-order, gpu-mix, placement, reach, headroom, credentials, indentation, not-followed. Findings
 * point to the file and line where the value stands; credentials are named by their key, never
 * shown. */
#ifndef SLUICE_SCENARIOS_RUN_LINT_H
#define SLUICE_SCENARIOS_RUN_LINT_H

#include "sim/err.h"

#include <stddef.h>

struct scenario;

enum lint_level { LINT_NOTE, LINT_WARNING, LINT_ERROR };

struct lint_finding {
    enum lint_level level;
    const char *rule; /* "readiness" */
    char where[300];  /* "hpa.yaml:19:29" */
    char words[400];
};

#define LINT_MAX 256

/* Open data. */
struct lint {
    struct lint_finding items[LINT_MAX];
    size_t n;     /* those beyond LINT_MAX are dropped */
    size_t count; /* of errors */
};

/* ERR_INPUT when the catalogue lacks what a pool names. */
int lint_scenario(struct lint *out, const struct scenario *s, struct err *e);
const char *lint_level_name(enum lint_level l); /* "error" */

#endif
