/* supply_pool: elastic node pools under the node autoscaler: buys what a scan asks for, gives back
 * what it names, and loses spot nodes to their market. */
#include "models/capacity/cluster_config.h"
#include "models/capacity/drill.h"
#include "models/capacity/fleet.h"
#include "models/capacity/group.h"
#include "models/capacity/instance.h"
#include "models/capacity/nodes.h"
#include "models/capacity/pods.h"
#include "models/capacity/relief.h"
#include "models/capacity/scan_view.h"
#include "models/capacity/supply.h"
#include "models/control/node_scaler.h"
#include "models/control/node_settings.h"
#include "sim/chance.h"
#include "sim/recorder.h"
#include "sim/sim.h"

#include <stdlib.h>
#include <string.h>

struct supply_pool {
    struct supply_setup set;
    struct group *groups;
    size_t n_groups;
    int32_t *failed, *new_failed; /* refused purchases, by group */
    int32_t *failed_drains;       /* since the last scan, by group */
    struct node_scaler_config scaler;
    struct node_scaler_memory *memory; /* NULL: no autoscaler */
    struct scan_view *view;
    const char **names;
    struct sim_handle scan;
    sim_ns last_scan;  /* SIM_NEVER: none yet */
    sim_ns newest_pod; /* that has been found unschedulable; -1: none */
    bool *refilling;   /* by group: a retry is due */
    uint64_t compensations, refusals, migrations;
};

static struct sim *clock_of(const struct supply_pool *s)
{
    return s->set.cluster->sim;
}

static struct recorder *recorder_of(const struct supply_pool *s)
{
    return s->set.cluster->recorder;
}

/* ---- the life of a spot node ---- */

static bool buy(struct supply_pool *s, sim_ns now, struct group *g, bool for_pods);

/* How long a scaling group waits before it tries again to reach its minimum (assumed: the cadence
 * of its spot checks; no published figure). */
#define REFILL_RETRY (5 * SIM_MINUTE)

static void on_refill(void *self, sim_ns now, uint64_t group);

/* A scaling group keeps its minimum whatever the autoscaler does. */
static void refill(struct supply_pool *s, sim_ns now, struct group *g)
{
    while (g->there < g->config->min_size && buy(s, now, g, false))
        ;
    if (g->there >= g->config->min_size || s->refilling[g->index])
        return;
    s->refilling[g->index] = true;
    sim_at(clock_of(s), now + REFILL_RETRY, SIM_SCAN, on_refill, s, g->index);
}

static void on_refill(void *self, sim_ns now, uint64_t group)
{
    struct supply_pool *s = self;
    s->refilling[group] = false;
    refill(s, now, &s->groups[group]);
}

static void on_loss(void *self, sim_ns now, uint64_t key)
{
    struct supply_pool *s = self;
    uint32_t slot;
    struct node *n = nodes_find(s->set.nodes, key, &slot);
    if (!n || n->state == NODE_VANISHED)
        return;
    struct group *g = &s->groups[n->pool];
    sim_ns out = group_stock_after_loss(g, n, now);
    group_remove(g, now, n);
    recorder_log(recorder_of(s), now, true, n->name, "lost",
                 "the platform took the spot node back with %u pods on it; %s for %lld s",
                 (unsigned)n->n_pods, out > 0 ? "its zone has no spot stock" : "stock is short",
                 (long long)(out / SIM_SECOND));
    fleet_lose(s->set.fleet, now, slot);
    refill(s, now, g);
}

/* The replacement comes before the loss. */
static void remedy(struct supply_pool *s, sim_ns now, const struct node *n)
{
    if (!n->config->remedy)
        return;
    recorder_log(recorder_of(s), now, true, n->name, "remedy", "a replacement is bought");
    buy(s, now, &s->groups[n->pool], false);
}

