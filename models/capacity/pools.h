/* pools: node pools at work: what purchase, reclaim and spot_return share. */
#ifndef SLUICE_MODELS_CAPACITY_POOLS_H
#define SLUICE_MODELS_CAPACITY_POOLS_H

#include "models/capacity/group.h"
#include "models/capacity/supply.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct recorder;
struct sim;

/* Open data of supply_pool; the arrays are its. */
struct pools {
    struct supply_setup set;
    void *supply; /* who buys, as nodes know it */
    struct group *groups;
    struct account *accounts; /* [group]: of its region, shared */
    size_t n_groups;
    int32_t *failed, *new_failed; /* refused purchases, by group */
    int32_t *failed_drains;       /* since the last scan, by group */
    bool *refilling;              /* by group: a retry is due */
    uint32_t *drift;              /* by group: series of pool_share */
    int32_t *deferred;            /* by group: for the next batches of a scale-up */
    uint64_t compensations, refusals, migrations, failures;
    uint64_t broken_budgets; /* ready pods that reclaims took though a budget asked for them */
};

static inline struct sim *pools_clock(const struct pools *s)
{
    return s->set.cluster->sim;
}

static inline struct recorder *pools_recorder(const struct pools *s)
{
    return s->set.cluster->recorder;
}

#endif
