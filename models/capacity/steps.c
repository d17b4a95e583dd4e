/* steps: a value over simulated time that holds until its next step. */
#include "models/capacity/steps.h"

#include <assert.h>

/* The last step at or before `at`. */
static size_t find(const struct steps *s, sim_ns at)
{
    size_t low = 0, high = s->n;
    assert(s->n > 0 && at >= 0);
    if (!s->at) {
        size_t i = s->every > 0 ? (size_t)(at / s->every) : 0;
        return i < s->n ? i : s->n - 1;
    }
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (s->at[middle] <= at)
            low = middle;
        else
            high = middle;
    }
    return low;
}

int64_t steps_at(const struct steps *s, sim_ns at)
{
    return s->value[find(s, at)];
}

sim_ns steps_next(const struct steps *s, sim_ns now)
{
    size_t i = find(s, now) + 1;
    if (i >= s->n)
        return SIM_NEVER;
    return s->at ? s->at[i] : (sim_ns)i * s->every;
}
