/* node_binpack: how many new nodes of one shape a set of pods needs (N5).
 *
 * Groups of identical pods are taken largest first (CPU share + memory share of a new node; GPUs
 * are not in the score). Each pod goes to the first new node with room, else to one more node.
 * The autoscaler also stops after 10 s of its own time; a simulated scan takes none. */
#ifndef SLUICE_MODELS_CONTROL_NODE_BINPACK_H
#define SLUICE_MODELS_CONTROL_NODE_BINPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room on a node. */
struct node_room {
    int64_t cpu_milli, memory_bytes;
    int32_t gpus;
    int32_t pods; /* how many more; INT32_MAX: no limit */
};

/* Identical pods. */
struct node_binpack_pods {
    int64_t cpu_milli, memory_bytes; /* >= 0 */
    int32_t gpus;
    int32_t count;
    int32_t host_port; /* index of a port, 0..n_ports-1; -1: none. One such pod a node */
    int32_t placed;    /* out */
};

struct node_binpack {
    struct node_room shape;                     /* room on a new node */
    double score_cpu_milli, score_memory_bytes; /* what shares are taken of: allocatable */
    struct node_binpack_pods *groups;
    size_t n_groups;
    size_t max_nodes; /* nodes that may be added, at most the length of rooms */
    /* Scratch of the caller. */
    struct node_room *rooms; /* max_nodes */
    uint32_t *order;         /* n_groups */
    bool *ports;             /* max_nodes * n_ports, or NULL */
    size_t n_ports;
};

struct node_binpack_result {
    int32_t nodes; /* new nodes that hold a pod */
    int32_t pods_placed;
    bool limited; /* pods were left since max_nodes was reached */
};

struct node_binpack_result node_binpack_estimate(const struct node_binpack *b);

/* How many such pods fit into a room, at most `count`; ports are not looked at. */
int32_t node_binpack_fit(const struct node_room *room, const struct node_binpack_pods *pod,
                         int32_t count);
/* Takes the room of n pods. */
void node_binpack_take(struct node_room *room, const struct node_binpack_pods *pod, int32_t n);

#endif
