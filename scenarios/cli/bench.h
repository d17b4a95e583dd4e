/* bench: the parts of `sluice bench`, each with its own options. */
#ifndef SLUICE_SCENARIOS_CLI_BENCH_H
#define SLUICE_SCENARIOS_CLI_BENCH_H

#include <stdint.h>

struct err;

/* What the command line may say to every part; texts are never NULL, counts 0 when not given. */
struct bench_arguments {
    const char *format, *model, *backend;
    int64_t threads, batch, sequence;
};

/* Each measures, prints to standard output and returns 0, or -1 with e. */
int bench_kernels(const struct bench_arguments *a, struct err *e);
int bench_network(const struct bench_arguments *a, struct err *e);

#endif
