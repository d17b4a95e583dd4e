/* node_scaler: one scan of the node autoscaler: which nodes to buy, which to give back, and why.
 *
 * A pure step: configuration, its own memory, a view in; a plan out. It knows neither clock nor
 * heap. The rules are those of cluster-autoscaler (N1-N27 in the comments of node_*.h); what
 * differs by version or on ACK is a field of the config, filled by node_settings_resolve.
 *
 * A cluster gets storage of node_scaler_memory_size bytes and calls node_scaler_init once. For each
 * scan it fills a view, calls node_scaler_scan and carries out the plan in this order:
 *
 *  1. cuts: lower the group's target and cancel creations, but never below the nodes that exist;
 *
 *  2. scale_ups: raise the target;
 *
 *  3. deletions: mark the node as being deleted, drain it, release it.
 *
 * The next scan is due at plan.next_scan.
 *
 * Nothing is allocated after init. */
#ifndef SLUICE_MODELS_CONTROL_NODE_SCALER_H
#define SLUICE_MODELS_CONTROL_NODE_SCALER_H

#include "sim/chance.h"
#include "sim/clock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct node_scaler_config; /* models/control/node_settings.h */
struct node_scaler_memory; /* in the caller's storage; opaque */

/* ---- what the scaler is shown; borrowed for the call ---- */

enum node_pod_kind {
    NODE_POD_REPLICATED, /* of a ReplicaSet, StatefulSet, Job: its controller makes it anew */
    NODE_POD_DAEMON,     /* of a DaemonSet: goes with its node */
    NODE_POD_MIRROR,     /* static, of the kubelet: goes with its node */
    NODE_POD_BARE,       /* no controller: nobody would make it anew */
};

enum node_evict {
    NODE_EVICT_UNSAID, /* no safe-to-evict annotation */
    NODE_EVICT_SAFE,
    NODE_EVICT_NEVER,
};

/* Pods of one owner look alike. */
struct node_scaler_owner {
    int64_t cpu_milli, memory_bytes; /* requests */
    int32_t gpus;                    /* whole GPUs */
    int32_t priority;                /* below the cutoff (-10): not worth a node */
    enum node_pod_kind kind;
    bool kube_system, local_storage;
    enum node_evict evict;
    int32_t disruptions_allowed; /* left in its disruption budget now; -1: it has none */
    int32_t replicas;            /* of its controller, for minReplicaCount */
};

struct node_scaler_pending {
    uint32_t owner;
    sim_ns created;
};

/* A pod on a node. */
struct node_scaler_pod {
    uint32_t owner;
    sim_ns terminating_since; /* SIM_NEVER: not terminating */
    sim_ns grace;             /* its termination grace period; 30 s later it counts no more */
};

struct node_scaler_shape {
    int64_t cpu_milli, memory_bytes; /* allocatable, not capacity */
    int32_t gpus;
    int32_t max_pods; /* 0: no limit */
};

/* A node group: an elastic pool, or one zone or instance type of it. */
struct node_scaler_group {
    struct node_scaler_shape shape; /* of a new node, GPUs as they will be */
    int64_t capacity_cpu_milli;     /* before the kubelet's share, for least-waste and N14; */
    int64_t capacity_memory_bytes;  /* 0: as allocatable */
    int64_t daemon_cpu_milli, daemon_memory_bytes; /* requests of DaemonSet pods on a new node */
    int32_t daemon_pods;
    int64_t price_micro_per_hour; /* what a new node is expected to cost */
    uint32_t label_class;         /* same number: same labels apart from zone-like ones (N14) */
    int32_t target;               /* nodes that exist, are being created or are being deleted */
    int32_t min, max;
    bool autoscaled;          /* false: nodes that are simply there, never added nor removed */
    int32_t failed_creations; /* instances the cloud refused since the last scan (N17); they are
                                 still part of target until a plan cuts them. Not looked at when
                                 the config says that the cloud does not tell */
    int32_t failed_deletions; /* drains or releases that failed since the last scan (N25) */
};

enum node_deletion { NODE_DELETION_NONE, NODE_DELETION_EMPTY, NODE_DELETION_DRAIN };