static void on_notice(void *self, sim_ns now, uint64_t key)
{
    struct supply_pool *s = self;
    uint32_t slot;
    struct node *n = nodes_find(s->set.nodes, key, &slot);
    if (!n || n->state == NODE_VANISHED || n->reclaimed)
        return;
    n->reclaimed = true;
    remedy(s, now, n);
    bool handled = n->config->on_notice == POOL_NOTICE_DRAIN;
    recorder_log(recorder_of(s), now, true, n->name, "spot notice",
                 "the platform takes it back in %lld s; %s",
                 (long long)(n->config->notice / SIM_SECOND),
                 handled ? "a handler drains it" : "nobody listens");
    sim_at(clock_of(s), now + n->config->notice, SIM_LOSS, on_loss, s, key);
    if (!handled)
        return;
    n->noticed = true;
    fleet_cordon(s->set.fleet, now, slot);
    s->set.drain(s->set.self, now, slot, POD_END_SPOT_NOTICE);
}

/* ---- drills ---- */

static int64_t highest_price(const struct supply_pool *s, const struct node *n)
{
    const struct pool_config *c = s->groups[n->pool].config;
    return c->spot_strategy == POOL_PRICE_LIMIT ? c->spot_price_limit.micro : INT64_MAX;
}

static bool reclaimable(const struct node *n)
{
    return n->billing == PRICE_SPOT && n->state != NODE_VANISHED && !n->reclaimed;
}

/* The lowest bid goes first, ties are random (ECS documentation, preemptible instances,
 * 2021-07-19).
 */
static uint32_t next_victim(const struct supply_pool *s, struct chance ties)
{
    uint32_t best = NODES_NONE;
    for (uint32_t i = nodes_next(s->set.nodes, NODES_NONE); i != NODES_NONE;
         i = nodes_next(s->set.nodes, i)) {
        const struct node *n = nodes_view(s->set.nodes, i);
        if (!reclaimable(n))
            continue;
        const struct node *b = best == NODES_NONE ? n : nodes_view(s->set.nodes, best);
        int64_t bid = highest_price(s, n), least = highest_price(s, b);
        if (best == NODES_NONE || bid < least ||
            (bid == least && chance_bits(ties, n->uid) < chance_bits(ties, b->uid)))
            best = i;
    }
    return best;
}

static void reclaim(struct supply_pool *s, sim_ns now, const struct drill *d)
{
    const struct cluster_setup *c = s->set.cluster;
    struct chance ties = chance_stream(c->seed, c->replication, CHANCE_FAULT, (uint64_t)d->at);
    int64_t there = 0;
    for (uint32_t i = nodes_next(s->set.nodes, NODES_NONE); i != NODES_NONE;
         i = nodes_next(s->set.nodes, i))
        there += reclaimable(nodes_view(s->set.nodes, i));
    int64_t lose = drill_share(d, there);
    recorder_log(recorder_of(s), now, true, "drill", "reclaimed", "%lld of %lld spot nodes",
                 (long long)lose, (long long)there);
    for (; lose > 0; lose--)
        on_notice(s, now, nodes_key(s->set.nodes, next_victim(s, ties)));
}

static void close_stock(struct supply_pool *s, sim_ns until)
{
    for (size_t i = 0; i < s->n_groups; i++)
        for (size_t z = 0; z < s->groups[i].n_zones; z++)
            if (until > s->groups[i].stock_from[z])
                s->groups[i].stock_from[z] = until;
}

static void close_zone(struct supply_pool *s, const struct drill *d)
{
    for (size_t i = 0; i < s->n_groups; i++)
        for (size_t z = 0; z < s->groups[i].n_zones; z++)
            if (strcmp(s->groups[i].config->zones.items[z], d->zone) == 0)
                s->groups[i].zone_from[z] = drill_end(d);
}

static uint32_t next_in_zone(const struct supply_pool *s, const char *zone)
{
    uint32_t i = nodes_next(s->set.nodes, NODES_NONE);
    for (; i != NODES_NONE; i = nodes_next(s->set.nodes, i)) {
        const struct node *n = nodes_view(s->set.nodes, i);
        if (n->state != NODE_VANISHED && strcmp(n->config->zones.items[n->zone], zone) == 0)
            break;
    }
    return i;
}

