/* half_life: the age that half of a population reaches, when some are still alive at the end.
 *
 * Kaplan and Meier's estimate (J. Am. Stat. Assoc. 53, 1958, 457-481) over a histogram of whole
 * milliseconds: those still alive count as at risk up to the age they have. */
#ifndef SLUICE_MODELS_CAPACITY_HALF_LIFE_H
#define SLUICE_MODELS_CAPACITY_HALF_LIFE_H

#include "sim/clock.h"
#include "sim/hist.h"

/* Open data; zeroed to begin with. */
struct half_life {
    struct hist ended, alive; /* ms */
};

void half_life_ended(struct half_life *h, sim_ns age);
void half_life_alive(struct half_life *h, sim_ns age);
/* Within 0.8 %; SIM_NEVER while more than half outlive what was seen. */
sim_ns half_life_ns(const struct half_life *h);

#endif
