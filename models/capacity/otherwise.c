/* otherwise: what the same demand would have cost with other ways to get GPUs. */
#include "models/capacity/otherwise.h"

#include "models/capacity/catalog.h"
#include "models/capacity/cluster_config.h"
#include "models/capacity/eci.h"
#include "models/capacity/instance.h"
#include "models/capacity/mean_price.h"
#include "models/capacity/pod_shape.h"
#include "models/capacity/pool.h"
#include "models/capacity/virtual_node.h"
#include "models/money/price.h"
#include "sim/money.h"
#include "sim/recorder.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- kinds of GPU ---- */

static bool same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static const struct instance_type *type_at(const struct otherwise *o, size_t pool, size_t type)
{
    const struct pool_config *pools = o->config->pools.items;
    return catalog_instance(o->catalog, pools[pool].instance_types.items[type]);
}

static bool holds(const struct instance_type *t, const struct pod_shape *pod)
{
    return t && t->gpus >= pod->gpus && pod_shape_takes_gpu(pod, t) &&
           t->vcpu * INT64_C(1000) >= pod->cpu_milli && t->memory >= pod->memory_bytes;
}

bool otherwise_offer(const struct otherwise_market *m, const struct pod_shape *pod, const char *gpu,
                     struct eci_offer *out)
{
    static const struct virtual_node_config plain = {.region = NULL};
    const struct virtual_node_config *v =
        m->config->virtual_node ? m->config->virtual_node : &plain;
    struct eci_market market = {m->catalog, m->currency, v};
    struct eci_request request;
    struct eci_offers offers;
    struct err ignored = {0};
    if ((pod->gpus == 0 && !m->config->virtual_node) ||
        eci_request_read(v, pod, &request, &ignored))
        return false;
    if (!request.gpu && request.n_specs == 0)
        request.gpu = gpu;
    if (eci_offers_find(&market, &request, &offers, &ignored))
        return false;
    for (size_t i = 0; i < offers.n; i++)
        if (!gpu || same(offers.items[i].gpu, gpu)) {
            *out = offers.items[i];
            return true;
        }
    return false;
}

static struct otherwise_market market_of(const struct otherwise *o)
{
    return (struct otherwise_market){o->config, o->catalog, o->currency};
}

/* The first that the pools would buy for the pod; without them, or with none that takes it, that of
 * its container instance. */
const char *otherwise_gpu(const struct otherwise *o, size_t owner)
{
    const struct pool_config *pools = o->config->pools.items;
    struct otherwise_market m = market_of(o);
    struct eci_offer f;
    if (o->demand && (o->demand[owner].gpu || o->demand[owner].resolved))
        return o->demand[owner].gpu;
    for (size_t p = 0; p < o->config->pools.count; p++)
        for (size_t i = 0; i < pools[p].instance_types.count; i++)
            if (holds(type_at(o, p, i), &o->shapes[owner]))
                return type_at(o, p, i)->gpu;
    return otherwise_offer(&m, &o->shapes[owner], NULL, &f) ? f.gpu : NULL;
}

static bool asks(const struct otherwise *o, size_t owner)
{
    return o->demand[owner].pod_ns > 0 && !o->shapes[owner].placeholder;
}

/* ---- the peak ---- */

struct edge {
    sim_ns at;
    int64_t milli; /* from then on so much more */
};

static int by_time(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->milli < y->milli ? -1 : x->milli > y->milli;
}

/* Most that jobs want of this kind at once, in thousandths of a GPU. */
static int64_t jobs_peak(const struct otherwise *o, const char *gpu)
{
    struct edge *edges = calloc(2 * o->n_jobs + 1, sizeof *edges);
    int64_t level = 0, most = 0;
    size_t n = 0;
    assert(edges);
    for (size_t i = 0; i < o->n_jobs; i++) {
        const struct otherwise_interval *j = &o->jobs[i];
        int64_t milli = pod_shape_gpu_milli(&o->shapes[j->owner]);
        if (!same(otherwise_gpu(o, j->owner), gpu))
            continue;
        edges[n++] = (struct edge){j->from, milli};
        edges[n++] = (struct edge){j->to, -milli};
    }
    qsort(edges, n, sizeof *edges, by_time);
    for (size_t i = 0; i < n; i++) {
        level += edges[i].milli;
        most = level > most ? level : most;
    }
    free(edges);
    return most;
}

/* Of services: together, when all want the one kind; else each its own. */
static double services_peak(const struct otherwise *o, const char *gpu)
{
    double sum = 0;
    bool alone = true, as_held = true;
    for (size_t i = 0; i < o->n_owners; i++) {
        if (!asks(o, i) || o->demand[i].peak == 0)
            continue;
        bool this_kind = same(otherwise_gpu(o, i), gpu);
        alone = alone && this_kind;
        as_held = as_held && o->demand[i].worth == 1;
        if (this_kind)
            sum += (double)(o->demand[i].peak * o->shapes[i].gpus) * o->demand[i].worth;
    }
    return alone && as_held ? (double)o->peak_gpus : sum;
}