static void lose_zone(struct supply_pool *s, sim_ns now, const struct drill *d)
{
    close_zone(s, d);
    for (uint32_t i; (i = next_in_zone(s, d->zone)) != NODES_NONE;) {
        const struct node *n = nodes_view(s->set.nodes, i);
        recorder_log(recorder_of(s), now, true, n->name, "lost",
                     "zone %s is gone, and the node with %u pods on it", d->zone,
                     (unsigned)n->n_pods);
        group_remove(&s->groups[n->pool], now, n);
        fleet_lose(s->set.fleet, now, i);
    }
    for (size_t i = 0; i < s->n_groups; i++)
        refill(s, now, &s->groups[i]);
}

static void pool_drill(void *self, sim_ns now, const struct drill *d)
{
    if (d->kind == DRILL_SPOT_LOSS)
        reclaim(self, now, d);
    if (d->kind == DRILL_STOCK_OUT)
        close_stock(self, drill_end(d));
    if (d->kind == DRILL_ZONE_LOSS)
        lose_zone(self, now, d);
}

static void on_price(void *self, sim_ns now, uint64_t key)
{
    struct supply_pool *s = self;
    uint32_t slot;
    const struct node *n = nodes_find(s->set.nodes, key, &slot);
    if (!n || n->state == NODE_VANISHED)
        return;
    const struct group *g = &s->groups[n->pool];
    fleet_price(s->set.fleet, now, slot, group_node_price(g, n, now));
    sim_ns step = g->market->price_step;
    if (step > 0)
        sim_at(clock_of(s), (now / step + 1) * step, SIM_FAULT, on_price, s, key);
}

static void plan_spot_life(struct supply_pool *s, const struct group *g, uint32_t slot)
{
    const struct node *n = nodes_view(s->set.nodes, slot);
    uint64_t key = nodes_key(s->set.nodes, slot);
    sim_ns horizon = s->set.cluster->horizon;
    sim_ns notice = group_loss(g, n, horizon);
    if (notice < horizon)
        sim_at(clock_of(s), notice, SIM_LOSS, on_notice, s, key);
    sim_ns step = g->market->price_step;
    sim_ns protected = n->bought + g->config->spot_duration_h * SIM_HOUR;
    if (step > 0 && protected < horizon)
        sim_at(clock_of(s), protected > n->bought ? protected : (n->bought / step + 1) * step,
               SIM_FAULT, on_price, s, key);
}

/* ---- purchase ---- */

static uint32_t order(struct supply_pool *s, sim_ns now, struct group *g,
                      const struct fleet_order *o)
{
    uint32_t slot = fleet_buy(s->set.fleet, now, o);
    if (slot == NODES_NONE) {
        s->set.fail(s->set.self, "limits.nodes", "nodes exist at once");
        return slot;
    }
    const struct node *n = nodes_view(s->set.nodes, slot);
    group_add(g, now, n);
    if (n->billing == PRICE_SPOT)
        plan_spot_life(s, g, slot);
    return slot;
}

