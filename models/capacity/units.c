/* units: which unit of its owner's placement a waiting pod goes to. */
#include "models/capacity/units.h"

#include "models/capacity/cluster.h"
#include "models/capacity/cluster_config.h"
#include "models/capacity/nodes.h"
#include "models/capacity/placement.h"
#include "models/capacity/pods.h"
#include "models/capacity/scheduler.h"
#include "models/capacity/shapes.h"
#include "sim/recorder.h"
#include "sim/sim.h"

#include <string.h>

/* Pods of each unit, this one left out. */
static void count_units(const struct units *u, const struct pod *but, int32_t *counts)
{
    uint32_t first = u->shapes->first_unit[but->owner];
    memset(counts, 0, PLACEMENT_UNITS_MAX * sizeof *counts);
    for (uint32_t i = pods_first(u->pods, but->owner); i != PODS_NONE;) {
        const struct pod *p = pods_view(u->pods, i);
        if (p != but && p->shape >= first && p->phase != POD_TERMINATING)
            counts[p->shape - first]++;
        i = p->owner_next;
    }
}

static void join_unit(struct units *u, sim_ns now, struct pod *p, uint32_t unit)
{
    const struct placement *how = u->set->shapes[p->owner].placement;
    uint32_t shape = u->shapes->first_unit[p->owner] + unit;
    if (p->shape == shape)
        return;
    if (p->shape == p->owner && how->when == PLACEMENT_TIMEOUT_OR_MAX)
        sim_at(u->set->sim, now + how->timeout, SIM_SCAN, u->due, u->self, 0);
    p->shape = shape;
    p->off_nodes = u->off_nodes[shape];
    /* Later units are cheaper to delete from. */
    if (how->kind == PLACEMENT_RESOURCE_POLICY)
        p->deletion_cost = (int32_t)(how->units.count - unit);
    recorder_log(u->set->recorder, now, true, p->name, "unit", "%s",
                 placement_unit(how, unit)->name);
}

static bool waits_here(const struct placement *how, const struct pod *p, sim_ns now)
{
    return how->when == PLACEMENT_MAX ||
           (how->when == PLACEMENT_TIMEOUT_OR_MAX && now < p->created + how->timeout);
}

/* A ResourcePolicy's first unit with room; else the first one that the pod may wait for. */
static uint32_t try_units(struct units *u, sim_ns now, struct pod *p)
{
    const struct placement *how = u->set->shapes[p->owner].placement;
    uint32_t first = u->shapes->first_unit[p->owner], wait_in = PLACEMENT_NONE;
    int32_t counts[PLACEMENT_UNITS_MAX];
    count_units(u, p, counts);
    for (uint32_t i = 0; i < how->units.count; i++) {
        const struct pod_shape *shape = &u->set->shapes[first + i];
        if (placement_full(how, i, counts))
            continue;
        bool supplied = u->off_nodes[first + i]; /* a supply takes it */
        uint32_t node =
            supplied ? NODES_NONE : scheduler_pick(&u->set->config->scheduler, shape, u->nodes);
        if (supplied || node != NODES_NONE) {
            join_unit(u, now, p, i);
            return node;
        }
        wait_in = wait_in == PLACEMENT_NONE ? i : wait_in;
        if (waits_here(how, p, now))
            break;
    }
    if (wait_in != PLACEMENT_NONE)
        join_unit(u, now, p, wait_in);
    return NODES_NONE;
}

bool units_find(struct units *u, sim_ns now, struct pod *p, uint32_t *node)
{
    const struct placement *how = u->set->shapes[p->owner].placement;
    int32_t counts[PLACEMENT_UNITS_MAX];
    bool handed_over = p->shape != p->owner && p->off_nodes;
    if (!how || handed_over)
        return true;
    if (how->kind == PLACEMENT_RESOURCE_POLICY) {
        *node = try_units(u, now, p);
        return p->shape != p->owner;
    }
    if (p->shape != p->owner)
        return true; /* it stays with its unit */
    count_units(u, p, counts);
    uint32_t unit = placement_next(how, counts);
    if (unit != PLACEMENT_NONE)
        join_unit(u, now, p, unit);
    return unit != PLACEMENT_NONE;
}
