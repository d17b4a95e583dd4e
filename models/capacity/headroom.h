/* headroom: placeholder pods of low priority that keep GPUs of a pool free for real pods.
 *
 * A real pod that finds no room takes a placeholder's at once; the placeholder is made again and,
 * while it waits, makes the node autoscaler buy the next node. */
#ifndef SLUICE_MODELS_CAPACITY_HEADROOM_H
#define SLUICE_MODELS_CAPACITY_HEADROOM_H

#include "models/capacity/cluster.h"
#include "models/capacity/pod_shape.h"
#include "models/capacity/pool.h"
#include "sim/arena.h"
#include "sim/err.h"

#include <stdint.h>

/* The placeholder of a pool: one GPU, the pool's headroomCpu and headroomMemory, tolerating all.
 * Texts live in the arena. */
int headroom_shape(struct pod_shape *out, const struct pool_config *pool, struct arena *a,
                   struct err *e);

/* Open data: the placeholders of one pool. */
struct headroom {
    struct cluster *cluster;
    uint32_t owner;
    int32_t pods;
};

void headroom_start(struct headroom *h);
/* The cluster's calls for this owner: the pod goes, another one is asked for. */
void headroom_pod_evicted(struct headroom *h, struct pod_ref pod);
void headroom_pod_gone(struct headroom *h);

#endif
