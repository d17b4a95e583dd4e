/* chance_zig: layer tables of the two ziggurats in sim/chance.c. */
#ifndef SLUICE_SIM_CHANCE_ZIG_H
#define SLUICE_SIM_CHANCE_ZIG_H

#include <stdint.h>

#define CHANCE_ZIG_LAYERS 256

/* Layer i covers 0 <= x < X[i] under the density; 53 random bits j give x = j * width. */
struct chance_zig_layer {
    double width;    /* X[i] * 2^-53 */
    uint64_t accept; /* j below this is under the curve for certain: floor(X[i+1] / X[i] * 2^53) */
    double height;   /* unnormalised density at X[i]: the lower edge of layer i > 0 */
};

/* One row more than layers: its height is the top of the last layer. */
extern const struct chance_zig_layer chance_zig_exponential[CHANCE_ZIG_LAYERS + 1];
extern const struct chance_zig_layer chance_zig_normal[CHANCE_ZIG_LAYERS + 1];

/* X[1], where the tail begins. */
#define CHANCE_ZIG_EXPONENTIAL_TAIL 0x1.ec9d9297ebb83p+2 /* 7.697117470131050 */
#define CHANCE_ZIG_NORMAL_TAIL 0x1.d3bb48209ad33p+1      /* 3.654152885361009 */

#endif
