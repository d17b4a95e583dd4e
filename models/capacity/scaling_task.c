/* scaling_task: what a scaling group does on its own. */
#include "models/capacity/scaling_task.h"

#include "models/capacity/cluster.h"
#include "models/capacity/fleet.h"
#include "models/capacity/group.h"
#include "models/capacity/instance.h"
#include "models/capacity/nodes.h"
#include "models/capacity/pool_share.h"
#include "models/capacity/pools.h"
#include "models/capacity/purchase.h"
#include "sim/chance.h"
#include "sim/recorder.h"
#include "sim/sim.h"

#include <assert.h>

/* ---- which machine goes ---- */

/* Price per vCPU where cost decides, then age; exact, without a division. */
static bool goes_before(const struct group *g, const struct node *a, const struct node *b)
{
    int64_t left = a->micro_per_hour * b->type->vcpu, right = b->micro_per_hour * a->type->vcpu;
    if (g->config->policy == POOL_COST_OPTIMIZED && left != right)
        return left > right;
    if (g->config->policy == POOL_BALANCE && g->zone_nodes[a->zone] != g->zone_nodes[b->zone])
        return g->zone_nodes[a->zone] > g->zone_nodes[b->zone];
    return g->config->removal == SCALING_NEWEST ? a->uid > b->uid : a->uid < b->uid;
}

uint32_t scaling_task_victim(const struct nodes *nodes, const struct group *g)
{
    uint32_t best = NODES_NONE;
    for (uint32_t i = nodes_next(nodes, NODES_NONE); i != NODES_NONE; i = nodes_next(nodes, i)) {
        const struct node *n = nodes_view(nodes, i);
        if (n->pool != g->index || n->state == NODE_VANISHED)
            continue;
        if (best == NODES_NONE || goes_before(g, n, nodes_view(nodes, best)))
            best = i;
    }
    return best;
}

/* Without a drain: pods on it are lost. */
static void release(struct pools *s, sim_ns now, uint32_t slot, const char *why)
{
    const struct node *n = nodes_view(s->set.nodes, slot);
    struct group *g = &s->groups[n->pool];
    recorder_log(pools_recorder(s), now, true, n->name, "released", "%s, with %u pods on it", why,
                 (unsigned)n->n_pods);
    group_remove(g, now, n);
    pool_share_note(s, now, g);
    if (n->state == NODE_BOOTING)
        fleet_delete(s->set.fleet, now, slot);
    else
        fleet_release(s->set.fleet, now, slot);
}

/* ---- tasks ---- */

static const char *trigger_name(int trigger)
{
    static const char *const names[] = {"scheduled task", "manual change", "alarm"};
    assert(trigger >= 0 && trigger <= SCALING_ALARM);
    return names[trigger];
}

/* Alarms alone wait for the cooldown, which counts from the last machine that came or went. */
static bool cools_down(const struct group *g, const struct scaling_task *t, sim_ns now)
{
    return t->trigger == SCALING_ALARM && g->changed_at >= 0 &&
           now - g->changed_at < g->config->cooldown;
}

static void set_size(struct pools *s, sim_ns now, struct group *g, const struct scaling_task *t)
{
    int32_t size = t->size < g->config->min_size ? g->config->min_size : t->size;
    size = size > g->config->max_size ? g->config->max_size : size;
    recorder_log(pools_recorder(s), now, true, g->config->name, trigger_name(t->trigger),
                 "%d -> %d machines", (int)g->there, (int)size);
    while (g->there < size && purchase_next(s, now, g, false))
        ;
    while (g->there > size) {
        uint32_t slot = scaling_task_victim(s->set.nodes, g);
        assert(slot != NODES_NONE);
        release(s, now, slot, "chosen by the scaling group");
    }
}

