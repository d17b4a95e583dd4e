/* pods: the table of pods. */
#include "models/capacity/pods.h"

#include <assert.h>
#include <stdlib.h>

struct owner_list {
    uint32_t first, last;
    uint64_t made;
    size_t live;
};

struct pods {
    struct pod *slots;
    struct owner_list *owners;
    size_t capacity, n_owners, n_pending;
    uint32_t free; /* chained by owner_next */
    uint32_t pending_first, pending_last;
};

struct pods *pods_create(size_t capacity, size_t n_owners, struct err *e)
{
    assert(capacity > 0 && capacity < PODS_NONE);
    struct pods *p = calloc(1, sizeof *p);
    if (p) {
        p->slots = calloc(capacity, sizeof *p->slots);
        p->owners = calloc(n_owners + 1, sizeof *p->owners);
    }
    if (!p || !p->slots || !p->owners) {
        pods_destroy(p);
        err_set(e, ERR_SYSTEM, NULL, "out of memory for %zu pods", capacity);
        return NULL;
    }
    p->capacity = capacity;
    p->n_owners = n_owners;
    p->pending_first = p->pending_last = PODS_NONE;
    for (size_t i = 0; i < n_owners; i++)
        p->owners[i].first = p->owners[i].last = PODS_NONE;
    for (uint32_t i = 0; i < capacity; i++)
        p->slots[i].owner_next = i + 1 < capacity ? i + 1 : PODS_NONE;
    return p;
}

void pods_destroy(struct pods *p)
{
    if (!p)
        return;
    free(p->slots);
    free(p->owners);
    free(p);
}

size_t pods_capacity(const struct pods *p)
{
    return p->capacity;
}

uint32_t pods_slot(const struct pods *p, const struct pod *pod)
{
    assert(pod >= p->slots && pod < p->slots + p->capacity);
    return (uint32_t)(pod - p->slots);
}

static void enqueue(struct pods *p, uint32_t slot)
{
    struct pod *pod = &p->slots[slot];
    uint32_t after = p->pending_last;
    while (after != PODS_NONE && p->slots[after].priority < pod->priority)
        after = p->slots[after].pending_prev;
    pod->pending_prev = after;
    pod->pending_next = after == PODS_NONE ? p->pending_first : p->slots[after].pending_next;
    if (after == PODS_NONE)
        p->pending_first = slot;
    else
        p->slots[after].pending_next = slot;
    if (pod->pending_next == PODS_NONE)
        p->pending_last = slot;
    else
        p->slots[pod->pending_next].pending_prev = slot;
    p->n_pending++;
}

static void dequeue(struct pods *p, uint32_t slot)
{
    struct pod *pod = &p->slots[slot];
    if (pod->pending_prev == PODS_NONE)
        p->pending_first = pod->pending_next;
    else
        p->slots[pod->pending_prev].pending_next = pod->pending_next;
    if (pod->pending_next == PODS_NONE)
        p->pending_last = pod->pending_prev;
    else
        p->slots[pod->pending_next].pending_prev = pod->pending_prev;
    p->n_pending--;
}

uint32_t pods_add(struct pods *p, uint32_t owner, int32_t priority, sim_ns now)
{
    assert(owner < p->n_owners);
    uint32_t slot = p->free;
    if (slot == PODS_NONE)
        return PODS_NONE;
    struct pod *pod = &p->slots[slot];
    struct owner_list *list = &p->owners[owner];
    p->free = pod->owner_next;
    uint32_t generation = pod->generation + 1;
    *pod = (struct pod){
        .generation = generation ? generation : 1,
        .phase = POD_PENDING,
        .owner = owner,
        .shape = owner,
        .number = list->made++,
        .priority = priority,
        .node = PODS_NONE,
        .device = PODS_NONE,
        .created = now,
        .ready_since = SIM_NEVER,
        .terminating_since = SIM_NEVER,
        .owner_prev = list->last,
        .owner_next = PODS_NONE,
        .node_prev = PODS_NONE,
        .node_next = PODS_NONE,
    };
    if (list->last == PODS_NONE)
        list->first = slot;
    else
        p->slots[list->last].owner_next = slot;
    list->last = slot;
    list->live++;
    enqueue(p, slot);
    return slot;
}

