/* baseline: what the same work would have cost otherwise. */
#include "models/capacity/baseline.h"

#include "models/capacity/catalog.h"
#include "models/capacity/cluster_config.h"
#include "models/capacity/pod_shape.h"
#include "models/capacity/spot_trace.h"
#include "models/capacity/startup.h"
#include "models/capacity/startup_source.h"
#include "models/money/price.h"
#include "sim/money.h"
#include "sim/recorder.h"

#include <assert.h>
#include <string.h>

/* -1: the catalogue does not have it. */
static int64_t hourly(const struct baseline *b, const char *type, const char *region,
                      enum price_billing billing)
{
    struct catalog_price_key key = {type, region, b->currency, billing};
    const struct price *p = catalog_price(b->catalog, &key);
    return p ? p->per_hour.micro : -1;
}

/* Machines of one type for the peak. */
static int64_t machines(const struct baseline *b, const struct instance_type *t)
{
    if (b->peak_gpus == 0)
        return b->peak_nodes;
    return t->gpus > 0 ? (b->peak_gpus + t->gpus - 1) / t->gpus : -1;
}

/* The cheapest type that a pool may buy, for the peak all along. */
static int64_t peak(const struct baseline *b, enum price_billing billing)
{
    const struct pool_config *pools = b->config->pools.items;
    int64_t best = -1;
    for (size_t p = 0; p < b->config->pools.count; p++)
        for (size_t i = 0; i < pools[p].instance_types.count; i++) {
            const char *name = pools[p].instance_types.items[i];
            const struct instance_type *t = catalog_instance(b->catalog, name);
            int64_t price = hourly(b, name, pools[p].region, billing);
            int64_t n = t ? machines(b, t) : -1;
            if (price < 0 || n < 0)
                continue;
            int64_t cost = n * money_for(price, b->horizon);
            best = best < 0 || cost < best ? cost : best;
        }
    return best;
}

int64_t baseline_on_demand_peak(const struct baseline *b)
{
    return peak(b, PRICE_ON_DEMAND);
}

int64_t baseline_subscription_peak(const struct baseline *b)
{
    return peak(b, PRICE_SUBSCRIPTION);
}

/* ---- elastic container instances ---- */

static bool kind_allowed(const struct baseline *b, const struct pod_shape *pod, const char *gpu)
{
    for (size_t i = 0; i < pod->gpu_types.count; i++)
        if (strcmp(pod->gpu_types.items[i], gpu) == 0)
            return true;
    if (pod->gpu_types.count > 0)
        return false;
    const struct pool_config *pools = b->config->pools.items;
    for (size_t p = 0; p < b->config->pools.count; p++)
        for (size_t i = 0; i < pools[p].instance_types.count; i++) {
            const struct instance_type *t =
                catalog_instance(b->catalog, pools[p].instance_types.items[i]);
            if (t && t->gpu && strcmp(t->gpu, gpu) == 0)
                return true;
        }
    return false;
}

/* Price an hour of the cheapest instance that this pod fits into; -1: none. */
static int64_t eci_hourly(const struct baseline *b, const struct pod_shape *pod)
{
    int64_t best = -1;
    for (size_t p = 0; p < b->catalog->n_parts; p++) {
        const struct knob_list *l = &b->catalog->parts[p].eci_specs;
        const struct catalog_eci_spec *specs = l->items;
        for (size_t i = 0; i < l->count; i++) {
            const struct catalog_eci_spec *s = &specs[i];
            if (s->gpus < pod->gpus || s->vcpu * INT64_C(1000) < pod->cpu_milli ||
                s->memory < pod->memory_bytes || !kind_allowed(b, pod, s->gpu))
                continue;
            int64_t price = hourly(b, s->type, NULL, PRICE_ON_DEMAND);
            if (price >= 0 && (best < 0 || price < best))
                best = price;
        }
    }
    return best;
}

int64_t baseline_eci_only(const struct baseline *b)
{
    int64_t sum = 0;
    for (size_t o = 0; o < b->n_owners; o++) {
        if (b->pod_ns[o] == 0)
            continue;
        int64_t price = b->shapes[o].gpus > 0 ? eci_hourly(b, &b->shapes[o]) : -1;
        if (price < 0)
            return -1;
        sum += money_for(price, b->pod_ns[o]);
    }
    return sum;
}

/* ---- the bound ---- */

/* Recorded prices of a pool may lie below what its market would ask. */
static int64_t lowest_recorded(const struct baseline *b, const struct pool_config *c,
                               int64_t lowest)
{
    const struct pool_config *pools = b->config->pools.items;
    const struct spot_traces *t = b->config->traces ? b->config->traces[c - pools] : NULL;
    for (size_t i = 0; t && i < c->zones.count * c->instance_types.count; i++)
        for (size_t k = 0; k < t->prices[i].n; k++)
            lowest = t->prices[i].value[k] < lowest ? t->prices[i].value[k] : lowest;
    return lowest;
}

static int64_t lowest_hourly(const struct baseline *b, const struct pool_config *c,
                             const char *type)
{
    int64_t list = hourly(b, type, c->region, PRICE_ON_DEMAND);
    const struct spot_preset *m =
        pool_uses_spot(c) ? catalog_spot(b->catalog, c->spot_market) : NULL;
    if (list < 0 || !m)
        return list;
    double share = m->price_step > 0 ? m->price_low : m->price_share;
    int64_t lowest = price_share(list, (int64_t)(share * 1e6 + 0.5));
    lowest = lowest_recorded(b, c, lowest);
    return spot_unprotected_price(m, c->spot_duration_h, lowest);
}