static int64_t whole(double gpus)
{
    int64_t n = (int64_t)gpus;
    return (double)n < gpus - 1e-9 ? n + 1 : n;
}

/* Most GPUs of a kind. */
static int64_t peak_of(const struct otherwise *o, const char *gpu)
{
    int64_t milli = jobs_peak(o, gpu);
    return whole(services_peak(o, gpu) + (double)milli / 1e3);
}

/* ---- prices ---- */

static int64_t hourly(const struct otherwise *o, const char *type, const char *region,
                      enum price_billing billing)
{
    struct catalog_price_key key = {type, region, o->currency, billing};
    const struct price *p = catalog_price(o->catalog, &key);
    return p ? p->per_hour.micro : -1;
}

static int64_t cheaper(int64_t a, int64_t b)
{
    return a < 0 ? b : b < 0 || a < b ? a : b;
}

/* So many machines of the cheapest type of the kind, all along; gpu NULL: machines without, or any.
 * -1: no pool buys one, or it has no price. */
static int64_t machines(const struct otherwise *o, const char *gpu, int64_t gpus,
                        enum price_billing billing)
{
    const struct pool_config *pools = o->config->pools.items;
    int64_t best = -1;
    for (size_t p = 0; p < o->config->pools.count; p++)
        for (size_t i = 0; i < pools[p].instance_types.count; i++) {
            const struct instance_type *t = type_at(o, p, i);
            if (!t || (gpu && (!same(t->gpu, gpu) || t->gpus == 0)))
                continue;
            int64_t price = hourly(o, t->name, pools[p].region, billing);
            int64_t n = gpu ? (gpus + t->gpus - 1) / t->gpus : o->peak_nodes;
            if (price >= 0)
                best = cheaper(best, n * money_for(price, o->horizon));
        }
    return best;
}

/* Without pools: of the size of the container instance; the largest pod must fit. */
static int64_t instances(const struct otherwise *o, const char *gpu, int64_t gpus,
                         enum price_billing billing)
{
    const struct virtual_node_config *v = o->config->virtual_node;
    struct otherwise_market m = market_of(o);
    int64_t most = -1;
    for (size_t i = 0; i < o->n_owners; i++) {
        struct eci_offer f;
        if (!asks(o, i) || !same(otherwise_gpu(o, i), gpu) ||
            !otherwise_offer(&m, &o->shapes[i], gpu, &f))
            continue;
        int64_t price = hourly(o, f.type, v ? v->region : NULL, billing);
        int64_t n = f.gpus > 0 ? (gpus + f.gpus - 1) / f.gpus : gpus;
        int64_t cost = price < 0 ? -1 : n * money_for(price, o->horizon);
        most = cost > most ? cost : most;
    }
    return most;
}

static int64_t peak_cost(const struct otherwise *o, enum price_billing billing, const char **why)
{
    int64_t sum = 0;
    for (size_t i = 0; i < o->n_owners; i++) {
        const char *gpu = asks(o, i) ? otherwise_gpu(o, i) : NULL;
        bool first = asks(o, i);
        for (size_t k = 0; k < i && first; k++)
            first = !asks(o, k) || !same(otherwise_gpu(o, k), gpu);
        if (!first)
            continue;
        int64_t gpus = peak_of(o, gpu), cost = machines(o, gpu, gpus, billing);
        if (cost < 0)
            cost = instances(o, gpu, gpus, billing);
        if (cost < 0) {
            *why = billing == PRICE_SUBSCRIPTION
                       ? "no type with the kind of GPU that was wanted has a subscription price"
                       : "no type with the kind of GPU that was wanted has a price";
            return -1;
        }
        sum += cost;
    }
    return sum;
}

int64_t otherwise_on_demand_peak(const struct otherwise *o, const char **why)
{
    return peak_cost(o, PRICE_ON_DEMAND, why);
}

int64_t otherwise_subscription_peak(const struct otherwise *o, const char **why)
{
    return peak_cost(o, PRICE_SUBSCRIPTION, why);
}

/* ---- by the pod ---- */

static sim_ns scaled(sim_ns ns, double by)
{
    return by == 1 ? ns : (sim_ns)((double)ns * by + 0.5);
}

