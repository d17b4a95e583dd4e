/* preempt: on which node pods of lower priority make room for a pod, and which pods go.
 *
 * The rules of kube-scheduler (Kubernetes documentation, Pod Priority and Preemption, 2024; source
 * pkg/scheduler/framework/preemption): on each node all lower pods are taken away in thought; if
 * the pod fits then, they are put back as long as it still fits, those whose disruption budget is
 * used up first, then by priority, the longest running first. Of the nodes that is taken which
 * breaks the fewest budgets, whose highest victim is lowest, whose victims' priorities have the
 * lowest sum, which has the fewest victims, whose highest victims started last, which is oldest. */
#ifndef SLUICE_MODELS_CAPACITY_PREEMPT_H
#define SLUICE_MODELS_CAPACITY_PREEMPT_H

#include "sim/err.h"

#include <stddef.h>
#include <stdint.h>

struct nodes;
struct pod_ref;
struct pods;
struct pod_shape;
struct preempt; /* opaque: scratch */

struct preempt_setup {
    const struct nodes *nodes;
    const struct pods *pods;
    const struct pod_shape *shapes; /* [shape] */
    size_t n_shapes;
};

struct preempt *preempt_create(const struct preempt_setup *s, struct err *e);
void preempt_destroy(struct preempt *p);

/* The node for this waiting pod; NODES_NONE: preempting helps on none. A node where room is kept
 * for a pod is left alone. *victims (*n of them) is valid until the next call; pods that terminate
 * already are not among them. */
uint32_t preempt_find(struct preempt *p, uint32_t pod, const struct pod_ref **victims, size_t *n);

#endif
