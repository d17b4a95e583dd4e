/* step_bench: how long each kind of step of a network takes, and what it moves meanwhile. */
#ifndef SLUICE_KERNELS_STEP_BENCH_H
#define SLUICE_KERNELS_STEP_BENCH_H

#include "kernels/network_bench.h"

#include <stddef.h>

#define STEP_BENCH_MAX 256

/* Steps of one shape are one row. */
struct step_bench_row {
    const char *name; /* of the first such step */
    enum step_kind kind;
    size_t count;  /* such steps in the network */
    double time_s; /* of one, back to back: median */
    double cold_s; /* with its data out of the last cache; 0: not measured */
    double flop;   /* of one; of steps without products their additions and the like */
    double bytes;  /* that one reads and writes at least, each value once */
    double share;  /* of all steps' time */
};

const char *step_bench_kind(enum step_kind k); /* "convolution", ... */

/* The rows in the arena, the largest share first. */
int step_bench(struct arena *a, const struct network_choice *m, const struct backend *backend,
               struct step_bench_row **rows, size_t *n, struct err *e);

#endif
