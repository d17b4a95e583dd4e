/* eci_fleet: the container instances of the virtual node; what supply_eci, eci_life and eci_report
 * share. */
#ifndef SLUICE_MODELS_CAPACITY_ECI_FLEET_H
#define SLUICE_MODELS_CAPACITY_ECI_FLEET_H

#include "models/capacity/eci.h"
#include "models/capacity/eci_wait.h"
#include "models/capacity/pods.h"
#include "models/capacity/route.h"
#include "models/capacity/spot_zone.h"
#include "models/capacity/supply.h"
#include "sim/chance.h"
#include "sim/recorder.h"
#include "sim/sim.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Instances of one offer that were paid for. */
struct eci_bought {
    uint64_t n;
    sim_ns ns;
    int64_t micro;
};

/* Pods of one shape on ECI. */
struct eci_kind {
    struct route route;
    struct eci_request request;
    struct eci_offers offers;
    char *refusal;   /* why it takes no such pods; NULL: it does */
    uint64_t entity; /* of its draws */
    uint64_t created, failed, expired;
    uint64_t waited, waiting, lacks[ECI_LACKS]; /* pods that had to wait, those that still do; calls
                                                   that failed */
    sim_ns longest_wait;
    char words[240]; /* of the last that failed */
    sim_ns billed_ns;
    int64_t micro;
    struct eci_bought bought[ECI_SPECS_MAX]; /* by offer */
};

/* The instance of the pod in this slot. */
struct eci_instance {
    struct pod_ref pod; /* generation 0: none */
    uint32_t owner, shape, attempt;
    const struct eci_offer *offer;
    uint32_t zone;    /* in the virtual node's list */
    int64_t reserved; /* thousandths of a vCPU of the quota */
    bool billed, spot, noticed;
    uint32_t batch;  /* it is taken back with others of its zone: from 1; 0: alone */
    bool lives, ran; /* it has a state; its container has run */
    bool got;        /* it has its machine */
    enum eci_state state;
    sim_ns state_since;
    sim_ns from;          /* of the stretch at this price */
    sim_ns since;         /* start of billing */
    int64_t price, micro; /* micro: of closed stretches */
    uint32_t failed_calls;
    bool waits; /* since `waits_since` it could have been had and was not */
    sim_ns waits_since, next_call;
    uint64_t told; /* digest of the last words that were logged for the pod; 0: none */
    struct sim_handle loss, step, again;
};

struct eci_fleet {
    struct supply_setup set;
    const struct virtual_node_config *config;
    struct eci_kind *kinds;         /* [shape] */
    struct eci_instance *instances; /* [pod slot] */
    struct eci_bucket bucket;
    const struct spot_preset *market;
    int64_t *prices; /* of the market by step, millionths of list */
    size_t n_prices;
    const struct spot_traces *traces;      /* recorded prices and stock; NULL: none */
    struct spot_zone zones[ECI_ZONES_MAX]; /* of the market */
    bool stock_checks[ECI_ZONES_MAX];      /* protected ones beyond it wait for their end */
    int64_t cpu_milli;                     /* of the quota, those on their way included */
    sim_ns zone_from[ECI_ZONES_MAX];       /* anything can be had from then on */
    sim_ns stock_from[ECI_ZONES_MAX];      /* spot can be had from then on */
    sim_ns state_ns[ECI_STATES];           /* of all instances */
    sim_ns paid_ns;                        /* before any rounding to the billing step */
    struct sim_handle retry;
    uint32_t *uses; /* of one instance, by use of the ledger */
    rec_id level;
    uint64_t quota_waits, throttled;
    sim_ns longest_throttle;
};

static inline struct sim *eci_fleet_clock(const struct eci_fleet *s)
{
    return s->set.cluster->sim;
}

static inline struct recorder *eci_fleet_recorder(const struct eci_fleet *s)
{
    return s->set.cluster->recorder;
}

/* For event arguments. */
static inline uint64_t eci_fleet_key(const struct eci_instance *in)
{
    return (uint64_t)in->pod.generation << 32 | in->pod.slot;
}

/* NULL when stale. */
static inline struct eci_instance *eci_fleet_find(struct eci_fleet *s, uint64_t key)
{
    struct eci_instance *in = &s->instances[(uint32_t)key];
    bool same = in->pod.generation == (uint32_t)(key >> 32);
    return same && pods_find(s->set.pods, in->pod) ? in : NULL;
}

/* Its own draws. */
static inline struct chance eci_fleet_chance(const struct eci_fleet *s,
                                             const struct eci_instance *in,
                                             enum chance_purpose purpose)
{
    const struct cluster_setup *c = s->set.cluster;
    const struct pod *p = pods_view(s->set.pods, in->pod.slot);
    struct chance ch = chance_stream(c->seed, c->replication, purpose, s->kinds[in->shape].entity);
    return chance_sub(chance_sub(ch, p->number), in->attempt);
}

static inline const char *eci_fleet_name(const struct eci_fleet *s, const struct eci_instance *in)
{
    return pods_view(s->set.pods, in->pod.slot)->name;
}

#endif
