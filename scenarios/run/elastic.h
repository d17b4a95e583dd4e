/* elastic: what ElasticWorkload, ResourcePolicy and the ConfigMap eci-profile say about the pods of
 * one workload, as keys of its `pod`.
 *
 * Sources: ACK documentation, ElasticWorkload (2026-02-27), ResourcePolicy (help 398680,
 * 2026-01-28), eci-profile (2026-03-26 and, for its policies, 2024-09-20). */
#ifndef SLUICE_SCENARIOS_RUN_ELASTIC_H
#define SLUICE_SCENARIOS_RUN_ELASTIC_H

#include "sim/err.h"
#include "sim/json.h"

#include <stdbool.h>

struct arena;
struct manifest_set;

/* Open data: the workload as its own file has it. */
struct elastic_workload {
    const char *kind, *name, *namespace;
    const struct json *metadata;         /* of its pods: labels */
    const struct json *namespace_labels; /* NULL: none are known */
};
/* Appends to pod what its manifest did not say itself. */
int elastic_add(struct arena *a, const struct manifest_set *m, const struct elastic_workload *w,
                struct json *pod, struct err *e);
/* The ElasticWorkload that spreads this workload; NULL. */
const struct json *elastic_workload_of(const struct manifest_set *m,
                                       const struct elastic_workload *w);
bool elastic_is_profile(const struct json *document);

#endif
