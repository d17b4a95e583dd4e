/* bench_result: a measurement as a result: what the store keeps and a comparison looks at.
 *
 * Figures are "batch4.latency.p50", raw samples "batch4.latency"; what it was measured on and how
 * stands among what the answer rests on, as "environment.device" and "setting.scenario". */
#ifndef SLUICE_SCENARIOS_CLI_BENCH_RESULT_H
#define SLUICE_SCENARIOS_CLI_BENCH_RESULT_H

#include "kernels/network_bench.h"
#include "sim/err.h"
#include "sim/result.h"

#include <stddef.h>
#include <stdint.h>

struct arena;

/* A result under construction, in its arena. A failed step is kept and told by bench_result_end. */
struct bench_result {
    struct result r;
    int failed;
    struct err *e;
};

void bench_result_begin(struct bench_result *b, struct arena *a, const char *name, struct err *e);
void bench_result_environment(struct bench_result *b, const struct environment *env);
void bench_result_setting(struct bench_result *b, const char *name, const char *value);
void bench_result_figure(struct bench_result *b, const char *group, const char *path,
                         const struct figure *f);
void bench_result_samples(struct bench_result *b, const char *group, const char *path,
                          const double *seconds, size_t n);
/* One batch of a network: its figures and samples. */
void bench_result_network(struct bench_result *b, int32_t batch, const struct network_bench *n);
/* Verdict and run key; 0, or -1 when memory ran out on the way. */
int bench_result_end(struct bench_result *b, const char *command, const char *verdict);

/* Into the store, in one transaction. db NULL: sluice.db, which is left alone, with a remark on
 * standard error, where it cannot be written. started_s: Unix time. */
int bench_result_store(const struct result *r, const char *db, double started_s, struct err *e);

#endif
