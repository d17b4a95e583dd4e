/* fleet: the life of machines: bought, booting, Ready, with GPUs, vanished or deleted; their
 * accounts and levels. What stands on them is the cluster's business. */
#ifndef SLUICE_MODELS_CAPACITY_FLEET_H
#define SLUICE_MODELS_CAPACITY_FLEET_H

#include "models/capacity/nodes.h"
#include "models/money/price.h"
#include "sim/clock.h"
#include "sim/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct instance_type;
struct ledger;
struct pod_shape;
struct pods;
struct recorder;
struct sim;
struct startup;
struct fleet; /* opaque */

struct fleet_setup {
    struct nodes *nodes;
    const struct pods *pods; /* on the nodes: their phases tell what is paid for what */
    const struct pod_shape *shapes;
    size_t n_owners;
    const struct pool_config *pools;
    size_t n_pools;
    struct ledger *ledger;
    struct startup *startup;
    struct sim *sim;
    struct recorder *recorder;
    /* Upward calls at the simulated now, by node slot. */
    void *self;
    void (*usable)(void *self, sim_ns now, uint32_t node); /* capacity has appeared on it */
    void (*lost)(void *self, sim_ns now, uint32_t node);   /* the machine vanished this moment */
    void (*not_ready)(void *self, sim_ns now, uint32_t node);
    void (*evicted)(void *self, sim_ns now, uint32_t node); /* the last pod objects must go now */
};

struct fleet *fleet_create(const struct fleet_setup *s, struct err *e);
void fleet_destroy(struct fleet *f);

struct fleet_order {
    void *supply; /* who buys */
    uint32_t pool, number;
    const struct instance_type *type;
    uint32_t type_index, zone;
    enum price_billing billing;
    int64_t micro_per_hour, premium_micro_per_hour;
    bool compensating;
    bool initial;           /* complete at once */
    bool given;             /* neither on demand nor spot: a machine that is simply there */
    bool for_pods;          /* bought since pods were pending: a duplicate if none ever comes */
    sim_ns boot, gpu_ready; /* how long the two phases take */
    sim_ns object_gone;     /* lost machine until its node object goes */
};
/* The new node's slot; NODES_NONE when the table is full (limits.nodes). */
uint32_t fleet_buy(struct fleet *f, sim_ns now, const struct fleet_order *o);
void fleet_price(struct fleet *f, sim_ns now, uint32_t node, int64_t micro_per_hour);
void fleet_cordon(struct fleet *f, sim_ns now, uint32_t node);
/* It takes pods again. */
void fleet_uncordon(struct fleet *f, sim_ns now, uint32_t node);
/* Gives a machine without pods back; its slot is free afterwards. */
void fleet_delete(struct fleet *f, sim_ns now, uint32_t node);
/* The platform takes the machine: it vanishes; its object stays until the control plane notices. */
void fleet_lose(struct fleet *f, sim_ns now, uint32_t node);
/* The same on the owner's account: no preemption. */
void fleet_release(struct fleet *f, sim_ns now, uint32_t node);
/* A pod on it came, went or changed its phase. */
void fleet_account(struct fleet *f, sim_ns now, uint32_t node);
/* Whether a pod waits for a GPU from now on, after all of them have been tried. */
void fleet_waiting(struct fleet *f, sim_ns now, bool waiting);
/* Writes nodes.* figures; before recorder_close. */
void fleet_close(struct fleet *f, sim_ns horizon);
int64_t fleet_max_nodes(const struct fleet *f);

#endif
