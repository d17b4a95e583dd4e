/* cluster_config: the supply side of a scenario as bound from its file. */
#ifndef SLUICE_MODELS_CAPACITY_CLUSTER_CONFIG_H
#define SLUICE_MODELS_CAPACITY_CLUSTER_CONFIG_H

#include "models/capacity/account.h"
#include "models/capacity/pool.h"
#include "models/capacity/scheduler.h"
#include "sim/knob.h"

#include <stddef.h>
#include <stdint.h>

struct drill;
struct spot_traces;
struct node_list;
struct virtual_node_config; /* models/capacity/virtual_node.h: virtual_node_knobs */
struct node_settings;       /* models/control/node_settings.h: node_settings_knobs */

/* Open data. The rows of a scenario: `nodePools` is a list by pool_knobs, `clusterAutoscaler` a
 * pointer by node_settings_knobs, `virtualNode` a pointer by virtual_node_knobs, `scheduler` an
 * object by scheduler_knobs. `nodeList` is a file. With neither pool nor list nor virtual
 * node, replicas are simply there: a pod
 * that is asked for is placed at once, at no cost. */
struct cluster_config {
    struct knob_list pools;                         /* struct pool_config */
    const struct node_settings *autoscaler;         /* NULL: nobody buys or returns nodes */
    const struct virtual_node_config *virtual_node; /* NULL: none */
    struct scheduler_config scheduler;
    struct account_config account;           /* an object by account_knobs */
    const struct spot_traces *const *traces; /* models/capacity/spot_trace.h, one per pool; NULL:
                                                none */
    const struct spot_traces *eci_traces;    /* of the virtual node; NULL: none */
    const struct drill *drills;              /* models/capacity/drill.h; checked with the cluster */
    size_t n_drills;
    const char *node_list;         /* file of machines that are simply there; NULL: none */
    const struct node_list *nodes; /* its content */
    const char *currency;          /* of all money in the run; NULL: CNY */
    int64_t max_pods;              /* limits.pods: pods that exist at once; 0: 4096 */
    int64_t max_nodes; /* limits.nodes: node objects at once, dying ones included; 0: twice the
                          pools' maxSize and 16 more */
};

#endif
