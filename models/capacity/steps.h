/* steps: a value over simulated time that holds until its next step: a price, a stock. */
#ifndef SLUICE_MODELS_CAPACITY_STEPS_H
#define SLUICE_MODELS_CAPACITY_STEPS_H

#include "sim/clock.h"

#include <stddef.h>
#include <stdint.h>

/* Open data, immutable once filled; the arrays outlive it. The first value holds from 0 on, the
 * last for ever. {0} has no value. */
struct steps {
    const int64_t *value;
    size_t n;
    const sim_ns *at; /* ascending, at[0] <= 0; NULL: value[i] holds from i * every on */
    sim_ns every;     /* without `at`; 0 when n is 1 */
};

int64_t steps_at(const struct steps *s, sim_ns at);
/* When the next step comes after `now`; SIM_NEVER: none does. */
sim_ns steps_next(const struct steps *s, sim_ns now);

#endif
