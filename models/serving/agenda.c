/* agenda: what happens when, for items that are named by small numbers. */
#include "models/serving/agenda.h"

#include <assert.h>
#include <stdlib.h>

int agenda_init(struct agenda *a, uint32_t items)
{
    *a = (struct agenda){.items = items};
    a->heap = calloc(items, sizeof *a->heap);
    a->place = calloc(items, sizeof *a->place);
    return a->heap && a->place ? 0 : -1;
}

void agenda_fini(struct agenda *a)
{
    free(a->heap);
    free(a->place);
    *a = (struct agenda){0};
}

static bool before(const struct agenda_entry *x, const struct agenda_entry *y)
{
    return x->at != y->at ? x->at < y->at : x->order < y->order;
}

static void put(struct agenda *a, uint32_t i, struct agenda_entry entry)
{
    a->heap[i] = entry;
    a->place[entry.item] = i + 1;
}

static void sift_up(struct agenda *a, uint32_t i, struct agenda_entry entry)
{
    while (i > 0 && before(&entry, &a->heap[(i - 1) / 2])) {
        put(a, i, a->heap[(i - 1) / 2]);
        i = (i - 1) / 2;
    }
    put(a, i, entry);
}

static void sift_down(struct agenda *a, uint32_t i, struct agenda_entry entry)
{
    for (uint32_t child; (child = 2 * i + 1) < a->n; i = child) {
        if (child + 1 < a->n && before(&a->heap[child + 1], &a->heap[child]))
            child++;
        if (!before(&a->heap[child], &entry))
            break;
        put(a, i, a->heap[child]);
    }
    put(a, i, entry);
}

/* Moves an entry to where it belongs, from index i whose own entry is void. */
static void settle(struct agenda *a, uint32_t i, struct agenda_entry entry)
{
    if (i > 0 && before(&entry, &a->heap[(i - 1) / 2]))
        sift_up(a, i, entry);
    else
        sift_down(a, i, entry);
}

void agenda_set(struct agenda *a, uint32_t item, sim_ns at, uint32_t class, uint64_t rank)
{
    assert(item < a->items && rank < (UINT64_C(1) << AGENDA_RANK_BITS));
    struct agenda_entry entry = {
        .at = at, .order = (uint64_t) class << AGENDA_RANK_BITS | rank, .item = item};
    if (a->place[item])
        settle(a, a->place[item] - 1, entry);
    else
        sift_up(a, a->n++, entry);
}

void agenda_drop(struct agenda *a, uint32_t item)
{
    assert(item < a->items);
    if (!a->place[item])
        return;
    uint32_t i = a->place[item] - 1;
    a->place[item] = 0;
    struct agenda_entry last = a->heap[--a->n];
    if (i < a->n)
        settle(a, i, last);
}

sim_ns agenda_time(const struct agenda *a, uint32_t item)
{
    assert(a->place[item]);
    return a->heap[a->place[item] - 1].at;
}

sim_ns agenda_next(const struct agenda *a)
{
    return a->n > 0 ? a->heap[0].at : SIM_NEVER;
}

uint32_t agenda_class(const struct agenda *a, uint32_t i)
{
    return (uint32_t)(a->heap[i].order >> AGENDA_RANK_BITS);
}

bool agenda_take(struct agenda *a, sim_ns at, uint32_t class, struct agenda_entry *out)
{
    if (a->n == 0 || a->heap[0].at != at || agenda_class(a, 0) > class)
        return false;
    *out = a->heap[0];
    agenda_drop(a, out->item);
    return true;
}