/* Of a kind that ECI has, slower or faster by what its service time says; -1: none. */
static int64_t on_other_kind(const struct otherwise *o, size_t owner, const char *gpu)
{
    const struct pod_shape *pod = &o->shapes[owner];
    struct otherwise_market m = market_of(o);
    double own = o->alone_ns && gpu ? o->alone_ns(o->self, (uint32_t)owner, gpu) : 0;
    int64_t best = -1;
    for (size_t k = 0; own > 0 && k < pod->gpu_types.count; k++) {
        struct eci_offer f;
        double other = o->alone_ns(o->self, (uint32_t)owner, pod->gpu_types.items[k]);
        if (other <= 0 || !otherwise_offer(&m, pod, pod->gpu_types.items[k], &f))
            continue;
        sim_ns ns = scaled(o->demand[owner].pod_ns, o->demand[owner].worth * other / own);
        best = cheaper(best, money_for(f.micro_per_hour, ns));
    }
    return best;
}

int64_t otherwise_eci_only(const struct otherwise *o, const char **why)
{
    struct otherwise_market m = market_of(o);
    int64_t sum = 0;
    for (size_t i = 0; i < o->n_owners; i++) {
        struct eci_offer f;
        if (!asks(o, i))
            continue;
        const char *gpu = otherwise_gpu(o, i);
        int64_t cost = -1;
        if (otherwise_offer(&m, &o->shapes[i], gpu, &f))
            cost = money_for(f.micro_per_hour, scaled(o->demand[i].pod_ns, o->demand[i].worth));
        else
            cost = on_other_kind(o, i, gpu);
        if (cost < 0) {
            *why = "there is no container instance with the kind of GPU that was wanted, and the "
                   "service time on another kind is not given";
            return -1;
        }
        sum += cost;
    }
    return sum;
}

/* The cheapest mean price of one GPU of the kind, as a machine's and its GPUs; 0 GPUs: none. */
static int64_t spot_for(const struct otherwise *o, const struct pod_shape *pod, const char *gpu,
                        sim_ns ns)
{
    const struct mean_price m = {o->config, o->catalog, o->currency, o->horizon};
    const struct pool_config *pools = o->config->pools.items;
    int64_t best = -1;
    for (size_t p = 0; p < o->config->pools.count; p++)
        for (size_t i = 0; i < pools[p].instance_types.count; i++) {
            const struct instance_type *t = type_at(o, p, i);
            int64_t price = mean_price_spot(&m, p, i);
            if (price < 0 || !holds(t, pod) || !same(t->gpu, gpu))
                continue;
            int64_t cost = money_for(price, ns);
            if (t->gpus > 0)
                cost = money_part(cost, pod_shape_gpu_milli(pod), t->gpus * INT64_C(1000));
            best = cheaper(best, cost);
        }
    return best;
}

int64_t otherwise_perfect_spot(const struct otherwise *o, const char **why)
{
    int64_t sum = 0;
    for (size_t i = 0; i < o->n_owners; i++) {
        if (!asks(o, i))
            continue;
        sim_ns ns = scaled(o->demand[i].pod_ns, o->demand[i].worth);
        int64_t cost = spot_for(o, &o->shapes[i], otherwise_gpu(o, i), ns);
        if (cost < 0) {
            *why = "no pool that buys spot has the kind of GPU that was wanted";
            return -1;
        }
        sum += cost;
    }
    return sum;
}

/* ---- what is told ---- */

static bool sells_spot(const struct otherwise *o)
{
    const struct pool_config *pools = o->config->pools.items;
    for (size_t p = 0; p < o->config->pools.count; p++)
        if (pool_uses_spot(&pools[p]))
            return true;
    return false;
}

static bool some_gpus(const struct otherwise *o)
{
    for (size_t i = 0; i < o->n_owners; i++)
        if (asks(o, i) && o->shapes[i].gpus > 0)
            return true;
    return false;
}

struct way {
    const char *path, *words;
    int64_t (*cost)(const struct otherwise *o, const char **why);
    bool asked; /* it would be missed */
};

void otherwise_write(const struct otherwise *o, struct recorder *r)
{
    const struct way ways[] = {
        {"onDemandPeak", "on demand for the peak", otherwise_on_demand_peak, true},
        {"subscriptionPeak", "subscription for the peak", otherwise_subscription_peak, true},
        {"eciOnly", "ECI only", otherwise_eci_only, some_gpus(o) || o->config->virtual_node},
        {"perfectSpot", "HPA with perfect spot", otherwise_perfect_spot, sells_spot(o)},
    };
    assert(o->horizon > 0);
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        const char *why = NULL;
        int64_t micro = ways[i].asked ? ways[i].cost(o, &why) : -1;
        char path[64] = "cost.baselines.";
        strcat(path, ways[i].path);
        if (micro > 0)
            recorder_figure(r, path, o->currency, FIGURE_MEAN, (double)micro / 1e6);
        else if (why)
            recorder_finding(
                r, "note", "baseline-left-out",
                "Among the other ways to serve the same traffic, '%s' is left out: %s.",
                ways[i].words, why);
    }
}
