/* check: assertions about a result, such as "latency.p99 < 130ms", and how they came out. */
#ifndef SLUICE_REPORTS_CHECK_H
#define SLUICE_REPORTS_CHECK_H

#include "sim/err.h"
#include "sim/text.h"

#include <stdbool.h>
#include <stddef.h>

struct result;

#define CHECK_TEXT 256 /* longest assertion, with its final NUL */

enum check_op { CHECK_LESS, CHECK_AT_MOST, CHECK_MORE, CHECK_AT_LEAST, CHECK_EQUAL, CHECK_DIFFERS };

/* Plain memory; made by check_parse. */
struct check {
    char text[CHECK_TEXT]; /* as the user wrote it */
    char path[CHECK_TEXT];
    enum check_op op;
    char limit[64]; /* "130ms"; read by the figure's unit */
};

struct check_outcome {
    const struct check *check;
    bool holds;
    bool certain; /* the whole 95 % interval says the same; true without an interval */
    double value, limit;
    char message[400]; /* "latency.p99 is 98.3 ms (94.1 to 102 ms), asked for < 130 ms" */
};

/* "PATH OP LIMIT" with < <= > >= == !=. ERR_INPUT at `where` says what is allowed. */
int check_parse(struct check *c, const char *where, const char *text, struct err *e);
/* The limit is a duration ("130ms", or seconds) for figures in seconds, "60000 CNY" or a number for
 * money of that currency, "30%" or 0.3 for shares, a number otherwise. ERR_INPUT when the result
 * has no such figure (with the nearest one) or the limit does not fit its unit. */
int check_judge(const struct check *c, const struct result *r, struct check_outcome *out,
                struct err *e);

/* A JUnit report: one test case an assertion. name is the suite's. */
void check_junit(const struct check_outcome *outcomes, size_t n, const char *name, struct text *to);

#endif
