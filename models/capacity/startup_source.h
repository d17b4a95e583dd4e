/* startup_source: where images and models come from: at which rate, over which shared links.
 *
 * Links are numbered: one a node, then one a model store or registry that several read from. A
 * rate that the scenario gives goes before the catalogue's. */
#ifndef SLUICE_MODELS_CAPACITY_STARTUP_SOURCE_H
#define SLUICE_MODELS_CAPACITY_STARTUP_SOURCE_H

#include "sim/clock.h"
#include "sim/err.h"

#include <stddef.h>
#include <stdint.h>

struct catalog;
struct startup_config;

/* Open data: one owner's. */
struct startup_source {
    int64_t pull_rate;     /* bytes/s into a node; 0: at once */
    int64_t load_rate;     /* bytes/s into a pod; 0: no limit of its own */
    uint32_t store;        /* link of its model store */
    uint32_t registry;     /* link of its registry */
    int64_t store_rate;    /* bytes/s for all; 0: no limit */
    int64_t registry_rate; /* likewise */
};

struct startup_source_setup {
    const struct startup_config *configs; /* one per owner */
    const char *const *owner_names;
    size_t n_owners;
    const struct catalog *catalog;
    uint32_t first_link; /* of stores and registries */
};
/* Fills out[0..n_owners-1]. Returns how many links there are beyond first_link, or -1 with
 * ERR_INPUT when the catalogue lacks a registry or store. */
int startup_source_find(const struct startup_source_setup *s, struct startup_source *out,
                        struct err *e);
/* Bytes of the image that come before its container can start, and at its first use. */
int64_t startup_source_pull_bytes(const struct startup_config *c);
int64_t startup_source_lazy_bytes(const struct startup_config *c);

/* No start of such a pod on a new machine is quicker: bytes at the full rate, every other phase at
 * the least its distribution gives. Rates that the catalogue lacks count as unlimited. */
sim_ns startup_source_least(const struct startup_config *c, const struct catalog *catalog);
/* What such a start takes on the mean when nothing else pulls or loads. */
sim_ns startup_source_mean(const struct startup_config *c, const struct catalog *catalog);

#endif
