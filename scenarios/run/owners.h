/* owners: whose pods the cluster of a scenario has: services, jobs (the pods of a list by the way
 * they look), and the placeholders of pools. */
#ifndef SLUICE_SCENARIOS_RUN_OWNERS_H
#define SLUICE_SCENARIOS_RUN_OWNERS_H

#include "sim/err.h"

#include <stddef.h>
#include <stdint.h>

struct scenario;

enum owners_kind { OWNERS_SERVICE, OWNERS_JOB, OWNERS_HEADROOM };

/* What one owner's pods are of: the index of a service, of a job, or of a pool. */
struct owners_role {
    enum owners_kind kind;
    uint32_t index;
};

/* Reads pod lists and the node list, relative to this folder, and sets s->shapes, startups, roles
 * and n_owners. The scenario is bound, its services are finished. */
int owners_make(struct scenario *s, const char *base_dir, struct err *e);
/* The first owner of this kind and index; UINT32_MAX: none. */
uint32_t owners_first(const struct scenario *s, enum owners_kind kind, uint32_t index);

#endif
