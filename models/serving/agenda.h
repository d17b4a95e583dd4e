/* agenda: what happens when, for items that are named by small numbers; one time an item.
 *
 * A binary heap that knows where each item is, so that a time can be moved or taken out. Order:
 * time, then class, then rank, then nothing more: ranks must differ within a class. */
#ifndef SLUICE_MODELS_SERVING_AGENDA_H
#define SLUICE_MODELS_SERVING_AGENDA_H

#include "sim/clock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct agenda_entry {
    sim_ns at;
    uint64_t order; /* class, then rank */
    uint32_t item;
};

struct agenda {
    struct agenda_entry *heap;
    uint32_t *place; /* item -> index in heap + 1; 0: not there */
    uint32_t n, items;
};

#define AGENDA_RANK_BITS 56

/* Room for items 0 .. items-1. -1 without memory; agenda_fini is safe then. */
int agenda_init(struct agenda *a, uint32_t items);
void agenda_fini(struct agenda *a);

/* Puts the item in, or moves it. rank < 2^56. */
void agenda_set(struct agenda *a, uint32_t item, sim_ns at, uint32_t class, uint64_t rank);
/* Takes it out; nothing happens when it is not there. */
void agenda_drop(struct agenda *a, uint32_t item);
sim_ns agenda_time(const struct agenda *a, uint32_t item); /* of an item that is there */

/* Time of the first entry, SIM_NEVER when empty. */
sim_ns agenda_next(const struct agenda *a);
/* Class of entry i of the heap, for a caller that looks through all of them. */
uint32_t agenda_class(const struct agenda *a, uint32_t i);
/* Takes the first entry out when it is at `at` and its class is at most `class`. */
bool agenda_take(struct agenda *a, sim_ns at, uint32_t class, struct agenda_entry *out);

#endif
