/* baseline: what the same work would have cost otherwise. */
#include "models/capacity/baseline.h"

#include "models/capacity/catalog.h"
#include "models/capacity/cluster_config.h"
#include "models/capacity/demand.h"
#include "models/capacity/drill.h"
#include "models/capacity/eci.h"
#include "models/capacity/pod_shape.h"
#include "models/capacity/spot_trace.h"
#include "models/capacity/startup.h"
#include "models/capacity/startup_source.h"
#include "models/capacity/virtual_node.h"
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

#define KINDS_MAX 16

/* Without a virtual node a pod that names no kind of GPU runs on what the pools have. */
static struct knob_texts pool_kinds(const struct baseline *b, const char **names)
{
    const struct pool_config *pools = b->config->pools.items;
    struct knob_texts kinds = {names, 0};
    for (size_t p = 0; p < b->config->pools.count; p++)
        for (size_t i = 0; i < pools[p].instance_types.count && kinds.count < KINDS_MAX; i++) {
            const struct instance_type *t =
                catalog_instance(b->catalog, pools[p].instance_types.items[i]);
            if (t && t->gpu)
                names[kinds.count++] = t->gpu;
        }
    return kinds;
}

/* The container instances that this pod would get, by its annotations or its size, in the order in
 * which they are tried. */
static bool offers_of(const struct baseline *b, const struct pod_shape *pod, struct eci_offers *out)
{
    static const struct virtual_node_config plain = {.region = NULL};
    const struct virtual_node_config *v =
        b->config->virtual_node ? b->config->virtual_node : &plain;
    struct eci_market m = {b->catalog, b->currency, v};
    struct eci_request request;
    struct err ignored = {0};
    struct pod_shape shape = *pod;
    const char *names[KINDS_MAX];
    if (pod->gpu_types.count == 0 && !b->config->virtual_node)
        shape.gpu_types = pool_kinds(b, names);
    return pod->gpus > 0 && eci_request_read(v, &shape, &request, &ignored) == 0 &&
           eci_offers_find(&m, &request, out, &ignored) == 0 && out->n > 0;
}

/* The cheaper of two costs; -1: unknown. */
static int64_t cheaper(int64_t a, int64_t b)
{
    return a < 0 ? b : b < 0 || a < b ? a : b;
}

/* ---- the bound ---- */

/* Recorded prices may lie below what the market would ask. */
static int64_t lowest_recorded(const struct spot_traces *t, size_t zones, int64_t lowest)
{
    for (size_t i = 0; t && i < zones * t->types.count; i++)
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
    int64_t stated = hourly(b, type, c->region, PRICE_SPOT);
    int64_t of = spot_list_price(m, stated, list);
    int64_t lowest = price_share(of, (int64_t)(share * 1e6 + 0.5));
    const struct pool_config *pools = b->config->pools.items;
    lowest = lowest_recorded(b->config->traces ? b->config->traces[c - pools] : NULL,
                             c->zones.count, lowest);
    lowest = spot_unprotected_price(m, 0, lowest); /* whether to buy protection is a choice */
    return lowest < list ? lowest : list;
}

static int64_t lowest_instance(const struct baseline *b, const struct eci_offer *o)
{
    int64_t list = o->micro_per_hour;
    const struct virtual_node_config *v = b->config->virtual_node;
    const struct spot_preset *m = catalog_spot(b->catalog, v->market);
    if (!m)
        return list;
    double share = m->price_step > 0 ? m->price_low : m->price_share;
    int64_t of = spot_list_price(m, o->spot_micro_per_hour, list);
    int64_t lowest = price_share(of, (int64_t)(share * 0.9 * 1e6));
    lowest =
        lowest_recorded(b->config->eci_traces, v->zones.count > 0 ? v->zones.count : 1, lowest);
    return lowest < list ? lowest : list;
}

/* The cheapest GPU hour of the pools and instances, as a machine's price and its GPUs. */
struct bargain {
    int64_t micro, gpus;
};

static struct bargain better(struct bargain best, int64_t micro, int64_t gpus)
{
    bool less = best.micro < 0 || micro * best.gpus < best.micro * gpus;
    return less ? (struct bargain){micro, gpus} : best;
}

