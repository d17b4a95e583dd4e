/* weight_random: seeded weights, for speed and for comparison; what they compute means nothing. */
#ifndef SLUICE_KERNELS_WEIGHT_RANDOM_H
#define SLUICE_KERNELS_WEIGHT_RANDOM_H

#include "kernels/weight.h"

#include <stdint.h>

/* A tensor's values depend on the seed, its name and the index alone. Products are uniform with
 * variance 2 / inputs, so that values neither die nor explode on their way through ReLU. seed must
 * outlive the source. */
struct weight_source weight_random(uint64_t *seed);

#endif
