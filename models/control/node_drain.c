/* node_drain: one pod at a time. */
#include "models/control/node_drain.h"

#include "models/control/node_utilization.h"

bool node_drain_stays(const struct node_scaler_owner *owner, const struct node_scaler_pod *pod,
                      sim_ns now)
{
    return owner->kind == NODE_POD_DAEMON || owner->kind == NODE_POD_MIRROR ||
           node_utilization_long_terminating(pod, now);
}

enum node_pod_block node_drain_block(const struct node_scaler_config *c,
                                     const struct node_scaler_owner *owner)
{
    if (owner->kind == NODE_POD_REPLICATED && owner->replicas < c->min_replica_count)
        return NODE_BLOCK_MIN_REPLICAS;
    if (owner->evict == NODE_EVICT_SAFE)
        return NODE_BLOCK_NONE;
    if (owner->kind == NODE_POD_BARE)
        return NODE_BLOCK_NOT_REPLICATED;
    if (owner->kube_system && c->skip_system_pods && owner->disruptions_allowed < 0)
        return NODE_BLOCK_KUBE_SYSTEM;
    if (owner->evict == NODE_EVICT_NEVER)
        return NODE_BLOCK_NOT_SAFE_TO_EVICT;
    if (owner->local_storage && c->skip_local_storage)
        return NODE_BLOCK_LOCAL_STORAGE;
    return NODE_BLOCK_NONE;
}
