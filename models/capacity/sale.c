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
#include <string.h>

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

static bool is_always(const struct sale *s, const struct quota *l)
{
    return l->from <= s->since && (l->lasts == 0 || l->from + l->lasts >= s->horizon);
}

static bool by_stock(const struct sale *s, const struct node *n, bool spot, char *words,
                     size_t size)
{
    const struct pool_config *p = n->config;
    const struct quota *l = p->stock_limits.items;
    struct quota_machine m = {n->type->name, p->zones.items[n->zone], spot};
    for (size_t i = 0; i < p->stock_limits.count; i++) {
        if (l[i].most > 0 || !is_always(s, &l[i]) || !quota_counts(&l[i], &m))
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

static enum sale_bar forbidden(const struct sale *s, const struct node *n, char *words, size_t size)
{
    enum sale_bar bar = SALE_OPEN;
    for (int spot = 0; spot < 2; spot++) {
        if (!may_buy(n->config, spot))
            continue;
        bar = by_stock(s, n, spot, words, size)     ? SALE_NO_STOCK
              : by_account(s, n, spot, words, size) ? SALE_NO_QUOTA
                                                    : SALE_OPEN;
        if (bar == SALE_OPEN)
            return SALE_OPEN;
    }
    return bar;
}

enum sale_bar sale_barred(const struct sale *s, const struct pod_shape *pod, char *words,
                          size_t size)
{
    const struct pool_config *pools = s->config->pools.items;
    char last[200];
    enum sale_bar first = SALE_OPEN;
    for (size_t i = 0; i < s->config->pools.count; i++) {
        struct walk w = {.sale = s, .pool = &pools[i]};
        while (walk_next(&w)) {
            if (!scheduler_fits(pod, &w.node))
                continue;
            enum sale_bar bar = forbidden(s, &w.node, last, sizeof last);
            if (bar == SALE_OPEN)
                return SALE_OPEN;
            if (first != SALE_OPEN)
                continue;
            snprintf(words, size, "%s", last);
            first = bar;
        }
    }
    return first;
}

/* ---- room ---- */

#define UNLIMITED (INT64_MAX / 4)

static int64_t times(int64_t a, int64_t b)
{
    return b > 0 && a > UNLIMITED / b ? UNLIMITED : a * b;
}

/* Pods that one machine takes. */
static int64_t places(const struct pod_shape *pod, const struct node *n)
{
    int64_t most = pod->gpus > 0 ? n->gpus / pod->gpus : UNLIMITED;
    int64_t cpu = n->cpu_milli - n->cpu_used, memory = n->memory - n->memory_used;
    if (!scheduler_fits(pod, n))
        return 0;
    if (pod->cpu_milli > 0 && cpu / pod->cpu_milli < most)
        most = cpu / pod->cpu_milli;
    if (pod->memory_bytes > 0 && memory / pod->memory_bytes < most)
        most = memory / pod->memory_bytes;
    return most;
}

/* Machines of a kind that the limits which hold for the whole run leave. */
static int64_t by_limits(const struct sale *s, const struct node *n, bool spot)
{
    const struct pool_config *p = n->config;
    const struct quota *l = p->stock_limits.items;
    struct quota_machine m = {n->type->name, p->zones.items[n->zone], spot};
    int64_t least = may_buy(p, spot) ? UNLIMITED : 0;
    for (size_t i = 0; i < p->stock_limits.count; i++)
        if (is_always(s, &l[i]) && quota_counts(&l[i], &m) && l[i].most < least)
            least = l[i].most;
    return least;
}

/* Whether every machine that the pool could buy for the pod counts against the limit. */
static bool counts_all(const struct sale *s, const struct pool_config *pool,
                       const struct pod_shape *pod, const struct quota *l)
{
    struct walk w = {.sale = s, .pool = pool};
    while (walk_next(&w))
        for (int spot = 0; spot < 2; spot++) {
            struct quota_machine m = {w.node.type->name, pool->zones.items[w.node.zone], spot};
            if (may_buy(pool, spot) && places(pod, &w.node) > 0 && !quota_counts(l, &m))
                return false;
        }
    return true;
}

/* Pods that the limits of a pool leave; most: on one of its machines. */
static int64_t within_limits(const struct sale *s, const struct pool_config *pool,
                             const struct pod_shape *pod, int64_t most)
{
    const struct quota *l = pool->stock_limits.items;
    struct walk w = {.sale = s, .pool = pool};
    int64_t sum = 0;
    while (walk_next(&w) && sum < UNLIMITED)
        for (int spot = 0; spot < 2 && sum < UNLIMITED; spot++)
            sum += times(by_limits(s, &w.node, spot), places(pod, &w.node));
    for (size_t i = 0; i < pool->stock_limits.count; i++)
        if (is_always(s, &l[i]) && counts_all(s, pool, pod, &l[i]) && times(l[i].most, most) < sum)
            sum = times(l[i].most, most);
    return sum;
}

/* Machines that a pool can have; without an autoscaler nobody buys more than it begins with. */
static int32_t largest(const struct sale *s, const struct pool_config *p, const char **key)
{
    bool grows = s->config->autoscaler || p->tasks.count > 0;
    *key = grows ? "maxSize" : p->initial_size >= p->min_size ? "initialSize" : "minSize";
    if (grows)
        return p->max_size;
    return p->initial_size >= p->min_size ? p->initial_size : p->min_size;
}

static int64_t within_pool(const struct sale *s, const struct pool_config *pool,
                           const struct pod_shape *pod, char *words, size_t size)
{
    struct walk w = {.sale = s, .pool = pool};
    int64_t most = 0;
    while (walk_next(&w)) {
        int64_t n = places(pod, &w.node);
        most = n > most ? n : most;
    }
    if (most == 0)
        return 0;
    const char *key;
    int32_t machines = largest(s, pool, &key);
    int64_t by_size = times(most, machines);
    int64_t by_stock = within_limits(s, pool, pod, most);
    size_t at = strlen(words);
    if (by_stock < by_size)
        snprintf(words + at, size - at, "%sstockLimits of pool %.40s", at ? ", " : "", pool->name);
    else
        snprintf(words + at, size - at, "%s%s of pool %.40s is %d", at ? ", " : "", key, pool->name,
                 (int)machines);
    return by_stock < by_size ? by_stock : by_size;
}

/* Pods in a region on machines of one billing: those that have the most places a vCPU. */
static int64_t within_quota(const struct sale *s, const char *region, const struct pod_shape *pod,
                            bool spot)
{
    const struct account_config *a = &s->config->account;
    const struct pool_config *pools = s->config->pools.items;
    int64_t quota = spot ? a->spot_vcpu_quota : a->on_demand_vcpu_quota, best = 0;
    for (size_t i = 0; i < s->config->pools.count; i++) {
        struct walk w = {.sale = s, .pool = &pools[i]};
        if (strcmp(pools[i].region, region) != 0 || !may_buy(&pools[i], spot))
            continue;
        while (walk_next(&w)) {
            int64_t each = places(pod, &w.node);
            int64_t n = each == 0    ? 0
                        : quota == 0 ? UNLIMITED
                                     : times(quota, each) / w.node.type->vcpu;
            best = n > best ? n : best;
        }
    }
    return best;
}

static int64_t within_account(const struct sale *s, const struct pod_shape *pod)
{
    const struct pool_config *pools = s->config->pools.items;
    int64_t sum = 0;
    for (size_t i = 0; i < s->config->pools.count && sum < UNLIMITED; i++) {
        size_t first = 0;
        while (strcmp(pools[first].region, pools[i].region) != 0)
            first++;
        for (int spot = 0; first == i && spot < 2; spot++)
            sum += within_quota(s, pools[i].region, pod, spot);
    }
    return sum < UNLIMITED ? sum : UNLIMITED;
}

void sale_room(const struct sale *s, const struct pod_shape *pod, struct sale_room *out)
{
    const struct pool_config *pools = s->config->pools.items;
    const struct account_config *a = &s->config->account;
    int64_t account = within_account(s, pod);
    *out = (struct sale_room){0};
    for (size_t i = 0; i < s->config->pools.count && out->pods < UNLIMITED; i++)
        out->pods += within_pool(s, &pools[i], pod, out->words, sizeof out->words);
    if (account >= out->pods)
        return;
    out->pods = account;
    out->words[0] = '\0';
    for (int spot = 0; spot < 2; spot++) {
        size_t at = strlen(out->words);
        bool used = false;
        for (size_t i = 0; i < s->config->pools.count; i++)
            used = used || may_buy(&pools[i], spot);
        if (used)
            snprintf(out->words + at, sizeof out->words - at, "%saccount.%s is %d", at ? ", " : "",
                     spot ? "spotVcpuQuota" : "onDemandVcpuQuota",
                     (int)(spot ? a->spot_vcpu_quota : a->on_demand_vcpu_quota));
    }
}

/* ---- headroom ---- */

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
