/* sim: the clock and the heap of control events. */
#include "sim/sim.h"

#include "sim/err.h"

#include <assert.h>
#include <stdlib.h>

/* Four children a node: half the levels of a binary heap, and siblings share cache lines. */
#define CHILDREN 4

/* Which of two events fires first: by time, then `order` (class in the top byte, below it the
 * sequence number, so that no two are equal). */
struct entry {
    sim_ns at;
    uint64_t order;
    uint32_t slot;
};

struct slot {
    sim_fn *fn;
    void *self;
    uint64_t arg;
    uint32_t generation; /* of the event in it, or of the next one; never 0 */
    uint32_t place;      /* in the heap; in a free slot the next free one */
};

#define NOWHERE UINT32_MAX

struct sim {
    struct entry *heap;
    struct slot *slots;
    size_t capacity, n;
    uint32_t free; /* first free slot */
    bool full;
    sim_ns now;
    uint64_t sequence, fired;
};

struct sim *sim_create(size_t capacity, struct err *e)
{
    assert(capacity > 0 && capacity < NOWHERE);
    struct sim *s = calloc(1, sizeof *s);
    if (s) {
        s->heap = calloc(capacity, sizeof *s->heap);
        s->slots = calloc(capacity, sizeof *s->slots);
    }
    if (!s || !s->heap || !s->slots) {
        sim_destroy(s);
        err_set(e, ERR_SYSTEM, NULL, "out of memory for %zu events", capacity);
        return NULL;
    }
    s->capacity = capacity;
    for (size_t i = 0; i < capacity; i++) {
        s->slots[i].generation = 1;
        s->slots[i].place = i + 1 < capacity ? (uint32_t)(i + 1) : NOWHERE;
    }
    return s;
}

void sim_destroy(struct sim *s)
{
    if (!s)
        return;
    free(s->heap);
    free(s->slots);
    free(s);
}

sim_ns sim_now(const struct sim *s)
{
    return s->now;
}

static bool before(struct entry a, struct entry b)
{
    return a.at < b.at || (a.at == b.at && a.order < b.order);
}

static void put(struct sim *s, size_t place, struct entry e)
{
    s->heap[place] = e;
    s->slots[e.slot].place = (uint32_t)place;
}

static void sift_up(struct sim *s, size_t place, struct entry e)
{
    while (place > 0) {
        size_t parent = (place - 1) / CHILDREN;
        if (!before(e, s->heap[parent]))
            break;
        put(s, place, s->heap[parent]);
        place = parent;
    }
    put(s, place, e);
}

static void sift_down(struct sim *s, size_t place, struct entry e)
{
    for (;;) {
        size_t child = place * CHILDREN + 1, end = child + CHILDREN;
        if (child >= s->n)
            break;
        size_t best = child;
        for (size_t i = child + 1; i < end && i < s->n; i++)
            if (before(s->heap[i], s->heap[best]))
                best = i;
        if (!before(s->heap[best], e))
            break;
        put(s, place, s->heap[best]);
        place = best;
    }
    put(s, place, e);
}

static void heap_remove(struct sim *s, size_t place)
{
    assert(place < s->n);
    struct entry last = s->heap[--s->n];
    if (place == s->n)
        return;
    if (place > 0 && before(last, s->heap[(place - 1) / CHILDREN]))
        sift_up(s, place, last);
    else
        sift_down(s, place, last);
}

/* From here on handles of the event in it are stale. */
static void slot_release(struct sim *s, uint32_t i)
{
    struct slot *slot = &s->slots[i];
    if (++slot->generation == 0)
        slot->generation = 1;
    slot->place = s->free;
    s->free = i;
}

struct sim_handle sim_at(struct sim *s, sim_ns at, enum sim_class class, sim_fn *fn, void *self,
                         uint64_t arg)
{
    assert(at >= s->now && at != SIM_NEVER && fn);
    assert((unsigned)class < SIM_CLASSES);
    if (s->free == NOWHERE) {
        s->full = true;
        return (struct sim_handle){0};
    }
    uint32_t i = s->free;
    struct slot *slot = &s->slots[i];
    s->free = slot->place;
    slot->fn = fn;
    slot->self = self;
    slot->arg = arg;
    uint64_t rank = class;
    struct entry e = {.at = at, .order = rank << 56 | s->sequence++, .slot = i};
    sift_up(s, s->n++, e);
    return (struct sim_handle){.slot = i, .generation = slot->generation};
}

bool sim_pending(const struct sim *s, struct sim_handle h)
{
    return h.generation != 0 && h.slot < s->capacity &&
           s->slots[h.slot].generation == h.generation && s->slots[h.slot].place < s->n &&
           s->heap[s->slots[h.slot].place].slot == h.slot;
}

bool sim_cancel(struct sim *s, struct sim_handle h)
{
    if (!sim_pending(s, h))
        return false;
    heap_remove(s, s->slots[h.slot].place);
    slot_release(s, h.slot);
    return true;
}

bool sim_full(const struct sim *s)
{
    return s->full;
}

sim_ns sim_next(const struct sim *s)
{
    return s->n ? s->heap[0].at : SIM_NEVER;
}

void sim_step(struct sim *s)
{
    assert(s->n > 0);
    struct entry e = s->heap[0];
    struct slot event = s->slots[e.slot];
    heap_remove(s, 0);
    slot_release(s, e.slot); /* before the call: it may schedule into this very slot */
    assert(e.at >= s->now);
    s->now = e.at;
    s->fired++;
    event.fn(event.self, e.at, event.arg);
}

uint64_t sim_fired(const struct sim *s)
{
    return s->fired;
}
