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
struct bench_arguments;
/* Before anything is measured: is what `against` names there, and the tolerance a share? */
int bench_compare_check(const struct bench_arguments *a, struct err *e);
/* The measurement that was just made, at started_s of Unix time. */
struct bench_made {
    const struct result *result;
    double started_s;
};
/* Sets it against the one named by `against`, if any, and stores it unless told not to. The table
 * goes behind a text, and to standard error beside a JSON document. As bench_compare. */
int bench_compare_keep(const struct bench_arguments *a, struct arena *arena,
                       const struct bench_made *made, struct err *e);

#endif
