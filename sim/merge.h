/* merge: one result from several replications, the same for any number of threads. */
#ifndef SLUICE_SIM_MERGE_H
#define SLUICE_SIM_MERGE_H

#include "sim/result.h"

/* figures are merged in replication order with 95 % t intervals; series, log, spans and bills are
 * those of the replication whose `by_path` figure is the median (lower one of two; ties by
 * replication number). n > 0; the replications' results must outlive out. Everything is taken from
 * out->arena, which the caller sets. */
int merge_results(struct result *out, const struct result *const *replications, size_t n,
                  const char *by_path, struct err *e);

#endif
