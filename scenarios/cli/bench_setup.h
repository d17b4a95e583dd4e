/* bench_setup: what `sluice bench network` was asked for, checked. */
#ifndef SLUICE_SCENARIOS_CLI_BENCH_SETUP_H
#define SLUICE_SCENARIOS_CLI_BENCH_SETUP_H

#include "kernels/backend.h"
#include "kernels/network_bench.h"
#include "scenarios/cli/bench.h"

#define BENCH_SETUP_BATCHES 32

/* Stays where it is: the network's backend may be the one in it. */
struct bench_setup {
    struct network_bench_setup network; /* of the first batch */
    struct backend cuda;
    struct backend_cuda_config cuda_config;
    int32_t batches[BENCH_SETUP_BATCHES];
    size_t n_batches;
    double most_s; /* that all batches and a chart are measured for, as --max-duration says;
                    * infinite without it */
};

/* backend_find; "auto" without a GPU says on standard error what is missing. */
const struct backend *bench_setup_backend(const char *name, struct err *e);
/* ERR_INPUT names the option; ERR_SYSTEM when the backend is not there. */
int bench_setup(const struct bench_arguments *a, struct bench_setup *out, struct err *e);
/* Batch, sequence and tokens, as far as the model has them. */
int bench_setup_model(const struct bench_arguments *a, const char *model, struct err *e);
/* "1,2,4" as ascending sizes of 1 to 1024. option: its name, for messages. */
int bench_setup_batches(const char *option, const char *list, int32_t out[BENCH_SETUP_BATCHES],
                        size_t *n, struct err *e);
/* Time of the next of `left` batches, when `left_s` are left for them all; 0, which is no limit to
 * network_bench, when there is none. */
double bench_setup_share(double left_s, size_t left);
/* Whether `left_s` are enough for the three passes that a batch takes at least, of which an earlier
 * batch took `time_s`. */
bool bench_setup_fits(double left_s, int32_t batch, int32_t earlier, double time_s);
/* Of OpenBLAS, from --threads: ERR_INPUT when it has not so many; a remark on standard error when
 * the machine has not. */
int bench_setup_threads(const struct bench_arguments *a, struct err *e);
/* Of Inception-v3, from --variant. */
int bench_setup_variant(const struct bench_arguments *a, struct network_choice *out, struct err *e);
/* A duration of up to a day into seconds; a NULL value leaves *out as it is. */
int bench_setup_seconds(const char *option, const char *value, double *out, struct err *e);
/* "1" or "0.5", in percent, as a share; NULL: 0.01. */
int bench_setup_tolerance(const char *value, double *out, struct err *e);

#endif
