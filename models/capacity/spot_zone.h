/* spot_zone: what a spot market holds in store for one zone: its stock, or batches of losses, tied
 * to those of its region. The same for whoever buys there. */
#ifndef SLUICE_MODELS_CAPACITY_SPOT_ZONE_H
#define SLUICE_MODELS_CAPACITY_SPOT_ZONE_H

#include "models/capacity/batch.h"
#include "models/capacity/steps.h"
#include "sim/clock.h"
#include "sim/err.h"

#include <stdbool.h>
#include <stdint.h>

struct spot_preset;

/* Open data; {0} has neither. */
struct spot_zone {
    struct steps stock; /* spot machines that it can hold; n 0: no limit */
    struct batch_list batches;
    bool drawn; /* the stock is its own, not recorded */
};

struct spot_zone_setup {
    const struct spot_preset *market;
    const char *zone, *region;
    const struct steps *recorded; /* stock; NULL or n 0: the market's own process */
    sim_ns horizon;
    uint64_t seed, replication;
};
/* ERR_SYSTEM without memory. */
int spot_zone_init(struct spot_zone *z, const struct spot_zone_setup *s, struct err *e);
void spot_zone_fini(struct spot_zone *z);
/* Machines that the zone can hold at that time; INT64_MAX: as many as one likes. */
int64_t spot_zone_stock(const struct spot_zone *z, sim_ns at);

#endif
