/* relief: whether node pools will bring a node for a waiting pod. */
#include "models/capacity/relief.h"

#include "models/capacity/group.h"
#include "models/capacity/group_choose.h"
#include "models/capacity/instance.h"
#include "models/capacity/nodes.h"
#include "models/capacity/pod_shape.h"
#include "models/capacity/pods.h"
#include "models/capacity/scheduler.h"

/* An empty node of this machine takes the pod beside its reservations and DaemonSets. */
static bool fits(const struct pool_config *pool, const struct instance_type *t, uint32_t zone,
                 const struct pod_shape *pod)
{
    return scheduler_matches(pod, pool, t, pool->zones.items[zone]) && pod->gpus <= t->gpus &&
           pod->cpu_milli + pool->daemon_cpu_milli <= pool_cpu_milli(pool, t) &&
           pod->memory_bytes + pool->daemon_memory <= pool_memory(pool, t);
}

static bool can_buy(const struct relief *r, sim_ns now, const struct pod_shape *pod)
{
    struct group_choice choice;
    for (size_t i = 0; i < r->n_groups && r->buys; i++) {
        const struct group *g = &r->groups[i];
        if (g->there < g->config->max_size && group_choose(g, now, &choice) &&
            fits(g->config, g->types[choice.type].type, choice.zone, pod))
            return true;
    }
    return false;
}

/* GPUs (machines for pods without) on their way that the pod could use. */
static int64_t on_the_way(const struct relief *r, const struct pod_shape *pod)
{
    int64_t sum = 0;
    for (uint32_t i = nodes_next(r->nodes, NODES_NONE); i != NODES_NONE;
         i = nodes_next(r->nodes, i)) {
        const struct node *n = nodes_view(r->nodes, i);
        bool comes = n->state == NODE_BOOTING || n->state == NODE_PLAIN;
        if (comes && !n->cordoned && fits(n->config, n->type, n->zone, pod))
            sum += pod->gpus > 0 ? n->type->gpus : 1;
    }
    return sum;
}

/* What waits before the pod and the pod itself. */
static int64_t asked_before(const struct relief *r, uint32_t pod)
{
    int64_t sum = 0;
    for (uint32_t i = pods_first_pending(r->pods); i != PODS_NONE;) {
        const struct pod *p = pods_view(r->pods, i);
        int32_t gpus = r->shapes[p->shape].gpus;
        if (!p->off_nodes)
            sum += gpus > 0 ? gpus : 1;
        if (i == pod)
            break;
        i = p->pending_next;
    }
    return sum;
}

bool relief_comes(const struct relief *r, sim_ns now, uint32_t pod)
{
    const struct pod_shape *shape = &r->shapes[pods_view(r->pods, pod)->shape];
    return can_buy(r, now, shape) || on_the_way(r, shape) >= asked_before(r, pod);
}
