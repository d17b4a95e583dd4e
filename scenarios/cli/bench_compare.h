/* bench_compare: two measurements beside each other, if they may be. */
#ifndef SLUICE_SCENARIOS_CLI_BENCH_COMPARE_H
#define SLUICE_SCENARIOS_CLI_BENCH_COMPARE_H

#include "sim/result.h"
#include "sim/text.h"

#include <stdbool.h>

struct arena;
struct err;

struct bench_compare_rule {
    double tolerance; /* share that nobody minds */
    bool force;       /* compare across environments */
    const char *db;   /* NULL: sluice.db */
};

/* which: a JSON file that `sluice bench` wrote, or a stored measurement as store_find means it. */
int bench_compare_load(struct arena *a, const char *which, const char *db, struct result *out,
                       struct err *e);
/* Appends a table. 1: something is slower beyond what both scatter; 0: nothing is; -1 with
 * ERR_INPUT: they were made on different machines or in different ways, and the rule does not force
 * it, or they have nothing in common. */
int bench_compare(const struct result *before, const struct result *now,
                  const struct bench_compare_rule *rule, struct text *to, struct err *e);
/* The measurement that was just made against the one named by against (NULL: does nothing): the
 * table goes behind a text, and to standard error beside a JSON document. As bench_compare. */
struct bench_arguments;
int bench_compare_now(const struct bench_arguments *a, struct arena *arena,
                      const struct result *now, struct err *e);

#endif
