/* test_scheduler: which node a pod goes to. */
#include "models/capacity/instance.h"
#include "models/capacity/nodes.h"
#include "models/capacity/pod_shape.h"
#include "models/capacity/scheduler.h"

#include <criterion/criterion.h>

static const char *zones[] = {"cn-hangzhou-h", "cn-hangzhou-i"};
static struct knob_pair labels[] = {{"inference", "tensorflow"}};
static const struct pool_config pool = {
    .name = "elastic",
    .region = "cn-hangzhou",
    .zones = {zones, 2},
    .labels = {labels, 1},
};
static const struct instance_type v100 = {.name = "v", .gpu = "V100", .gpus = 4, .vcpu = 32};
static const struct instance_type t4 = {.name = "t", .gpu = "T4", .gpus = 4, .vcpu = 32};

static uint32_t add(struct nodes *n, const struct instance_type *t, int32_t gpus_used,
                    int64_t cpu_used)
{
    uint32_t slot = nodes_add(n);
    struct node *node = nodes_at(n, slot);
    node->state = NODE_COMPLETE;
    node->config = &pool;
    node->type = t;
    node->gpus = t->gpus;
    node->gpus_used = gpus_used;
    node->cpu_milli = 32000;
    node->cpu_used = cpu_used;
    node->memory = INT64_C(128) << 30;
    return slot;
}

static const struct scheduler_config spread = {SCHEDULER_LEAST_ALLOCATED};
static const struct scheduler_config pack = {SCHEDULER_MOST_ALLOCATED};

Test(scheduler, spreads_or_packs)
{
    struct nodes *n = nodes_create(8, NULL);
    struct pod_shape one = {.gpus = 1};
    cr_assert_eq(scheduler_pick(&spread, &one, n), SCHEDULER_NO_NODE);
    add(n, &v100, 4, 0);
    uint32_t busy = add(n, &v100, 3, 0), idle = add(n, &v100, 0, 0);
    add(n, &v100, 0, 0);
    cr_assert_eq(scheduler_pick(&spread, &one, n), idle, "of two equals the older");
    cr_assert_eq(scheduler_pick(&pack, &one, n), busy);
    struct pod_shape two = {.gpus = 2};
    cr_assert_eq(scheduler_pick(&pack, &two, n), idle);
    nodes_destroy(n);
}

Test(scheduler, wants_whole_gpus_that_are_allocatable)
{
    struct nodes *n = nodes_create(8, NULL);
    struct pod_shape pod = {.gpus = 1}, cpu_only = {0};
    uint32_t slot = add(n, &v100, 0, 0);
    nodes_at(n, slot)->gpus = 0;
    nodes_at(n, slot)->state = NODE_PLAIN;
    cr_assert_eq(scheduler_pick(&spread, &pod, n), SCHEDULER_NO_NODE, "Ready before its GPUs");
    cr_assert_eq(scheduler_pick(&spread, &cpu_only, n), slot);
    nodes_at(n, slot)->state = NODE_BOOTING;
    cr_assert_eq(scheduler_pick(&spread, &cpu_only, n), SCHEDULER_NO_NODE);
    nodes_destroy(n);
}

Test(scheduler, looks_at_requests_selectors_kinds_and_cordons)
{
    struct nodes *n = nodes_create(8, NULL);
    uint32_t slot = add(n, &v100, 0, 30000);
    struct pod_shape fits = {.gpus = 1, .cpu_milli = 2000};
    cr_assert_eq(scheduler_pick(&spread, &fits, n), slot);
    struct pod_shape cpu = {.gpus = 1, .cpu_milli = 2001};
    cr_assert_eq(scheduler_pick(&spread, &cpu, n), SCHEDULER_NO_NODE);
    struct pod_shape memory = {.gpus = 1, .memory_bytes = (INT64_C(128) << 30) + 1};
    cr_assert_eq(scheduler_pick(&spread, &memory, n), SCHEDULER_NO_NODE);

    static struct knob_pair right[] = {{"inference", "tensorflow"},
                                       {"topology.kubernetes.io/zone", "cn-hangzhou-h"},
                                       {"aliyun.accelerator/nvidia_name", "V100"}};
    static struct knob_pair wrong[] = {{"inference", "pytorch"}};
    struct pod_shape selected = {.gpus = 1, .node_selector = {right, 3}};
    cr_assert_eq(scheduler_pick(&spread, &selected, n), slot);
    selected.node_selector = (struct knob_map){wrong, 1};
    cr_assert_eq(scheduler_pick(&spread, &selected, n), SCHEDULER_NO_NODE);

    static const char *kinds[] = {"T4", "V100"};
    struct pod_shape kind = {.gpus = 1, .gpu_types = {kinds, 1}};
    cr_assert_eq(scheduler_pick(&spread, &kind, n), SCHEDULER_NO_NODE);
    uint32_t t = add(n, &t4, 0, 0);
    cr_assert_eq(scheduler_pick(&spread, &kind, n), t);
    nodes_at(n, t)->cordoned = true;
    cr_assert_eq(scheduler_pick(&spread, &kind, n), SCHEDULER_NO_NODE);
    nodes_destroy(n);
}
