/* cluster: pods, nodes and where GPUs come from.
 *
 * The supply side of a run as one object: it places pods on nodes, lets the node autoscaler buy
 * nodes (or ECI pods), plays boot, image pull and model load, loses spot nodes, and writes the
 * bills. Services talk to it by pod; it talks back through struct cluster_owner. */
#ifndef SLUICE_MODELS_CAPACITY_CLUSTER_H
#define SLUICE_MODELS_CAPACITY_CLUSTER_H

#include "sim/clock.h"
#include "sim/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct catalog;
struct cluster;
struct cluster_config; /* pools, autoscaler, virtual node, market: models/capacity/cluster_config.h
                        */
struct recorder;
struct sim;

/* Names a pod across events; stale ones are recognised. {0} names none. */
struct pod_ref {
    uint32_t slot;
    uint32_t generation;
};

enum pod_phase {
    POD_NONE,
    POD_PENDING,  /* no node yet */
    POD_STARTING, /* on a node: image, volume */
    POD_LOADING,  /* the process runs, the model is not served yet */
    POD_READY,
    POD_TERMINATING, /* deletion asked for; its owner drains it */
    POD_DEAD,        /* its node vanished; the API still shows it */
};

/* Why a pod goes. */
enum pod_end {
    POD_END_SCALE_IN,
    POD_END_NODE_DRAIN,  /* the autoscaler empties its node */
    POD_END_SPOT_NOTICE, /* a notice handler drains the node in time */
    POD_END_NODE_LOST,
    POD_END_LIVENESS,  /* restarted in place */
    POD_END_PREEMPTED, /* a pod of higher priority takes its room */
    POD_END_UNCREATED, /* its container instance could not be created: it is Failed */
};

/* Upward calls, at the simulated now. They may ask, delete and release pods: the cluster acts on
 * it in an event of its own, never within the call. */
struct cluster_owner {
    void *self;
    /* The container runs and its address is an endpoint (no readiness probe): it refuses until
     * `ready`. Not called when a readiness probe holds the address back. */
    void (*pod_listed)(void *self, sim_ns now, struct pod_ref pod, uint32_t owner);
    /* It serves now. gpu: index of the GPU kind in the owner's list. */
    void (*pod_ready)(void *self, sim_ns now, struct pod_ref pod, uint32_t owner, uint32_t gpu);
    /* Somebody wants it gone gracefully; the owner drains and then calls cluster_release. */
    void (*pod_evicted)(void *self, sim_ns now, struct pod_ref pod, uint32_t owner,
                        enum pod_end why);
    /* The machine under it is gone without a word: its address is a black hole from now on. Only
     * for pods that are listed, ready or draining; one that still starts just goes later. */
    void (*pod_dead)(void *self, sim_ns now, struct pod_ref pod, uint32_t owner);
    /* The control plane has noticed: endpoint and pod object go. The ref is stale afterwards. */
    void (*pod_gone)(void *self, sim_ns now, struct pod_ref pod, uint32_t owner, enum pod_end why);
    /* Its address leaves the endpoints while the pod object stays and still counts as a replica:
     * its node turned NotReady (POD_END_NODE_LOST, some 40 s after pod_dead), or its container is
     * restarted in place (POD_END_LIVENESS; pod_listed comes again). Only for pods that were
     * listed or ready; may be NULL. */
    void (*pod_unlisted)(void *self, sim_ns now, struct pod_ref pod, uint32_t owner,
                         enum pod_end why);
    /* It has a node or a place of its own from now on, and holds its GPUs; may be NULL. */
    void (*pod_placed)(void *self, sim_ns now, struct pod_ref pod, uint32_t owner);
};

/* What one owner's pods look like to the scheduler; open data, borrowed for the run. */
struct pod_shape;          /* models/capacity/pod_shape.h */
struct startup_config;     /* models/capacity/startup.h */
struct otherwise_interval; /* models/capacity/otherwise.h */
struct unplaced_count;     /* models/capacity/unplaced.h */

struct cluster_setup {
    const struct cluster_config *config;
    const struct catalog *catalog;
    const struct pod_shape *shapes;        /* one per owner */
    size_t n_shapes;                       /* set by the cluster: with those of units */
    const struct startup_config *startups; /* one per owner */
    size_t n_owners;
    struct cluster_owner up;
    struct sim *sim;
    struct recorder *recorder;
    sim_ns horizon;
    int64_t epoch_s;
    uint64_t seed, replication;
    /* Time of a request alone on this kind of GPU, ns, with up.self; 0: not given. NULL: never. */
    double (*alone_ns)(const void *self, uint32_t owner, const char *gpu);
};

