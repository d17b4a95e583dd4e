/* network_bench: a whole network under load, on this machine. */
#ifndef SLUICE_KERNELS_NETWORK_BENCH_H
#define SLUICE_KERNELS_NETWORK_BENCH_H

#include "kernels/disturbance.h"
#include "kernels/environment.h"
#include "kernels/gpu_watch.h"
#include "kernels/latency.h"
#include "kernels/load.h"
#include "kernels/network_source.h"
#include "kernels/peak.h"
#include "kernels/product_bench.h"

#include <stdbool.h>

struct backend;

struct network_bench_setup {
    struct network_choice model;
    const struct backend *backend;
    struct load_rule load; /* its batch is the model's */
    bool find_peak;        /* server: the rate is looked for, load.qps ignored */
    double logged_share;   /* chance that a query's output is kept and compared */
    bool isolated;         /* empty the device's cache before each query */
    bool accuracy;         /* compare with the double reference too, which takes its time */
    bool peak;             /* the device's peak, and on the processor the bare products */
    /* All that is measured, from the moment when the weights are there, takes no longer, but for a
     * forward pass that has begun; accuracy comes on top. What there is no time for is left out.
     * 0: the load's max_s for the load, and what the rest needs. */
    double most_s;
};

struct network_bench {
    struct load_outcome load;
    struct latency latency;        /* of a query, from its scheduled arrival */
    struct latency service;        /* of the same queries without their waiting */
    double spent_s;                /* on all that most_s bounds */
    bool throttled;                /* a GPU was slow while queries were measured that count */
    double p90_safe_s, p99_safe_s; /* early stopping's estimates; NaN: too few queries */
    double qps;                    /* server: the rate */
    double flop;                   /* of one batch, products only */
    double gflops;                 /* at the mean service time of a batch, as items_per_s is */
    struct product_bench products; /* on the processor; rounds 0 elsewhere, or for want of time */
    int32_t sequence;              /* tokens; 0 where there are none */
    int32_t tokens;                /* true ones of them; 0: all */
    double packed_s, padded_s;     /* best forward pass without the padding and with it; 0: none */
    size_t logged;                 /* outputs compared with the first */
    double reference_error;        /* largest difference from the double reference, as a share of
                                      its largest output; NaN when not asked for */
    struct environment environment;
    struct disturbance disturbance;
    struct gpu_usage gpu; /* no samples on the processor */
    size_t refused;       /* stored algorithms that the GPU's library would not run */
    struct peak peak;     /* no less than what this run reached; zeroed: not measured */
};

/* Single stream for 3 to 15 s, as `calibrate` measures a batch. */
extern const struct load_rule network_bench_usual;

/* The samples of *out live in the arena. An output that is not finite, or not that of the first
 * query, is ERR_SYSTEM. */
int network_bench(struct arena *a, const struct network_bench_setup *setup,
                  struct network_bench *out, struct err *e);

#endif
