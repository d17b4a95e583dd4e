/* scheduler: which node a pod goes to. Whole GPUs, CPU and memory requests, selectors and GPU
 * kinds; every GPU belongs to one pod. */
#ifndef SLUICE_MODELS_CAPACITY_SCHEDULER_H
#define SLUICE_MODELS_CAPACITY_SCHEDULER_H

#include "sim/knob.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct instance_type;
struct node;
struct nodes;
struct pod_shape;
struct pool_config;

enum scheduler_scoring {
    SCHEDULER_LEAST_ALLOCATED, /* spread: the emptiest node */
    SCHEDULER_MOST_ALLOCATED,  /* pack: the fullest that fits */
};

/* Open data. */
struct scheduler_config {
    int scoring; /* enum scheduler_scoring */
};
extern const struct knob_table scheduler_knobs; /* "scheduler" */

#define SCHEDULER_NO_NODE UINT32_MAX

/* Whether labels, zone and GPU kind allow the pod on a machine like this; resources apart. */
bool scheduler_matches(const struct pod_shape *pod, const struct pool_config *pool,
                       const struct instance_type *type, const char *zone);
/* Whether the node takes the pod now. */
bool scheduler_fits(const struct pod_shape *pod, const struct node *node);
/* The best node for a pod of this owner; ties go to fewer pods of any owner, then to the older
 * node. SCHEDULER_NO_NODE when none fits. */
uint32_t scheduler_pick(const struct scheduler_config *c, const struct pod_shape *pod,
                        const struct nodes *nodes);

#endif
