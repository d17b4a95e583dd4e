/* sale: machines that pools could buy, asked before they are there: which pods they would take, and
 * what keeps a pool from ever having one. */
#ifndef SLUICE_MODELS_CAPACITY_SALE_H
#define SLUICE_MODELS_CAPACITY_SALE_H

#include "sim/clock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct catalog;
struct cluster_config;
struct pod_shape;
struct pool_config;
struct scheduler_refusal;

/* Borrowed. */
struct sale {
    const struct cluster_config *config;
    const struct catalog *catalog;
    sim_ns horizon;
    sim_ns since; /* limits on stock count that hold from here to the horizon */
};

/* What keeps machines that would take a pod from being bought. */
enum sale_bar { SALE_OPEN, SALE_NO_STOCK, SALE_NO_QUOTA };

/* True when some machine of the pool, empty, would take the pod; else what they say is added. */
bool sale_takes(const struct sale *s, const struct pool_config *pool, const struct pod_shape *pod,
                struct scheduler_refusal *out);
/* Whether machines would take the pod, but a limit on stock of 0 or a quota of the account forbids
 * each of them from `since` to the horizon. Words name the first, which is returned:
 * "stockLimits[0] of pool p sells none". */
enum sale_bar sale_barred(const struct sale *s, const struct pod_shape *pod, char *words,
                          size_t size);
/* Open data. */
struct sale_room {
    int64_t pods;    /* at most, and not always so many: limits that overlap count one by one */
    char words[200]; /* the limit: "maxSize of pool p is 6" */
};
/* How many pods like this the pools can hold, if there are no others. */
void sale_room(const struct sale *s, const struct pod_shape *pod, struct sale_room *out);
/* Open data. */
struct sale_headroom {
    int64_t kept;    /* placeholders that the pool can keep at most */
    char words[300]; /* why not all */
};
/* Whether the pool can never keep all of its headroom, of these placeholders. */
bool sale_lacks_headroom(const struct sale *s, const struct pool_config *pool,
                         const struct pod_shape *placeholder, struct sale_headroom *out);

#endif
