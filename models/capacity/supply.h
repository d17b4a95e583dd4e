/* supply: the seam of everything that GPUs come from.
 *
 * A source of machines is one file models/capacity/supply_<name>.c that exports one
 * `const struct supply_kind supply_<name>`; the build finds it by its name. The cluster keeps pods,
 * nodes and the scheduler; a supply decides which machines there are, and may take a waiting pod
 * for itself (a container instance, a replica that is simply there). */
#ifndef SLUICE_MODELS_CAPACITY_SUPPLY_H
#define SLUICE_MODELS_CAPACITY_SUPPLY_H

#include "models/capacity/cluster.h"
#include "sim/clock.h"
#include "sim/err.h"

#include <stdbool.h>
#include <stdint.h>

struct cluster_config;
struct drill;
struct fleet;
struct ledger;
struct nodes;
struct pods;

/* A place that one pod has for itself. */
struct supply_place {
    void *supply;      /* who is told of the pod's phases */
    const char *gpu;   /* the item of the pod's gpuTypes that it is of; NULL: none */
    const char *words; /* for the log */
    sim_ns create;     /* until the image download starts */
    sim_ns image;      /* download of the image; 0: by its size and rate */
};

/* What a supply works with; borrowed for its life. */
struct supply_setup {
    const struct cluster_setup *cluster;
    const uint32_t *owner_of; /* [shape] */
    struct fleet *fleet;
    struct nodes *nodes;
    struct pods *pods;
    struct ledger *ledger;
    uint32_t first_account; /* of pods with a place of their own: first_account + slot */
    uint32_t group;         /* of those accounts */
    /* Calls into the cluster, from an event or from the calls below. */
    void *self;
    /* Asks the owners of all pods on a node to leave it. A pod whose disruption budget is used up
     * is not asked: then false, and it is worth another try. */
    bool (*drain)(void *self, sim_ns now, uint32_t node, enum pod_end why);
    /* Ends the pods on a node that have been terminating for this long. */
    void (*kill)(void *self, sim_ns now, uint32_t node, sim_ns grace);
    /* Puts a waiting pod on a node, or with NODES_NONE on a place of its own. */
    void (*place)(void *self, sim_ns now, uint32_t pod, uint32_t node);
    void (*place_own)(void *self, sim_ns now, uint32_t pod, const struct supply_place *place);
    /* The run settles before its start: what is placed now is running already. */
    bool (*warm)(void *self);
    /* Another supply can still bring a node for this waiting pod. */
    bool (*coming)(void *self, sim_ns now, uint32_t pod);
    /* A pod with a place of its own: asks its owner to leave it (false: its disruption budget is
     * used up); its machine vanished this moment; its object goes. */
    bool (*evict)(void *self, sim_ns now, uint32_t pod, enum pod_end why);
    void (*lose)(void *self, sim_ns now, uint32_t pod);
    void (*gone)(void *self, sim_ns now, uint32_t pod, enum pod_end why);
    /* This was paid for the owner's pods. */
    void (*paid)(void *self, uint32_t owner, int64_t micro);
    /* A limit was met: the run ends with this. */
    void (*fail)(void *self, const char *knob, const char *what);
};

/* A call that a supply has no use for is NULL. */
struct supply_kind {
    const char *name;
    bool (*wanted)(const struct cluster_config *c);
    void *(*create)(const struct supply_setup *s, struct err *e);
    void (*destroy)(void *self);
    /* Machines that are there from the start, and the first events. */
    void (*start)(void *self, sim_ns now);
    /* No node may have pods of this shape. */
    bool (*claims)(void *self, uint32_t shape);
    /* Why it will never take such pods; NULL: no word on it. */
    const char *(*refusal)(void *self, uint32_t shape);
    /* What pods of this shape still wait for here, in words; NULL: none does. */
    const char *(*waits)(void *self, uint32_t shape);
    /* A pod waits: true when this supply has placed it. */
    bool (*takes)(void *self, sim_ns now, uint32_t pod);
    /* It can still bring a node for this waiting pod. */
    bool (*coming)(void *self, sim_ns now, uint32_t pod);
    /* Of a pod with a place of its own from this supply: its image download starts; its phase has
     * changed; it goes this moment. */
    void (*pulling)(void *self, sim_ns now, uint32_t pod);
    void (*changed)(void *self, sim_ns now, uint32_t pod);
    void (*left)(void *self, sim_ns now, uint32_t pod);
    /* The last pod has left one of its nodes. */
    void (*emptied)(void *self, sim_ns now, uint32_t node);
    /* Something goes wrong on purpose. */
    void (*drill)(void *self, sim_ns now, const struct drill *d);
    /* Closing figures. */
    void (*close)(void *self, sim_ns now);
};

/* Every kind, sorted by name; ends with NULL. Written by the build from supply_*.c. */
extern const struct supply_kind *const supply_kinds[];

#endif
