/* scheduling: what manifests say to the scheduler beside requests: tolerations and taints, and the
 * priority of a pod with its PriorityClass. */
#ifndef SLUICE_SCENARIOS_RUN_SCHEDULING_H
#define SLUICE_SCENARIOS_RUN_SCHEDULING_H

#include "sim/err.h"

struct arena;
struct json;
struct manifest_set;

/* [{key, operator, value, effect}] becomes ["key=value:Effect"] under `tolerations` of the pod; a
 * toleration without a key tolerates all. list may be NULL. */
int scheduling_tolerations(struct arena *a, struct json *pod, const struct json *list,
                           struct err *e);
/* The same for the taints of a node pool, under `taints`. */
int scheduling_taints(struct arena *a, struct json *pool, const struct json *list, struct err *e);
/* priority, priorityClassName and preemptionPolicy of a pod's spec, as Kubernetes' admission
 * resolves them. ERR_INPUT when no manifest holds the class. */
int scheduling_priority(struct arena *a, const struct manifest_set *m, struct json *pod,
                        const struct json *spec, struct err *e);

#endif
