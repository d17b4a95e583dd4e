/* work: the service time of request i on each kind of GPU, drawn by index. */
#ifndef SLUICE_MODELS_SERVING_WORK_H
#define SLUICE_MODELS_SERVING_WORK_H

#include "sim/chance.h"
#include "sim/clock.h"
#include "sim/dist.h"

#include <stddef.h>
#include <stdint.h>

/* 13 days: keeps sums and packed keys away from overflow. */
#define WORK_MAX_NS (INT64_C(1) << 50)
#define WORK_BLOCK 256

struct work {
    const struct dist *services;
    struct chance stream;
    uint64_t first; /* unit[k] belongs to request first + k */
    double unit[WORK_BLOCK];
};

/* The plain form of the rule, for the event engine. */
sim_ns work_plain_ns(const struct dist *service, struct chance stream, uint64_t index);

void work_init(struct work *w, const struct dist *services, struct chance stream);
/* Unit exponentials from `index` on. */
void work_refill(struct work *w, uint64_t index);

static inline sim_ns work_clamp(double x)
{
    if (x >= (double)WORK_MAX_NS)
        return WORK_MAX_NS;
    sim_ns ns = (sim_ns)(x + 0.5);
    return ns > 1 ? ns : 1;
}

/* Cheap when indices mostly rise by one: exponentials come in blocks. */
static inline sim_ns work_ns(struct work *w, uint32_t service, uint64_t index)
{
    const struct dist *dist = &w->services[service];
    if (dist->kind == DIST_EXPONENTIAL) {
        uint64_t k = index - w->first; /* wraps around for an older index */
        if (k < WORK_BLOCK)
            return work_clamp(dist->mean * w->unit[k]);
        if (index > w->first) {
            work_refill(w, index);
            return work_clamp(dist->mean * w->unit[0]);
        }
    } else if (dist->kind == DIST_CONSTANT) {
        return work_clamp(dist->mean);
    }
    return work_plain_ns(dist, w->stream, index);
}

#endif
