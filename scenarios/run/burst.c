/* burst: paying by the second against a machine that stays, for the services and jobs of a
 * scenario. */
#include "scenarios/run/burst.h"

#include "models/capacity/catalog.h"
#include "models/capacity/eci.h"
#include "models/capacity/instance.h"
#include "models/capacity/mean_price.h"
#include "models/capacity/otherwise.h"
#include "models/capacity/pod_shape.h"
#include "models/capacity/pool.h"
#include "models/capacity/startup_source.h"
#include "models/capacity/virtual_node.h"
#include "models/control/node_settings.h"
#include "models/money/breakeven.h"
#include "reports/human.h"
#include "scenarios/run/scenario.h"
#include "sim/arena.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const sim_ns lengths[] = {10 * SIM_SECOND, SIM_MINUTE,   5 * SIM_MINUTE, 15 * SIM_MINUTE,
                                 SIM_HOUR,        4 * SIM_HOUR, 12 * SIM_HOUR,  24 * SIM_HOUR};
#define LENGTHS (sizeof lengths / sizeof lengths[0])
#define KINDS_MAX 16

/* What one pod would be paid for. */
struct case_of {
    const char *name;
    const struct pod_shape *pod;
    const struct startup_config *startup;
    struct eci_offer offer;
    struct breakeven b;
    const char *gpu;  /* kind that is compared; NULL: any */
    const char *pool; /* NULL: none of that kind holds the pod */
};

/* ---- prices ---- */

static bool holds(const struct instance_type *t, const struct pod_shape *pod)
{
    return pod_shape_takes_gpu(pod, t) && t->gpus >= pod->gpus &&
           t->vcpu * INT64_C(1000) >= pod->cpu_milli && t->memory >= pod->memory_bytes;
}

/* Nodes are anybody's; an instance is its pod's. */
static bool is_of(const struct result_bill *bill, const struct case_of *c)
{
    size_t n = strlen(c->name);
    bool instance = strncmp(bill->billing, "eci", 3) == 0;
    return !instance || (strncmp(bill->resource, c->name, n) == 0 && bill->resource[n] == '-');
}

/* The kind of GPU that was paid for the most time; without a bill the first that it could get. */
static const char *kind_of(const struct result *r, const struct scenario *s,
                           const struct case_of *c)
{
    const struct otherwise o = {
        .config = &s->cluster, .catalog = s->catalog, .currency = s->currency, .shapes = c->pod};
    struct {
        const char *gpu;
        sim_ns paid;
    } kinds[KINDS_MAX] = {{NULL, 0}};
    size_t n = 0, best = 0;
    for (size_t i = 0; i < r->n_bills; i++) {
        const struct instance_type *t = catalog_instance(s->catalog, r->bills[i].type);
        size_t k = 0;
        if (!t || !t->gpu || !holds(t, c->pod) || !is_of(&r->bills[i], c))
            continue;
        while (k < n && strcmp(kinds[k].gpu, t->gpu) != 0)
            k++;
        if (k == KINDS_MAX)
            continue;
        n += k == n;
        kinds[k].gpu = t->gpu;
        kinds[k].paid += r->bills[i].to - r->bills[i].from;
        best = kinds[k].paid > kinds[best].paid ? k : best;
    }
    return n > 0 ? kinds[best].gpu : otherwise_gpu(&o, 0);
}

/* What was paid an hour for instances of this type; 0: there were none. */
static int64_t paid_per_hour(const struct result *r, const struct case_of *c)
{
    double micro = 0, hours = 0;
    for (size_t i = 0; i < r->n_bills; i++) {
        const struct result_bill *b = &r->bills[i];
        if (strncmp(b->billing, "eci", 3) != 0 || strcmp(b->type, c->offer.type) != 0 ||
            !is_of(b, c))
            continue;
        micro += (double)b->amount_micro;
        hours += (double)(b->to - b->from) / (double)SIM_HOUR;
    }
    return hours > 0 ? (int64_t)(micro / hours + 0.5) : 0;
}

