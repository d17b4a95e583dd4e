/* purchase: what node pools buy and give back. */
#include "models/capacity/purchase.h"

#include "models/capacity/cluster.h"
#include "models/capacity/fleet.h"
#include "models/capacity/group_choose.h"
#include "models/capacity/instance.h"
#include "models/capacity/nodes.h"
#include "models/capacity/pool_share.h"
#include "models/capacity/pools.h"
#include "models/capacity/reclaim.h"
#include "models/capacity/scaling_task.h"
#include "sim/recorder.h"
#include "sim/sim.h"

static uint32_t order(struct pools *s, sim_ns now, struct group *g, const struct fleet_order *o)
{
    uint32_t slot = fleet_buy(s->set.fleet, now, o);
    if (slot == NODES_NONE) {
        s->set.fail(s->set.self, "limits.nodes", "nodes exist at once");
        return slot;
    }
    const struct node *n = nodes_view(s->set.nodes, slot);
    group_add(g, now, n);
    if (!o->initial)
        pool_share_note(s, now, g);
    if (n->billing == PRICE_SPOT)
        reclaim_plan(s, g, slot);
    scaling_task_plan(s, now, g, slot);
    return slot;
}

static struct fleet_order order_for(struct pools *s, struct group *g, const struct group_choice *c)
{
    uint32_t number = g->bought++;
    return (struct fleet_order){
        .supply = s->supply,
        .pool = g->index,
        .number = number,
        .type = g->types[c->type].type,
        .type_index = c->type,
        .zone = c->zone,
        .billing = c->billing,
        .micro_per_hour = c->micro_per_hour,
        .premium_micro_per_hour = c->premium_micro_per_hour,
        .compensating = c->compensating,
        .boot = group_boot_time(g, number),
        .gpu_ready = group_gpu_time(g, number),
        .object_gone = group_object_gone_time(g, number),
    };
}

/* for_pods: the autoscaler asked; the group still owes it this node. */
static void refuse(struct pools *s, sim_ns now, const struct group *g, bool for_pods,
                   const char *why)
{
    s->refusals++;
    s->failed[g->index] += for_pods;
    s->new_failed[g->index] += for_pods;
    recorder_log(pools_recorder(s), now, true, g->config->name, "no node", "%s", why);
}

bool purchase_next(struct pools *s, sim_ns now, struct group *g, bool for_pods)
{
    struct group_choice choice;
    if (g->there >= g->config->max_size)
        return false;
    if (!group_choose(g, now, &choice)) {
        refuse(s, now, g, for_pods, choice.reason);
        return false;
    }
    struct fleet_order o = order_for(s, g, &choice);
    o.for_pods = for_pods;
    s->compensations += choice.compensating;
    uint32_t slot = order(s, now, g, &o);
    if (slot == NODES_NONE)
        return false;
    const struct node *n = nodes_view(s->set.nodes, slot);
    recorder_log(pools_recorder(s), now, true, n->name, "bought", "%s in %s, %s", n->type->name,
                 n->config->zones.items[n->zone], choice.reason);
    return true;
}

uint32_t purchase_choice(struct pools *s, sim_ns now, struct group *g,
                         const struct group_choice *choice, bool initial)
{
    struct fleet_order o = order_for(s, g, choice);
    o.initial = initial;
    return order(s, now, g, &o);
}

void purchase_initial(struct pools *s, sim_ns now, struct group *g)
{
    const struct pool_config *c = g->config;
    int32_t n = c->initial_size > c->min_size ? c->initial_size : c->min_size;
    for (int32_t i = 0; i < n; i++) {
        struct group_choice choice;
        if (!group_choose(g, now, &choice)) {
            refuse(s, now, g, false, choice.reason);
            purchase_refill(s, now, g);
            return;
        }
        uint32_t slot = purchase_choice(s, now, g, &choice, true);
        if (slot == NODES_NONE)
            return;
        recorder_log(pools_recorder(s), now, true, nodes_view(s->set.nodes, slot)->name,
                     "there from the start", "%s", choice.reason);
    }
}

/* ---- return ---- */

void purchase_return(struct pools *s, sim_ns now, uint32_t slot, const char *why)
{
    const struct node *n = nodes_view(s->set.nodes, slot);
    recorder_log(pools_recorder(s), now, true, n->name, "deleted", "%s", why);
    group_remove(&s->groups[n->pool], now, n);
    pool_share_note(s, now, &s->groups[n->pool]);
    fleet_delete(s->set.fleet, now, slot);
}

/* ---- batches ---- */

static void on_batch(void *self, sim_ns now, uint64_t group)
{
    struct pools *s = self;
    int32_t n = s->deferred[group];
    s->deferred[group] = 0;
    purchase_batch(s, now, &s->groups[group], n);
}

void purchase_batch(struct pools *s, sim_ns now, struct group *g, int32_t n)
{
    const struct pool_config *c = g->config;
    int32_t most = c->batch_size > 0 && c->batch_size < n ? c->batch_size : n;
    for (int32_t i = 0; i < most; i++)
        purchase_next(s, now, g, true);
    if (n == most)
        return;
    if (s->deferred[g->index] == 0)
        sim_at(pools_clock(s), now + c->batch_interval, SIM_SCAN, on_batch, s, g->index);
    s->deferred[g->index] += n - most;
    recorder_log(pools_recorder(s), now, true, c->name, "batch", "%d nodes now, %d later",
                 (int)most, (int)s->deferred[g->index]);
}

/* ---- the minimum ---- */

/* How long a scaling group waits before it tries again to reach its minimum (assumed: the cadence
 * of its spot checks; no published figure). */
#define REFILL_RETRY (5 * SIM_MINUTE)

static void on_refill(void *self, sim_ns now, uint64_t group);

void purchase_refill(struct pools *s, sim_ns now, struct group *g)
{
    while (g->there < g->config->min_size && purchase_next(s, now, g, false))
        ;
    if (g->there >= g->config->min_size || s->refilling[g->index])
        return;
    s->refilling[g->index] = true;
    sim_at(pools_clock(s), now + REFILL_RETRY, SIM_SCAN, on_refill, s, g->index);
}

static void on_refill(void *self, sim_ns now, uint64_t group)
{
    struct pools *s = self;
    s->refilling[group] = false;
    purchase_refill(s, now, &s->groups[group]);
}
