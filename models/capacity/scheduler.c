/* scheduler: which node a pod goes to. */
#include "models/capacity/scheduler.h"

#include "models/capacity/instance.h"
#include "models/capacity/nodes.h"
#include "models/capacity/pod_shape.h"
#include "models/capacity/pool.h"
#include "models/capacity/room.h"
#include "models/capacity/taint.h"

#include <assert.h>
#include <stdio.h>
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
        return instance_has_gpu(type, want->value);
    if (equal(want->key, "alibabacloud.com/nodepool-id"))
        return equal(want->value, pool->name);
    return false;
}

static bool selected(const struct pod_shape *pod, const struct pool_config *pool,
                     const struct instance_type *type, const char *zone)
{
    for (size_t i = 0; i < pod->node_selector.count; i++)
        if (!label_is(&pod->node_selector.items[i], pool, type, zone))
            return false;
    return true;
}

bool scheduler_matches(const struct pod_shape *pod, const struct pool_config *pool,
                       const struct instance_type *type, const char *zone)
{
    return !taint_refusing(&pool->taints, &pod->tolerations) && selected(pod, pool, type, zone) &&
           (pod->gpus == 0 || pod_shape_takes_gpu(pod, type));
}

static const char *zone_of(const struct node *n)
{
    return n->config->zones.items[n->zone];
}

static bool fits_beside(const struct pod_shape *pod, const struct node *node,
                        const struct node_reservation *kept)
{
    assert(node->gpus_used >= 0 && (node->gpus_used <= node->gpus || !nodes_ready(node)));
    return nodes_ready(node) && !node->cordoned && room_lacks(node, pod, kept) == 0 &&
           scheduler_matches(pod, node->config, node->type, zone_of(node));
}

static const struct node_reservation *kept_from(const struct pod_shape *pod, const struct node *n)
{
    return n->kept.held && pod->priority <= n->kept.priority ? &n->kept : NULL;
}

bool scheduler_fits(const struct pod_shape *pod, const struct node *node)
{
    return fits_beside(pod, node, kept_from(pod, node));
}

bool scheduler_fits_nominated(const struct pod_shape *pod, const struct node *node)
{
    return fits_beside(pod, node, NULL);
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
    return taken(room_gpu_milli(n) + pod_shape_gpu_milli(pod), n->gpus * INT64_C(1000)) +
           taken(n->cpu_used + pod->cpu_milli, n->cpu_milli) +
           taken(n->memory_used + pod->memory_bytes, n->memory);
}

/* What candidates are compared by; the lowest is taken. */
struct rank {
    int disliked;
    int64_t load;
    uint32_t pods;
};

static bool better(const struct rank *a, const struct rank *b)
{
    if (a->disliked != b->disliked)
        return a->disliked < b->disliked;
    return a->load != b->load ? a->load < b->load : a->pods < b->pods;
}

uint32_t scheduler_pick(const struct scheduler_config *c, const struct pod_shape *pod,
                        const struct nodes *nodes)
{
    uint32_t best = SCHEDULER_NO_NODE;
    struct rank lowest = {0};
    bool pack = c->scoring == SCHEDULER_MOST_ALLOCATED;
    for (uint32_t i = nodes_next(nodes, NODES_NONE); i != NODES_NONE; i = nodes_next(nodes, i)) {
        const struct node *n = nodes_view(nodes, i);
        if (!scheduler_fits(pod, n))
            continue;
        struct rank r = {
            .disliked = taint_disliked(&n->config->taints, &pod->tolerations),
            .load = pack ? -load(pod, n) : load(pod, n),
            .pods = n->n_pods,
        };
        if (best != SCHEDULER_NO_NODE && !better(&r, &lowest))
            continue;
        best = i;
        lowest = r;
    }
    return best;
}

/* ---- refusals ---- */

static const struct {
    const char *name, *words;
} reasons[SCHEDULER_REASONS] = {
    [SCHEDULER_NOT_READY] = {"notReady", "node(s) were not ready"},
    [SCHEDULER_CORDONED] = {"unschedulable", "node(s) were unschedulable"},
    [SCHEDULER_TAINT] = {"untoleratedTaint", "node(s) had untolerated taint"},
    [SCHEDULER_SELECTOR] = {"nodeSelector", "node(s) didn't match Pod's node selector"},
    [SCHEDULER_GPU_KIND] = {"gpuKind", "node(s) had another kind of GPU"},
    [SCHEDULER_GPUS] = {"insufficientGpus", "Insufficient nvidia.com/gpu"},
    [SCHEDULER_CPU] = {"insufficientCpu", "Insufficient cpu"},
    [SCHEDULER_MEMORY] = {"insufficientMemory", "Insufficient memory"},
};

const char *scheduler_reason_name(enum scheduler_reason r)
{
    assert(r < SCHEDULER_REASONS);
    return reasons[r].name;
}

void scheduler_refuse_on(const struct pod_shape *pod, const struct node *n,
                         struct scheduler_refusal *out)
{
    uint32_t *by = out->by_reason;
    out->nodes++;
    if (!nodes_ready(n)) {
        by[SCHEDULER_NOT_READY]++;
    } else if (n->cordoned) {
        by[SCHEDULER_CORDONED]++;
    } else if (taint_refusing(&n->config->taints, &pod->tolerations)) {
        by[SCHEDULER_TAINT]++;
    } else if (!selected(pod, n->config, n->type, zone_of(n))) {
        by[SCHEDULER_SELECTOR]++;
    } else if (pod->gpus > 0 && n->type->gpu && !pod_shape_takes_gpu(pod, n->type)) {
        by[SCHEDULER_GPU_KIND]++;
    } else {
        unsigned lacks = room_lacks(n, pod, kept_from(pod, n));
        by[SCHEDULER_GPUS] += (lacks & ROOM_GPUS) != 0;
        by[SCHEDULER_CPU] += (lacks & ROOM_CPU) != 0;
        by[SCHEDULER_MEMORY] += (lacks & ROOM_MEMORY) != 0;
    }
}

void scheduler_refuse(const struct pod_shape *pod, const struct nodes *nodes,
                      struct scheduler_refusal *out)
{
    *out = (struct scheduler_refusal){0};
    for (uint32_t i = nodes_next(nodes, NODES_NONE); i != NODES_NONE; i = nodes_next(nodes, i))
        scheduler_refuse_on(pod, nodes_view(nodes, i), out);
}

void scheduler_list(const struct scheduler_refusal *r, char *buf, size_t size)
{
    const char *between = "";
    for (int i = 0; i < SCHEDULER_REASONS; i++) {
        size_t at = strlen(buf);
        if (r->by_reason[i] == 0 || at + 1 >= size)
            continue;
        snprintf(buf + at, size - at, "%s%u %s", between, (unsigned)r->by_reason[i],
                 reasons[i].words);
        between = ", ";
    }
}

char *scheduler_words(const struct scheduler_refusal *r, char *buf, size_t size)
{
    snprintf(buf, size, "0/%u nodes are available%s", (unsigned)r->nodes, r->nodes ? ": " : "");
    scheduler_list(r, buf, size);
    return buf;
}
