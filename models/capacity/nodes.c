/* nodes: the table of machines and node objects. */
#include "models/capacity/nodes.h"

#include <assert.h>
#include <stdlib.h>

struct link {
    uint32_t prev, next; /* in order of purchase; next also chains free slots */
};

struct nodes {
    struct node *slots;
    struct link *links;
    size_t capacity;
    uint32_t free, first, last;
    uint64_t bought;
};

struct nodes *nodes_create(size_t capacity, struct err *e)
{
    assert(capacity < NODES_NONE);
    struct nodes *n = calloc(1, sizeof *n);
    if (n) {
        n->slots = calloc(capacity + 1, sizeof *n->slots);
        n->links = calloc(capacity + 1, sizeof *n->links);
    }
    if (!n || !n->slots || !n->links) {
        nodes_destroy(n);
        err_set(e, ERR_SYSTEM, NULL, "out of memory for %zu nodes", capacity);
        return NULL;
    }
    n->capacity = capacity;
    n->first = n->last = NODES_NONE;
    n->free = capacity ? 0 : NODES_NONE;
    for (uint32_t i = 0; i < capacity; i++)
        n->links[i].next = i + 1 < capacity ? i + 1 : NODES_NONE;
    return n;
}

void nodes_destroy(struct nodes *n)
{
    if (!n)
        return;
    free(n->slots);
    free(n->links);
    free(n);
}

size_t nodes_capacity(const struct nodes *n)
{
    return n->capacity;
}

uint32_t nodes_add(struct nodes *n)
{
    uint32_t slot = n->free;
    if (slot == NODES_NONE)
        return NODES_NONE;
    n->free = n->links[slot].next;
    n->links[slot] = (struct link){n->last, NODES_NONE};
    if (n->last == NODES_NONE)
        n->first = slot;
    else
        n->links[n->last].next = slot;
    n->last = slot;
    uint32_t generation = n->slots[slot].generation + 1;
    n->slots[slot] = (struct node){
        .generation = generation ? generation : 1,
        .state = NODE_BOOTING,
        .uid = n->bought++,
        .registered = SIM_NEVER,
        .completed = SIM_NEVER,
        .deleting_since = SIM_NEVER,
        .first_pod = NODES_NONE,
    };
    return slot;
}

void nodes_drop(struct nodes *n, uint32_t slot)
{
    struct node *node = nodes_at(n, slot);
    assert(node->n_pods == 0 && node->gpus_used == 0);
    node->state = NODE_FREE;
    struct link l = n->links[slot];
    if (l.prev == NODES_NONE)
        n->first = l.next;
    else
        n->links[l.prev].next = l.next;
    if (l.next == NODES_NONE)
        n->last = l.prev;
    else
        n->links[l.next].prev = l.prev;
    n->links[slot].next = n->free;
    n->free = slot;
}

struct node *nodes_at(struct nodes *n, uint32_t slot)
{
    assert(slot < n->capacity && n->slots[slot].state != NODE_FREE);
    return &n->slots[slot];
}

const struct node *nodes_view(const struct nodes *n, uint32_t slot)
{
    assert(slot < n->capacity && n->slots[slot].state != NODE_FREE);
    return &n->slots[slot];
}

uint64_t nodes_key(const struct nodes *n, uint32_t slot)
{
    return (uint64_t)nodes_view(n, slot)->generation << 32 | slot;
}

struct node *nodes_find(struct nodes *n, uint64_t key, uint32_t *slot)
{
    uint32_t i = (uint32_t)key;
    assert(i < n->capacity);
    struct node *node = &n->slots[i];
    if (node->state == NODE_FREE || node->generation != key >> 32)
        return NULL;
    *slot = i;
    return node;
}

uint32_t nodes_next(const struct nodes *n, uint32_t after)
{
    return after == NODES_NONE ? n->first : n->links[after].next;
}

bool nodes_ready(const struct node *n)
{
    return n->state == NODE_PLAIN || n->state == NODE_COMPLETE;
}
