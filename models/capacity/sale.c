/* sale: machines that pools could buy. */
#include "models/capacity/sale.h"

#include "models/capacity/catalog.h"
#include "models/capacity/cluster_config.h"
#include "models/capacity/instance.h"
#include "models/capacity/nodes.h"
#include "models/capacity/pod_shape.h"
#include "models/capacity/pool.h"
#include "models/capacity/quota.h"
#include "models/capacity/scheduler.h"

#include <stdio.h>

/* A machine of the pool as it would be, empty. */
static struct node machine(const struct pool_config *pool, const struct instance_type *t,
                           uint32_t zone)
{
    return (struct node){
        .state = NODE_COMPLETE,
        .config = pool,
        .type = t,
        .zone = zone,
        .gpus = t->gpus,
        .cpu_milli = pool_cpu_milli(pool, t),
        .cpu_used = pool->daemon_cpu_milli,
        .memory = pool_memory(pool, t),
        .memory_used = pool->daemon_memory,
    };
}

/* Walks over the machines of a pool, type by type and zone by zone. */
struct walk {
    const struct sale *sale;
    const struct pool_config *pool;
    size_t next;
    struct node node;
};

static bool walk_next(struct walk *w)
{
    while (w->next < w->pool->instance_types.count * w->pool->zones.count) {
        size_t type = w->next / w->pool->zones.count, zone = w->next % w->pool->zones.count;
        const struct instance_type *t =
            catalog_instance(w->sale->catalog, w->pool->instance_types.items[type]);
        w->next++;
        if (!t)
            continue;
        w->node = machine(w->pool, t, (uint32_t)zone);
        return true;
    }
    return false;
}

bool sale_takes(const struct sale *s, const struct pool_config *pool, const struct pod_shape *pod,
                struct scheduler_refusal *out)
{
    struct walk w = {.sale = s, .pool = pool};
    while (walk_next(&w)) {
        if (scheduler_fits(pod, &w.node))
            return true;
        scheduler_refuse_on(pod, &w.node, out);
    }
    return false;
}

/* ---- what forbids one ---- */

static bool may_buy(const struct pool_config *p, bool spot)
{
    if (spot || !pool_uses_spot(p))
        return spot == pool_uses_spot(p);
    return p->share > 0 || p->base > 0 || p->compensate || p->lowest_cost;
}

static bool by_stock(const struct sale *s, const struct node *n, bool spot, char *words,
                     size_t size)
{
    const struct pool_config *p = n->config;
    const struct quota *l = p->stock_limits.items;
    struct quota_machine m = {n->type->name, p->zones.items[n->zone], spot};
    for (size_t i = 0; i < p->stock_limits.count; i++) {
        bool always = l[i].from == 0 && (l[i].lasts == 0 || l[i].lasts >= s->horizon);
        if (l[i].most > 0 || !always || !quota_counts(&l[i], &m))
            continue;
        snprintf(words, size, "stockLimits[%zu] of pool %.60s sells none", i, p->name);
        return true;
    }
    return false;
}

static bool by_account(const struct sale *s, const struct node *n, bool spot, char *words,
                       size_t size)
{
    const struct account_config *a = &s->config->account;
    int32_t quota = spot ? a->spot_vcpu_quota : a->on_demand_vcpu_quota;
    if (quota == 0 || quota >= n->type->vcpu)
        return false;
    snprintf(words, size, "account.%s is %d, below the %d vCPU of %.60s",
             spot ? "spotVcpuQuota" : "onDemandVcpuQuota", (int)quota, (int)n->type->vcpu,
             n->type->name);
    return true;
}

static bool forbidden(const struct sale *s, const struct node *n, char *words, size_t size)
{
    for (int spot = 0; spot < 2; spot++) {
        if (!may_buy(n->config, spot))
            continue;
        if (!by_stock(s, n, spot, words, size) && !by_account(s, n, spot, words, size))
            return false;
    }
    return true;
}

bool sale_barred(const struct sale *s, const struct pod_shape *pod, char *words, size_t size)
{
    const struct pool_config *pools = s->config->pools.items;
    char last[200];
    bool some = false;
    for (size_t i = 0; i < s->config->pools.count; i++) {
        struct walk w = {.sale = s, .pool = &pools[i]};
        while (walk_next(&w)) {
            if (!scheduler_fits(pod, &w.node))
                continue;
            if (!forbidden(s, &w.node, last, sizeof last))
                return false;
            if (!some)
                snprintf(words, size, "%s", last);
            some = true;
        }
    }
    return some;
}

/* ---- headroom ---- */

/* Placeholders that one machine takes. */
static int64_t places(const struct pod_shape *pod, const struct node *n)
{
    int64_t most = n->gpus / pod->gpus;
    int64_t cpu = n->cpu_milli - n->cpu_used, memory = n->memory - n->memory_used;
    if (!scheduler_fits(pod, n))
        return 0;
    if (pod->cpu_milli > 0 && cpu / pod->cpu_milli < most)
        most = cpu / pod->cpu_milli;
    if (pod->memory_bytes > 0 && memory / pod->memory_bytes < most)
        most = memory / pod->memory_bytes;
    return most;
}

bool sale_lacks_headroom(const struct sale *s, const struct pool_config *pool,
                         const struct pod_shape *placeholder, struct sale_headroom *out)
{
    struct walk w = {.sale = s, .pool = pool};
    struct scheduler_refusal refused = {0};
    char list[200] = "";
    int64_t best = 0;
    while (walk_next(&w)) {
        int64_t n = places(placeholder, &w.node);
        best = n > best ? n : best;
        scheduler_refuse_on(placeholder, &w.node, &refused);
    }
    out->kept = best * pool->max_size;
    out->kept = out->kept < pool->headroom ? out->kept : pool->headroom;
    if (out->kept == pool->headroom || refused.nodes == 0)
        return false;
    scheduler_list(&refused, list, sizeof list);
    if (best == 0)
        snprintf(out->words, sizeof out->words,
                 "pool %.60s never keeps any of its headroom: none of its machines takes a "
                 "placeholder: %s",
                 pool->name, list);
    else
        snprintf(
            out->words, sizeof out->words,
            "pool %.60s never keeps all of its headroom of %d: maxSize, %d, has room for %lld, "
            "and the autoscaler buys up to it",
            pool->name, (int)pool->headroom, (int)pool->max_size, (long long)out->kept);
    return true;
}