static struct fleet_order order_for(struct supply_pool *s, struct group *g,
                                    const struct group_choice *c)
{
    uint32_t number = g->bought++;
    return (struct fleet_order){
        .supply = s,
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
static void refuse(struct supply_pool *s, sim_ns now, const struct group *g, bool for_pods,
                   const char *why)
{
    s->refusals++;
    s->failed[g->index] += for_pods;
    s->new_failed[g->index] += for_pods;
    recorder_log(recorder_of(s), now, true, g->config->name, "no node", "%s", why);
}

static bool buy(struct supply_pool *s, sim_ns now, struct group *g, bool for_pods)
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
    recorder_log(recorder_of(s), now, true, n->name, "bought", "%s in %s, %s", n->type->name,
                 n->config->zones.items[n->zone], choice.reason);
    return true;
}

static void buy_initial(struct supply_pool *s, sim_ns now, struct group *g)
{
    const struct pool_config *c = g->config;
    int32_t n = c->initial_size > c->min_size ? c->initial_size : c->min_size;
    for (int32_t i = 0; i < n; i++) {
        struct group_choice choice;
        if (!group_choose(g, now, &choice)) {
            refuse(s, now, g, false, choice.reason);
            refill(s, now, g);
            return;
        }
        struct fleet_order o = order_for(s, g, &choice);
        o.initial = true;
        uint32_t slot = order(s, now, g, &o);
        if (slot == NODES_NONE)
            return;
        recorder_log(recorder_of(s), now, true, nodes_view(s->set.nodes, slot)->name,
                     "there from the start", "%s", choice.reason);
    }
}

/* ---- return ---- */

static void give_back(struct supply_pool *s, sim_ns now, uint32_t slot, const char *why)
{
    const struct node *n = nodes_view(s->set.nodes, slot);
    recorder_log(recorder_of(s), now, true, n->name, "deleted", "%s", why);
    group_remove(&s->groups[n->pool], now, n);
    fleet_delete(s->set.fleet, now, slot);
}

/* An eviction that a disruption budget refused is tried again (cluster-autoscaler,
 * core/scaledown/actuation/drain.go). */
#define EVICTION_PAUSE (10 * SIM_SECOND)

/* The taint comes off, the node takes pods again, and N25 makes the next deletion wait. */
static void give_up_drain(struct supply_pool *s, sim_ns now, uint32_t slot)
{
    struct node *n = nodes_at(s->set.nodes, slot);
    s->failed_drains[n->pool]++;
    n->draining = false;
    n->deletion = NODE_DELETION_NONE;
    n->deleting_since = SIM_NEVER;
    recorder_log(recorder_of(s), now, true, n->name, "drain failed",
                 "a disruption budget refused an eviction for %lld s",
                 (long long)(s->scaler.eviction_retry / SIM_SECOND));
    if (!n->noticed)
        fleet_uncordon(s->set.fleet, now, slot);
}

static void on_overdue(void *self, sim_ns now, uint64_t key)
{
    struct supply_pool *s = self;
    uint32_t slot;
    const struct node *n = nodes_find(s->set.nodes, key, &slot);
    if (n && n->state != NODE_VANISHED && n->draining)
        s->set.kill(s->set.self, now, slot, s->scaler.max_graceful_termination);
}

static void on_evict(void *self, sim_ns now, uint64_t key)
{
    struct supply_pool *s = self;
    uint32_t slot;
    const struct node *n = nodes_find(s->set.nodes, key, &slot);
    if (!n || n->state == NODE_VANISHED || !n->draining)
        return;
    sim_ns until = n->deleting_since + s->scaler.delay_after_taint + s->scaler.eviction_retry;
    bool asked = s->set.drain(s->set.self, now, slot, POD_END_NODE_DRAIN);
    if (!nodes_find(s->set.nodes, key, &slot))
        return;
    sim_at(clock_of(s), now + s->scaler.max_graceful_termination, SIM_PHASE, on_overdue, s, key);
    if (asked)
        return;
    if (now + EVICTION_PAUSE > until)
        give_up_drain(s, now, slot);
    else
        sim_at(clock_of(s), now + EVICTION_PAUSE, SIM_SCAN, on_evict, s, key);
}

/* The pause after the taint is over. */
static void on_tainted(void *self, sim_ns now, uint64_t key)
{
    struct supply_pool *s = self;
    uint32_t slot;
    struct node *n = nodes_find(s->set.nodes, key, &slot);
    if (!n || n->state == NODE_VANISHED)
        return;
    if (n->n_pods == 0) {
        give_back(s, now, slot, "empty and no longer needed");
        return;
    }
    n->draining = true;
    on_evict(s, now, key);
}

/* The kind of deletion is known from the taint on: a second drain must not start meanwhile. */
static void delete_node(struct supply_pool *s, sim_ns now, uint32_t slot,
                        const struct node_scaler_delete *d)
{
    struct node *n = nodes_at(s->set.nodes, slot);
    sim_ns unneeded_since = d->unneeded_since;
    n->deletion = d->how;
    n->deleting_since = now;
    recorder_log(recorder_of(s), now, true, n->name, "tainted for deletion",
                 "unneeded for %lld s; %u pods to move",
                 (long long)((now - unneeded_since) / SIM_SECOND), (unsigned)n->n_pods);
    fleet_cordon(s->set.fleet, now, slot);
    sim_at(clock_of(s), now + s->scaler.delay_after_taint, SIM_SCAN, on_tainted, s,
           nodes_key(s->set.nodes, slot));
}

static void pool_emptied(void *self, sim_ns now, uint32_t slot)
{
    struct supply_pool *s = self;
    const struct node *n = nodes_view(s->set.nodes, slot);
    if (n->draining)
        give_back(s, now, slot, "drained: its pods have moved");
}

/* ---- scan ---- */

/* Booting machines of the group, the latest first, are cancelled. */
static void cancel(struct supply_pool *s, sim_ns now, uint32_t group, int32_t n)
{
    for (; n > 0; n--) {
        uint32_t latest = NODES_NONE;
        for (uint32_t i = nodes_next(s->set.nodes, NODES_NONE); i != NODES_NONE;
             i = nodes_next(s->set.nodes, i)) {
            const struct node *node = nodes_view(s->set.nodes, i);
            if (node->pool == group && node->state == NODE_BOOTING)
                latest = i;
        }
        if (latest == NODES_NONE)
            return;
        give_back(s, now, latest, "the autoscaler gave up waiting for it");
    }
}

static void carry_out_cuts(struct supply_pool *s, sim_ns now, const struct node_scaler_plan *plan)
{
    for (size_t i = 0; i < plan->n_cuts; i++) {
        const struct node_scaler_cut *cut = &plan->cuts[i];
        int32_t refused = s->failed[cut->group];
        int32_t dropped = cut->count < refused ? cut->count : refused;
        s->failed[cut->group] -= dropped;
        recorder_log(recorder_of(s), now, true, s->names[cut->group], "target lowered", "by %d: %s",
                     (int)cut->count, node_scaler_cut_name(cut->why));
        cancel(s, now, cut->group, cut->count - dropped);
    }
}

static void carry_out_scale_ups(struct supply_pool *s, sim_ns now,
                                const struct node_scaler_plan *plan)
{
    for (size_t i = 0; i < plan->n_scale_ups; i++) {
        const struct node_scaler_up *up = &plan->scale_ups[i];
        recorder_log(recorder_of(s), now, true, s->names[up->group], "scale up", "%s", plan->words);
        for (int32_t k = 0; k < up->count; k++)
            buy(s, now, &s->groups[up->group], true);
    }
}

static void on_scan(void *self, sim_ns now, uint64_t arg)
{
    struct supply_pool *s = self;
    struct node_scaler_plan plan;
    (void)arg;
    const struct node_scaler_view *view = scan_view_fill(s->view, now);
    node_scaler_scan(&s->scaler, s->memory, view, &plan);
    memset(s->new_failed, 0, s->n_groups * sizeof *s->new_failed);
    memset(s->failed_drains, 0, s->n_groups * sizeof *s->failed_drains);
    recorder_log(recorder_of(s), now, false, "clusterAutoscaler", "scan", "%s", plan.words);
    carry_out_cuts(s, now, &plan);
    carry_out_scale_ups(s, now, &plan);
    for (size_t i = 0; i < plan.n_deletions; i++)
        delete_node(s, now, scan_view_slot(s->view, plan.deletions[i].node), &plan.deletions[i]);
    s->last_scan = now;
    s->scan = sim_at(clock_of(s), plan.next_scan, SIM_SCAN, on_scan, s, 0);
}

/* N1: with frequent loops a pod that is found unschedulable for the first time brings the next scan
 * forward. */
static bool pool_takes(void *self, sim_ns now, uint32_t pod)
{
    struct supply_pool *s = self;
    const struct pod *p = pods_view(s->set.pods, pod);
    if (!s->memory || !s->scaler.frequent_loops || s->last_scan == SIM_NEVER ||
        p->created <= s->newest_pod)
        return false;
    s->newest_pod = p->created;
    sim_ns soonest = s->last_scan + s->scaler.min_loop;
    if (!sim_cancel(clock_of(s), s->scan))
        return false; /* the scan of this very moment is under way */
    s->scan = sim_at(clock_of(s), soonest > now ? soonest : now, SIM_SCAN, on_scan, s, 0);
    return false;
}

/* ---- back to spot ---- */

/* How often a scaling group looks for spot again (assumed: the cadence of the spot checks). */
#define REPLACE_CHECK (5 * SIM_MINUTE)

static bool movable(const struct node *n, uint32_t group)
{
    return n->pool == group && n->compensating && n->state == NODE_COMPLETE && !n->draining &&
           n->deletion == NODE_DELETION_NONE;
}

/* The oldest node that is on demand for want of spot and has no successor yet. */
static uint32_t oldest_stopgap(const struct supply_pool *s, uint32_t group)
{
    uint32_t i = nodes_next(s->set.nodes, NODES_NONE);
    while (i != NODES_NONE &&
           (!movable(nodes_view(s->set.nodes, i), group) || nodes_view(s->set.nodes, i)->successor))
        i = nodes_next(s->set.nodes, i);
    return i;
}

/* One at a time: no node of the group has a successor on its way. */
static bool moving(const struct supply_pool *s, uint32_t group)
{
    for (uint32_t i = nodes_next(s->set.nodes, NODES_NONE); i != NODES_NONE;
         i = nodes_next(s->set.nodes, i))
        if (nodes_view(s->set.nodes, i)->pool == group && nodes_view(s->set.nodes, i)->successor)
            return true;
    return false;
}

static void start_move(struct supply_pool *s, sim_ns now, struct group *g)
{
    struct group_choice choice;
    uint32_t old = oldest_stopgap(s, g->index);
    if (old == NODES_NONE || moving(s, g->index) || !group_has_surplus(g) ||
        g->there >= g->config->max_size || !group_choose_spot(g, now, &choice))
        return;
    struct fleet_order o = order_for(s, g, &choice);
    uint32_t slot = order(s, now, g, &o);
    if (slot == NODES_NONE)
        return;
    nodes_at(s->set.nodes, old)->successor = nodes_key(s->set.nodes, slot);
    recorder_log(recorder_of(s), now, true, nodes_view(s->set.nodes, slot)->name, "bought", "%s",
                 choice.reason);
}

/* Replace before you remove: the old node is drained once the new one is complete. A successor that
 * was lost meanwhile leaves the old node in its place. */
static void finish_moves(struct supply_pool *s, sim_ns now, uint32_t group)
{
    for (uint32_t i = nodes_next(s->set.nodes, NODES_NONE), next; i != NODES_NONE; i = next) {
        struct node *n = nodes_at(s->set.nodes, i);
        uint32_t slot;
        next = nodes_next(s->set.nodes, i);
        if (n->pool != group || !n->successor || n->draining)
            continue;
        const struct node *by = nodes_find(s->set.nodes, n->successor, &slot);
        if (!movable(n, group) || !by || by->reclaimed || by->state == NODE_VANISHED) {
            n->successor = 0;
            continue;
        }
        if (by->state != NODE_COMPLETE)
            continue;
        s->migrations++;
        recorder_log(recorder_of(s), now, true, n->name, "replaced", "by %s", by->name);
        n->draining = true;
        fleet_cordon(s->set.fleet, now, i);
        if (n->n_pods == 0)
            give_back(s, now, i, "a spot node has replaced it");
        else
            s->set.drain(s->set.self, now, i, POD_END_SPOT_NOTICE);
        return; /* the walk's list has changed */
    }
}

static void on_replace(void *self, sim_ns now, uint64_t group)
{
    struct supply_pool *s = self;
    finish_moves(s, now, (uint32_t)group);
    start_move(s, now, &s->groups[group]);
    sim_at(clock_of(s), now + REPLACE_CHECK, SIM_SCAN, on_replace, s, group);
}

/* ---- what others may count on ---- */

static bool pool_coming(void *self, sim_ns now, uint32_t pod)
{
    const struct supply_pool *s = self;
    struct relief r = {
        .groups = s->groups,
        .n_groups = s->n_groups,
        .nodes = s->set.nodes,
        .pods = s->set.pods,
        .shapes = s->set.cluster->shapes,
        .buys = s->memory != NULL,
    };
    return relief_comes(&r, now, pod);
}

/* ---- set-up ---- */

static bool pool_wanted(const struct cluster_config *c)
{
    return c->pools.count > 0;
}

static int make_groups(struct supply_pool *s, struct err *e)
{
    const struct cluster_setup *c = s->set.cluster;
    const struct pool_config *pools = c->config->pools.items;
    for (size_t i = 0; i < c->config->pools.count; i++) {
        struct group_setup set = {
            .config = &pools[i],
            .index = (uint32_t)i,
            .catalog = c->catalog,
            .currency = c->config->currency ? c->config->currency : "CNY",
            .horizon = c->horizon,
            .seed = c->seed,
            .replication = c->replication,
        };
        s->names[i] = pools[i].name;
        s->n_groups++;
        if (group_init(&s->groups[i], &set, e))
            return -1;
    }
    return 0;
}

static struct chance scan_chance(const struct supply_pool *s)
{
    const struct cluster_setup *c = s->set.cluster;
    return chance_stream(c->seed, c->replication, CHANCE_PHASE, UINT64_MAX);
}

/* Sum of targets at most: refused purchases count in a target though no node exists for them, so
 * the node table's size does not bound it. */
static size_t most_wanted(const struct supply_pool *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n_groups; i++) {
        const struct pool_config *c = s->groups[i].config;
        n += (size_t)c->max_size + (size_t)c->min_size + (size_t)c->initial_size;
    }
    return n;
}

