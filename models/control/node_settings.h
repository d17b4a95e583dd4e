/* node_settings: the node autoscaler's settings, as a scenario gives them and as the scan uses
 * them.
 *
 * Two profiles: `upstream` (cluster-autoscaler's own flags) and `ack` (Alibaba Cloud's settings
 * under their own names). What a scenario leaves out is filled from the profile and the
 * autoscaler's version. */
#ifndef SLUICE_MODELS_CONTROL_NODE_SETTINGS_H
#define SLUICE_MODELS_CONTROL_NODE_SETTINGS_H

#include "sim/clock.h"
#include "sim/err.h"
#include "sim/knob.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum node_expander_kind {
    NODE_EXPANDER_RANDOM,
    NODE_EXPANDER_LEAST_WASTE,
    NODE_EXPANDER_MOST_PODS,
    NODE_EXPANDER_LEAST_NODES,
    NODE_EXPANDER_PRIORITY,
    NODE_EXPANDER_PRICE,
};
#define NODE_EXPANDER_CHAIN_MAX 6

/* What counts as a GPU node's utilization. */
enum node_gpu_rule {
    NODE_GPU_ONLY,   /* the GPU share alone */
    NODE_GPU_MAX,    /* the largest of CPU, memory and GPU */
    NODE_GPU_IGNORE, /* CPU and memory only, as before GPUs were looked at */
};

struct node_priority_rule {
    int32_t priority;
    const char *pattern; /* POSIX extended regular expression, found anywhere in the group name */
};

/* Everything a scan needs, resolved; plain values. */
struct node_scaler_config {
    sim_ns scan_interval;
    bool frequent_loops;  /* a loop that did something is followed by the next one at once */
    sim_ns min_loop;      /* shortest distance of two loops */
    sim_ns pod_wait;      /* N2: 2 s */
    sim_ns gpu_pod_wait;  /* N2: 30 s */
    sim_ns new_pod_delay; /* N3 */
    int32_t priority_cutoff;

    int32_t max_nodes_total;        /* 0: no limit */
    int32_t max_nodes_per_scale_up; /* N5 */
    bool scale_up_from_zero;
    bool balance_similar; /* N14 */
    enum node_expander_kind expanders[NODE_EXPANDER_CHAIN_MAX];
    size_t n_expanders;
    const struct node_priority_rule *priorities;
    size_t n_priorities;
    double price_cpu_per_hour, price_gib_per_hour; /* of the price expander's pods, micro-units */

    sim_ns max_node_provision; /* N15; also how long a node may take to get ready */
    sim_ns backoff_initial, backoff_max, backoff_reset; /* N18 */
    bool creation_errors_reported; /* N17: the cloud says at once that it made no instance */
    int32_t ok_unready;            /* N19: 3 */
    double max_unready_share;      /* N19: 0.45 */
    bool gpu_ready_patched;        /* a GPU node without allocatable GPUs counts as not ready yet */

    bool scale_down;
    bool scale_down_unready;
    double utilization_threshold, gpu_utilization_threshold; /* 0..1 */
    bool threshold_included; /* utilization == threshold is unneeded */
    enum node_gpu_rule gpu_rule;
    bool ignore_daemon_pods, ignore_mirror_pods;
    bool skip_system_pods, skip_local_storage;
    int32_t min_replica_count;
    sim_ns unneeded_time, unready_time;                              /* N23 */
    sim_ns delay_after_add, delay_after_delete, delay_after_failure; /* N25 */
    bool delay_local;                                                /* per group */
    sim_ns unremovable_recheck;                                      /* N22: 5 min */
    int32_t max_deletions, max_drains;                               /* N26: at once */
    sim_ns delay_after_taint;                                 /* N26: 5 s; the cluster plays it */
    sim_ns max_graceful_termination;                          /* N26: 600 s; the cluster plays it */
    sim_ns eviction_retry;                                    /* N26: 2 min; the cluster plays it */
    bool evict_daemon_pods_empty, evict_daemon_pods_occupied; /* the cluster plays it */
};

struct node_settings; /* as bound from a scenario; sizeof in node_settings_knobs.size */
extern const struct knob_table node_settings_knobs; /* "clusterAutoscaler" */

/* Fills *out from bound settings; pointers in it live as long as the settings. ERR_INPUT when the
 * settings contradict each other (the knob table's check finds the same before). */
int node_settings_resolve(const struct node_settings *s, struct node_scaler_config *out,
                          struct err *e);
/* All defaults of a profile: cluster-autoscaler 1.36, or ACK. */
void node_settings_upstream(struct node_scaler_config *out);
void node_settings_ack(struct node_scaler_config *out);

#endif
