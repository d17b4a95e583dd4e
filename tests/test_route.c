/* test_route: which pods go to the virtual node. */
#include "models/capacity/route.h"

#include "models/capacity/pod_shape.h"
#include "models/capacity/virtual_node.h"

#include <criterion/criterion.h>
#include <string.h>

static struct knob_pair eci_label = {"alibabacloud.com/eci", "true"};
static struct knob_pair injected = {"virtual-node-affinity-injection", "enabled"};
static struct knob_pair type_label = {"type", "virtual-kubelet"};
static struct knob_pair burst = {"alibabacloud.com/burst-resource", "eci"};
static struct knob_pair burst_only = {"alibabacloud.com/burst-resource", "eci_only"};
static struct knob_pair burst_wrong = {"alibabacloud.com/burst-resource", "ECI"};
static const char *provider = "virtual-kubelet.io/provider";

static struct knob_map one(struct knob_pair *p)
{
    return (struct knob_map){p, 1};
}

Test(route, manifests_go_where_the_documents_say)
{
    struct virtual_node_config plain = {.burst = VIRTUAL_NODE_ROUTED};
    const struct {
        const char *what;
        struct pod_shape pod;
        enum route_to to;
    } rows[] = {
        {"nothing", {.gpus = 1}, ROUTE_NODES},
        {"nodeName", {.node_name = "virtual-kubelet"}, ROUTE_ECI},
        {"nodeName with a zone", {.node_name = "virtual-kubelet-cn-hangzhou-i"}, ROUTE_ECI},
        {"selector and toleration",
         {.node_selector = one(&type_label), .tolerations = {&provider, 1}},
         ROUTE_ECI},
        {"pod label", {.labels = one(&eci_label)}, ROUTE_ECI},
        {"namespace label", {.namespace_labels = one(&eci_label)}, ROUTE_ECI},
        {"old namespace label", {.namespace_labels = one(&injected)}, ROUTE_ECI},
        {"old label on the pod itself", {.labels = one(&injected)}, ROUTE_NODES},
        {"burst", {.annotations = one(&burst)}, ROUTE_BURST},
        {"burst only", {.annotations = one(&burst_only)}, ROUTE_ECI},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct route r;
        struct err e = {0};
        cr_assert_eq(route_of(&plain, &rows[i].pod, &r, &e), 0, "%s: %s", rows[i].what, e.msg);
        cr_assert_eq(r.to, rows[i].to, "%s", rows[i].what);
    }
}

Test(route, the_scenario_decides_for_pods_that_say_nothing)
{
    struct virtual_node_config spill = {.burst = VIRTUAL_NODE_ECI};
    struct virtual_node_config only = {.burst = VIRTUAL_NODE_ECI_ONLY};
    struct pod_shape plain = {.gpus = 1}, own = {.annotations = one(&burst)};
    struct route r;
    struct err e = {0};
    cr_assert(route_of(&spill, &plain, &r, &e) == 0 && r.to == ROUTE_BURST);
    cr_assert(route_of(&only, &plain, &r, &e) == 0 && r.to == ROUTE_ECI);
    cr_assert(route_of(&only, &own, &r, &e) == 0 && r.to == ROUTE_BURST);
    cr_assert(route_of(NULL, &plain, &r, &e) == 0 && r.to == ROUTE_NODES);
}

Test(route, what_would_stay_pending_for_ever_is_refused)
{
    struct virtual_node_config plain = {.burst = VIRTUAL_NODE_ROUTED};
    const struct {
        struct pod_shape pod;
        const struct virtual_node_config *node;
        const char *says;
    } rows[] = {
        {{.node_selector = one(&type_label)}, &plain, "without a toleration"},
        {{.node_name = "node-1"}, &plain, "'node-1' pins the pod"},
        {{.annotations = one(&burst_wrong)}, &plain, "allowed are eci and eci_only"},
        {{.node_name = "virtual-kubelet"}, NULL, "has no virtualNode"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct route r;
        struct err e = {0};
        cr_assert_eq(route_of(rows[i].node, &rows[i].pod, &r, &e), -1, "row %zu", i);
        cr_assert(strstr(e.msg, rows[i].says), "row %zu: %s", i, e.msg);
    }
}
