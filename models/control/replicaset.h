/* replicaset: which pods a ReplicaSet deletes first when it shrinks.
 *
 * The order decides which nodes become empty, and so what a smaller service saves. Source:
 * kubernetes pkg/controller/controller_utils.go, ActivePodsWithRanks, read 2026-08. */
#ifndef SLUICE_MODELS_CONTROL_REPLICASET_H
#define SLUICE_MODELS_CONTROL_REPLICASET_H

#include "sim/clock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Open data. The rules, first difference wins: no node before with one; Pending before Unknown
 * before Running; not ready before ready; lower deletion cost; more pods of the set on the same
 * node; ready for less time; more restarts; younger. */
struct replicaset_pod {
    uint32_t id;   /* the caller's */
    uint32_t unit; /* the caller's: of the pod's placement */
    uint32_t node;
    bool assigned; /* to that node */
    bool running;  /* phase Running; neither this nor unknown: Pending */
    bool unknown;  /* phase Unknown: its node does not answer */
    bool ready;
    int32_t deletion_cost; /* annotation controller.kubernetes.io/pod-deletion-cost */
    int32_t restarts;      /* of the container with the most */
    sim_ns ready_since;    /* ready pods */
    sim_ns created;
    uint64_t uid;    /* breaks ties within a bucket of ages; random in a cluster */
    int32_t doubled; /* out: pods of the set on the same node, itself included */
};

struct replicaset_rules {
    sim_ns now;
    /* Since 1.21 ages are compared by their order of magnitude (base 2), so that a burst's pods do
     * not all sit on the same nodes: LogarithmicScaleDown. */
    bool exact_ages;
    bool no_deletion_cost; /* before 1.22 */
};

/* Fills order[0..n-1] with positions in pods, the first to be deleted first. Total: equal pods go
 * by position. */
void replicaset_order(struct replicaset_pod *pods, size_t n, const struct replicaset_rules *rules,
                      uint32_t *order);
/* The same by the rules of current versions. */
void replicaset_rank(struct replicaset_pod *pods, size_t n, sim_ns now, uint32_t *order);

#endif
