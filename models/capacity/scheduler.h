/* scheduler: which node a pod goes to, and why no other. GPUs, CPU and memory requests, selectors,
 * GPU kinds, taints. The words of a refusal are those of kube-scheduler's events. */
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

/* Whether taints, labels, zone and GPU kind allow the pod on a machine like this; resources apart.
 */
bool scheduler_matches(const struct pod_shape *pod, const struct pool_config *pool,
                       const struct instance_type *type, const char *zone);
/* Whether the node takes the pod now, beside the room that is kept there for another one of its
 * priority or a higher one. */
bool scheduler_fits(const struct pod_shape *pod, const struct node *node);
/* The same for the pod that the room is kept for. */
bool scheduler_fits_nominated(const struct pod_shape *pod, const struct node *node);
/* The best node for a pod of this owner: the fewest PreferNoSchedule taints that it does not
 * tolerate, then the score; ties go to fewer pods of any owner, then to the older node.
 * SCHEDULER_NO_NODE when none fits. */
uint32_t scheduler_pick(const struct scheduler_config *c, const struct pod_shape *pod,
                        const struct nodes *nodes);

/* Why a node does not take a pod, in the order of the filters: of the first five the first one
 * counts, of the last three all. */
enum scheduler_reason {
    SCHEDULER_NOT_READY,
    SCHEDULER_CORDONED,
    SCHEDULER_TAINT,
    SCHEDULER_SELECTOR,
    SCHEDULER_GPU_KIND,
    SCHEDULER_GPUS,
    SCHEDULER_CPU,
    SCHEDULER_MEMORY,
    SCHEDULER_REASONS
};
const char *scheduler_reason_name(enum scheduler_reason r); /* "insufficientGpus", for paths */

/* Open data. */
struct scheduler_refusal {
    uint32_t nodes;                        /* all of them */
    uint32_t by_reason[SCHEDULER_REASONS]; /* a node may count for several */
};
/* Adds what this node says. */
void scheduler_refuse_on(const struct pod_shape *pod, const struct node *node,
                         struct scheduler_refusal *out);
void scheduler_refuse(const struct pod_shape *pod, const struct nodes *nodes,
                      struct scheduler_refusal *out);
/* Appends "3 Insufficient nvidia.com/gpu, 2 node(s) had untolerated taint" to the text in buf. */
void scheduler_list(const struct scheduler_refusal *r, char *buf, size_t size);
/* "0/5 nodes are available: 3 Insufficient nvidia.com/gpu, 2 node(s) had untolerated taint".
 * Returns buf. */
char *scheduler_words(const struct scheduler_refusal *r, char *buf, size_t size);

#endif
