/* gemm_bench: how fast the matrix products of BERT-base and Inception-v3 run here. */
#ifndef SLUICE_KERNELS_GEMM_BENCH_H
#define SLUICE_KERNELS_GEMM_BENCH_H

#include "kernels/gemm.h"
#include "kernels/latency.h"
#include "kernels/stopwatch.h"
#include "sim/err.h"

#include <stddef.h>

struct gemm_bench_row {
    const char *name; /* what the product is in its network */
    struct gemm_shape shape;
    struct stopwatch_reading time;
    double cold_s;                    /* median of single runs with the last cache emptied before */
    double gflops;                    /* at the median, back to back */
    double bytes;                     /* that it reads and writes at least */
    struct latency_percentile median; /* with the interval that its samples allow */
    double *samples_s; /* time.samples of them, in order; the caller's room, or NULL */
    double error;      /* largest |difference| / (|a| x |b|) against the double reference */
};

#define GEMM_BENCH_ROWS 8

/* rows come in with their samples_s set, the rest is filled in. Correctness first: each product is
 * checked against the reference on its first rows, then timed. A wrong product is ERR_SYSTEM and
 * ends the bench. */
int gemm_bench(struct gemm_bench_row rows[GEMM_BENCH_ROWS], const struct stopwatch_rule *rule,
               struct err *e);

#endif
