/* reclaim: machines that their platform takes back. */
#include "models/capacity/reclaim.h"

#include "models/capacity/drill.h"
#include "models/capacity/fleet.h"
#include "models/capacity/group.h"
#include "models/capacity/nodes.h"
#include "models/capacity/pod_shape.h"
#include "models/capacity/pods.h"
#include "models/capacity/pool_share.h"
#include "models/capacity/pools.h"
#include "models/capacity/purchase.h"
#include "models/capacity/victim.h"
#include "sim/chance.h"
#include "sim/recorder.h"
#include "sim/sim.h"

#include <string.h>

static bool is_needed(const struct pools *s, const struct pod *p)
{
    int32_t least = s->set.cluster->shapes[p->owner].min_available;
    return least > 0 && p->phase == POD_READY && pods_ready(s->set.pods, p->owner) <= (size_t)least;
}

/* The platform asks no budget. */
static void note_budgets(struct pools *s, const struct node *n)
{
    for (uint32_t i = n->first_pod; i != PODS_NONE;) {
        const struct pod *p = pods_view(s->set.pods, i);
        s->broken_budgets += is_needed(s, p);
        i = p->node_next;
    }
}

static void on_loss(void *self, sim_ns now, uint64_t key)
{
    struct pools *s = self;
    uint32_t slot;
    struct node *n = nodes_find(s->set.nodes, key, &slot);
    if (!n || n->state == NODE_VANISHED)
        return;
    struct group *g = &s->groups[n->pool];
    sim_ns out = group_stock_after_loss(g, n, now);
    group_remove(g, now, n);
    pool_share_note(s, now, g);
    recorder_log(pools_recorder(s), now, true, n->name, "lost",
                 "the platform took the spot node back with %u pods on it; %s for %lld s",
                 (unsigned)n->n_pods, out > 0 ? "its zone has no spot stock" : "stock is short",
                 (long long)(out / SIM_SECOND));
    note_budgets(s, n);
    fleet_lose(s->set.fleet, now, slot);
    purchase_refill(s, now, g);
}

/* The replacement comes before the loss. */
static void remedy(struct pools *s, sim_ns now, const struct node *n)
{
    if (!n->config->remedy)
        return;
    recorder_log(pools_recorder(s), now, true, n->name, "remedy", "a replacement is bought");
    purchase_next(s, now, &s->groups[n->pool], false);
}

/* An eviction that a disruption budget refused is tried again (kubectl drain, 5 s). */
#define EVICTION_PAUSE (5 * SIM_SECOND)

static void on_evict(void *self, sim_ns now, uint64_t key)
{
    struct pools *s = self;
    uint32_t slot;
    const struct node *n = nodes_find(s->set.nodes, key, &slot);
    if (n && n->state != NODE_VANISHED)
        reclaim_drain(s, now, slot);
}

void reclaim_drain(struct pools *s, sim_ns now, uint32_t slot)
{
    uint64_t key = nodes_key(s->set.nodes, slot);
    if (s->set.drain(s->set.self, now, slot, POD_END_SPOT_NOTICE) ||
        !nodes_find(s->set.nodes, key, &slot))
        return;
    recorder_log(pools_recorder(s), now, true, nodes_view(s->set.nodes, slot)->name,
                 "eviction refused", "a disruption budget keeps a pod here; asked again in 5 s");
    sim_at(pools_clock(s), now + EVICTION_PAUSE, SIM_SCAN, on_evict, s, key);
}

static void on_notice(void *self, sim_ns now, uint64_t key)
{
    struct pools *s = self;
    uint32_t slot;
    struct node *n = nodes_find(s->set.nodes, key, &slot);
    if (!n || n->state == NODE_VANISHED || n->reclaimed)
        return;
    n->reclaimed = true;
    remedy(s, now, n);
    bool handled = n->config->on_notice == POOL_NOTICE_DRAIN;
    sim_ns notice = group_notice(&s->groups[n->pool]);
    recorder_log(pools_recorder(s), now, true, n->name, "spot notice",
                 "the platform takes it back in %lld s%s; %s", (long long)(notice / SIM_SECOND),
                 n->batch ? ", with others of its zone" : "",
                 handled ? "a handler drains it" : "nobody listens");
    sim_at(pools_clock(s), now + notice, SIM_LOSS, on_loss, s, key);
    if (!handled)
        return;
    n->noticed = true;
    fleet_cordon(s->set.fleet, now, slot);
    reclaim_drain(s, now, slot);
}

void reclaim_notice(struct pools *s, sim_ns now, uint32_t slot)
{
    on_notice(s, now, nodes_key(s->set.nodes, slot));
}

/* ---- drills ---- */

