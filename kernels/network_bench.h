/* network_bench: how long whole networks take on this machine's processor. */
#ifndef SLUICE_KERNELS_NETWORK_BENCH_H
#define SLUICE_KERNELS_NETWORK_BENCH_H

#include "kernels/latency.h"
#include "kernels/network.h"
#include "kernels/weight.h"

#include <stdbool.h>

/* When to stop: after both min_s and min_runs, once the medians of the last three windows lie
 * within `spread` of each other, at the latest after max_s. */
struct network_bench_rule {
    double min_s, max_s;
    size_t min_runs;
    double spread; /* largest / smallest - 1; LoadGen and perf_analyzer use 0.1 */
};

extern const struct network_bench_rule network_bench_usual;

/* "inception_v3" or "bert_base" with seeded weights. batch and sequence (0: the model's own) as
 * the plan allows. */
struct network_bench_model {
    const char *name;
    int32_t batch, sequence;
    uint64_t seed;
};

struct network_bench {
    struct latency latency; /* of one batch */
    double items_per_s;     /* at the median */
    double gflops;          /* achieved, products only, at the median */
    double products_s;      /* the same products alone on OpenBLAS, each at its best */
    double flop;            /* of one batch */
    int32_t sequence;       /* tokens; 0 where there are none */
    bool stable;
    double error; /* largest difference of the first and the last output: 0 or broken */
};

#define NETWORK_BENCH_MAX_RUNS 20000

/* The plan in the arena; ERR_INPUT for an unknown model, which names those that exist. */
struct network *network_bench_plan(struct arena *a, const struct network_bench_model *m,
                                   struct err *e);
/* One warm-up, then runs until the rule is met. A run whose output is not finite, or not that of
 * the first, is ERR_SYSTEM. */
int network_bench(const struct network_bench_model *m, const struct network_bench_rule *rule,
                  struct network_bench *out, struct err *e);

#endif
