/* lineup: servers in the order in which they become free, in packed keys.
 *
 * A key is (time - base) << bits | server, so one comparison orders by time and then by server.
 * Up to LINEUP_ROW servers stand in a sorted row: a new time travels to its place through a chain
 * of minima and maxima without a branch to mispredict. More stand in a binary heap; a sorted row is
 * one too. */
#ifndef SLUICE_MODELS_SERVING_LINEUP_H
#define SLUICE_MODELS_SERVING_LINEUP_H

#include "sim/clock.h"

#include <stdint.h>

#define LINEUP_ROW 32
#define LINEUP_MAX 4096
#define LINEUP_PAD 4
/* How far a time may lie after base: 26 days. */
#define LINEUP_REACH (INT64_C(1) << 51)

struct lineup {
    uint64_t *keys; /* LINEUP_PAD more than servers, UINT64_MAX beyond n */
    uint32_t n, bits;
    sim_ns base;
};

/* Room for servers 0 .. servers-1. -1 without memory. */
int lineup_init(struct lineup *l, uint32_t servers);
void lineup_fini(struct lineup *l);
void lineup_add(struct lineup *l, uint32_t server, sim_ns free_at);
/* Takes out servers first .. first + n - 1. */
void lineup_remove(struct lineup *l, uint32_t first, uint32_t n);
/* Makes `now` the new base. Servers free before now keep their order, not their times. */
void lineup_rebase(struct lineup *l, sim_ns now);
/* Lets the first entry, whose key is void, sink to its place. For more than LINEUP_ROW servers. */
void lineup_sink(struct lineup *l, uint64_t key);

static inline sim_ns lineup_time(const struct lineup *l, uint64_t key)
{
    return l->base + (sim_ns)(key >> l->bits);
}

/* When the first server is or becomes free; `never` when there is none. */
static inline sim_ns lineup_first(const struct lineup *l, sim_ns never)
{
    return l->n > 0 ? lineup_time(l, l->keys[0]) : never;
}

static inline uint32_t lineup_server(const struct lineup *l, uint64_t key)
{
    return (uint32_t)(key & ((UINT64_C(1) << l->bits) - 1));
}

static inline uint64_t lineup_key(const struct lineup *l, sim_ns at, uint32_t server)
{
    return (uint64_t)(at - l->base) << l->bits | server;
}

/* The first server becomes free at another, later time. */
static inline void lineup_replace(struct lineup *l, uint64_t key)
{
    uint32_t n = l->n;
    if (n > LINEUP_ROW) {
        lineup_sink(l, key);
        return;
    }
    /* Four at a time; behind the last server stand keys that are later than all. */
    uint64_t *keys = l->keys;
    for (uint32_t i = 0; i + 1 < n; i += 4) {
        uint64_t a = keys[i + 1], b = keys[i + 2], c = keys[i + 3], d = keys[i + 4];
        keys[i] = a < key ? a : key;
        key = a < key ? key : a;
        keys[i + 1] = b < key ? b : key;
        key = b < key ? key : b;
        keys[i + 2] = c < key ? c : key;
        key = c < key ? key : c;
        keys[i + 3] = d < key ? d : key;
        key = d < key ? key : d;
        keys[i + 4] = key;
    }
    if (n == 1)
        keys[0] = key;
}

#endif