/* The cheapest GPU hour of the pools, as a machine's price and its GPUs. */
struct bargain {
    int64_t micro, gpus;
};

static struct bargain cheapest_gpu(const struct baseline *b)
{
    const struct pool_config *pools = b->config->pools.items;
    struct bargain best = {-1, 1};
    for (size_t p = 0; p < b->config->pools.count; p++)
        for (size_t i = 0; i < pools[p].instance_types.count; i++) {
            const char *name = pools[p].instance_types.items[i];
            const struct instance_type *t = catalog_instance(b->catalog, name);
            int64_t micro = lowest_hourly(b, &pools[p], name);
            if (!t || t->gpus == 0 || micro < 0)
                continue;
            if (best.micro < 0 || micro * best.gpus < best.micro * t->gpus)
                best = (struct bargain){micro, t->gpus};
        }
    return best;
}

/* What the pools' least sizes cost at the lowest prices. */
static int64_t floor_cost(const struct baseline *b)
{
    const struct pool_config *pools = b->config->pools.items;
    int64_t sum = 0;
    for (size_t p = 0; p < b->config->pools.count; p++) {
        int64_t lowest = -1;
        for (size_t i = 0; i < pools[p].instance_types.count; i++) {
            int64_t micro = lowest_hourly(b, &pools[p], pools[p].instance_types.items[i]);
            if (micro >= 0 && (lowest < 0 || micro < lowest))
                lowest = micro;
        }
        if (lowest > 0)
            sum += pools[p].min_size * money_for(lowest, b->horizon);
    }
    return sum;
}

/* Shortest time from the purchase of a GPU to its first request. */
static sim_ns least_start(const struct baseline *b)
{
    const struct pool_config *pools = b->config->pools.items;
    sim_ns node = -1, pod = -1;
    for (size_t p = 0; p < b->config->pools.count; p++) {
        const struct catalog_delivery *d = catalog_find_delivery(b->catalog, pools[p].delivery);
        double boot = pools[p].boot.mean > 0 ? dist_least(&pools[p].boot)
                      : d                    ? dist_least(&d->time)
                                             : 0;
        sim_ns ns = (sim_ns)(boot + dist_least(&pools[p].gpu_ready));
        node = node < 0 || ns < node ? ns : node;
    }
    for (size_t o = 0; o < b->n_owners && b->startups; o++) {
        if (b->shapes[o].gpus == 0)
            continue;
        sim_ns ns = startup_source_least(&b->startups[o], b->catalog);
        pod = pod < 0 || ns < pod ? ns : pod;
    }
    return pod < 0 ? 0 : node + pod;
}

/* GPUs that are there when the clock starts, at most. */
static int64_t initial_gpus(const struct baseline *b)
{
    const struct pool_config *pools = b->config->pools.items;
    int64_t sum = 0;
    for (size_t p = 0; p < b->config->pools.count; p++) {
        int64_t most = 0;
        for (size_t i = 0; i < pools[p].instance_types.count; i++) {
            const struct instance_type *t =
                catalog_instance(b->catalog, pools[p].instance_types.items[i]);
            most = t && t->gpus > most ? t->gpus : most;
        }
        int32_t nodes = pools[p].initial_size;
        sum += most * (nodes > pools[p].min_size ? nodes : pools[p].min_size);
    }
    return sum;
}

/* GPU time that goes into starts whatever the policy. */
static int64_t starting_ns(const struct baseline *b, int64_t gpu_ns)
{
    int64_t serving = (gpu_ns + b->horizon - 1) / b->horizon;
    int64_t bought = serving - initial_gpus(b);
    return bought > 0 ? bought * least_start(b) : 0;
}

int64_t baseline_clairvoyant(const struct baseline *b)
{
    struct bargain best = cheapest_gpu(b);
    int64_t gpu_ns = 0;
    for (size_t o = 0; o < b->n_owners; o++) {
        if (b->busy_ns[o] < 0)
            return -1;
        gpu_ns += b->busy_ns[o] * b->shapes[o].gpus;
    }
    if (best.micro < 0)
        return -1;
    gpu_ns += starting_ns(b, gpu_ns);
    int64_t work = money_for(best.micro, gpu_ns / best.gpus), least = floor_cost(b);
    return work > least ? work : least;
}

static void write(const struct baseline *b, struct recorder *r, const char *path, int64_t micro)
{
    if (micro >= 0)
        recorder_figure(r, path, b->currency, FIGURE_MEAN, (double)micro / 1e6);
}

void baseline_write(const struct baseline *b, struct recorder *r)
{
    assert(b->horizon > 0);
    if (b->config->pools.count == 0 || !b->catalog)
        return;
    write(b, r, "cost.baselines.onDemandPeak", baseline_on_demand_peak(b));
    write(b, r, "cost.baselines.subscriptionPeak", baseline_subscription_peak(b));
    write(b, r, "cost.baselines.eciOnly", baseline_eci_only(b));
    write(b, r, "cost.baselines.clairvoyant", baseline_clairvoyant(b));
}