/* A registered node. */
struct node_scaler_node {
    uint64_t id; /* never used again; names it from scan to scan */
    uint32_t group;
    uint32_t kind;                  /* what it is within its group; looked at with kind_fits only */
    struct node_scaler_shape shape; /* allocatable as the node reports it now: gpus stays 0 until
                                       the device plugin has spoken, though ready is true */
    sim_ns created;                 /* registered */
    enum node_deletion deleting;
    sim_ns deleting_since;      /* SIM_NEVER: it is not */
    bool ready;                 /* the Ready condition */
    bool schedulable;           /* false: cordoned, or its spot notice is out */
    bool scale_down_disabled;   /* the annotation */
    uint32_t first_pod, n_pods; /* slice of view.pods */
};

struct node_scaler_view {
    sim_ns now;
    const struct node_scaler_owner *owners;
    size_t n_owners;
    const bool *fits; /* [owner * n_groups + group]: selectors, taints, GPU kind and zone allow it;
                         resources are judged by the scaler */
    const bool *kind_fits; /* [owner * n_kinds + node.kind]: the same for nodes that exist, where a
                              group mixes machines or zones; NULL: as their group */
    size_t n_kinds;
    const struct node_scaler_group *groups; /* always the groups of the setup, in its order */
    size_t n_groups;
    const struct node_scaler_node *nodes;
    size_t n_nodes;
    const struct node_scaler_pod *pods; /* pods on nodes */
    size_t n_pods;
    const struct node_scaler_pending *pending; /* pods without a node, in order of creation */
    size_t n_pending;
};

/* ---- what it wants done; arrays live in the memory until the next scan ---- */

/* Why a scan buys or does not. Words: node_scaler_up_name. */
enum node_up_reason {
    NODE_UP_NOT_NEEDED,         /* no pending pod that counts */
    NODE_UP_DONE,               /* scale_ups holds what to buy */
    NODE_UP_FITS_EXISTING,      /* every pending pod fits on a node that is there or coming (N3) */
    NODE_UP_PODS_TOO_YOUNG,     /* N2 */
    NODE_UP_GPU_PODS_TOO_YOUNG, /* N2: no scale-down either */
    NODE_UP_NO_OPTION,          /* no group may or can take the pods (N4, N6) */
    NODE_UP_MAX_NODES_TOTAL,    /* N13 */
    NODE_UP_CLUSTER_UNHEALTHY,  /* N19 */
    NODE_UP_NO_READY_NODE,      /* scale-up from zero is off and no node is ready */
    NODE_UP_SIZE_FIXED,         /* a target was corrected: the rest of the scan is skipped */
};

/* Why a group is no option in this scan. */
enum node_group_reason {
    NODE_GROUP_OPTION,
    NODE_GROUP_NOT_ASKED, /* nothing pending */
    NODE_GROUP_NOT_AUTOSCALED,
    NODE_GROUP_BACKED_OFF, /* N18 */
    NODE_GROUP_UNHEALTHY,  /* N19 */
    NODE_GROUP_AT_MAX,
    NODE_GROUP_NO_POD_FITS,
};

/* Why a node stays, or that it may go. */
enum node_down_reason {
    NODE_DOWN_UNNEEDED, /* may go once it has been unneeded long enough */
    NODE_DOWN_BEING_DELETED,
    NODE_DOWN_STARTING, /* registered, not ready yet, younger than max-node-provision-time */
    NODE_DOWN_DISABLED, /* annotation */
    NODE_DOWN_NOT_AUTOSCALED,
    NODE_DOWN_UNREADY_DISABLED,
    NODE_DOWN_ERROR, /* no utilization figure */
    NODE_DOWN_NOT_UNDERUTILIZED,
    NODE_DOWN_RECENTLY_UNREMOVABLE, /* found so less than 5 minutes ago */
    NODE_DOWN_BLOCKED_BY_POD,       /* pod_block says why */
    NODE_DOWN_NO_PLACE,             /* its pods fit nowhere else */
    NODE_DOWN_LIST_FULL,            /* N27 */
    NODE_DOWN_NOT_UNNEEDED_LONG_ENOUGH,
    NODE_DOWN_NOT_UNREADY_LONG_ENOUGH,
    NODE_DOWN_MIN_SIZE_REACHED,
    NODE_DOWN_MAX_PARALLELISM, /* N26 */
    NODE_DOWN_COOL_DOWN,       /* N25 */
    NODE_DOWN_DELETE,          /* in plan.deletions */
    NODE_DOWN_NOT_CHECKED,     /* this scan did not come that far */
};

