/* scheduler: which node a pod goes to. */
#include "models/capacity/scheduler.h"

#include "models/capacity/instance.h"
#include "models/capacity/nodes.h"
#include "models/capacity/pod_shape.h"
#include "models/capacity/pool.h"

#include <assert.h>
#include <string.h>

static const struct knob_name scorings[] = {
    {"LeastAllocated", SCHEDULER_LEAST_ALLOCATED, "spread: the emptiest node"},
    {"MostAllocated", SCHEDULER_MOST_ALLOCATED, "pack: the fullest node that fits"},
    {0},
};

static const struct knob rows[] = {
    {.key = "scoringStrategy",
     .kind = KNOB_NAME,
     .offset = offsetof(struct scheduler_config, scoring),
     .doc = "Which of the nodes that fit is taken.",
     .preset = "LeastAllocated",
     .names = scorings,
     .quality = QUALITY_OFFICIAL,
     .source = "Kubernetes scheduler, NodeResourcesFit"},
    {0},
};

const struct knob_table scheduler_knobs = {
    .name = "scheduler",
    .doc = "How pods are placed on nodes.",
    .rows = rows,
    .size = sizeof(struct scheduler_config),
};

static bool equal(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

/* The value of a label on a node of this pool; well-known labels come from the machine. The GPU
 * label is the one of ACK. */
static bool label_is(const struct knob_pair *want, const struct pool_config *pool,
                     const struct instance_type *type, const char *zone)
{
    for (size_t i = 0; i < pool->labels.count; i++)
        if (equal(pool->labels.items[i].key, want->key))
            return equal(pool->labels.items[i].value, want->value);
    if (equal(want->key, "topology.kubernetes.io/zone"))
        return equal(want->value, zone);
    if (equal(want->key, "topology.kubernetes.io/region"))
        return equal(want->value, pool->region);
    if (equal(want->key, "node.kubernetes.io/instance-type"))
        return equal(want->value, type->name);
    if (equal(want->key, "aliyun.accelerator/nvidia_name"))
        return equal(want->value, type->gpu);
    return false;
}

bool scheduler_matches(const struct pod_shape *pod, const struct pool_config *pool,
                       const struct instance_type *type, const char *zone)
{
    for (size_t i = 0; i < pod->node_selector.count; i++)
        if (!label_is(&pod->node_selector.items[i], pool, type, zone))
            return false;
    if (pod->gpus == 0 || pod->gpu_types.count == 0)
        return true;
    for (size_t i = 0; i < pod->gpu_types.count; i++)
        if (equal(pod->gpu_types.items[i], type->gpu))
            return true;
    return false;
}

bool scheduler_fits(const struct pod_shape *pod, const struct node *node)
{
    assert(node->gpus_used >= 0 && (node->gpus_used <= node->gpus || !nodes_ready(node)));
    if (!nodes_ready(node) || node->cordoned)
        return false;
    if (pod->gpus > node->gpus - node->gpus_used ||
        pod->cpu_milli > node->cpu_milli - node->cpu_used ||
        pod->memory_bytes > node->memory - node->memory_used)
        return false;
    return scheduler_matches(pod, node->config, node->type, node->config->zones.items[node->zone]);
}

/* Share of this resource that would be taken, in thousandths. */
static int64_t taken(int64_t used, int64_t of)
{
    if (of <= 0)
        return 0;
    /* Memory is some terabytes at most: x 1000 stays far below 2^63. */
    return used * 1000 / of;
}

/* Mean share of GPU, CPU and memory in use with the pod; the GPU counts, since whole nodes are
 * bought for it. */
static int64_t load(const struct pod_shape *pod, const struct node *n)
{
    return taken(n->gpus_used + pod->gpus, n->gpus) +
           taken(n->cpu_used + pod->cpu_milli, n->cpu_milli) +
           taken(n->memory_used + pod->memory_bytes, n->memory);
}

uint32_t scheduler_pick(const struct scheduler_config *c, const struct pod_shape *pod,
                        const struct nodes *nodes)
{
    uint32_t best = SCHEDULER_NO_NODE;
    int64_t best_load = 0;
    uint32_t best_pods = 0;
    bool pack = c->scoring == SCHEDULER_MOST_ALLOCATED;
    for (uint32_t i = nodes_next(nodes, NODES_NONE); i != NODES_NONE; i = nodes_next(nodes, i)) {
        const struct node *n = nodes_view(nodes, i);
        if (!scheduler_fits(pod, n))
            continue;
        int64_t l = pack ? -load(pod, n) : load(pod, n);
        if (best != SCHEDULER_NO_NODE &&
            (l > best_load || (l == best_load && n->n_pods >= best_pods)))
            continue;
        best = i;
        best_load = l;
        best_pods = n->n_pods;
    }
    return best;
}
