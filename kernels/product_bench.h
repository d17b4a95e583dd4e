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

struct product_bench_rule {
    double enough_s; /* five rounds at least, and more up to here */
    double most_s;   /* ends here whatever is missing, with one round at least */
};

/* OpenBLAS' own threads for the products. */
int product_bench(struct engine *g, const struct network *plan,
                  const struct product_bench_rule *rule, struct product_bench *out, struct err *e);

#endif
