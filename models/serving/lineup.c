/* lineup: servers in the order in which they become free. */
#include "models/serving/lineup.h"

#include <assert.h>
#include <stdlib.h>

/* Times at the base and before are written as ranks 0 .. LINEUP_MAX - 1 below this one. */
#define NOW LINEUP_MAX

int lineup_init(struct lineup *l, uint32_t servers)
{
    assert(servers >= 1 && servers <= LINEUP_MAX);
    *l = (struct lineup){.bits = 2, .base = -NOW};
    while ((UINT32_C(1) << l->bits) < servers)
        l->bits++;
    l->keys = malloc((servers + LINEUP_PAD) * sizeof *l->keys);
    if (!l->keys)
        return -1;
    for (uint32_t i = 0; i < servers + LINEUP_PAD; i++)
        l->keys[i] = UINT64_MAX;
    return 0;
}

void lineup_fini(struct lineup *l)
{
    free(l->keys);
}

/* Rare: after changes of the topology and once in many simulated days. */
static void sort(struct lineup *l)
{
    for (uint32_t i = 1; i < l->n; i++) {
        uint64_t key = l->keys[i];
        uint32_t j = i;
        for (; j > 0 && l->keys[j - 1] > key; j--)
            l->keys[j] = l->keys[j - 1];
        l->keys[j] = key;
    }
}

void lineup_add(struct lineup *l, uint32_t server, sim_ns free_at)
{
    assert(free_at - l->base >= NOW && free_at - l->base < LINEUP_REACH);
    l->keys[l->n++] = lineup_key(l, free_at, server);
    sort(l);
}

void lineup_remove(struct lineup *l, uint32_t first, uint32_t n)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < l->n; i++)
        if (lineup_server(l, l->keys[i]) - first >= n)
            l->keys[kept++] = l->keys[i];
    for (uint32_t i = kept; i < l->n; i++)
        l->keys[i] = UINT64_MAX;
    l->n = kept;
    sort(l);
}

void lineup_rebase(struct lineup *l, sim_ns now)
{
    sim_ns before = l->base, base = now - NOW;
    assert(base >= before);
    sort(l);
    for (uint32_t i = 0; i < l->n; i++) {
        sim_ns at = lineup_time(l, l->keys[i]);
        uint32_t server = lineup_server(l, l->keys[i]);
        uint64_t rank = at < now ? i : (uint64_t)(at - base);
        l->keys[i] = rank << l->bits | server;
    }
    l->base = base;
}

void lineup_sink(struct lineup *l, uint64_t key)
{
    uint32_t i = 0, n = l->n;
    for (uint32_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && l->keys[child + 1] < l->keys[child])
            child++;
        if (l->keys[child] >= key)
            break;
        l->keys[i] = l->keys[child];
    }
    l->keys[i] = key;
}
