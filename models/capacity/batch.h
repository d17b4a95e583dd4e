/* batch: spot machines of a zone that are taken back together, and zones that lose together.
 *
 * A share of all losses comes as batches: shocks that hit a zone (Marshall and Olkin, "A
 * Multivariate Exponential Distribution", 1967). Their times are a Poisson process whose rate
 * is high enough for the youngest machine; a shock takes a machine of lower hazard only in
 * proportion, so that each machine alone still dies as its table says. A shock takes all that it
 * can or each machine by a small chance: mostly few or all. Some shocks hit every zone of
 * the region at once. */
#ifndef SLUICE_MODELS_CAPACITY_BATCH_H
#define SLUICE_MODELS_CAPACITY_BATCH_H

#include "sim/chance.h"
#include "sim/clock.h"
#include "sim/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct spot_preset;

struct batch {
    sim_ns at;
    double level; /* 0..1: machines whose hazard is above this part of the highest are hit */
    bool whole;   /* all of them; else each by the market's batchFew */
    bool regional;
    uint64_t number; /* among those of the zone, or of the region */
};

/* Open data; made by batch_draw. */
struct batch_list {
    struct batch *items; /* in order of time */
    size_t n;
    struct chance zone, region; /* whose sub-streams belong to the shocks */
};

/* All shocks of a zone up to the horizon. ERR_SYSTEM without memory. */
struct batch_setup {
    const struct spot_preset *market;
    struct chance zone, region;
    sim_ns horizon;
};
int batch_draw(struct batch_list *b, const struct batch_setup *s, struct err *e);
void batch_fini(struct batch_list *b);

/* The first shock that takes a machine bought then, which is safe before `from`: its index, or n
 * when none does. machine: its own stream. */
size_t batch_taking(const struct batch_list *b, const struct spot_preset *market, sim_ns bought,
                    sim_ns from, struct chance machine);
/* For what follows from a shock in this zone: the same for all machines that it takes. */
struct chance batch_chance(const struct batch_list *b, size_t i);

#endif