static int make_scaler(struct supply_pool *s, struct err *e)
{
    const struct cluster_setup *c = s->set.cluster;
    if (!c->config->autoscaler)
        return 0;
    if (node_settings_resolve(c->config->autoscaler, &s->scaler, e))
        return -1;
    struct scan_view_setup view = {
        .nodes = s->set.nodes,
        .pods = s->set.pods,
        .shapes = c->shapes,
        .n_owners = c->n_owners,
        .groups = s->groups,
        .n_groups = s->n_groups,
        .failed = s->failed,
        .new_failed = s->new_failed,
        .failed_deletions = s->failed_drains,
    };
    s->view = scan_view_create(&view, e);
    if (!s->view)
        return -1;
    struct node_scaler_setup set = {
        .config = &s->scaler,
        .group_names = s->names,
        .n_groups = s->n_groups,
        .max_nodes = nodes_capacity(s->set.nodes) + most_wanted(s),
        .max_pods = pods_capacity(s->set.pods) + nodes_capacity(s->set.nodes),
        .max_pending = pods_capacity(s->set.pods),
        .n_owners = scan_view_owners(s->view),
        .chance = chance_sub(scan_chance(s), 1),
        .start = 0,
    };
    void *storage = calloc(1, node_scaler_memory_size(&set));
    if (!storage)
        return err_set(e, ERR_SYSTEM, NULL, "out of memory for the node autoscaler");
    s->memory = node_scaler_init(&set, storage);
    return 0;
}

