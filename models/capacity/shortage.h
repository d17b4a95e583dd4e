/* shortage: zones that have less spot stock than a pool holds there. */
#ifndef SLUICE_MODELS_CAPACITY_SHORTAGE_H
#define SLUICE_MODELS_CAPACITY_SHORTAGE_H

#include "sim/clock.h"

#include <stdint.h>

struct pools;

/* From now on the group's machines beyond the stock of their zone are taken back, those that are
 * protected at the first check after their protection. */
void shortage_start(struct pools *s, sim_ns now, uint32_t group);

#endif
