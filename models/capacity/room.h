/* room: what is free on a node, and pods that take it and leave it.
 *
 * A pod owns whole GPUs, or has a share of one that other shares may stand on too. Shares go to the
 * fullest GPU with room (a fresh one when none has), so that whole GPUs stay free. */
#ifndef SLUICE_MODELS_CAPACITY_ROOM_H
#define SLUICE_MODELS_CAPACITY_ROOM_H

#include <stdbool.h>
#include <stdint.h>

struct node;
struct node_reservation;
struct pod_shape;

enum {
    ROOM_GPUS = 1,
    ROOM_CPU = 2,
    ROOM_MEMORY = 4,
};

/* What the node lacks for the pod, beside the room that is kept for another one (NULL: none);
 * 0: it fits. */
unsigned room_lacks(const struct node *n, const struct pod_shape *p,
                    const struct node_reservation *kept);
/* Returns the GPU that a share was given a part of, else NODES_NONE. Asserts that it fits. */
uint32_t room_take(struct node *n, const struct pod_shape *p);
/* device: what room_take returned. */
void room_leave(struct node *n, const struct pod_shape *p, uint32_t device);
/* GPUs held, in thousandths. */
int64_t room_gpu_milli(const struct node *n);
/* GPUs free now, in thousandths; those on shared GPUs too. */
int64_t room_free_milli(const struct node *n);

#endif
