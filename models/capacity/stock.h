/* stock: whether a zone has spot machines, as a process of its own: spells with and without, whose
 * hazards may fall with their age, drawn at the market's checks.
 *
 * At each check a spell of age a ends by p = 1 - exp(-(H(a + check) - H(a))), H the cumulative
 * hazard of its distribution. Zones of a region are tied together by their dice: by the root of
 * zoneCorrelation a zone takes the region's number for this check instead of its own, which leaves
 * each zone's spells as they are; low numbers end spells with stock, high ones those without. So
 * of two zones alike that have stock, when one loses it the other does by zoneCorrelation and the
 * coincidence of independent ones. */
#ifndef SLUICE_MODELS_CAPACITY_STOCK_H
#define SLUICE_MODELS_CAPACITY_STOCK_H

#include "models/capacity/steps.h"
#include "sim/chance.h"
#include "sim/clock.h"
#include "sim/err.h"

struct spot_preset;

struct stock_setup {
    const struct spot_preset *market; /* has stockUp and stockDown */
    struct chance zone, region;
    sim_ns horizon;
};
/* Steps of INT64_MAX (stock) and 0 (none), in memory of stock_free. ERR_SYSTEM without memory. */
int stock_draw(struct steps *out, const struct stock_setup *s, struct err *e);
void stock_free(struct steps *s);

#endif