static void reclaim(struct pools *s, sim_ns now, const struct drill *d)
{
    const struct cluster_setup *c = s->set.cluster;
    struct chance ties = chance_stream(c->seed, c->replication, CHANCE_FAULT, (uint64_t)d->at);
    /* None of the replacements that the drill itself brings on. */
    struct victim_filter f = {0, -1, -1, -1};
    for (uint32_t i = nodes_next(s->set.nodes, NODES_NONE); i != NODES_NONE;
         i = nodes_next(s->set.nodes, i))
        f.before = nodes_view(s->set.nodes, i)->uid + 1;
    int64_t there = victim_count(s, &f), lose = drill_share(d, there);
    recorder_log(pools_recorder(s), now, true, "drill", "reclaimed", "%lld of %lld spot nodes",
                 (long long)lose, (long long)there);
    for (; lose > 0; lose--)
        reclaim_notice(s, now, victim_next(s, &f, ties));
}

static void close_stock(struct pools *s, sim_ns until)
{
    for (size_t i = 0; i < s->n_groups; i++)
        for (size_t z = 0; z < s->groups[i].n_zones; z++)
            if (until > s->groups[i].stock_from[z])
                s->groups[i].stock_from[z] = until;
}

static void close_zone(struct pools *s, const struct drill *d)
{
    for (size_t i = 0; i < s->n_groups; i++)
        for (size_t z = 0; z < s->groups[i].n_zones; z++)
            if (strcmp(s->groups[i].config->zones.items[z], d->zone) == 0 &&
                drill_end(d) > s->groups[i].zone_from[z])
                s->groups[i].zone_from[z] = drill_end(d);
}

static uint32_t next_in_zone(const struct pools *s, const char *zone)
{
    uint32_t i = nodes_next(s->set.nodes, NODES_NONE);
    for (; i != NODES_NONE; i = nodes_next(s->set.nodes, i)) {
        const struct node *n = nodes_view(s->set.nodes, i);
        if (n->state != NODE_VANISHED && strcmp(n->config->zones.items[n->zone], zone) == 0)
            break;
    }
    return i;
}

static void lose_zone(struct pools *s, sim_ns now, const struct drill *d)
{
    close_zone(s, d);
    for (uint32_t i; (i = next_in_zone(s, d->zone)) != NODES_NONE;) {
        const struct node *n = nodes_view(s->set.nodes, i);
        recorder_log(pools_recorder(s), now, true, n->name, "lost",
                     "zone %s is gone, and the node with %u pods on it", d->zone,
                     (unsigned)n->n_pods);
        group_remove(&s->groups[n->pool], now, n);
        pool_share_note(s, now, &s->groups[n->pool]);
        note_budgets(s, n);
        fleet_lose(s->set.fleet, now, i);
    }
    for (size_t i = 0; i < s->n_groups; i++)
        purchase_refill(s, now, &s->groups[i]);
}

void reclaim_drill(struct pools *s, sim_ns now, const struct drill *d)
{
    if (d->kind == DRILL_SPOT_LOSS)
        reclaim(s, now, d);
    if (d->kind == DRILL_STOCK_OUT)
        close_stock(s, drill_end(d));
    if (d->kind == DRILL_ZONE_LOSS)
        lose_zone(s, now, d);
}

static void plan_price(struct pools *s, sim_ns now, const struct group *g, uint32_t slot);

static void on_price(void *self, sim_ns now, uint64_t key)
{
    struct pools *s = self;
    uint32_t slot;
    const struct node *n = nodes_find(s->set.nodes, key, &slot);
    if (!n || n->state == NODE_VANISHED)
        return;
    const struct group *g = &s->groups[n->pool];
    fleet_price(s->set.fleet, now, slot, group_node_price(g, n, now));
    plan_price(s, now, g, slot);
}

static void plan_price(struct pools *s, sim_ns now, const struct group *g, uint32_t slot)
{
    sim_ns next = group_price_step(g, nodes_view(s->set.nodes, slot), now);
    if (next < s->set.cluster->horizon)
        sim_at(pools_clock(s), next, SIM_FAULT, on_price, s, nodes_key(s->set.nodes, slot));
}

void reclaim_plan(struct pools *s, const struct group *g, uint32_t slot)
{
    struct node *n = nodes_at(s->set.nodes, slot);
    uint64_t key = nodes_key(s->set.nodes, slot);
    sim_ns horizon = s->set.cluster->horizon;
    struct group_end end = group_loss(g, n, horizon);
    n->batch = end.batch;
    if (end.at < horizon)
        sim_at(pools_clock(s), end.at, SIM_LOSS, on_notice, s, key);
    plan_price(s, n->bought, g, slot);
}

void reclaim_close(const struct pools *s)
{
    if (s->broken_budgets > 0)
        recorder_finding(pools_recorder(s), "warning", "budget-reclaim",
                         "Reclaims took %llu ready pods that a disruption budget (minAvailable) "
                         "asked for: evictions respect a budget, the platform asks none. Replicas "
                         "on machines that cannot go at once (onDemandBaseCapacity, another zone) "
                         "hold it.",
                         (unsigned long long)s->broken_budgets);
}