struct cluster *cluster_create(const struct cluster_setup *s, struct err *e);
void cluster_destroy(struct cluster *c);
/* Schedules the first scans, checks and price steps, and the initial nodes. */
void cluster_start(struct cluster *c);

/* A new pod of this owner, Pending from now on. {0} when the pod table is full (then
 * cluster_failed). The first callback may come at the same time, never within the call. Pods that
 * are asked for before the first event of the run are running already when it starts: those that
 * fit on the initial nodes are ready at once, their image is there. */
struct pod_ref cluster_ask(struct cluster *c, uint32_t owner);
/* The same with a name of its own, which is copied and cut after 47 bytes; NULL: "<owner>-<n>". */
struct pod_ref cluster_ask_named(struct cluster *c, uint32_t owner, const char *name);
/* Marks a pod as Terminating. A pod that never ran goes at once: true, and the ref is stale.
 * Otherwise false: the owner drains it and then calls cluster_release. A pod that is dead goes at
 * once too. After true no callback for this pod comes. */
bool cluster_delete(struct cluster *c, struct pod_ref pod, enum pod_end why);
/* The pod's process has ended; its GPUs are free. */
void cluster_release(struct cluster *c, struct pod_ref pod);

/* Its containers have ended for good and its GPUs are free, its pod object stays no longer than
 * this call. what: "succeeded" or "failed", for the log. Only for ready pods. */
void cluster_complete(struct cluster *c, struct pod_ref pod, const char *what);
/* The container of a ready pod has ended and is made again in place after `wait`; pod_ready comes
 * again. */
void cluster_restart(struct cluster *c, struct pod_ref pod, sim_ns wait);

struct pod_view {
    struct pod_ref ref;
    uint32_t owner;
    enum pod_phase phase;
    uint32_t node;                          /* UINT32_MAX: none */
    sim_ns created, placed_at, ready_since; /* SIM_NEVER: not (yet) */
    int32_t deletion_cost;
    uint32_t unit;    /* of its owner's placement; UINT32_MAX: none */
    const char *name; /* "bert-7"; lives as long as the pod */
};
bool cluster_pod(const struct cluster *c, struct pod_ref pod, struct pod_view *out);
/* All live pods of an owner in order of creation; returns how many there are. */
size_t cluster_pods(const struct cluster *c, uint32_t owner, struct pod_view *out, size_t cap);
/* Replica-time of this owner with a request on the GPU, over all of its pods: what is left of its
 * ready time is idle money. Before cluster_close; without it ready time counts as serving. */
void cluster_busy(struct cluster *c, uint32_t owner, int64_t busy_ns);
/* Of it the time that any policy with the same outcome spends: what ended well, and nothing that
 * was cut, failed or came to nobody. Without it all of it counts. Before cluster_close. */
void cluster_needed(struct cluster *c, uint32_t owner, int64_t needed_ns);
/* Shortest time from the first paid moment of a machine to its first request of this owner; 0:
 * nothing is known, or nothing is sold. */
sim_ns cluster_least_start(const struct cluster *c, uint32_t owner);
/* Time for which any policy needs a machine for this owner; before cluster_close, 0 otherwise. */
void cluster_present(struct cluster *c, uint32_t owner, sim_ns present);
/* From now on the owner wants so many pods, whether they can be had or not; and what jobs wanted,
 * borrowed until cluster_close. Without it there is no other way to serve the same demand. */
void cluster_want(struct cluster *c, sim_ns now, uint32_t owner, int64_t pods);
void cluster_jobs(struct cluster *c, const struct otherwise_interval *jobs, size_t n);
/* Writes the closing bills, cost figures and node figures to the recorder. Asserts the money laws.
 */
void cluster_close(struct cluster *c);
/* What the pods of an owner cost, in micro-units: the bills of places of their own, and of nodes
 * the GPUs they held at the node's last price; after cluster_close. */
int64_t cluster_owner_micro(const struct cluster *c, uint32_t owner);
/* Time that pods of this owner had a place, ns, from each one's place to its end; after
 * cluster_close. */
int64_t cluster_held_ns(const struct cluster *c, uint32_t owner);
/* Pods of this owner that wait, by cause; after cluster_close. */
const struct unplaced_count *cluster_unplaced(const struct cluster *c, uint32_t owner);
/* What all of it cost, in micro-units of the currency; after cluster_close. */
int64_t cluster_total_micro(const struct cluster *c);
/* 0, or -1 with ERR_INPUT naming the limit that was met. */
int cluster_failed(const struct cluster *c, struct err *e);

#endif
