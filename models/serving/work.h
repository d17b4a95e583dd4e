/* work: the service time of request i on each kind of GPU, drawn by index. */
#ifndef SLUICE_MODELS_SERVING_WORK_H
#define SLUICE_MODELS_SERVING_WORK_H

#include "sim/chance.h"
#include "sim/clock.h"
#include "sim/dist.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 13 days: keeps sums and packed keys away from overflow. */
#define WORK_MAX_NS (INT64_C(1) << 50)
#define WORK_BLOCK 256

/* The rule itself, for the event engine. */
sim_ns work_plain_ns(const struct dist *service, struct chance stream, uint64_t index);

/* Service times of requests first .. first + WORK_BLOCK - 1 on one kind of GPU. */
struct work_block {
    uint64_t first;
    sim_ns ns[WORK_BLOCK];
};

struct work {
    const struct dist *services; /* borrowed */
    struct chance stream;
    bool same; /* all kinds of GPU are alike: block 0 serves them all */
    struct work_block *blocks;
};

/* -1 without memory; work_fini is safe then. */
int work_init(struct work *w, const struct dist *services, size_t n, struct chance stream);
void work_fini(struct work *w);
/* When the request is not in its block. */
sim_ns work_outside(struct work *w, uint32_t service, uint64_t index);

/* Meant for indices that mostly rise by one: they are drawn in blocks. */
static inline sim_ns work_ns(struct work *w, uint32_t service, uint64_t index)
{
    const struct work_block *b = &w->blocks[service];
    uint64_t k = index - b->first; /* wraps around for an older index */
    return k < WORK_BLOCK ? b->ns[k] : work_outside(w, service, index);
}

#endif