void pods_drop(struct pods *p, uint32_t slot)
{
    struct pod *pod = pods_at(p, slot);
    assert(pod->node == PODS_NONE);
    if (!pod->placed)
        dequeue(p, slot);
    struct owner_list *list = &p->owners[pod->owner];
    if (pod->owner_prev == PODS_NONE)
        list->first = pod->owner_next;
    else
        p->slots[pod->owner_prev].owner_next = pod->owner_next;
    if (pod->owner_next == PODS_NONE)
        list->last = pod->owner_prev;
    else
        p->slots[pod->owner_next].owner_prev = pod->owner_prev;
    list->live--;
    pod->phase = POD_NONE;
    pod->owner_next = p->free;
    p->free = slot;
}

struct pod *pods_at(struct pods *p, uint32_t slot)
{
    assert(slot < p->capacity && p->slots[slot].phase != POD_NONE);
    return &p->slots[slot];
}

const struct pod *pods_view(const struct pods *p, uint32_t slot)
{
    assert(slot < p->capacity && p->slots[slot].phase != POD_NONE);
    return &p->slots[slot];
}

struct pod_ref pods_ref(const struct pods *p, uint32_t slot)
{
    return (struct pod_ref){slot, pods_view(p, slot)->generation};
}

struct pod *pods_find(struct pods *p, struct pod_ref ref)
{
    if (ref.generation == 0 || ref.slot >= p->capacity)
        return NULL;
    struct pod *pod = &p->slots[ref.slot];
    return pod->phase != POD_NONE && pod->generation == ref.generation ? pod : NULL;
}

void pods_place(struct pods *p, uint32_t slot, uint32_t node, uint32_t *first)
{
    struct pod *pod = pods_at(p, slot);
    assert(!pod->placed && (node == PODS_NONE) == (first == NULL));
    dequeue(p, slot);
    pod->placed = true;
    pod->node = node;
    if (!first)
        return;
    pod->node_prev = PODS_NONE;
    pod->node_next = *first;
    if (*first != PODS_NONE)
        p->slots[*first].node_prev = slot;
    *first = slot;
}

void pods_unplace(struct pods *p, uint32_t slot, uint32_t *first)
{
    struct pod *pod = pods_at(p, slot);
    assert(pod->placed && pod->node != PODS_NONE);
    if (pod->node_prev == PODS_NONE)
        *first = pod->node_next;
    else
        p->slots[pod->node_prev].node_next = pod->node_next;
    if (pod->node_next != PODS_NONE)
        p->slots[pod->node_next].node_prev = pod->node_prev;
    pod->node = PODS_NONE;
}

uint32_t pods_first(const struct pods *p, uint32_t owner)
{
    assert(owner < p->n_owners);
    return p->owners[owner].first;
}

uint32_t pods_first_pending(const struct pods *p)
{
    return p->pending_first;
}

size_t pods_pending(const struct pods *p)
{
    return p->n_pending;
}

size_t pods_live(const struct pods *p, uint32_t owner)
{
    assert(owner < p->n_owners);
    return p->owners[owner].live;
}

size_t pods_ready(const struct pods *p, uint32_t owner)
{
    size_t n = 0;
    for (uint32_t i = pods_first(p, owner); i != PODS_NONE; i = p->slots[i].owner_next)
        n += p->slots[i].phase == POD_READY;
    return n;
}

size_t pods_replicas(const struct pods *p, uint32_t owner)
{
    size_t n = 0;
    for (uint32_t i = pods_first(p, owner); i != PODS_NONE; i = p->slots[i].owner_next)
        n += p->slots[i].phase != POD_TERMINATING;
    return n;
}
