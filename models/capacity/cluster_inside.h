/* cluster_inside: what the files of the cluster share: set-up and end (cluster.c), pods that get a
 * place (seat.c), pods that lose it (eviction.c). */
#ifndef SLUICE_MODELS_CAPACITY_CLUSTER_INSIDE_H
#define SLUICE_MODELS_CAPACITY_CLUSTER_INSIDE_H

#include "models/capacity/cluster.h"
#include "models/capacity/demand.h"
#include "models/capacity/pod_shape.h"
#include "models/capacity/pods.h"
#include "models/capacity/preempt.h"
#include "models/capacity/shapes.h"
#include "models/capacity/supply.h"
#include "models/capacity/units.h"
#include "sim/recorder.h"
#include "sim/sim.h"

#define CLUSTER_SUPPLIES_MAX 16

struct cluster {
    struct cluster_setup set; /* shapes: those below */
    struct shapes shapes;
    struct pods *pods;
    struct nodes *nodes;
    struct ledger *ledger;
    struct startup *startup;
    struct fleet *fleet;
    struct preempt *preempt;
    struct demand *demand;
    struct pool_config *pools; /* the elastic ones, then that of the node list */
    size_t n_pools;
    const char **owner_names, **group_names; /* groups: pools, then ECI */
    struct {
        const struct supply_kind *kind;
        void *self;
    } supplies[CLUSTER_SUPPLIES_MAX];
    size_t n_supplies;
    rec_id pending, held_level, lacking;
    int64_t headroom;                       /* placeholders of all pools */
    int64_t *pod_ns, *busy_ns, *present_ns; /* [owner]; busy -1: not told */
    int64_t *needed_ns;                     /* [owner]: of busy_ns, what ended well; -1: not told */
    int64_t *completed_gpus;                /* [owner]: of pods that ran to their end */
    struct unplaced_count *unplaced;        /* [owner]: at the end */
    int64_t *own_micro;                     /* [owner]: what its pods cost */
    bool *off_nodes;                        /* [shape]: no node may have its pods */
    uint64_t *stuck;                        /* [shape]: the pass that found no node for such pods */
    uint64_t *told; /* [shape]: digest of the last refusal that was logged; 0: none */
    uint64_t pass, preempted;
    struct sim_handle schedule;
    bool warm;          /* the settling at the start: what is placed is running already */
    int64_t held;       /* GPUs held by pods on nodes, counted beside the nodes' own figures */
    int64_t held_own;   /* by pods with a place of their own */
    struct units units; /* of placements */
    const char *failed_knob, *failed_what;
};

static inline const struct pod_shape *cluster_shape(const struct cluster *c, const struct pod *p)
{
    return &c->set.shapes[p->shape];
}

/* NULL when the supply asks for nothing. */
static inline const struct supply_kind *cluster_supply(const struct cluster *c, const void *supply)
{
    for (size_t i = 0; supply && i < c->n_supplies; i++)
        if (c->supplies[i].self == supply)
            return c->supplies[i].kind;
    return NULL;
}

/* A pod waits from now on (by 1), or no longer. Placeholders are none of the pods that wait; one
 * that was made again since a pod took its room is a GPU that the headroom lacks, and so is each
 * GPU that pods wait for. */
static inline void cluster_waits(struct cluster *c, const struct pod *p, int64_t by)
{
    const struct pod_shape *s = cluster_shape(c, p);
    sim_ns now = sim_now(c->set.sim);
    if (!s->placeholder)
        recorder_change(c->set.recorder, c->pending, now, by);
    if (c->headroom > 0 && (!s->placeholder || p->created > 0))
        recorder_change(c->set.recorder, c->lacking, now, by * s->gpus);
}

#endif
