/* gpu_time: GPU time added up exactly. */
#include "models/capacity/gpu_time.h"

#include <assert.h>

static void carry(struct gpu_time *t)
{
    t->milli_s += t->milli_ns / SIM_SECOND;
    t->milli_ns %= SIM_SECOND;
}

void gpu_time_add(struct gpu_time *t, int64_t milli, sim_ns ns)
{
    assert(milli >= 0 && milli <= 1000000 && ns >= 0);
    t->milli_s += ns / SIM_SECOND * milli;
    t->milli_ns += ns % SIM_SECOND * milli; /* below 1e15 */
    carry(t);
}

void gpu_time_sum(struct gpu_time *t, struct gpu_time by)
{
    t->milli_s += by.milli_s;
    t->milli_ns += by.milli_ns;
    carry(t);
}

bool gpu_time_equal(struct gpu_time a, struct gpu_time b)
{
    return a.milli_s == b.milli_s && a.milli_ns == b.milli_ns;
}

double gpu_time_s(struct gpu_time t)
{
    return ((double)t.milli_s + (double)t.milli_ns / (double)SIM_SECOND) / 1e3;
}