/* Work that took a nanosecond where it was done takes so much on this kind. */
static double slower(const struct baseline *b, size_t owner, const char *gpu)
{
    double held = b->demand ? demand_slowest(b->demand, (uint32_t)owner, b->alone_ns, b->self) : 0;
    double here = held > 0 && gpu ? b->alone_ns(b->self, (uint32_t)owner, gpu) : 0;
    return here > 0 ? here / held : 1;
}

/* The least of it on any kind that is for sale. */
static double quickest(const struct baseline *b, size_t owner)
{
    const struct pool_config *pools = b->config->pools.items;
    struct eci_offers f;
    double least = 1;
    for (size_t p = 0; p < b->config->pools.count; p++)
        for (size_t i = 0; i < pools[p].instance_types.count; i++) {
            const struct instance_type *t =
                catalog_instance(b->catalog, pools[p].instance_types.items[i]);
            double by = t && t->gpus > 0 ? slower(b, owner, t->gpu) : 1;
            least = by < least ? by : least;
        }
    if (b->config->virtual_node && offers_of(b, &b->shapes[owner], &f))
        for (size_t i = 0; i < f.n; i++) {
            double by = slower(b, owner, f.items[i].gpu);
            least = by < least ? by : least;
        }
    return least;
}

/* GPU time of the owner's work at the least. */
static int64_t least_work(const struct baseline *b, size_t owner)
{
    double by = quickest(b, owner);
    return by < 1 ? (int64_t)((double)b->needed_ns[owner] * by) : b->needed_ns[owner];
}

/* For an owner's work, by shape; with owner SIZE_MAX for time that passes alike on all kinds. */
static struct bargain cheapest_for(const struct baseline *b, size_t owner, size_t shape)
{
    const struct pool_config *pools = b->config->pools.items;
    struct bargain best = {-1, 1};
    struct eci_offers f;
    for (size_t p = 0; p < b->config->pools.count; p++)
        for (size_t i = 0; i < pools[p].instance_types.count; i++) {
            const char *name = pools[p].instance_types.items[i];
            const struct instance_type *t = catalog_instance(b->catalog, name);
            int64_t micro = lowest_hourly(b, &pools[p], name);
            if (!t || t->gpus == 0 || micro < 0)
                continue;
            double by = owner == SIZE_MAX ? 1 : slower(b, owner, t->gpu);
            best = better(best, (int64_t)((double)micro * by), t->gpus);
        }
    if (b->config->virtual_node && offers_of(b, &b->shapes[shape], &f))
        for (size_t i = 0; i < f.n; i++) {
            double by = owner == SIZE_MAX ? 1 : slower(b, owner, f.items[i].gpu);
            int64_t micro = lowest_instance(b, &f.items[i]);
            if (f.items[i].gpus > 0)
                best = better(best, (int64_t)((double)micro * by), f.items[i].gpus);
        }
    return best;
}

static struct bargain cheapest_gpu(const struct baseline *b)
{
    struct bargain best = {-1, 1};
    for (size_t o = 0; o < b->n_shapes; o++) {
        struct bargain one = cheapest_for(b, SIZE_MAX, o);
        if (one.micro >= 0)
            best = better(best, one.micro, one.gpus);
    }
    return best;
}

/* Are the pool's least nodes there all along? Not while the platform takes machines back or has
 * none to sell. */
static bool keeps_least(const struct baseline *b, const struct pool_config *c)
{
    for (size_t i = 0; i < b->config->n_drills; i++)
        if (b->config->drills[i].kind == DRILL_ZONE_LOSS)
            return false;
    return !pool_uses_spot(c) && c->stock_limits.count == 0 &&
           b->config->account.on_demand_vcpu_quota == 0;
}

