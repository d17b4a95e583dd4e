/* compare: what changed from one result to another, and whether that is more than chance. */
#ifndef SLUICE_REPORTS_COMPARE_H
#define SLUICE_REPORTS_COMPARE_H

#include "sim/err.h"
#include "sim/result.h"
#include "sim/text.h"

#include <stdbool.h>
#include <stddef.h>

/* Of one figure. a and b are per replication also for counts. NaN: that side has no such figure. */
struct compare_row {
    const char *path, *unit;
    double a, b;
    double low, high; /* 95 % interval of b - a; NaN when there is none */
    bool moved;       /* the interval lies on one side of 0; without an interval: b != a */
};

/* Borrows paths and units from the results; rows live in the arena that made it. */
struct compare {
    const char *name_a, *name_b;
    bool paired; /* by replication */
    struct compare_row *rows;
    size_t n;
};

/* Replication i of a against replication i of b, n of each, made with the same seeds: what chance
 * does to both cancels. Intervals by Student's t over the n differences (none for n < 2). */
int compare_paired(struct compare *c, const struct result *const *a, const struct result *const *b,
                   size_t n, struct arena *arena, struct err *e);
/* Two merged results, as a store has them: intervals as if independent, so on the wide side when
 * both runs share their random numbers. */
int compare_merged(struct compare *c, const struct result *a, const struct result *b,
                   struct arena *arena, struct err *e);

/* Lines of at most 80 columns: what moved, then how many did not. */
void compare_text(const struct compare *c, bool colour, struct text *to);
/* One document of schema "sluice.compare/1". */
void compare_json(const struct compare *c, struct text *to);

#endif