static bool find_offer(const struct result *r, const struct scenario *s, struct case_of *c)
{
    const struct otherwise_market m = {&s->cluster, s->catalog, s->currency};
    c->gpu = kind_of(r, s, c);
    if (!otherwise_offer(&m, c->pod, c->gpu, &c->offer))
        return false;
    int64_t paid = paid_per_hour(r, c);
    c->b.eci_micro_per_hour = paid > 0 ? paid : c->offer.micro_per_hour;
    c->b.subscription_micro_per_hour = c->offer.subscription_micro_per_hour;
    return c->b.eci_micro_per_hour > 0;
}

/* Mean price of the pod's part of such a machine; 0: unknown, or of another kind. */
static int64_t part_price(const struct result *r, const struct scenario *s, size_t pool,
                          size_t type, const struct case_of *c)
{
    const struct pool_config *p = (const struct pool_config *)s->cluster.pools.items + pool;
    const struct instance_type *t = catalog_instance(s->catalog, p->instance_types.items[type]);
    const struct mean_price m = {&s->cluster, s->catalog, s->currency, s->horizon};
    int64_t list = mean_price_list(&m, pool, type), spot = mean_price_spot(&m, pool, type);
    if (!t || list < 0 || !holds(t, c->pod) || (c->gpu && strcmp(t->gpu, c->gpu) != 0))
        return 0;
    /* as it came out; as it was asked for where nothing was bought, or of several pools, whose
     * shares are not told apart */
    double share = p->share;
    if (s->cluster.pools.count == 1)
        share = result_value(r, "nodes.onDemandShare", share);
    double mean = spot >= 0 ? share * (double)list + (1 - share) * (double)spot : (double)list;
    return (int64_t)(mean * c->pod->gpus / t->gpus + 0.5);
}

static sim_ns idle_tail(const struct scenario *s)
{
    struct node_scaler_config scaler;
    struct err ignored = {0};
    if (!s->cluster.autoscaler || node_settings_resolve(s->cluster.autoscaler, &scaler, &ignored))
        return 0;
    return scaler.unneeded_time;
}

static void find_pool(const struct result *r, const struct scenario *s, struct case_of *c)
{
    const struct pool_config *pools = s->cluster.pools.items;
    for (size_t p = 0; p < s->cluster.pools.count; p++)
        for (size_t i = 0; i < pools[p].instance_types.count; i++) {
            int64_t price = part_price(r, s, p, i, c);
            if (price <= 0 || (c->pool && price >= c->b.pool_micro_per_hour))
                continue;
            const struct catalog_delivery *d = catalog_find_delivery(s->catalog, pools[p].delivery);
            double boot = pools[p].boot.mean > 0 ? pools[p].boot.mean : d ? d->time.mean : 0;
            c->pool = pools[p].name;
            c->b.pool_micro_per_hour = price;
            c->b.pool_extra = (sim_ns)(boot + pools[p].gpu_ready.mean) + idle_tail(s) +
                              startup_source_mean(c->startup, s->catalog);
        }
    /* Without a pool of this kind a machine of the instance's size that stays, on demand. */
    if (!c->pool)
        c->b.pool_micro_per_hour = c->offer.micro_per_hour;
}

/* Paid from the download on: the creation call before it is not. */
static void find_start(const struct scenario *s, struct case_of *c)
{
    const struct virtual_node_config *v = s->cluster.virtual_node;
    struct startup_config start = *c->startup;
    if (v && v->image_cache)
        start.image.cached = true;
    c->b.eci_start = startup_source_mean(&start, s->catalog);
    if (v && v->image_cache)
        c->b.eci_start += v->cached_image;
}

/* ---- rows ---- */

