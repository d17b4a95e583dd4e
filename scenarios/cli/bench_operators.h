/* bench_operators: every operator of the networks on one backend: checked, then timed. */
#ifndef SLUICE_SCENARIOS_CLI_BENCH_OPERATORS_H
#define SLUICE_SCENARIOS_CLI_BENCH_OPERATORS_H

#include "scenarios/cli/bench.h"

struct backend;

/* Of the network that `model` names, or of Inception-v3 and BERT-base. As bench.h's parts. */
int bench_operators(const struct bench_arguments *a, const struct backend *backend, struct err *e);

#endif
