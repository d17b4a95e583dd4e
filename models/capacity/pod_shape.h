/* pod_shape: what the scheduler sees of a service's pods: requests, selectors, GPU kinds. */
#ifndef SLUICE_MODELS_CAPACITY_POD_SHAPE_H
#define SLUICE_MODELS_CAPACITY_POD_SHAPE_H

#include "sim/clock.h"
#include "sim/knob.h"

#include <stdbool.h>
#include <stdint.h>

struct instance_type;
struct placement;
struct placement_unit;

/* Open data. Pods of one owner look alike. */
struct pod_shape {
    const char *name;    /* of the service; pods are <name>-0, <name>-1, ... Not in the table */
    const char *path;    /* where it stands in the scenario, "jobs[0].pod", for messages; NULL:
                            nowhere. Not in the table */
    int32_t gpus;        /* whole GPUs */
    int32_t share_milli; /* 1..999: a share of one GPU, gpus is 1; 0: whole. Not in the table: only
                            pods of a trace share */
    int64_t cpu_milli, memory_bytes; /* requests */
    struct knob_map node_selector;
    /* What sends a pod to the virtual node, and what it asks for there: route.h, eci.h. */
    const char *node_name;         /* NULL: none */
    struct knob_texts tolerations; /* taint.h */
    struct knob_map labels, namespace_labels, annotations;
    struct knob_texts gpu_types; /* kinds it may run on, "V100"; empty: any. The index of the kind
                                    is what pod_ready hands over */
    sim_ns grace;                /* terminationGracePeriodSeconds */
    int32_t priority;
    bool placeholder;      /* keeps room for others; not in the table */
    bool of_trace;         /* what no supply can take waits, with its reason; not in the table */
    bool never_preempts;   /* preemptionPolicy: Never */
    int32_t min_available; /* ready pods that evictions leave; 0: no disruption budget */
    const struct placement *placement; /* NULL: all of its pods are alike */
    const struct placement_unit *unit; /* of that placement; NULL: none (not in the table) */
};

/* The item of gpu_types that lets it run on this machine, the one that names a variant before one
 * that names the kind; NULL: none does, or it names none. A text of gpu_types may hold
 * alternatives, "V100M16|V100M32". */
const char *pod_shape_gpu_item(const struct pod_shape *p, const struct instance_type *t);
/* Whether it may run on this machine's kind of GPU; without gpu_types on any. */
bool pod_shape_takes_gpu(const struct pod_shape *p, const struct instance_type *t);
/* GPUs in thousandths. */
int64_t pod_shape_gpu_milli(const struct pod_shape *p);

extern const struct knob_table pod_shape_knobs; /* "pod" */

#endif
