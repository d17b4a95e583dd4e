/* node_utilization: shares of requests in allocatable. */
#include "models/control/node_utilization.h"

#include <assert.h>

/* Added to the grace period before a terminating pod stops counting (cluster-autoscaler 1.36.1). */
#define EXTRA_TERMINATION (30 * SIM_SECOND)

bool node_utilization_long_terminating(const struct node_scaler_pod *pod, sim_ns now)
{
    return pod->terminating_since != SIM_NEVER &&
           now - pod->terminating_since > pod->grace + EXTRA_TERMINATION;
}

void node_utilization_add(struct node_usage *u, const struct node_usage_rule *rule,
                          const struct node_scaler_owner *owner, int64_t count)
{
    bool ignored = (owner->kind == NODE_POD_DAEMON && rule->ignore_daemon_pods) ||
                   (owner->kind == NODE_POD_MIRROR && rule->ignore_mirror_pods);
    if (ignored) {
        u->ignored_cpu_milli += count * owner->cpu_milli;
        u->ignored_memory_bytes += count * owner->memory_bytes;
        u->ignored_gpus += count * owner->gpus;
    } else {
        u->cpu_milli += count * owner->cpu_milli;
        u->memory_bytes += count * owner->memory_bytes;
        u->gpus += count * owner->gpus;
    }
}

/* A node that ignored pods fill completely is empty when nothing else asks for anything. */
static double share(int64_t requested, int64_t allocatable, int64_t ignored)
{
    if (requested == 0)
        return 0;
    return (double)requested / (double)(allocatable - ignored);
}

static double gpu_share(const struct node_scaler_shape *a, const struct node_usage *u)
{
    return a->gpus > 0 ? share(u->gpus, a->gpus, u->ignored_gpus) : 0;
}

int node_utilization_of(const struct node_scaler_shape *allocatable, bool gpu_node,
                        const struct node_usage *u, enum node_gpu_rule rule,
                        struct node_utilization *out)
{
    *out = (struct node_utilization){.resource = "gpu"};
    bool gpus_count = gpu_node && rule != NODE_GPU_IGNORE;
    if (gpus_count)
        out->gpu = out->value = gpu_share(allocatable, u);
    if (gpus_count && rule == NODE_GPU_ONLY)
        return 0;
    if (allocatable->cpu_milli <= 0 || allocatable->memory_bytes <= 0)
        return -1;
    out->cpu = share(u->cpu_milli, allocatable->cpu_milli, u->ignored_cpu_milli);
    out->memory = share(u->memory_bytes, allocatable->memory_bytes, u->ignored_memory_bytes);
    bool cpu_larger = out->cpu > out->memory;
    double larger = cpu_larger ? out->cpu : out->memory;
    if (!gpus_count || larger > out->value) {
        out->value = larger;
        out->resource = cpu_larger ? "cpu" : "memory";
    }
    return 0;
}
