/* spot_return: nodes that are on demand for want of spot go back to spot. */
#include "models/capacity/spot_return.h"

#include "models/capacity/fleet.h"
#include "models/capacity/group.h"
#include "models/capacity/group_choose.h"
#include "models/capacity/nodes.h"
#include "models/capacity/pools.h"
#include "models/capacity/purchase.h"
#include "models/capacity/reclaim.h"
#include "sim/recorder.h"
#include "sim/sim.h"

/* How often a scaling group looks for spot again (assumed: the cadence of the spot checks). */
#define REPLACE_CHECK (5 * SIM_MINUTE)

static bool movable(const struct node *n, uint32_t group)
{
    return n->pool == group && n->compensating && n->state == NODE_COMPLETE && !n->draining &&
           n->deletion == NODE_DELETION_NONE;
}

/* The oldest node that is on demand for want of spot and has no successor yet. */
static uint32_t oldest_stopgap(const struct pools *s, uint32_t group)
{
    uint32_t i = nodes_next(s->set.nodes, NODES_NONE);
    while (i != NODES_NONE &&
           (!movable(nodes_view(s->set.nodes, i), group) || nodes_view(s->set.nodes, i)->successor))
        i = nodes_next(s->set.nodes, i);
    return i;
}

/* One at a time: no node of the group has a successor on its way. */
static bool moving(const struct pools *s, uint32_t group)
{
    for (uint32_t i = nodes_next(s->set.nodes, NODES_NONE); i != NODES_NONE;
         i = nodes_next(s->set.nodes, i))
        if (nodes_view(s->set.nodes, i)->pool == group && nodes_view(s->set.nodes, i)->successor)
            return true;
    return false;
}

static void start_move(struct pools *s, sim_ns now, struct group *g)
{
    struct group_choice choice;
    uint32_t old = oldest_stopgap(s, g->index);
    if (old == NODES_NONE || moving(s, g->index) || !group_has_surplus(g) ||
        g->there >= g->config->max_size || !group_choose_spot(g, now, &choice))
        return;
    uint32_t slot = purchase_choice(s, now, g, &choice, false);
    if (slot == NODES_NONE)
        return;
    nodes_at(s->set.nodes, old)->successor = nodes_key(s->set.nodes, slot);
    recorder_log(pools_recorder(s), now, true, nodes_view(s->set.nodes, slot)->name, "bought", "%s",
                 choice.reason);
}

/* Replace before you remove: the old node is drained once the new one is complete. A successor that
 * was lost meanwhile leaves the old node in its place. */
static void finish_moves(struct pools *s, sim_ns now, uint32_t group)
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
        recorder_log(pools_recorder(s), now, true, n->name, "replaced", "by %s", by->name);
        n->draining = true;
        fleet_cordon(s->set.fleet, now, i);
        if (n->n_pods == 0)
            purchase_return(s, now, i, "a spot node has replaced it");
        else
            reclaim_drain(s, now, i);
        return; /* the walk's list has changed */
    }
}

static void on_replace(void *self, sim_ns now, uint64_t group)
{
    struct pools *s = self;
    finish_moves(s, now, (uint32_t)group);
    start_move(s, now, &s->groups[group]);
    sim_at(pools_clock(s), now + REPLACE_CHECK, SIM_SCAN, on_replace, s, group);
}

void spot_return_start(struct pools *s, sim_ns now, uint32_t group)
{
    sim_at(pools_clock(s), now + REPLACE_CHECK, SIM_SCAN, on_replace, s, group);
}
