/* half_life: a survival curve, walked down to a half. */
#include "models/capacity/half_life.h"

#include <assert.h>

void half_life_ended(struct half_life *h, sim_ns age)
{
    assert(age >= 0);
    hist_add(&h->ended, age / SIM_MS);
}

void half_life_alive(struct half_life *h, sim_ns age)
{
    assert(age >= 0);
    hist_add(&h->alive, age / SIM_MS);
}

/* Two steps of 1/4 and 1/3 leave a half, whatever the last bit says. */
#define HALF (0.5 + 1e-9)

sim_ns half_life_ns(const struct half_life *h)
{
    uint64_t at_risk = h->ended.n + h->alive.n;
    double surviving = 1;
    for (uint32_t b = 0; b < HIST_BUCKETS && at_risk > 0; b++) {
        surviving *= 1 - (double)h->ended.count[b] / (double)at_risk;
        if (surviving <= HALF) {
            sim_ns low = hist_bucket_low(b),
                   next = b + 1 < HIST_BUCKETS ? hist_bucket_low(b + 1) : low;
            return (low + (next - low) / 2) * SIM_MS;
        }
        at_risk -= h->ended.count[b] + h->alive.count[b];
    }
    return SIM_NEVER;
}
