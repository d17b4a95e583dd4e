/* spot_return: nodes that are on demand for want of spot go back to spot (spotAutoReplaceOnDemand).
 */
#ifndef SLUICE_MODELS_CAPACITY_SPOT_RETURN_H
#define SLUICE_MODELS_CAPACITY_SPOT_RETURN_H

#include "sim/clock.h"

#include <stdint.h>

struct pools;

/* The first look at this group, and from then on one each five minutes. */
void spot_return_start(struct pools *s, sim_ns now, uint32_t group);

#endif
