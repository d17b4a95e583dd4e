/* catalog: the figures of the world that models look up by name: machines, prices, spot markets,
 * download rates, delivery times.
 *
 * Read from the JSON files of scenarios/catalog and of a user (scenarios/run/catalog.h). A user's
 * files come after the shipped ones and win. Immutable once read. */
#ifndef SLUICE_MODELS_CAPACITY_CATALOG_H
#define SLUICE_MODELS_CAPACITY_CATALOG_H

#include "models/capacity/instance.h"
#include "models/capacity/spot.h"
#include "models/money/price.h"
#include "sim/err.h"
#include "sim/knob.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A place that images or models come from. */
struct catalog_store {
    const char *name;
    int64_t bandwidth;        /* bytes/s into one node (registry) or one pod (model store) */
    int64_t shared_bandwidth; /* bytes/s in all; 0: no limit */
    int quality;
    const char *date, *source, *note;
};

/* How long a pool waits for a machine, until its node is Ready. */
struct catalog_delivery {
    const char *name;
    struct dist time;
    int quality;
    const char *date, *source, *note;
};

/* An elastic container instance with GPUs, as the product page and the ECS catalogue count them. */
struct catalog_eci_spec {
    int32_t vcpu;
    int64_t memory;
    const char *gpu;
    int32_t gpus;           /* as the ECI documents of the time say: used */
    int32_t catalogue_gpus; /* as the ECS catalogue says; differs once */
    const char *type;       /* instance type of the same size, whose price it has */
    int quality;
    const char *date, *source, *note;
};

/* Elastic container instances without GPUs: so many vCPUs with each of these amounts of memory. */
struct catalog_eci_size {
    int64_t cpu_milli;
    struct knob_texts memory;  /* "4Gi" */
    struct knob_texts regions; /* that sell them; empty: all */
    int quality;
    const char *date, *source, *note;
};

/* One file. */
struct catalog_part {
    const char *file; /* not in the table */
    int64_t version;
    struct knob_list instances;  /* struct instance_type */
    struct knob_list prices;     /* struct price */
    struct knob_list spots;      /* struct spot_preset */
    struct knob_list registries; /* struct catalog_store */
    struct knob_list stores;     /* struct catalog_store */
    struct knob_list deliveries; /* struct catalog_delivery */
    struct knob_list eci_specs;  /* struct catalog_eci_spec */
    struct knob_list eci_sizes;  /* struct catalog_eci_size */
};

extern const struct knob_table catalog_part_knobs; /* "catalog" */

struct catalog {
    const struct catalog_part *parts;
    size_t n_parts;
};

/* NULL when nothing has this name. `catalog` may be NULL: it is empty then. */
const struct instance_type *catalog_instance(const struct catalog *c, const char *name);
const struct spot_preset *catalog_spot(const struct catalog *c, const char *name);
const struct catalog_store *catalog_registry(const struct catalog *c, const char *name);
const struct catalog_store *catalog_model_store(const struct catalog *c, const char *name);
const struct catalog_delivery *catalog_find_delivery(const struct catalog *c, const char *name);

/* A price in this currency; one for the region goes before one for any. NULL when there is none. */
struct catalog_price_key {
    const char *type, *region, *currency;
    enum price_billing billing;
};
const struct price *catalog_price(const struct catalog *c, const struct catalog_price_key *key);

enum catalog_kind {
    CATALOG_INSTANCE,
    CATALOG_SPOT,
    CATALOG_REGISTRY,
    CATALOG_STORE,
    CATALOG_DELIVERY,
    CATALOG_KINDS
};
/* ERR_INPUT that names what is missing, the nearest name and how many there are. Returns -1. */
int catalog_missing(const struct catalog *c, enum catalog_kind kind, const char *name,
                    const char *where, struct err *e);

/* ERR_INPUT when one file says the same thing twice. */
int catalog_check_part(const struct catalog_part *p, struct err *e);

#endif
