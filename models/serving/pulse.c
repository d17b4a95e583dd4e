/* pulse: when requests were served, coarsely. */
#include "models/serving/pulse.h"

#include <assert.h>

void pulse_beat(struct pulse *p, sim_ns start, sim_ns end, uint64_t served)
{
    assert(start <= end && served >= p->served);
    if (served == p->served)
        return;
    p->served = served;
    if (p->first_end == 0)
        p->first_end = end;
    else
        hist_add(&p->steps, end - p->last_start);
    p->last_start = start;
}

/* The steps of one bucket are shorter than its upper end. */
sim_ns pulse_present(const struct pulse *p, const struct pulse_terms *t)
{
    if (p->first_end == 0 || t->stay == SIM_NEVER)
        return 0;
    sim_ns span = p->last_start - t->slowest - (p->first_end + t->stay);
    for (uint32_t i = 0; i < HIST_BUCKETS && span > 0; i++) {
        sim_ns top = i + 1 < HIST_BUCKETS ? hist_bucket_low(i + 1) : p->steps.max + 1;
        sim_ns gap = top + t->slowest + t->stay - t->start;
        if (p->steps.count[i] == 0 || gap <= 0)
            continue;
        uint64_t most = (uint64_t)(span / gap);
        span = p->steps.count[i] > most ? 0 : span - (sim_ns)p->steps.count[i] * gap;
    }
    return span > 0 ? span : 0;
}
