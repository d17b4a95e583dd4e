/* node_list: machines that are simply there, as a cluster trace lists them.
 *
 * The format of Alibaba's GPU trace of 2023 (openb): columns sn, cpu_milli, memory_mib, gpu (how
 * many), model (their kind; empty without any). What is listed is what pods may have; nothing is
 * reserved, and the list says nothing of prices. */
#ifndef SLUICE_MODELS_CAPACITY_NODE_LIST_H
#define SLUICE_MODELS_CAPACITY_NODE_LIST_H

#include "models/capacity/instance.h"
#include "models/capacity/pool.h"
#include "sim/err.h"

#include <stddef.h>
#include <stdint.h>

struct arena;

#define NODE_LIST_TYPES_MAX 256

/* Open data. */
struct node_list {
    struct pool_config pool;     /* of all of them; its name is the list's */
    struct instance_type *types; /* each shape once */
    size_t n_types;
    const uint32_t *type_of; /* [n] */
    size_t n;
    int64_t gpus;
};

/* name: of the group in results. ERR_INPUT with file and line. */
int node_list_load(struct node_list *l, struct arena *a, const char *path, struct err *e);

#endif
