/* merge: one result from several replications, the same for any number of threads. */
#ifndef SLUICE_SIM_MERGE_H
#define SLUICE_SIM_MERGE_H

#include "sim/result.h"

/* Figures, in the order in which their paths are first seen, are merged over the replications that
 * have them: sums added up, means with the 95 % t interval over replications (for a sum, of one
 * replication's mean), none for extremes. Series, log, spans, bills, assumptions and all else are
 * those of the replication whose `by_path` figure is the median (lower one of two; ties by
 * replication number; the first replication when by_path is NULL or nowhere). Findings are its own,
 * and codes that only other replications tell of. The digests are digests over the replications'.
 * n > 0; the replications' results must outlive out. New memory is taken from out->arena, which the
 * caller sets; -1 and ERR_SYSTEM without memory. */
int merge_results(struct result *out, const struct result *const *replications, size_t n,
                  const char *by_path, struct err *e);

#endif
