/* bench: the parts of `sluice bench`, each with its own options. */
#ifndef SLUICE_SCENARIOS_CLI_BENCH_H
#define SLUICE_SCENARIOS_CLI_BENCH_H

#include "sim/text.h"

#include <stdbool.h>
#include <stdint.h>

struct err;

/* What the command line may say to every part; texts are never NULL unless it says so, counts 0
 * when not given. */
struct bench_arguments {
    const char *format, *backend;
    const char *scenario;                                /* NULL: single_stream */
    const char *model;                                   /* NULL: not named */
    const char *batches;                                 /* NULL: --batch */
    const char *qps, *bound, *percentile, *least, *most; /* NULL: the usual */
    int64_t threads, batch, sequence, tokens, queries;
    const char *seed; /* NULL: 1 */
    bool accuracy;
    const char *db;    /* NULL: sluice.db where it can be written */
    const char *chart; /* NULL: none */
    bool no_store, isolated;
    const char *algorithms;          /* file of a GPU's searched products; NULL: none */
    int64_t graph_batch;             /* of a GPU; -1: the usual */
    const char *against, *tolerance; /* NULL: nothing, and the usual */
    bool force;
    const char *before, *now;                       /* of compare: its operands */
    const char *image, *labels, *weights, *variant; /* NULL: none; variant: torchvision */
    int64_t vocabulary;
};

/* Each measures, prints to standard output and returns 0, 1 when it is slower than what it is
 * compared with, or -1 with e. */
int bench_kernels(const struct bench_arguments *a, struct err *e);
int bench_network(const struct bench_arguments *a, struct err *e);
/* Two measurements that are there. */
int bench_against(const struct bench_arguments *a, struct err *e);

#endif
