/* dispatch_impl: what every dispatcher has in common; for models/serving/dispatch*.c only. */
#ifndef SLUICE_MODELS_SERVING_DISPATCH_IMPL_H
#define SLUICE_MODELS_SERVING_DISPATCH_IMPL_H

#include "models/serving/dispatch.h"
#include "models/serving/pulse.h"

#include <stdlib.h>

/* Times beyond every horizon, small enough to be added to. */
#define DISPATCH_FAR (INT64_C(1) << 61)
/* No advance goes this far (18 years), and sixteen times it still fits in 63 bits. */
#define DISPATCH_BEYOND (DISPATCH_FAR / 4)

enum slot_use { SLOT_FREE, SLOT_LISTED, SLOT_DRAINING };

struct endpoint {
    uint8_t use;   /* enum slot_use */
    uint8_t state; /* enum endpoint_state */
    uint32_t service;
};

/* One implementation. The topology calls come after dispatch.c has checked them and has brought
 * endpoint table, list and change number up to date; all happen at d->reached. */
struct dispatch_ops {
    const char *name;
    size_t size; /* of the struct that begins with struct dispatch */
    /* Takes all memory. On failure fini is called on what was taken. */
    int (*init)(struct dispatch *d, struct err *e);
    void (*fini)(struct dispatch *d);
    struct advance (*advance)(struct dispatch *d, sim_ns until);
    /* The replica begins to serve, empty. */
    void (*open)(struct dispatch *d, uint32_t replica);
    /* It takes nothing new. */
    void (*close)(struct dispatch *d, uint32_t replica);
    /* Its requests fail with the cause now; stranded ones only when asked for. It is empty then. */
    void (*drop)(struct dispatch *d, uint32_t replica, enum fail_cause cause, bool stranded_too);
    /* Its work vanishes and its requests are stranded. */
    void (*strand)(struct dispatch *d, uint32_t replica);
    /* The last nanosecond at which something ends there; -1 when it is empty. */
    sim_ns (*last_end)(struct dispatch *d, uint32_t replica);
    /* Time up to d->reached with work on the replica's GPU, since it was added. */
    int64_t (*busy)(struct dispatch *d, uint32_t replica);
    /* Fills in what is not kept up to date between marks: arrived, waiting, running, retrying and
     * busy_ns at d->reached. */
    void (*count)(struct dispatch *d, struct tally *t);
};

struct dispatch {
    const struct dispatch_ops *ops;
    struct dispatch_setup setup;
    sim_ns reached;
    sim_ns until; /* of the advance in progress: what ends before it is final */
    struct tally tally;
    struct pulse pulse;
    struct endpoint *endpoints; /* max_replicas */
    uint32_t *list;             /* slots in the endpoint list, ascending */
    uint32_t n_list;
    uint32_t *used; /* slots in use, draining ones included; no order */
    uint32_t n_used;
    uint64_t change; /* of the list, counted from 1 */
    bool hold;
    sim_ns told_at; /* of the last STOP_NEEDS_CAPACITY; -1 */
    struct err failure;
};

extern const struct dispatch_ops dispatch_fifo_ops, dispatch_rr_ops, dispatch_shared_ops,
    dispatch_events_ops;

/* The run cannot go on: more requests inside than there is room for. */
void dispatch_overflow(struct dispatch *d);

static inline bool dispatch_is_failed(const struct dispatch *d)
{
    return d->failure.code != ERR_NONE;
}

/* Never larger than DISPATCH_FAR, so that it can be added to a time. */
static inline sim_ns dispatch_patience(const struct dispatch *d)
{
    return d->setup.timeout_ns < DISPATCH_FAR ? d->setup.timeout_ns : DISPATCH_FAR;
}

/* A request that stays inside for longer than the advance in which it came: the two calls pair. */
static inline void dispatch_keep(struct dispatch *d, sim_ns arrived)
{
    d->tally.inside_since += (uint64_t)arrived;
}

static inline void dispatch_let_go(struct dispatch *d, sim_ns arrived)
{
    d->tally.inside_since -= (uint64_t)arrived;
}

static inline void dispatch_fail(struct dispatch *d, enum fail_cause cause, sim_ns after)
{
    d->tally.failed[cause]++;
    hist_add(&d->tally.failed_after, after);
}

/* The outcome of a request that reached a replica and whose end is known. */
static inline void dispatch_outcome(struct dispatch *d, bool served, sim_ns after)
{
    if (served) {
        d->tally.served++;
        hist_add(&d->tally.latency, after);
    } else {
        dispatch_fail(d, FAIL_TIMEOUT, after);
    }
}

#endif
