/* decide: controller cases of the conformance format, one function a kind.
 *
 * A case is {"name", "kind", "input", "expect"?}. Its kind's function reads the input, lets the
 * same code decide as in a simulation, writes what came out and compares it with what is expected;
 * a key missing from expect is not checked. */
#ifndef SLUICE_SCENARIOS_RUN_DECIDE_H
#define SLUICE_SCENARIOS_RUN_DECIDE_H

#include "sim/err.h"
#include "sim/json.h"
#include "sim/text.h"

#include <stdbool.h>

/* Writes one JSON value to result, and the binding rule in words to reason. expect may be NULL;
 * then *pass stays as it is. -1 with ERR_INPUT when the input is wrong: e->where is the place,
 * e->msg names the field. */
typedef int decide_fn(const struct json *input, const struct json *expect, struct json_out *result,
                      bool *pass, struct text *reason, struct err *e);

struct decide_kind {
    const char *kind;
    decide_fn *run;
};

#endif
