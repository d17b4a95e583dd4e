/* product_bench: a network beside its bare matrix products on OpenBLAS, in the same minutes.
 *
 * What the processor and the library allow for the products is the yardstick of everything else
 * that a network does. Both are measured in turn, so that whatever else runs on the machine slows
 * both. The products read weights that the caches cannot hold, as the network's own. */
#ifndef SLUICE_KERNELS_PRODUCT_BENCH_H
#define SLUICE_KERNELS_PRODUCT_BENCH_H

#include "kernels/engine.h"

struct product_bench {
    double network_s, products_s; /* medians of one forward pass and of one pass of the list */
    double ratio;                 /* of the two */
    size_t rounds;
};

/* At least five rounds, then up to `enough_s` seconds; OpenBLAS' own threads for the products. */
int product_bench(struct engine *g, const struct network *plan, double enough_s,
                  struct product_bench *out, struct err *e);

#endif
