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

Test(scheduler, takes_one_of_several_kinds)
{
    struct nodes *n = nodes_create(8, NULL);
    static const char *bar[] = {"V100M16|T4"}, *other[] = {"V100M16|V100M32"}, *part[] = {"V1|T"};
    uint32_t slot = add(n, &t4, 0, 0);
    struct pod_shape pod = {.gpus = 1, .gpu_types = {bar, 1}};
    cr_assert_eq(scheduler_pick(&spread, &pod, n), slot);
    pod.gpu_types.items = other;
    cr_assert_eq(scheduler_pick(&spread, &pod, n), SCHEDULER_NO_NODE);
    pod.gpu_types.items = part;
    cr_assert_eq(scheduler_pick(&spread, &pod, n), SCHEDULER_NO_NODE, "a kind is its whole name");
    pod.gpus = 0;
    cr_assert_eq(scheduler_pick(&spread, &pod, n), slot, "without a GPU no kind matters");
    nodes_destroy(n);
}

static const char *hard[] = {"team=a:NoSchedule"}, *soft[] = {"team=a:PreferNoSchedule"};
static const struct pool_config hard_pool = {
    .name = "hard", .region = "r", .zones = {zones, 1}, .taints = {hard, 1}};
static const struct pool_config soft_pool = {
    .name = "soft", .region = "r", .zones = {zones, 1}, .taints = {soft, 1}};

Test(scheduler, keeps_off_tainted_nodes_and_prefers_untainted_ones)
{
    struct nodes *n = nodes_create(8, NULL);
    uint32_t refused = add(n, &v100, 0, 0), disliked = add(n, &v100, 0, 0);
    nodes_at(n, refused)->config = &hard_pool;
    nodes_at(n, disliked)->config = &soft_pool;
    struct pod_shape pod = {.gpus = 1};
    cr_assert_eq(scheduler_pick(&spread, &pod, n), disliked);
    uint32_t plain = add(n, &v100, 2, 0);
    cr_assert_eq(scheduler_pick(&spread, &pod, n), plain, "fuller, but not disliked");
    static const char *tolerates[] = {"team=a"};
    pod.tolerations = (struct knob_texts){tolerates, 1};
    cr_assert_eq(scheduler_pick(&spread, &pod, n), refused, "the oldest of the empty ones");
    nodes_destroy(n);
}

Test(scheduler, finds_a_pool_by_its_label)
{
    struct nodes *n = nodes_create(8, NULL);
    static struct knob_pair label[] = {{"alibabacloud.com/nodepool-id", "soft"}};
    add(n, &v100, 0, 0);
    uint32_t slot = add(n, &v100, 0, 0);
    nodes_at(n, slot)->config = &soft_pool;
    struct pod_shape pod = {.gpus = 1, .node_selector = {label, 1}};
    cr_assert_eq(scheduler_pick(&spread, &pod, n), slot);
    nodes_destroy(n);
}

/* Words and order of filters as kube-scheduler's FailedScheduling events have them. */
Test(scheduler, says_why_no_node_will_do)
{
    struct nodes *n = nodes_create(16, NULL);
    static struct knob_pair wrong[] = {{"inference", "pytorch"}};
    static const char *kinds[] = {"T4"};
    struct scheduler_refusal r;
    char words[256];
    struct pod_shape pod = {.gpus = 4, .cpu_milli = 4000, .memory_bytes = INT64_C(129) << 30};
    scheduler_refuse(&pod, n, &r);
    cr_assert_str_eq(scheduler_words(&r, words, sizeof words), "0/0 nodes are available");
    add(n, &v100, 1, 30000);
    uint32_t gone = add(n, &v100, 0, 0), cordoned = add(n, &v100, 0, 0);
    nodes_at(n, gone)->state = NODE_VANISHED;
    nodes_at(n, cordoned)->cordoned = true;
    nodes_at(n, add(n, &v100, 0, 0))->config = &hard_pool;
    scheduler_refuse(&pod, n, &r);
    cr_assert_str_eq(scheduler_words(&r, words, sizeof words),
                     "0/4 nodes are available: 1 node(s) were not ready, 1 node(s) were "
                     "unschedulable, 1 node(s) had untolerated taint, 1 Insufficient "
                     "nvidia.com/gpu, 1 Insufficient cpu, 1 Insufficient memory");
    pod.node_selector = (struct knob_map){wrong, 1};
    scheduler_refuse(&pod, n, &r);
    cr_assert_eq(r.by_reason[SCHEDULER_SELECTOR], 1);
    cr_assert_eq(r.by_reason[SCHEDULER_GPUS], 0, "the first filter that fails is the reason");
    pod.node_selector.count = 0;
    pod.gpu_types = (struct knob_texts){kinds, 1};
    scheduler_refuse(&pod, n, &r);
    cr_assert_eq(r.by_reason[SCHEDULER_GPU_KIND], 1);
    nodes_destroy(n);
}

Test(scheduler, leaves_room_that_is_kept_for_a_pod_of_its_priority)
{
    struct nodes *n = nodes_create(8, NULL);
    uint32_t slot = add(n, &v100, 2, 0);
    nodes_at(n, slot)->kept = (struct node_reservation){.held = true, .priority = 5, .gpus = 2};
    struct pod_shape equal = {.gpus = 1, .priority = 5}, higher = {.gpus = 1, .priority = 6};
    cr_assert_eq(scheduler_pick(&spread, &equal, n), SCHEDULER_NO_NODE);
    cr_assert_eq(scheduler_pick(&spread, &higher, n), slot);
    cr_assert(scheduler_fits_nominated(&equal, nodes_view(n, slot)));
    nodes_destroy(n);
}