struct words {
    char s[160];
};
/* Which bursts are cheaper on ECI than with a machine that is bought for each. */
static struct words even_burst(const struct breakeven *b)
{
    struct words w = {"a burst of any length costs less on ECI than with one bought for it"};
    sim_ns even = breakeven_burst_length(b);
    if (even == 0)
        snprintf(w.s, sizeof w.s, "no burst costs less on ECI than with one bought for it");
    else if (even != SIM_NEVER)
        snprintf(w.s, sizeof w.s, "a burst under %s costs less on ECI than with one bought for it",
                 human_seconds((double)even / 1e9).s);
    return w;
}

static const char *basis(const struct scenario *s, const struct case_of *c, struct arena *a,
                         struct err *e)
{
    char text[900], subscription[120] = "no subscription price is known", pool[480];
    if (c->b.subscription_micro_per_hour > 0)
        snprintf(subscription, sizeof subscription, "%s by subscription",
                 human_money((double)c->b.subscription_micro_per_hour / 1e6, NULL).s);
    if (c->pool)
        snprintf(
            pool, sizeof pool,
            "; a machine of pool %.80s costs %s on the mean and is paid for %s around a burst: "
            "%s",
            c->pool, human_money((double)c->b.pool_micro_per_hour / 1e6, NULL).s,
            human_seconds((double)c->b.pool_extra / 1e9).s, even_burst(&c->b).s);
    else
        snprintf(
            pool, sizeof pool,
            "; no pool has this kind of GPU, so the warm machine is one of this size on demand");
    int n =
        snprintf(text, sizeof text,
                 "%.80s at %s %.8s an hour by the second, %s; %s of its "
                 "start are paid for%s",
                 c->offer.type, human_money((double)c->b.eci_micro_per_hour / 1e6, NULL).s,
                 s->currency, subscription, human_seconds((double)c->b.eci_start / 1e9).s, pool);
    return arena_text(a, text, n < (int)sizeof text ? (size_t)n : sizeof text - 1, e);
}

static struct result_breakeven row_of(const struct case_of *c, sim_ns length)
{
    const struct breakeven *b = &c->b;
    return (struct result_breakeven){
        .subject = c->name,
        .burst = length,
        .eci = (double)breakeven_eci_burst(b, length) / 1e6,
        .pool = c->pool ? (double)breakeven_pool_burst(b, length) / 1e6 : (double)NAN,
        .warm_share = breakeven_warm_share(b, length),
        .subscription_share =
            b->subscription_micro_per_hour > 0 ? breakeven_duty_share(b, length) : (double)NAN,
    };
}

static int add_case(struct result *r, const struct scenario *s, struct case_of *c, struct err *e)
{
    if (!find_offer(r, s, c))
        return 0;
    find_start(s, c);
    find_pool(r, s, c);
    const char *words = basis(s, c, r->arena, e);
    if (!words)
        return -1;
    /* Pods that are alike need one table. */
    for (size_t i = 0; i < r->n_breakevens; i += LENGTHS)
        if (strcmp(r->breakevens[i].basis, words) == 0)
            return 0;
    for (size_t i = 0; i < LENGTHS; i++) {
        r->breakevens[r->n_breakevens] = row_of(c, lengths[i]);
        r->breakevens[r->n_breakevens++].basis = words;
    }
    return 0;
}

int burst_table(struct result *r, const struct scenario *s, struct err *e)
{
    const struct service_config *services = s->services.items;
    const struct job_config *jobs = s->jobs.items;
    size_t n = s->services.count, all = n + s->jobs.count;
    r->breakevens = arena_take(r->arena, all * LENGTHS + 1, sizeof *r->breakevens, e);
    if (!r->breakevens)
        return -1;
    bool sold = s->cluster.pools.count > 0 || s->cluster.virtual_node;
    for (size_t i = 0; i < all && sold && s->catalog; i++) {
        struct case_of c = {.name = i < n ? services[i].name : jobs[i - n].name,
                            .pod = &s->shapes[i],
                            .startup = &s->startups[i]};
        if (add_case(r, s, &c, e))
            return -1;
    }
    return 0;
}
