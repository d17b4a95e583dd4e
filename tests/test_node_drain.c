/* test_node_drain: which pod keeps its node, and which rule comes first. */
#include "models/control/node_drain.h"

#include <criterion/criterion.h>

Test(node_drain, rules_come_in_this_order)
{
    struct node_scaler_config c;
    node_settings_upstream(&c);
    c.min_replica_count = 2;
    struct node_scaler_owner o = {.replicas = 1,
                                  .kube_system = true,
                                  .local_storage = true,
                                  .evict = NODE_EVICT_NEVER,
                                  .disruptions_allowed = -1};
    cr_expect_eq(node_drain_block(&c, &o), NODE_BLOCK_MIN_REPLICAS);
    o.replicas = 2;
    o.kind = NODE_POD_BARE;
    cr_expect_eq(node_drain_block(&c, &o), NODE_BLOCK_NOT_REPLICATED);
    o.kind = NODE_POD_REPLICATED;
    cr_expect_eq(node_drain_block(&c, &o), NODE_BLOCK_KUBE_SYSTEM);
    o.disruptions_allowed = 0; /* a budget, even an empty one, makes a system pod an ordinary one */
    cr_expect_eq(node_drain_block(&c, &o), NODE_BLOCK_NOT_SAFE_TO_EVICT);
    o.evict = NODE_EVICT_UNSAID;
    cr_expect_eq(node_drain_block(&c, &o), NODE_BLOCK_LOCAL_STORAGE);
    o.local_storage = false;
    cr_expect_eq(node_drain_block(&c, &o), NODE_BLOCK_NONE);
}

Test(node_drain, safe_to_evict_lifts_all_but_the_replica_count)
{
    struct node_scaler_config c;
    node_settings_upstream(&c);
    struct node_scaler_owner o = {.kind = NODE_POD_BARE,
                                  .kube_system = true,
                                  .local_storage = true,
                                  .evict = NODE_EVICT_SAFE,
                                  .disruptions_allowed = -1};
    cr_expect_eq(node_drain_block(&c, &o), NODE_BLOCK_NONE);
    o.kind = NODE_POD_REPLICATED;
    o.replicas = 1;
    c.min_replica_count = 2;
    cr_expect_eq(node_drain_block(&c, &o), NODE_BLOCK_MIN_REPLICAS);
}

Test(node_drain, ack_lets_pods_with_local_storage_go)
{
    struct node_scaler_config upstream, ack;
    struct node_scaler_owner o = {.local_storage = true, .disruptions_allowed = -1};
    node_settings_upstream(&upstream);
    node_settings_ack(&ack);
    cr_expect_eq(node_drain_block(&upstream, &o), NODE_BLOCK_LOCAL_STORAGE);
    cr_expect_eq(node_drain_block(&ack, &o), NODE_BLOCK_NONE);
}

Test(node_drain, daemon_mirror_and_long_terminating_pods_stay)
{
    struct node_scaler_pod p = {.terminating_since = SIM_NEVER, .grace = 30 * SIM_SECOND};
    struct node_scaler_owner o = {.kind = NODE_POD_DAEMON};
    cr_expect(node_drain_stays(&o, &p, SIM_HOUR));
    o.kind = NODE_POD_MIRROR;
    cr_expect(node_drain_stays(&o, &p, SIM_HOUR));
    o.kind = NODE_POD_REPLICATED;
    cr_expect_not(node_drain_stays(&o, &p, SIM_HOUR));
    p.terminating_since = SIM_HOUR - 60 * SIM_SECOND;
    cr_expect_not(node_drain_stays(&o, &p, SIM_HOUR));
    p.terminating_since--;
    cr_expect(node_drain_stays(&o, &p, SIM_HOUR));
}
