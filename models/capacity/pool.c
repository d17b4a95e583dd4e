/* pool: which machines an elastic node pool buys. */
#include "models/capacity/pool.h"

#include "models/capacity/instance.h"
#include "sim/text.h"

#include <assert.h>
#include <string.h>

bool pool_uses_spot(const struct pool_config *c)
{
    return c->spot_market && c->spot_strategy != POOL_NO_SPOT;
}

int64_t pool_price_limit(const struct pool_config *c, const char *type)
{
    int64_t micro = c->spot_price_limit.micro;
    for (size_t i = 0; i < c->spot_price_limits.count; i++)
        if (strcmp(c->spot_price_limits.items[i].key, type) == 0)
            text_parse_micro(c->spot_price_limits.items[i].value, &micro); /* checked when bound */
    return c->spot_strategy == POOL_PRICE_LIMIT ? micro : 0;
}

int64_t pool_cpu_milli(const struct pool_config *c, const struct instance_type *t)
{
    return t->vcpu * INT64_C(1000) - c->reserved_cpu_milli;
}

int64_t pool_memory(const struct pool_config *c, const struct instance_type *t)
{
    return t->memory - c->reserved_memory;
}

const char *pool_rounding_name(int rounding)
{
    static const char *const names[] = {
        [POOL_CEIL] = "ceil",
        [POOL_FLOOR] = "floor",
        [POOL_NEAREST] = "nearest",
        [POOL_RUNNING_TARGET] = "runningTarget",
    };
    return names[rounding];
}

/* Shares are compared in whole millionths: 0.07 x 100 must be 7, not 7.000000000000001. */
#define MILLION INT64_C(1000000)

static int64_t millionths(double share)
{
    assert(share >= 0 && share <= 1);
    return (int64_t)(share * (double)MILLION + 0.5);
}

static int32_t round_share(const struct pool_config *c, int64_t above)
{
    int64_t product = above * millionths(c->share);
    switch ((enum pool_rounding)c->rounding) {
    case POOL_CEIL:
        return (int32_t)((product + MILLION - 1) / MILLION);
    case POOL_FLOOR:
        return (int32_t)(product / MILLION);
    case POOL_NEAREST:
        return (int32_t)((product + MILLION / 2) / MILLION);
    case POOL_RUNNING_TARGET:
        break;
    }
    assert(0 && "no rounding of its own");
    return 0;
}

static int32_t minimum(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static bool below_running_target(const struct pool_config *c, struct pool_now now)
{
    int64_t above = now.there - minimum(now.on_demand, c->base);
    int64_t on_demand_above = now.on_demand - minimum(now.on_demand, c->base);
    int64_t share = millionths(c->share);
    if (above == 0)
        return share > 0;
    return on_demand_above * MILLION < above * share;
}

bool pool_next_on_demand(const struct pool_config *c, struct pool_now now)
{
    assert(now.on_demand >= 0 && now.on_demand <= now.there);
    if (!pool_uses_spot(c) || now.on_demand < c->base)
        return true;
    if (c->rounding == POOL_RUNNING_TARGET)
        return below_running_target(c, now);
    return now.on_demand < pool_on_demand_target(c, now, now.there + 1);
}

int32_t pool_on_demand_target(const struct pool_config *c, struct pool_now now, int32_t total)
{
    assert(total >= 0);
    if (!pool_uses_spot(c))
        return total;
    if (c->rounding != POOL_RUNNING_TARGET) {
        int32_t base = minimum(c->base, total);
        return base + round_share(c, total - base);
    }
    for (; now.there < total; now.there++)
        now.on_demand += pool_next_on_demand(c, now);
    return minimum(now.on_demand, total);
}

bool pool_plan_cheaper(const struct pool_plan *a, const struct pool_plan *b)
{
    /* a.price / a.vcpu < b.price / b.vcpu, without a division. Prices stay below 1e12 micro. */
    int64_t left = a->micro_per_hour * b->vcpu, right = b->micro_per_hour * a->vcpu;
    if (left != right)
        return left < right;
    if (a->billing != b->billing)
        return a->billing == PRICE_SPOT;
    return a->type < b->type;
}

void pool_sort_plans(struct pool_plan *plans, size_t n)
{
    /* Insertion: at most twice as many plans as a pool has types. */
    for (size_t i = 1; i < n; i++) {
        struct pool_plan p = plans[i];
        size_t j = i;
        for (; j > 0 && pool_plan_cheaper(&p, &plans[j - 1]); j--)
            plans[j] = plans[j - 1];
        plans[j] = p;
    }
}
