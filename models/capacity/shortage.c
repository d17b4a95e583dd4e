/* shortage: zones that have less spot stock than a pool holds there. */
#include "models/capacity/shortage.h"

#include "models/capacity/nodes.h"
#include "models/capacity/pools.h"
#include "models/capacity/reclaim.h"
#include "models/capacity/victim.h"
#include "sim/recorder.h"
#include "sim/sim.h"

static uint64_t key_of(uint32_t group, uint32_t zone)
{
    return (uint64_t)group << 32 | zone;
}

static void on_check(void *self, sim_ns now, uint64_t key);

static void take(struct pools *s, sim_ns now, struct group *g, uint32_t zone)
{
    struct victim_filter held = {UINT64_MAX, g->index, zone, -1};
    struct victim_filter free_now = {UINT64_MAX, g->index, zone, now};
    int64_t stock = group_stock(g, zone, now), there = victim_count(s, &held);
    if (there <= stock)
        return;
    int64_t beyond = there - stock, can = victim_count(s, &free_now);
    int64_t taken = beyond < can ? beyond : can;
    recorder_log(pools_recorder(s), now, true, g->config->name, "short of stock",
                 "zone %s has room for %lld spot nodes, %lld are there; %lld are taken back",
                 g->config->zones.items[zone], (long long)stock, (long long)there,
                 (long long)taken);
    for (int64_t i = 0; i < taken; i++)
        reclaim_notice(s, now, victim_next(s, &free_now, group_ties(g, zone, now)));
    if (taken == beyond || g->stock_checks[zone])
        return;
    g->stock_checks[zone] = true;
    sim_at(pools_clock(s), now + g->market->check, SIM_FAULT, on_check, s, key_of(g->index, zone));
}

static void on_check(void *self, sim_ns now, uint64_t key)
{
    struct pools *s = self;
    struct group *g = &s->groups[key >> 32];
    uint32_t zone = (uint32_t)key;
    g->stock_checks[zone] = false;
    take(s, now, g, zone);
}

static void on_step(void *self, sim_ns now, uint64_t key);

static void plan_step(struct pools *s, sim_ns now, const struct group *g, uint32_t zone)
{
    sim_ns next = g->zones[zone].stock.n > 0 ? steps_next(&g->zones[zone].stock, now) : SIM_NEVER;
    if (next < s->set.cluster->horizon)
        sim_at(pools_clock(s), next, SIM_FAULT, on_step, s, key_of(g->index, zone));
}

static void on_step(void *self, sim_ns now, uint64_t key)
{
    struct pools *s = self;
    struct group *g = &s->groups[key >> 32];
    plan_step(s, now, g, (uint32_t)key);
    take(s, now, g, (uint32_t)key);
}

void shortage_start(struct pools *s, sim_ns now, uint32_t group)
{
    const struct group *g = &s->groups[group];
    for (uint32_t z = 0; z < g->n_zones; z++)
        plan_step(s, now, g, z);
}
