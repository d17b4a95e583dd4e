/* group: one elastic node pool at work: what it has, what its machines cost now and where there is
 * stock. Which machine it gets next: group_choose.h. */
#ifndef SLUICE_MODELS_CAPACITY_GROUP_H
#define SLUICE_MODELS_CAPACITY_GROUP_H

#include "models/capacity/pool.h"
#include "models/capacity/spot.h"
#include "models/capacity/spot_zone.h"
#include "models/capacity/steps.h"
#include "models/money/price.h"
#include "sim/clock.h"
#include "sim/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct account;
struct catalog;
struct instance_type;
struct node;
struct spot_traces;

/* An activity of ESS looks at 20 types at most (documentation of 2026-05). */
#define GROUP_TYPES_MAX 20
#define GROUP_ZONES_MAX 16

struct group_type {
    const struct instance_type *type;
    int64_t on_demand_micro; /* an hour */
    int64_t spot_micro;      /* an hour, by a price row; 0: none */
    int32_t spot_nodes;      /* that the group has now */
};

/* Open data; made by group_init, counted by group_add and group_remove. */
struct group {
    const struct pool_config *config;
    uint32_t index;  /* of the pool */
    uint64_t entity; /* of its draws */
    uint64_t seed, replication;
    struct group_type types[GROUP_TYPES_MAX];
    size_t n_types, n_zones;
    const struct spot_preset *market; /* NULL: no spot */
    struct dist boot;
    int64_t *prices;                    /* of the market's own process */
    struct spot_bid *bids;              /* [zone * n_types + type] */
    sim_ns stock_from[GROUP_ZONES_MAX]; /* spot can be had from then on */
    sim_ns zone_from[GROUP_ZONES_MAX];  /* anything can be had from then on */
    int32_t zone_nodes[GROUP_ZONES_MAX], zone_spot[GROUP_ZONES_MAX];
    struct spot_zone zones[GROUP_ZONES_MAX];
    bool stock_checks[GROUP_ZONES_MAX]; /* protected machines beyond it wait for their end */
    int32_t there, on_demand;
    struct account *account;        /* of its region; NULL: no quotas */
    int32_t *held;                  /* [(zone * n_types + type) * 2 + spot] */
    uint32_t bought;                /* so far */
    sim_ns changed_at;              /* a machine came or went; -1: not yet */
    sim_ns counted_at;              /* the areas below hold up to here */
    int64_t there_ns, on_demand_ns; /* node-time so far */
    double asked_ns;                /* node-time that should be on demand */
};

struct group_setup {
    const struct pool_config *config;
    struct account *account; /* NULL: no quotas */
    uint32_t index;
    const struct catalog *catalog;
    const char *currency;
    const struct spot_traces *traces; /* of this pool; NULL: none */
    sim_ns horizon;
    uint64_t seed, replication;
};
/* ERR_INPUT when the catalogue lacks a type, a price, a market. */
int group_init(struct group *g, const struct group_setup *s, struct err *e);
void group_fini(struct group *g);

/* More on demand than its rule wants of the nodes that are there. */
bool group_has_surplus(const struct group *g);

void group_add(struct group *g, sim_ns now, const struct node *n);
void group_remove(struct group *g, sim_ns now, const struct node *n);
/* Time-weighted share of its nodes that were on demand up to now; -1 without any node. */
double group_on_demand_share(struct group *g, sim_ns now);
/* The share that base and percentage ask for, over the same time. */
double group_asked_share(struct group *g, sim_ns now);

/* Warning before a spot node goes, and how long it is protected from its purchase on. */
sim_ns group_notice(const struct group *g);
sim_ns group_protection(const struct group *g);
/* When the price that a node pays changes after `now`; SIM_NEVER: not any more. */
sim_ns group_price_step(const struct group *g, const struct node *n, sim_ns now);
/* What the pool bids for a type in a zone, where it uses spot. */
const struct spot_bid *group_bid(const struct group *g, uint32_t type, uint32_t zone);
/* Market price of a type in a zone, micro-units an hour. */
int64_t group_spot_price(const struct group *g, uint32_t type, uint32_t zone, sim_ns at);
/* What a spot node pays: the price when it was bought while it is protected, then the market's. */
int64_t group_node_price(const struct group *g, const struct node *n, sim_ns at);
/* When the platform decides to take a spot node back; SIM_NEVER: not before until. */
struct group_end {
    sim_ns at;
    uint32_t batch; /* number from 1 of the zone's batch that does it; 0: it goes alone */
};
struct group_end group_loss(const struct group *g, const struct node *n, sim_ns until);
/* Spot machines that the group can hold in a zone now; INT64_MAX: as many as it likes. */
int64_t group_stock(const struct group *g, uint32_t zone, sim_ns now);
/* Breaks ties among machines that are taken at this moment. */
struct chance group_ties(const struct group *g, uint32_t zone, sim_ns now);
/* A spot machine of this zone was taken: there may be none for a while. Returns that while. */
sim_ns group_stock_after_loss(struct group *g, const struct node *n, sim_ns now);
/* Durations of the n-th machine bought. */
sim_ns group_boot_time(const struct group *g, uint32_t number);
sim_ns group_gpu_time(const struct group *g, uint32_t number);
sim_ns group_object_gone_time(const struct group *g, uint32_t number);

#endif
