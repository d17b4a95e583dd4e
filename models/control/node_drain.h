/* node_drain: whether the pods of a node may be moved away (N22). */
#ifndef SLUICE_MODELS_CONTROL_NODE_DRAIN_H
#define SLUICE_MODELS_CONTROL_NODE_DRAIN_H

#include "models/control/node_scaler.h"
#include "models/control/node_settings.h"

/* Goes with its node, or is as good as gone: it neither blocks nor needs another place. */
bool node_drain_stays(const struct node_scaler_owner *owner, const struct node_scaler_pod *pod,
                      sim_ns now);

/* What keeps a pod that does not stay. safe-to-evict lifts the rules on controllers, system pods
 * and local storage, not the one on minReplicaCount. Disruption budgets are counted over all
 * pods of a node, so they are the caller's. */
enum node_pod_block node_drain_block(const struct node_scaler_config *c,
                                     const struct node_scaler_owner *owner);

#endif
