/* node_snapshot: rooms. */
#include "models/control/node_snapshot.h"

#include <assert.h>

bool node_snapshot_counts(const struct node_scaler_config *c, const struct node_scaler_owner *o)
{
    return o->priority >= c->priority_cutoff;
}

static struct node_room empty_room(const struct node_scaler_shape *shape)
{
    return (struct node_room){.cpu_milli = shape->cpu_milli,
                              .memory_bytes = shape->memory_bytes,
                              .gpus = shape->gpus,
                              .pods = shape->max_pods > 0 ? shape->max_pods : INT32_MAX};
}

struct node_room node_snapshot_new_node(const struct node_scaler_group *g)
{
    struct node_room room = empty_room(&g->shape);
    room.cpu_milli -= g->daemon_cpu_milli;
    room.memory_bytes -= g->daemon_memory_bytes;
    if (room.pods != INT32_MAX)
        room.pods -= g->daemon_pods;
    return room;
}

struct node_binpack_pods node_snapshot_pods(const struct node_scaler_owner *o, int32_t count)
{
    return (struct node_binpack_pods){.cpu_milli = o->cpu_milli,
                                      .memory_bytes = o->memory_bytes,
                                      .gpus = o->gpus,
                                      .count = count,
                                      .host_port = -1};
}

/* Takes the room of n pods, which may leave less than nothing: a node can be overcommitted by
 * pods that were there before its allocatable shrank. */
static void use(struct node_room *room, const struct node_scaler_owner *o, int32_t n)
{
    struct node_binpack_pods p = node_snapshot_pods(o, n);
    node_binpack_take(room, &p, n);
}

static struct node_slot node_slot(const struct node_snapshot *s, const struct node_scaler_node *n)
{
    const struct node_scaler_view *v = s->view;
    const struct node_scaler_group *g = &v->groups[n->group];
    struct node_slot slot = {
        .room = empty_room(&n->shape), .group = n->group, .node = (uint32_t)(n - v->nodes)};
    slot.open = n->schedulable && n->deleting == NODE_DELETION_NONE &&
                node_state_readiness(s->config, g, n, v->now) == NODE_READY;
    assert((size_t)n->first_pod + n->n_pods <= v->n_pods);
    for (uint32_t i = 0; i < n->n_pods; i++) {
        const struct node_scaler_owner *o = &v->owners[v->pods[n->first_pod + i].owner];
        if (node_snapshot_counts(s->config, o))
            use(&slot.room, o, 1);
    }
    return slot;
}

void node_snapshot_make(struct node_snapshot *s, const struct node_scaler_config *config,
                        const struct node_scaler_view *view, const struct node_state *states)
{
    s->config = config;
    s->view = view;
    s->n_slots = s->n_carried = 0;
    assert(view->n_nodes <= s->slots_cap);
    for (size_t i = 0; i < view->n_nodes; i++)
        s->slots[s->n_slots++] = node_slot(s, &view->nodes[i]);
    for (uint32_t g = 0; g < view->n_groups; g++) {
        struct node_slot slot = {.room = node_snapshot_new_node(&view->groups[g]),
                                 .group = g,
                                 .node = NODE_SLOT_NONE,
                                 .open = true};
        for (int32_t k = 0; k < states[g].upcoming; k++) {
            assert(s->n_slots < s->slots_cap);
            s->slots[s->n_slots++] = slot;
        }
    }
    node_snapshot_rewind(s);
}

void node_snapshot_rewind(struct node_snapshot *s)
{
    for (size_t i = 0; i < s->view->n_owners; i++)
        s->first_slot[i] = 0;
}

/* Selectors, GPU kind and zone: an existing node is judged by what it is, an upcoming one by what
 * its group buys next. */
static bool allowed(const struct node_snapshot *s, uint32_t owner, const struct node_slot *slot)
{
    const struct node_scaler_view *v = s->view;
    if (!v->kind_fits || slot->node == NODE_SLOT_NONE)
        return v->fits[(size_t)owner * v->n_groups + slot->group];
    assert(v->nodes[slot->node].kind < v->n_kinds);
    return v->kind_fits[(size_t)owner * v->n_kinds + v->nodes[slot->node].kind];
}

uint32_t node_snapshot_find(const struct node_snapshot *s, uint32_t owner, uint32_t from,
                            uint32_t to)
{
    assert(owner < s->view->n_owners && to <= s->n_slots);
    struct node_binpack_pods p = node_snapshot_pods(&s->view->owners[owner], 1);
    for (uint32_t i = from; i < to; i++)
        if (s->slots[i].open && allowed(s, owner, &s->slots[i]) &&
            node_binpack_fit(&s->slots[i].room, &p, 1) == 1)
            return i;
    return NODE_SLOT_NONE;
}

void node_snapshot_take(struct node_snapshot *s, uint32_t owner, uint32_t slot)
{
    use(&s->slots[slot].room, &s->view->owners[owner], 1);
    s->slots[slot].carried++;
}

void node_snapshot_give(struct node_snapshot *s, uint32_t owner, uint32_t slot)
{
    use(&s->slots[slot].room, &s->view->owners[owner], -1);
    s->slots[slot].carried--;
}

bool node_snapshot_lay(struct node_snapshot *s, uint32_t owner)
{
    uint32_t end = (uint32_t)s->n_slots;
    uint32_t slot = node_snapshot_find(s, owner, s->first_slot[owner], end);
    s->first_slot[owner] = slot == NODE_SLOT_NONE ? end : slot;
    if (slot == NODE_SLOT_NONE)
        return false;
    node_snapshot_take(s, owner, slot);
    assert(s->n_carried < s->carried_cap);
    s->carried[s->n_carried++] = (struct node_carried){.owner = owner, .slot = slot};
    return true;
}