/* arg: task << 32 | group. */
static void on_task(void *self, sim_ns now, uint64_t arg)
{
    struct pools *s = self;
    struct group *g = &s->groups[(uint32_t)arg];
    const struct scaling_task *all = g->config->tasks.items, *t = &all[arg >> 32];
    if (cools_down(g, t, now))
        recorder_log(pools_recorder(s), now, true, g->config->name, "cooldown",
                     "an alarm is refused, the last change was %lld s ago",
                     (long long)((now - g->changed_at) / SIM_SECOND));
    else
        set_size(s, now, g, t);
    if (t->every > 0)
        sim_at(pools_clock(s), now + t->every, SIM_SCAN, on_task, s, arg);
}

void scaling_task_start(struct pools *s, sim_ns now, struct group *g)
{
    const struct scaling_task *all = g->config->tasks.items;
    g->changed_at = -1;
    for (size_t i = 0; i < g->config->tasks.count; i++)
        sim_at(pools_clock(s), now + all[i].at, SIM_SCAN, on_task, s, (uint64_t)i << 32 | g->index);
}

/* ---- health ---- */

static void on_check(void *self, sim_ns now, uint64_t group)
{
    struct pools *s = self;
    purchase_refill(s, now, &s->groups[group]);
}

/* Whatever the minimum says it goes at once; the minimum is restored when the check has seen it. */
static void on_failure(void *self, sim_ns now, uint64_t key)
{
    struct pools *s = self;
    uint32_t slot;
    const struct node *n = nodes_find(s->set.nodes, key, &slot);
    if (!n || n->state == NODE_VANISHED)
        return;
    const struct group *g = &s->groups[n->pool];
    s->failures++;
    release(s, now, slot, "it failed and is unhealthy");
    sim_at(pools_clock(s), now + g->config->health_check, SIM_SCAN, on_check, s, g->index);
}

void scaling_task_plan(struct pools *s, sim_ns now, const struct group *g, uint32_t node)
{
    double rate = g->config->failures_per_hour;
    const struct node *n = nodes_view(s->set.nodes, node);
    if (rate <= 0)
        return;
    struct chance c = chance_stream(g->seed, g->replication, CHANCE_FAULT, g->entity);
    double hours = chance_exponential(chance_sub(c, 1), n->number) / rate;
    double left = (double)(s->set.cluster->horizon - now) / (double)SIM_HOUR;
    if (hours < left)
        sim_at(pools_clock(s), now + (sim_ns)(hours * (double)SIM_HOUR), SIM_LOSS, on_failure, s,
               nodes_key(s->set.nodes, node));
}

/* ---- settings ---- */

#define AT(field) .offset = offsetof(struct scaling_task, field)

static const struct knob_name triggers[] = {
    {"scheduled", SCALING_SCHEDULED, "a scheduled task"},
    {"manual", SCALING_MANUAL, "a change by hand"},
    {"alarm", SCALING_ALARM, "an event-triggered task, which the cooldown may refuse"},
    {0},
};

static const struct knob rows[] = {
    {.key = "at",
     .kind = KNOB_DURATION,
     AT(at),
     .doc = "When the size changes.",
     .min = 0,
     .max = 366 * 86400.0},
    {.key = "every",
     .kind = KNOB_DURATION,
     AT(every),
     .doc = "Again after so long; 0: once.",
     .preset = "0s",
     .min = 0,
     .max = 366 * 86400.0},
    {.key = "size",
     .kind = KNOB_INT32,
     AT(size),
     .unit = "nodes",
     .doc = "Machines from then on, within minSize and maxSize.",
     .min = 0,
     .max = 2000},
    {.key = "trigger",
     .kind = KNOB_NAME,
     AT(trigger),
     .doc = "Who asks for it.",
     .preset = "scheduled",
     .names = triggers},
    {0},
};

const struct knob_table scaling_task_knobs = {
    .name = "scalingTask",
    .doc = "A change of a scaling group's size that is not the node autoscaler's.",
    .rows = rows,
    .size = sizeof(struct scaling_task),
};
