/* step_bench: how long each kind of step of a network takes, and what it moves meanwhile. */
#ifndef SLUICE_KERNELS_STEP_BENCH_H
#define SLUICE_KERNELS_STEP_BENCH_H

#include "kernels/backend.h"
#include "kernels/environment.h"
#include "kernels/gpu_watch.h"
#include "kernels/latency.h"
#include "kernels/network_source.h"
#include "kernels/stopwatch.h"

#include <stddef.h>

#define STEP_BENCH_MAX 256

/* Steps of one shape are one row. */
struct step_bench_row {
    const char *name; /* of the first such step, */
    size_t step;      /* and its place in the plan */
    enum step_kind kind;
    size_t count;                     /* such steps in the network */
    double time_s;                    /* of one, back to back: median */
    double low_s, high_s;             /* quartiles of it */
    struct latency_percentile median; /* the median with the interval that its samples allow */
    size_t samples;
    bool stable;    /* the rule's spread was met */
    bool throttled; /* a GPU was slow each time, as gpu_watch.h has it */
    double cold_s;  /* with its data out of the last cache; median */
    double flop;    /* of one; of steps without products their additions and the like */
    double bytes;   /* that one reads and writes at least, each value once */
    double share;   /* of all steps' time */
};

const char *step_bench_kind(enum step_kind k); /* "convolution", ... */

struct step_bench_rule {
    struct stopwatch_rule each; /* back to back, by the device's own clock where it has one */
    size_t cold_runs;
    double most_s; /* steps that would begin later, once the weights are there, are left out */
};
extern const struct step_bench_rule step_bench_usual; /* a third of a second each at most */

struct step_bench {
    struct step_bench_row *rows; /* in the arena, the largest share of the time first */
    size_t n, left_out;          /* rows, and kinds of steps for which there was no time */
    struct environment environment;
    struct backend_device device;
    struct gpu_usage gpu; /* no samples on the processor */
};

int step_bench(struct arena *a, const struct network_choice *m, const struct backend *backend,
               const struct step_bench_rule *rule, struct step_bench *out, struct err *e);
/* The same for a plan that is there, with these weights and the input of a seed. */
struct step_bench_subject {
    const struct network *plan;
    const struct backend *backend;
    const struct weight_source *weights;
    uint64_t seed;
};
int step_bench_plan(struct arena *a, const struct step_bench_subject *s,
                    const struct step_bench_rule *rule, struct step_bench *out, struct err *e);
/* Whether two steps are one row: of one kind, with the same work and the same traffic. */
bool step_bench_alike(const struct network_step *a, const struct network_step *b);

#endif
