/* work: the service time of request i on each kind of GPU. */
#include "models/serving/work.h"

sim_ns work_plain_ns(const struct dist *service, struct chance stream, uint64_t index)
{
    int64_t ns = dist_draw_ns(service, stream, index);
    if (ns > WORK_MAX_NS)
        return WORK_MAX_NS;
    return ns > 1 ? ns : 1;
}

void work_init(struct work *w, const struct dist *services, struct chance stream)
{
    w->services = services;
    w->stream = stream;
    work_refill(w, 0);
}

void work_refill(struct work *w, uint64_t index)
{
    w->first = index;
    chance_exponentials(w->stream, index, w->unit, WORK_BLOCK);
}
