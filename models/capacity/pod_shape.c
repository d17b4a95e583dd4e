/* pod_shape: what the scheduler sees of a service's pods. */
#include "models/capacity/pod_shape.h"

#include "models/capacity/instance.h"
#include "models/capacity/placement.h"

#include <string.h>

static const struct knob rows[] = {
    {.key = "gpus",
     .kind = KNOB_INT32,
     .offset = offsetof(struct pod_shape, gpus),
     .unit = "GPUs",
     .doc = "Whole GPUs a pod owns (limit nvidia.com/gpu); a share of a GPU cannot be asked for.",
     .preset = "1",
     .min = 0,
     .max = 64},
    {.key = "cpu",
     .kind = KNOB_QUANTITY,
     .offset = offsetof(struct pod_shape, cpu_milli),
     .doc = "CPU request of a pod.",
     .preset = "0",
     .min = 0,
     .max = 1e6},
    {.key = "memory",
     .kind = KNOB_BYTES,
     .offset = offsetof(struct pod_shape, memory_bytes),
     .doc = "Memory request of a pod.",
     .preset = "0",
     .min = 0,
     .max = 1e15},
    {.key = "nodeSelector",
     .kind = KNOB_MAP,
     .offset = offsetof(struct pod_shape, node_selector),
     .doc = "Labels that a node must carry.",
     .preset = ""},
    {.key = "nodeName",
     .kind = KNOB_TEXT,
     .offset = offsetof(struct pod_shape, node_name),
     .doc = "Node that the pod is pinned to; only virtual-kubelet, the virtual node, has a name "
            "before the run.",
     .preset = ""},
    {.key = "tolerations",
     .kind = KNOB_TEXTS,
     .offset = offsetof(struct pod_shape, tolerations),
     .doc = "Taints that the pod tolerates, as key, key=value or key=value:Effect; \"\" tolerates "
            "all.",
     .preset = ""},
    {.key = "labels",
     .kind = KNOB_MAP,
     .offset = offsetof(struct pod_shape, labels),
     .doc = "Labels of the pod; alibabacloud.com/eci=true sends it to the virtual node.",
     .preset = ""},
    {.key = "namespaceLabels",
     .kind = KNOB_MAP,
     .offset = offsetof(struct pod_shape, namespace_labels),
     .doc = "Labels of its namespace; alibabacloud.com/eci=true and "
            "virtual-node-affinity-injection=enabled send it to the virtual node.",
     .preset = ""},
    {.key = "annotations",
     .kind = KNOB_MAP,
     .offset = offsetof(struct pod_shape, annotations),
     .doc = "Annotations of the pod: k8s.aliyun.com/eci-gpu-type and its like, and "
            "cluster-autoscaler.kubernetes.io/safe-to-evict.",
     .preset = ""},
    {.key = "gpuTypes",
     .kind = KNOB_TEXTS,
     .offset = offsetof(struct pod_shape, gpu_types),
     .doc = "GPU kinds a pod may run on, such as V100 or T4, or V100M16|V100M32; absent: any.",
     .preset = ""},
    {.key = "terminationGracePeriod",
     .kind = KNOB_DURATION,
     .offset = offsetof(struct pod_shape, grace),
     .doc = "Time between the request to end and the kill.",
     .preset = "30s",
     .min = 0,
     .max = 86400,
     .quality = QUALITY_OFFICIAL,
     .source = "Kubernetes API, terminationGracePeriodSeconds"},
    {.key = "priority",
     .kind = KNOB_INT32,
     .offset = offsetof(struct pod_shape, priority),
     .doc = "Scheduling priority; the higher one is placed first, and where nothing is free it "
            "takes the room of lower ones.",
     .preset = "0",
     .min = -2147483648.0,
     .max = 2147483647},
    {.key = "placement",
     .kind = KNOB_POINTER,
     .offset = offsetof(struct pod_shape, placement),
     .doc = "Units that its pods are spread over, as an ElasticWorkload or a ResourcePolicy says.",
     .preset = "",
     .table = &placement_knobs},
    {.key = "preemptionNever",
     .kind = KNOB_BOOL,
     .offset = offsetof(struct pod_shape, never_preempts),
     .doc = "The pod takes no room of lower ones (preemptionPolicy: Never).",
     .preset = "false",
     .quality = QUALITY_OFFICIAL,
     .source = "Kubernetes documentation, Pod Priority and Preemption (2024): PreemptLowerPriority "
               "is the default"},
    {.key = "minAvailable",
     .kind = KNOB_INT32,
     .offset = offsetof(struct pod_shape, min_available),
     .unit = "pods",
     .doc = "Ready pods that the evictions of a node drain must leave (PodDisruptionBudget); 0: no "
            "budget.",
     .preset = "0",
     .min = 0,
     .max = 10000},
    {0},
};

const struct knob_table pod_shape_knobs = {
    .name = "pod",
    .doc = "What a pod asks of a node.",
    .rows = rows,
    .size = sizeof(struct pod_shape),
};

static bool is_among(const char *alternatives, const char *gpu)
{
    size_t length = strlen(gpu);
    for (const char *at = alternatives;; at++) {
        size_t n = strcspn(at, "|");
        if (n == length && memcmp(at, gpu, n) == 0)
            return true;
        at += n;
        if (*at == '\0')
            return false;
    }
}

static const char *item_with(const struct pod_shape *p, const char *gpu)
{
    for (size_t i = 0; i < p->gpu_types.count; i++)
        if (is_among(p->gpu_types.items[i], gpu))
            return p->gpu_types.items[i];
    return NULL;
}

const char *pod_shape_gpu_item(const struct pod_shape *p, const struct instance_type *t)
{
    const char *item = NULL;
    for (size_t i = 0; i < t->gpu_variants.count && !item; i++)
        item = item_with(p, t->gpu_variants.items[i]);
    return item || !t->gpu ? item : item_with(p, t->gpu);
}

bool pod_shape_takes_gpu(const struct pod_shape *p, const struct instance_type *t)
{
    return p->gpu_types.count == 0 || pod_shape_gpu_item(p, t);
}

int64_t pod_shape_gpu_milli(const struct pod_shape *p)
{
    return p->share_milli > 0 ? p->share_milli : p->gpus * INT64_C(1000);
}
