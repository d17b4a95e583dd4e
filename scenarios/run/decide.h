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
#include <stddef.h>

/* One case in the hands of its kind. */
struct decide_trial {
    const struct json *input;
    const struct json *expect; /* NULL: nothing is expected */
    struct json_out *result;   /* takes one JSON value */
    struct text *reason;       /* takes the binding rule in words */
    bool pass;                 /* whether the outcome is as expected */
};

/* -1 with ERR_INPUT when the input is wrong: e->where is the place, e->msg names the field. */
typedef int decide_fn(struct decide_trial *trial, struct err *e);

struct decide_kind {
    const char *kind;
    decide_fn *run;
};

enum decide_verdict {
    DECIDE_DONE, /* nothing was expected */
    DECIDE_PASSED,
    DECIDE_FAILED,
    DECIDE_BAD, /* the case itself is wrong: e says where and why */
};

/* Runs one case and appends its line, {"name", "kind", "pass"?, "result", "reason"}, or of a bad
 * one {"name", "kind", "error"}, with a line break. */
enum decide_verdict decide_case(const struct json *c, struct text *line, struct err *e);

struct decide_tally {
    size_t cases, passed, failed, bad;
};

/* Takes whole lines in the order of the cases: results, and complaints about bad cases. */
typedef void decide_sink(void *self, const char *lines, size_t length, bool complaint);

struct decide_source {
    const char *file; /* only named */
    const char *text;
    size_t length;
    unsigned threads; /* at least 1 */
};

/* Runs every case of a text: {"format": 1, "cases": [...]}, a list of cases, one case, or cases one
 * after another (JSON Lines). Adds to the tally. A bad case is told to the sink and the others
 * run; -1 when the text around the cases is wrong or the machine is short. */
int decide_text(const struct decide_source *source, decide_sink *sink, void *self,
                struct decide_tally *tally, struct err *e);

#endif
