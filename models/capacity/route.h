/* route: whether a pod goes to nodes, to the virtual node, or to it when nodes are short.
 *
 * What a pod's manifest says goes before the scenario's virtualNode.burstResource. In this order:
 * nodeName virtual-kubelet; nodeSelector type=virtual-kubelet with a toleration; the labels
 * alibabacloud.com/eci=true of pod or namespace; the namespace label
 * virtual-node-affinity-injection=enabled; the annotation alibabacloud.com/burst-resource.
 * Source: ACK documentation (2021-07-15) and Alibaba Cloud help 207460. */
#ifndef SLUICE_MODELS_CAPACITY_ROUTE_H
#define SLUICE_MODELS_CAPACITY_ROUTE_H

#include "sim/err.h"

struct pod_shape;
struct virtual_node_config;

enum route_to { ROUTE_NODES, ROUTE_BURST, ROUTE_ECI };

struct route {
    enum route_to to;
    const char *why; /* "nodeName: virtual-kubelet"; static text */
};

/* node NULL: the scenario has no virtual node, and a pod that asks for one is ERR_INPUT, as is one
 * that Kubernetes would leave Pending for ever. e->msg begins with the path below the pod. */
int route_of(const struct virtual_node_config *node, const struct pod_shape *pod, struct route *out,
             struct err *e);

#endif
