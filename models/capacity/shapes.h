/* shapes: every way that pods of a cluster look: one for each owner, and one more for each unit of
 * an owner's placement. */
#ifndef SLUICE_MODELS_CAPACITY_SHAPES_H
#define SLUICE_MODELS_CAPACITY_SHAPES_H

#include "models/capacity/pod_shape.h"
#include "sim/err.h"

#include <stddef.h>
#include <stdint.h>

/* Open data; items[o] of owner o for o < n_owners, then those of the units. */
struct shapes {
    struct pod_shape *items;
    uint32_t *owner;      /* [shape] */
    uint32_t *first_unit; /* [owner]: shape of its first unit; SHAPES_NONE */
    size_t n, n_owners;
    struct knob_pair *pairs; /* of the units' labels, annotations, selectors */
    char *names;             /* "bert.spot" */
};
#define SHAPES_NONE UINT32_MAX

int shapes_init(struct shapes *s, const struct pod_shape *owners, size_t n_owners, struct err *e);
void shapes_fini(struct shapes *s);
/* The unit of this shape; PLACEMENT_NONE for an owner's own. */
uint32_t shapes_unit(const struct shapes *s, uint32_t shape);

#endif