static void pool_destroy(void *self)
{
    struct supply_pool *s = self;
    if (!s)
        return;
    for (size_t i = 0; i < s->n_groups; i++)
        group_fini(&s->groups[i]);
    scan_view_destroy(s->view);
    free(s->memory);
    free(s->groups);
    free(s->failed);
    free(s->new_failed);
    free(s->failed_drains);
    free(s->refilling);
    free(s->names);
    free(s);
}

static void *pool_create(const struct supply_setup *set, struct err *e)
{
    struct supply_pool *s = calloc(1, sizeof *s);
    size_t n = set->cluster->config->pools.count;
    if (s) {
        s->set = *set;
        s->last_scan = SIM_NEVER;
        s->newest_pod = -1;
        s->groups = calloc(n, sizeof *s->groups);
        s->failed = calloc(n, sizeof *s->failed);
        s->new_failed = calloc(n, sizeof *s->new_failed);
        s->failed_drains = calloc(n, sizeof *s->failed_drains);
        s->refilling = calloc(n, sizeof *s->refilling);
        s->names = calloc(n, sizeof *s->names);
    }
    if (!s || !s->groups || !s->failed || !s->new_failed || !s->failed_drains || !s->refilling ||
        !s->names) {
        err_set(e, ERR_SYSTEM, NULL, "out of memory for %zu pools", n);
    } else if (make_groups(s, e) == 0 && make_scaler(s, e) == 0) {
        return s;
    }
    pool_destroy(s);
    return NULL;
}

