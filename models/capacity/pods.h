/* pods: the table of pods; slots with generations, lists by owner, by node and of the pending. */
#ifndef SLUICE_MODELS_CAPACITY_PODS_H
#define SLUICE_MODELS_CAPACITY_PODS_H

#include "models/capacity/cluster.h"
#include "sim/clock.h"
#include "sim/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PODS_NONE UINT32_MAX

/* Open data; the lists are the table's. */
struct pod {
    uint32_t generation;
    enum pod_phase phase;
    uint32_t owner;
    uint32_t shape;  /* how it looks: the owner, or one of its units (shapes.h) */
    uint64_t number; /* among its owner's, from 0 */
    int32_t priority;
    uint32_t node; /* PODS_NONE: none */
    bool placed;   /* it has a node, or a place of its own */
    bool listed;
    bool warm;          /* it ran already when the clock started */
    bool off_nodes;     /* while pending: a supply has it or will have it, no node may */
    uint32_t device;    /* GPU of its node that it has a share of; PODS_NONE: none */
    uint64_t nominated; /* key of the node that pods were preempted on for it; 0: none */
    void *supply;       /* of a place of its own; NULL: none, or nobody asks */
    const char *gpu;    /* of a place of its own: the item of its gpuTypes; NULL: none */
    sim_ns created, placed_at, ready_since, terminating_since;
    int32_t deletion_cost;
    enum pod_end end; /* why it terminates */
    uint32_t owner_prev, owner_next, node_prev, node_next, pending_prev, pending_next;
    char name[48]; /* "bert-7" */
};

struct pods; /* opaque: lists must agree */

struct pods *pods_create(size_t capacity, size_t n_owners, struct err *e);
void pods_destroy(struct pods *p);
size_t pods_capacity(const struct pods *p);
/* A new pending pod, last of its owner's. PODS_NONE when the table is full. */
uint32_t pods_add(struct pods *p, uint32_t owner, int32_t priority, sim_ns now);
/* Frees the slot; the pod must be on no node. */
void pods_drop(struct pods *p, uint32_t slot);
struct pod *pods_at(struct pods *p, uint32_t slot);
const struct pod *pods_view(const struct pods *p, uint32_t slot);
uint32_t pods_slot(const struct pods *p, const struct pod *pod);
struct pod_ref pods_ref(const struct pods *p, uint32_t slot);
/* NULL when stale. */
struct pod *pods_find(struct pods *p, struct pod_ref ref);

/* Takes the pod off the pending list and puts it on the node's (*first, or NULL for a place of its
 * own). */
void pods_place(struct pods *p, uint32_t slot, uint32_t node, uint32_t *first);
void pods_unplace(struct pods *p, uint32_t slot, uint32_t *first);

/* Order of creation; PODS_NONE ends. */
uint32_t pods_first(const struct pods *p, uint32_t owner);
/* Higher priority first, then order of creation; `next` of a pod that was just placed is still
 * valid. */
uint32_t pods_first_pending(const struct pods *p);
size_t pods_pending(const struct pods *p);
size_t pods_live(const struct pods *p, uint32_t owner);
size_t pods_ready(const struct pods *p, uint32_t owner);
/* Pods that their controller counts: all but those that terminate. */
size_t pods_replicas(const struct pods *p, uint32_t owner);

#endif
