/* preempt: pods of lower priority make room. */
#include "models/capacity/preempt.h"

#include "models/capacity/nodes.h"
#include "models/capacity/pod_shape.h"
#include "models/capacity/pods.h"
#include "models/capacity/room.h"
#include "models/capacity/scheduler.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A lower pod on the node that is looked at. */
struct lower {
    uint32_t slot;
    bool protected; /* its budget allows no eviction */
};

/* What nodes are compared by. */
struct cost {
    size_t broken; /* budgets */
    int32_t highest;
    int64_t sum; /* of priorities, each from the lowest possible on */
    size_t victims;
    sim_ns started; /* the earliest of the highest victims */
};

struct preempt {
    struct preempt_setup set;
    int32_t lowest; /* priority of any owner */
    struct lower *lower;
    size_t n_lower;
    struct pod_ref *now, *best; /* victims on the node that is looked at, and on the best so far */
};

struct preempt *preempt_create(const struct preempt_setup *s, struct err *e)
{
    struct preempt *p = calloc(1, sizeof *p);
    size_t n = pods_capacity(s->pods);
    if (p) {
        p->set = *s;
        p->lower = calloc(n, sizeof *p->lower);
        p->now = calloc(n, sizeof *p->now);
        p->best = calloc(n, sizeof *p->best);
    }
    if (!p || !p->lower || !p->now || !p->best) {
        preempt_destroy(p);
        err_set(e, ERR_SYSTEM, NULL, "out of memory for %zu pods", n);
        return NULL;
    }
    p->lowest = INT32_MAX;
    for (size_t i = 0; i < s->n_shapes; i++)
        p->lowest = s->shapes[i].priority < p->lowest ? s->shapes[i].priority : p->lowest;
    return p;
}

void preempt_destroy(struct preempt *p)
{
    if (!p)
        return;
    free(p->lower);
    free(p->now);
    free(p->best);
    free(p);
}

static const struct pod_shape *shape(const struct preempt *p, uint32_t slot)
{
    return &p->set.shapes[pods_view(p->set.pods, slot)->shape];
}

static bool is_protected(const struct preempt *p, const struct pod *pod)
{
    const struct pod_shape *s = &p->set.shapes[pod->shape];
    return s->min_available > 0 && pod->phase == POD_READY &&
           pods_ready(p->set.pods, pod->owner) <= (size_t)s->min_available;
}

/* Spared first: protected ones, then by priority, then the longest running. */
static bool before(const struct preempt *p, const struct lower *a, const struct lower *b)
{
    const struct pod *x = pods_view(p->set.pods, a->slot), *y = pods_view(p->set.pods, b->slot);
    if (a->protected != b->protected)
        return a->protected;
    if (x->priority != y->priority)
        return x->priority > y->priority;
    return x->placed_at != y->placed_at ? x->placed_at < y->placed_at : x->number < y->number;
}

static void add_lower(struct preempt *p, uint32_t slot)
{
    struct lower l = {slot, is_protected(p, pods_view(p->set.pods, slot))};
    size_t i = p->n_lower++;
    for (; i > 0 && before(p, &l, &p->lower[i - 1]); i--)
        p->lower[i] = p->lower[i - 1];
    p->lower[i] = l;
}

/* A copy of the node without its lower pods, which are listed unless they terminate already. */
static struct node without_lower(struct preempt *p, const struct node *node, int32_t priority)
{
    struct node n = *node;
    p->n_lower = 0;
    for (uint32_t i = node->first_pod; i != PODS_NONE;) {
        const struct pod *pod = pods_view(p->set.pods, i);
        if (pod->priority < priority) {
            room_leave(&n, &p->set.shapes[pod->shape], pod->device);
            if (pod->phase < POD_TERMINATING)
                add_lower(p, i);
        }
        i = pod->node_next;
    }
    return n;
}

static void add_cost(struct cost *c, const struct pod *pod, bool broken)
{
    c->broken += broken;
    if (c->victims == 0 || pod->priority > c->highest ||
        (pod->priority == c->highest && pod->placed_at < c->started)) {
        c->highest = pod->priority;
        c->started = pod->placed_at;
    }
    c->sum += (int64_t)pod->priority - INT32_MIN;
    c->victims++;
}

/* Puts lower pods back while the pod fits; the others are the victims. */
static struct cost spare(struct preempt *p, struct node *n, const struct pod_shape *asks)
{
    struct cost c = {0};
    for (size_t i = 0; i < p->n_lower; i++) {
        uint32_t slot = p->lower[i].slot;
        const struct pod_shape *s = shape(p, slot);
        if (room_lacks(n, s, NULL) == 0) {
            uint32_t device = room_take(n, s);
            if (scheduler_fits(asks, n))
                continue;
            room_leave(n, s, device);
        }
        p->now[c.victims] = pods_ref(p->set.pods, slot);
        add_cost(&c, pods_view(p->set.pods, slot), p->lower[i].protected);
    }
    return c;
}

static bool cheaper(const struct cost *a, const struct cost *b)
{
    if (a->broken != b->broken)
        return a->broken < b->broken;
    if (a->victims == 0 || b->victims == 0)
        return a->victims < b->victims;
    if (a->highest != b->highest)
        return a->highest < b->highest;
    if (a->sum != b->sum)
        return a->sum < b->sum;
    return a->victims != b->victims ? a->victims < b->victims : a->started > b->started;
}

uint32_t preempt_find(struct preempt *p, uint32_t pod, const struct pod_ref **victims, size_t *n)
{
    const struct pod_shape *asks = shape(p, pod);
    uint32_t best = NODES_NONE;
    struct cost least = {0};
    *n = 0;
    if (asks->never_preempts || asks->priority <= p->lowest)
        return NODES_NONE;
    for (uint32_t i = nodes_next(p->set.nodes, NODES_NONE); i != NODES_NONE;
         i = nodes_next(p->set.nodes, i)) {
        struct node copy = without_lower(p, nodes_view(p->set.nodes, i), asks->priority);
        if (copy.kept.held || !scheduler_fits(asks, &copy))
            continue;
        struct cost c = spare(p, &copy, asks);
        if (best != NODES_NONE && !cheaper(&c, &least))
            continue;
        best = i;
        least = c;
        struct pod_ref *swap = p->best;
        p->best = p->now;
        p->now = swap;
    }
    *victims = p->best;
    *n = least.victims;
    return best;
}