/* Which pod rule keeps a node (N22). */
enum node_pod_block {
    NODE_BLOCK_NONE,
    NODE_BLOCK_NOT_REPLICATED,
    NODE_BLOCK_KUBE_SYSTEM,
    NODE_BLOCK_LOCAL_STORAGE,
    NODE_BLOCK_NOT_SAFE_TO_EVICT,
    NODE_BLOCK_DISRUPTION_BUDGET,
    NODE_BLOCK_MIN_REPLICAS,
};

/* Whether nodes may be deleted in this scan at all. */
enum node_cool_down {
    NODE_COOL_NONE,
    NODE_COOL_DISABLED, /* scale-down is off */
    NODE_COOL_AFTER_ADD,
    NODE_COOL_AFTER_DELETE,
    NODE_COOL_AFTER_FAILURE,
    NODE_COOL_PODS_WAIT,      /* N2 */
    NODE_COOL_SCALED_UP,      /* this scan bought nodes */
    NODE_COOL_UNHEALTHY,      /* N19 */
    NODE_COOL_DRAIN_UNPLACED, /* pods of a node being drained have no place: nothing more goes */
    NODE_COOL_SIZE_FIXED,
};

enum node_cut_reason {
    NODE_CUT_TIMEOUT,      /* the request expired: the whole recorded increase goes (N16) */
    NODE_CUT_CLOUD_ERROR,  /* the cloud refused these (N17) */
    NODE_CUT_UNREGISTERED, /* nodes missing for max-node-provision-time with no request left */
};

struct node_scaler_up {
    uint32_t group;
    int32_t count; /* > 0 */
};

struct node_scaler_cut {
    uint32_t group;
    int32_t count; /* > 0 */
    enum node_cut_reason why;
};

struct node_scaler_delete {
    uint32_t node; /* index in view.nodes */
    enum node_deletion how;
    sim_ns unneeded_since;
};

struct node_scaler_tracked {
    uint32_t node;
    sim_ns since; /* unneeded from then on, without a break */
    sim_ns wait;  /* how long it must stay so */
};

struct node_scaler_plan {
    enum node_up_reason up_reason;
    const struct node_scaler_up *scale_ups; /* one, or several when similar groups are balanced */
    size_t n_scale_ups;
    int32_t pods_helped;
    int32_t pods_unhelped;                       /* that counted and fit no option */
    const enum node_group_reason *group_reasons; /* one a group */

    const struct node_scaler_cut *cuts;
    size_t n_cuts;

    enum node_cool_down cool_down;
    const struct node_scaler_delete *deletions; /* empty ones first */
    size_t n_deletions;
    const struct node_scaler_tracked *unneeded; /* the list after this scan */
    size_t n_unneeded;
    const enum node_down_reason *node_reasons; /* one a node */
    const enum node_pod_block *node_blocks;    /* one a node */

    sim_ns next_scan;
    char words[200]; /* the scan in one sentence, with the numbers */
};

/* ---- the step ---- */

struct node_scaler_setup {
    const struct node_scaler_config *config; /* borrowed for the run */
    const char *const *group_names;          /* borrowed for the run */
    size_t n_groups;
    size_t max_nodes;   /* registered nodes in a view, and the sum of the groups' targets */
    size_t max_pods;    /* pods on nodes */
    size_t max_pending; /* pending pods */
    size_t n_owners;
    struct chance chance; /* for random choices; one at time t draws at index t */
    sim_ns start;         /* the clocks of N25 begin one hour before */
};

/* Bytes of storage, a multiple of 16; it must be aligned for any object. */
size_t node_scaler_memory_size(const struct node_scaler_setup *s);
struct node_scaler_memory *node_scaler_init(const struct node_scaler_setup *s, void *storage);
/* Scans follow in time. Asserts that the view stays within the setup's limits. */
void node_scaler_scan(const struct node_scaler_config *c, struct node_scaler_memory *m,
                      const struct node_scaler_view *view, struct node_scaler_plan *plan);

/* Stable short names for logs and JSON: "not_underutilized", "backed_off", ... */
const char *node_scaler_up_name(enum node_up_reason r);
const char *node_scaler_group_name(enum node_group_reason r);
const char *node_scaler_down_name(enum node_down_reason r);
const char *node_scaler_block_name(enum node_pod_block b);
const char *node_scaler_cool_name(enum node_cool_down c);
const char *node_scaler_cut_name(enum node_cut_reason r);

#endif
