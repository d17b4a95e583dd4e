/* node_utilization: how much of a node its pods have asked for (N20). */
#ifndef SLUICE_MODELS_CONTROL_NODE_UTILIZATION_H
#define SLUICE_MODELS_CONTROL_NODE_UTILIZATION_H

#include "models/control/node_scaler.h"
#include "models/control/node_settings.h"

/* What is left of a node's pods once those that do not count are out. Start from {0}. */
struct node_usage {
    int64_t cpu_milli, memory_bytes, gpus;                         /* requested */
    int64_t ignored_cpu_milli, ignored_memory_bytes, ignored_gpus; /* taken off allocatable */
};

struct node_usage_rule {
    bool ignore_daemon_pods, ignore_mirror_pods;
    enum node_gpu_rule gpu_rule;
};

/* Adds `count` pods that look like `owner`. DaemonSet and mirror pods that the rule leaves out
 * shrink the node instead. */
void node_utilization_add(struct node_usage *u, const struct node_usage_rule *rule,
                          const struct node_scaler_owner *owner, int64_t count);
/* A pod that has been terminating longer than its grace period and 30 s, strictly. */
bool node_utilization_long_terminating(const struct node_scaler_pod *pod, sim_ns now);

struct node_utilization {
    double cpu, memory, gpu; /* shares of allocatable; 0 where the rule does not look */
    double value;            /* what is compared with the threshold */
    const char *resource;    /* "cpu", "memory" or "gpu": where value comes from */
};

/* The utilization of a node. gpu_node says whether its group has GPUs. -1: CPU or memory is not
 * reported or zero, and the rule needs it. A GPU node whose GPUs are not reported has a GPU share
 * of 0. */
int node_utilization_of(const struct node_scaler_shape *allocatable, bool gpu_node,
                        const struct node_usage *u, enum node_gpu_rule rule,
                        struct node_utilization *out);

#endif