/* What the pools' least sizes cost at the lowest prices. */
static int64_t floor_cost(const struct baseline *b)
{
    const struct pool_config *pools = b->config->pools.items;
    int64_t sum = 0;
    for (size_t p = 0; p < b->config->pools.count; p++) {
        int64_t lowest = -1;
        for (size_t i = 0; keeps_least(b, &pools[p]) && i < pools[p].instance_types.count; i++) {
            int64_t micro = lowest_hourly(b, &pools[p], pools[p].instance_types.items[i]);
            if (micro >= 0 && (lowest < 0 || micro < lowest))
                lowest = micro;
        }
        if (lowest > 0)
            sum += pools[p].min_size * money_for(lowest, b->horizon);
    }
    return sum;
}

/* Shortest time from the purchase of a node to its GPUs; -1: there are no pools. */
static sim_ns least_node(const struct baseline *b)
{
    const struct pool_config *pools = b->config->pools.items;
    sim_ns node = -1;
    for (size_t p = 0; p < b->config->pools.count; p++) {
        const struct catalog_delivery *d = catalog_find_delivery(b->catalog, pools[p].delivery);
        double boot = pools[p].boot.mean > 0 ? dist_least(&pools[p].boot)
                      : d                    ? dist_least(&d->time)
                                             : 0;
        sim_ns ns = (sim_ns)(boot + dist_least(&pools[p].gpu_ready));
        node = node < 0 || ns < node ? ns : node;
    }
    return node;
}

/* The same to its first request. */
static sim_ns least_start(const struct baseline *b)
{
    sim_ns pod = -1;
    for (size_t o = 0; o < b->n_owners && b->startups; o++) {
        if (b->shapes[o].gpus == 0)
            continue;
        sim_ns ns = startup_source_least(&b->startups[o], b->catalog);
        pod = pod < 0 || ns < pod ? ns : pod;
    }
    return pod < 0 ? 0 : least_node(b) + pod;
}