static void pool_start(void *self, sim_ns now)
{
    struct supply_pool *s = self;
    for (size_t i = 0; i < s->n_groups; i++) {
        char words[256];
        if (group_dear_plan(&s->groups[i], words, sizeof words))
            recorder_finding(recorder_of(s), "warning", "plan-order", "%s", words);
        buy_initial(s, now, &s->groups[i]);
        if (s->groups[i].config->auto_replace && s->groups[i].market)
            sim_at(clock_of(s), now + REPLACE_CHECK, SIM_SCAN, on_replace, s, i);
    }
    if (!s->memory)
        return;
    /* Scans of a running cluster stand at any phase of their interval. */
    sim_ns first = (sim_ns)chance_below(scan_chance(s), 0, (uint64_t)s->scaler.scan_interval);
    s->scan = sim_at(clock_of(s), now + first, SIM_SCAN, on_scan, s, 0);
}

/* Whole nodes alone move the share of a small pool, so only a drift beyond this is worth a word. */
#define DRIFT 0.1

static void report_drift(struct supply_pool *s, sim_ns now, struct group *g)
{
    double share = group_on_demand_share(g, now);
    if (share < 0 || !pool_uses_spot(g->config) || g->config->base > 0)
        return;
    double drift = share - g->config->share;
    if (drift > DRIFT || drift < -DRIFT)
        recorder_finding(
            recorder_of(s), "note", "on-demand-share",
            "%.1f %% of the node hours of pool %s were on demand, %.4g %% were asked for",
            share * 100, g->config->name, g->config->share * 100);
}

static void pool_close(void *self, sim_ns now)
{
    struct supply_pool *s = self;
    for (size_t i = 0; i < s->n_groups; i++)
        report_drift(s, now, &s->groups[i]);
    recorder_figure(recorder_of(s), "nodes.compensations", "nodes", FIGURE_SUM,
                    (double)s->compensations);
    recorder_figure(recorder_of(s), "nodes.migrations", "nodes", FIGURE_SUM, (double)s->migrations);
    recorder_figure(recorder_of(s), "nodes.refusals", "nodes", FIGURE_SUM, (double)s->refusals);
}

const struct supply_kind supply_pool = {
    .name = "pool",
    .wanted = pool_wanted,
    .create = pool_create,
    .destroy = pool_destroy,
    .start = pool_start,
    .takes = pool_takes,
    .coming = pool_coming,
    .emptied = pool_emptied,
    .drill = pool_drill,
    .close = pool_close,
};
