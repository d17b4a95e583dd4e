/* work: the service time of request i on each kind of GPU. */
#include "models/serving/work.h"

#include <stdlib.h>

static sim_ns clamp(int64_t ns)
{
    if (ns > WORK_MAX_NS)
        return WORK_MAX_NS;
    return ns > 1 ? ns : 1;
}

sim_ns work_plain_ns(const struct dist *service, struct chance stream, uint64_t index)
{
    return clamp(dist_draw_ns(service, stream, index));
}

static bool alike(const struct dist *x, const struct dist *y)
{
    return x->kind == y->kind && x->a == y->a && x->b == y->b && x->mean == y->mean &&
           x->points == y->points;
}

static void refill(struct work *w, uint32_t service, uint64_t first)
{
    const struct dist *dist = &w->services[service];
    struct work_block *b = &w->blocks[service];
    double unit[WORK_BLOCK];
    b->first = first;
    if (dist->kind == DIST_EXPONENTIAL) {
        chance_exponentials(w->stream, first, unit, WORK_BLOCK);
        for (uint32_t k = 0; k < WORK_BLOCK; k++) {
            double x = dist->mean * unit[k]; /* as dist_draw_ns has it */
            b->ns[k] = x >= (double)WORK_MAX_NS ? WORK_MAX_NS : clamp((int64_t)(x + 0.5));
        }
        return;
    }
    sim_ns constant = dist->kind == DIST_CONSTANT ? work_plain_ns(dist, w->stream, first) : 0;
    for (uint32_t k = 0; k < WORK_BLOCK; k++)
        b->ns[k] = constant ? constant : work_plain_ns(dist, w->stream, first + k);
}

int work_init(struct work *w, const struct dist *services, size_t n, struct chance stream)
{
    *w = (struct work){.services = services, .stream = stream, .same = true};
    w->blocks = calloc(n, sizeof *w->blocks);
    if (!w->blocks)
        return -1;
    for (uint32_t i = 0; i < n; i++) {
        w->same = w->same && alike(&services[i], &services[0]);
        refill(w, i, 0);
    }
    return 0;
}

void work_fini(struct work *w)
{
    free(w->blocks);
}

sim_ns work_outside(struct work *w, uint32_t service, uint64_t index)
{
    if (index < w->blocks[service].first)
        return work_plain_ns(&w->services[service], w->stream, index);
    refill(w, service, index);
    return w->blocks[service].ns[0];
}
