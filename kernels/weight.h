/* weight: a network's tensor of parameters by its name, and where its values come from. */
#ifndef SLUICE_KERNELS_WEIGHT_H
#define SLUICE_KERNELS_WEIGHT_H

#include "sim/err.h"

#include <stddef.h>
#include <stdint.h>

#define WEIGHT_NAME 96
#define WEIGHT_MAX_RANK 4

/* What the values are for; a random source takes their size from it. */
enum weight_kind {
    WEIGHT_PRODUCT,  /* multiplied with inputs and summed over all extents but the first */
    WEIGHT_TABLE,    /* looked up by row */
    WEIGHT_GAIN,     /* near 1 */
    WEIGHT_SHIFT,    /* near 0 */
    WEIGHT_VARIANCE, /* near 1, > 0 */
};

struct weight {
    char name[WEIGHT_NAME];
    enum weight_kind kind;
    int32_t rank, extents[WEIGHT_MAX_RANK];
};

/* Values of one tensor: the product of its extents. */
static inline size_t weight_count(const struct weight *w)
{
    size_t n = 1;
    for (int32_t i = 0; i < w->rank; i++)
        n *= (size_t)w->extents[i];
    return n;
}

/* read writes weight_count values; ERR_INPUT when the source has no such tensor. */
struct weight_source {
    int (*read)(void *self, const struct weight *w, float *out, struct err *e);
    void *self;
};

#endif
