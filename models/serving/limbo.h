/* limbo: requests stranded at black holes, until their deadline; for the fast dispatchers. */
#ifndef SLUICE_MODELS_SERVING_LIMBO_H
#define SLUICE_MODELS_SERVING_LIMBO_H

#include "models/serving/dispatch_impl.h"

struct stranded {
    sim_ns arrived, deadline;
    uint32_t replica;
};

/* No order: outcomes are counts, and there are few. */
struct limbo {
    struct stranded *rows; /* max_in_flight */
    size_t n;
};

int limbo_init(struct limbo *l, size_t room);
void limbo_fini(struct limbo *l);
/* The request stays inside. */
void limbo_put(struct limbo *l, struct dispatch *d, struct stranded row);
/* Those whose deadline lies before `until` fail. */
void limbo_advance(struct limbo *l, struct dispatch *d, sim_ns until);
/* Those at the replica fail now. */
void limbo_drop(struct limbo *l, struct dispatch *d, uint32_t replica, enum fail_cause cause);
/* The latest deadline at the replica; -1 without one. */
sim_ns limbo_last(const struct limbo *l, uint32_t replica);

#endif
