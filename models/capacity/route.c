/* route: whether a pod goes to nodes, to the virtual node, or to it when nodes are short. */
#include "models/capacity/route.h"

#include "models/capacity/placement.h"
#include "models/capacity/pod_shape.h"
#include "models/capacity/taint.h"
#include "models/capacity/virtual_node.h"

#include <stdbool.h>
#include <string.h>

#define VIRTUAL_KUBELET "virtual-kubelet"

static bool has(const struct knob_map *m, const char *key, const char *value)
{
    for (size_t i = 0; i < m->count; i++)
        if (strcmp(m->items[i].key, key) == 0 && strcmp(m->items[i].value, value) == 0)
            return true;
    return false;
}

static const char *value_of(const struct knob_map *m, const char *key)
{
    for (size_t i = 0; i < m->count; i++)
        if (strcmp(m->items[i].key, key) == 0)
            return m->items[i].value;
    return NULL;
}

/* The taint of ACK's virtual node. */
static bool tolerated(const struct pod_shape *pod)
{
    return taint_tolerated("virtual-kubelet.io/provider=alibabacloud:NoSchedule",
                           &pod->tolerations);
}

static int by_burst(const char *value, struct route *out, struct err *e)
{
    if (strcmp(value, "eci") == 0)
        *out = (struct route){ROUTE_BURST, "alibabacloud.com/burst-resource: eci"};
    else if (strcmp(value, "eci_only") == 0)
        *out = (struct route){ROUTE_ECI, "alibabacloud.com/burst-resource: eci_only"};
    else
        return err_set(e, ERR_INPUT, NULL,
                       "annotations.alibabacloud.com/burst-resource: '%s' makes the pod "
                       "unschedulable; allowed are eci and eci_only",
                       value);
    return 0;
}

/* What the manifest itself says; ROUTE_NODES with why NULL when nothing. */
static int by_manifest(const struct pod_shape *pod, struct route *out, struct err *e)
{
    const char *burst = value_of(&pod->annotations, "alibabacloud.com/burst-resource");
    *out = (struct route){ROUTE_NODES, NULL};
    if (pod->node_name) {
        if (strncmp(pod->node_name, VIRTUAL_KUBELET, strlen(VIRTUAL_KUBELET)) != 0)
            return err_set(e, ERR_INPUT, NULL,
                           "nodeName: '%s' pins the pod to a node that no pool brings; only "
                           "'virtual-kubelet' can be named",
                           pod->node_name);
        *out = (struct route){ROUTE_ECI, "nodeName: virtual-kubelet"};
    } else if (has(&pod->node_selector, "type", VIRTUAL_KUBELET)) {
        if (!tolerated(pod))
            return err_set(e, ERR_INPUT, NULL,
                           "nodeSelector: type=virtual-kubelet without a toleration of "
                           "virtual-kubelet.io/provider leaves the pod Pending for ever");
        *out = (struct route){ROUTE_ECI, "nodeSelector type=virtual-kubelet"};
    } else if (has(&pod->labels, "alibabacloud.com/eci", "true")) {
        *out = (struct route){ROUTE_ECI, "pod label alibabacloud.com/eci=true"};
    } else if (has(&pod->namespace_labels, "alibabacloud.com/eci", "true")) {
        *out = (struct route){ROUTE_ECI, "namespace label alibabacloud.com/eci=true"};
    } else if (has(&pod->namespace_labels, "virtual-node-affinity-injection", "enabled")) {
        *out = (struct route){ROUTE_ECI, "namespace label virtual-node-affinity-injection=enabled"};
    } else if (burst) {
        return by_burst(burst, out, e);
    }
    return 0;
}

int route_of(const struct virtual_node_config *node, const struct pod_shape *pod, struct route *out,
             struct err *e)
{
    if (pod->placement && !pod->unit) {
        *out = (struct route){ROUTE_NODES, "its units decide"};
        return 0;
    }
    if (pod->unit)
        *out = (struct route){pod->unit->resource == PLACEMENT_ECI ? ROUTE_ECI : ROUTE_NODES,
                              "the unit of its placement"};
    else if (by_manifest(pod, out, e))
        return -1;
    if (out->to == ROUTE_NODES && pod->unit)
        return 0;
    if (out->why) {
        if (!node)
            return err_set(e, ERR_INPUT, NULL,
                           "%s sends the pod to a virtual node, and the scenario has no "
                           "virtualNode",
                           out->why);
        return 0;
    }
    out->why = "no word on the virtual node";
    if (node && node->burst == VIRTUAL_NODE_ECI)
        *out = (struct route){ROUTE_BURST, "virtualNode.burstResource: eci"};
    if (node && node->burst == VIRTUAL_NODE_ECI_ONLY)
        *out = (struct route){ROUTE_ECI, "virtualNode.burstResource: eci_only"};
    return 0;
}
