/* unplaced: pods without a place at the end. */
#include "models/capacity/unplaced.h"

#include "models/capacity/catalog.h"
#include "models/capacity/cluster_config.h"
#include "models/capacity/instance.h"
#include "models/capacity/nodes.h"
#include "models/capacity/pod_shape.h"
#include "models/capacity/pods.h"
#include "models/capacity/scheduler.h"
#include "sim/recorder.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Whether a pool can buy a machine that would take the pod when it is empty. */
static bool pool_sells(const struct unplaced *u, const struct pool_config *pool,
                       const struct pod_shape *s)
{
    for (size_t k = 0; k < pool->instance_types.count; k++) {
        const struct instance_type *t = catalog_instance(u->catalog, pool->instance_types.items[k]);
        if (!t || s->gpus > t->gpus ||
            s->cpu_milli + pool->daemon_cpu_milli >
                t->vcpu * INT64_C(1000) - pool->reserved_cpu_milli ||
            s->memory_bytes + pool->daemon_memory > t->memory - pool->reserved_memory)
            continue;
        for (size_t z = 0; z < pool->zones.count; z++)
            if (scheduler_matches(s, pool, t, pool->zones.items[z]))
                return true;
    }
    return false;
}

static bool node_would_do(const struct unplaced *u, const struct pod_shape *s)
{
    for (uint32_t i = nodes_next(u->nodes, NODES_NONE); i != NODES_NONE;
         i = nodes_next(u->nodes, i)) {
        struct node n = *nodes_view(u->nodes, i);
        n.gpus_used = n.gpus_shared = n.shared_milli = 0;
        n.cpu_used = n.memory_used = 0;
        n.kept.held = false;
        memset(n.shared, 0, sizeof n.shared);
        if (scheduler_fits(s, &n))
            return true;
    }
    return false;
}

static bool could_be_placed(const struct unplaced *u, const struct pod_shape *s)
{
    const struct pool_config *pools = u->config->pools.items;
    for (size_t i = 0; i < u->config->pools.count && u->config->autoscaler; i++)
        if (pool_sells(u, &pools[i], s))
            return true;
    return node_would_do(u, s);
}

/* What is counted of one owner's pods, which look alike. */
struct count {
    int64_t all, no_machine, by_reason[SCHEDULER_REASONS];
};

static void describe(const struct pod_shape *s, char *buf, size_t size)
{
    char kinds[80] = "";
    for (size_t i = 0; i < s->gpu_types.count; i++) {
        size_t at = strlen(kinds);
        snprintf(kinds + at, sizeof kinds - at, "%s%s", i ? "|" : " ", s->gpu_types.items[i]);
    }
    snprintf(buf, size, "%.3g%s GPU, %.4g CPU, %.4g GiB", (double)pod_shape_gpu_milli(s) / 1e3,
             kinds, (double)s->cpu_milli / 1e3, (double)s->memory_bytes / (double)(1 << 30));
}

/* The words for all pods of an owner. */
static void reason(const struct unplaced *u, uint32_t owner, const struct scheduler_refusal *r,
                   char *buf, size_t size)
{
    const char *other = u->refusal(u->self, owner);
    scheduler_words(r, buf, size);
    size_t at = strlen(buf);
    if (r->nodes == 0 && other)
        snprintf(buf, size, "%s", other);
    else if (other)
        snprintf(buf + at, size - at, "; %s", other);
}

static int64_t waiting(const struct unplaced *u, uint32_t owner)
{
    int64_t n = 0;
    for (uint32_t i = pods_first(u->pods, owner); i != PODS_NONE;) {
        n += !pods_view(u->pods, i)->placed;
        i = pods_view(u->pods, i)->owner_next;
    }
    return n;
}

static void log_each(const struct unplaced *u, uint32_t owner, sim_ns end, const char *words)
{
    for (uint32_t i = pods_first(u->pods, owner); i != PODS_NONE;) {
        const struct pod *p = pods_view(u->pods, i);
        if (!p->placed)
            recorder_log(u->recorder, end, true, p->name, "unplaced", "%s", words);
        i = p->owner_next;
    }
}

static void close_owner(const struct unplaced *u, uint32_t owner, sim_ns end, struct count *sum)
{
    const struct pod_shape *s = &u->shapes[owner];
    struct scheduler_refusal r;
    char words[400], asks[160];
    int64_t pods = waiting(u, owner);
    if (pods == 0 || s->placeholder)
        return;
    bool never = !could_be_placed(u, s);
    scheduler_refuse(s, u->nodes, &r);
    reason(u, owner, &r, words, sizeof words);
    describe(s, asks, sizeof asks);
    log_each(u, owner, end, words);
    recorder_finding(u->recorder, "warning", "unplaced", "%lld pods of %s (%s) have no place: %s%s",
                     (long long)pods, s->name ? s->name : "an owner", asks, words,
                     never ? "; no node that is there or for sale could take one" : "");
    sum->all += pods;
    sum->no_machine += never ? pods : 0;
    for (int k = 0; k < SCHEDULER_REASONS; k++)
        sum->by_reason[k] += r.by_reason[k] > 0 ? pods : 0;
}

static void figure(const struct unplaced *u, const char *reason, int64_t value)
{
    char path[96];
    snprintf(path, sizeof path, "pods.unplaced.%s", reason);
    if (value > 0)
        recorder_figure(u->recorder, path, "pods", FIGURE_SUM, (double)value);
}

void unplaced_write(const struct unplaced *u, sim_ns end)
{
    struct count sum = {0};
    for (uint32_t o = 0; o < u->n_owners; o++)
        close_owner(u, o, end, &sum);
    recorder_figure(u->recorder, "pods.unplaced.total", "pods", FIGURE_SUM, (double)sum.all);
    figure(u, "noMachine", sum.no_machine);
    for (int k = 0; k < SCHEDULER_REASONS; k++)
        figure(u, scheduler_reason_name((enum scheduler_reason)k), sum.by_reason[k]);
}