/* A node is paid for from its purchase, an instance from its download. */
sim_ns baseline_start(const struct baseline *b, size_t owner)
{
    const struct virtual_node_config *v = b->config->virtual_node;
    sim_ns node = least_node(b);
    if (!b->startups)
        return 0;
    struct startup_config start = b->startups[owner];
    sim_ns on_node = node < 0 ? SIM_NEVER : node + startup_source_least(&start, b->catalog);
    start.image.cached = start.image.cached || (v && v->image_cache);
    sim_ns alone = v ? startup_source_least(&start, b->catalog) : SIM_NEVER;
    sim_ns least = on_node < alone ? on_node : alone;
    return least == SIM_NEVER ? 0 : least;
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

/* GPU time of the machines' first starts whatever the policy. Instances may be there already when
 * the clock starts, and nobody says how many. */
static int64_t starting_ns(const struct baseline *b, int64_t gpu_ns)
{
    int64_t serving = (gpu_ns + b->horizon - 1) / b->horizon;
    int64_t bought = serving - initial_gpus(b);
    return bought > 0 && !b->config->virtual_node ? bought * least_start(b) : 0;
}

/* GPU time of the containers that ran to their end, before their work. */
static int64_t container_ns(const struct baseline *b)
{
    const struct virtual_node_config *v = b->config->virtual_node;
    int64_t sum = 0;
    for (size_t o = 0; b->completed_gpus && b->startups && o < b->n_owners; o++) {
        struct startup_config start = b->startups[o];
        bool pulls = b->config->pools.count == 0 && v && !v->image_cache;
        start.image.cached = start.image.cached || !pulls;
        sum += b->completed_gpus[o] * startup_source_least(&start, b->catalog);
    }
    return sum;
}

/* The cheapest hour of one machine or instance that a pod of this owner fits on by its GPUs; -1. */
static int64_t cheapest_machine(const struct baseline *b, size_t owner)
{
    const struct pool_config *pools = b->config->pools.items;
    struct eci_offers f;
    int64_t best = -1;
    for (size_t p = 0; p < b->config->pools.count; p++)
        for (size_t i = 0; i < pools[p].instance_types.count; i++) {
            const char *name = pools[p].instance_types.items[i];
            const struct instance_type *t = catalog_instance(b->catalog, name);
            if (t && t->gpus >= b->shapes[owner].gpus)
                best = cheaper(best, lowest_hourly(b, &pools[p], name));
        }
    if (b->config->virtual_node && offers_of(b, &b->shapes[owner], &f))
        for (size_t i = 0; i < f.n; i++)
            best = cheaper(best, lowest_instance(b, &f.items[i]));
    return best;
}

/* One machine for as long as each owner alone needs one, whichever owner needs it most; or the GPUs
 * of all of them, which nobody else holds meanwhile. */
static int64_t present_cost(const struct baseline *b, struct bargain best)
{
    int64_t most = 0, gpu_ns = 0;
    for (size_t o = 0; b->present_ns && o < b->n_owners; o++) {
        int64_t gpus = b->shapes[o].gpus, present = b->present_ns[o], needed = least_work(b, o);
        int64_t micro = gpus > 0 ? cheapest_machine(b, o) : -1;
        int64_t cost = micro > 0 ? money_for(micro, present) : 0;
        most = cost > most ? cost : most;
        gpu_ns += gpus * (present > needed ? present : needed);
    }
    int64_t shared = money_for(best.micro, gpu_ns / best.gpus);
    return most > shared ? most : shared;
}

/* GPUs of each of the owner's pods, at least. */
static int64_t least_gpus(const struct baseline *b, size_t owner)
{
    int64_t least = b->shapes[owner].gpus;
    for (size_t s = b->n_owners; s < b->n_shapes; s++)
        least = b->shapes[s].gpus < least ? b->shapes[s].gpus : least;
    return least;
}

/* The work of each owner on the kind on which it costs least; -1: it is not known. */
static int64_t work_cost(const struct baseline *b)
{
    int64_t sum = 0;
    for (size_t o = 0; o < b->n_owners; o++) {
        if (b->needed_ns[o] < 0)
            return -1;
        struct bargain best = cheapest_for(b, o, o);
        for (size_t s = b->n_owners; s < b->n_shapes; s++) {
            struct bargain unit = cheapest_for(b, o, s);
            if (unit.micro >= 0)
                best = better(best, unit.micro, unit.gpus);
        }
        int64_t gpu_ns = b->needed_ns[o] * least_gpus(b, o);
        if (gpu_ns > 0 && best.micro < 0)
            return -1;
        sum += gpu_ns > 0 ? money_for(best.micro, gpu_ns / best.gpus) : 0;
    }
    return sum;
}

int64_t baseline_clairvoyant(const struct baseline *b)
{
    struct bargain best = cheapest_gpu(b);
    bool alike = b->n_shapes == b->n_owners;
    int64_t work = work_cost(b), gpu_ns = 0;
    /* Machines that are simply there do work that nobody pays for. */
    if (best.micro < 0 || work < 0 || b->config->node_list)
        return -1;
    for (size_t o = 0; o < b->n_owners; o++)
        gpu_ns += least_work(b, o) * least_gpus(b, o);
    int64_t machines_ns = alike ? starting_ns(b, gpu_ns) : 0, containers_ns = container_ns(b);
    int64_t starts_ns = machines_ns > containers_ns ? machines_ns : containers_ns;
    int64_t least = floor_cost(b), present = alike ? present_cost(b, best) : 0;
    work += money_for(best.micro, starts_ns / best.gpus);
    work = present > work ? present : work;
    return work > least ? work : least;
}

static void write(const struct baseline *b, struct recorder *r, const char *path, int64_t micro)
{
    if (micro >= 0)
        recorder_figure(r, path, b->currency, FIGURE_MEAN, (double)micro / 1e6);
}

void baseline_write(const struct baseline *b, struct recorder *r, int64_t total_micro)
{
    assert(b->horizon > 0);
    if ((b->config->pools.count == 0 && !b->config->virtual_node) || !b->catalog)
        return;
    int64_t least = baseline_clairvoyant(b);
    /* Bills are rounded one by one, the bound as a whole. */
    assert(least <= total_micro + total_micro / 1000000 + 1000);
    least = least < total_micro ? least : total_micro;
    write(b, r, "cost.baselines.clairvoyant", least);
    write(b, r, "cost.savable", least < 0 ? -1 : total_micro - least);
}
