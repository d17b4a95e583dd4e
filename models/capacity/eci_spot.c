/* eci_spot: the market of preemptible container instances. */
#include "models/capacity/eci_spot.h"

#include "models/capacity/catalog.h"
#include "models/capacity/cluster_config.h"
#include "models/capacity/eci_fleet.h"
#include "models/capacity/eci_life.h"
#include "models/capacity/pool.h"
#include "models/capacity/spot_trace.h"
#include "models/capacity/virtual_node.h"

#include <stdlib.h>
#include <string.h>

static size_t zones_of(const struct eci_fleet *s)
{
    return s->config->zones.count > 0 ? s->config->zones.count : 1;
}

/* ---- set-up ---- */

static int make_prices(struct eci_fleet *s, struct err *e)
{
    const struct cluster_setup *c = s->set.cluster;
    s->n_prices = spot_price_steps(s->market, c->horizon);
    s->prices = calloc(s->n_prices, sizeof *s->prices);
    if (!s->prices)
        return err_set(e, ERR_SYSTEM, NULL, "out of memory for %zu prices", s->n_prices);
    struct chance zone = chance_stream(c->seed, c->replication, CHANCE_SPOT, UINT64_MAX);
    spot_prices(s->market, zone, s->prices, s->n_prices);
    return 0;
}

/* Zones are tied to those of node pools where both name one region. */
static int make_zones(struct eci_fleet *s, struct err *e)
{
    const struct cluster_setup *c = s->set.cluster;
    const struct pool_config *pools = c->config->pools.items;
    const char *region = s->config->region            ? s->config->region
                         : c->config->pools.count > 0 ? pools[0].region
                                                      : "";
    s->traces = c->config->eci_traces;
    for (uint32_t z = 0; z < zones_of(s); z++) {
        struct spot_zone_setup zone = {
            .market = s->market,
            .zone = eci_zone_name(s->config, z),
            .region = region,
            .recorded = s->traces ? &s->traces->stock[z] : NULL,
            .horizon = c->horizon,
            .seed = c->seed,
            .replication = c->replication,
        };
        if (spot_zone_init(&s->zones[z], &zone, e))
            return -1;
    }
    return 0;
}

int eci_spot_init(struct eci_fleet *s, struct err *e)
{
    const struct catalog *catalog = s->set.cluster->catalog;
    if (!s->config->market)
        return 0;
    s->market = catalog_spot(catalog, s->config->market);
    if (!s->market)
        return catalog_missing(catalog, CATALOG_SPOT, s->config->market, "virtualNode.spotMarket",
                               e);
    return make_prices(s, e) || make_zones(s, e) ? -1 : 0;
}

void eci_spot_fini(struct eci_fleet *s)
{
    for (uint32_t z = 0; z < ECI_ZONES_MAX; z++)
        spot_zone_fini(&s->zones[z]);
    free(s->prices);
}

/* ---- prices ---- */

/* Recorded prices of a type in a zone; NULL: none. */
static const struct steps *recorded(const struct eci_fleet *s, const char *type, uint32_t zone)
{
    const struct spot_traces *t = s->traces;
    for (size_t i = 0; t && i < t->types.count; i++) {
        const struct steps *price = &t->prices[zone * t->types.count + i];
        if (strcmp(t->types.items[i], type) == 0 && price->n > 0)
            return price;
    }
    return NULL;
}

struct spot_bid eci_spot_bid(const struct eci_fleet *s, const struct eci_instance *in)
{
    const struct steps *own = recorded(s, in->offer->type, in->zone);
    struct steps process = {s->prices, s->n_prices, NULL, s->market->price_step};
    const struct eci_offer *o = in->offer;
    int64_t list = spot_list_price(s->market, o->spot_micro_per_hour, o->micro_per_hour);
    return (struct spot_bid){own ? *own : process, own ? 0 : list,
                             s->kinds[in->shape].request.limit_micro};
}

/* ---- stock ---- */

static bool is_held(const struct eci_instance *in, uint32_t zone)
{
    return in->spot && in->got && in->reserved > 0 && !in->noticed && in->zone == zone;
}

static int64_t held(const struct eci_fleet *s, uint32_t zone)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < pods_capacity(s->set.pods); i++)
        sum += is_held(&s->instances[i], zone);
    return sum;
}

bool eci_spot_full(const struct eci_fleet *s, const struct eci_instance *in, sim_ns now)
{
    const struct spot_zone *z = &s->zones[in->zone];
    return z->stock.n > 0 && held(s, in->zone) >= spot_zone_stock(z, now);
}

static int64_t limit_of(const struct eci_fleet *s, const struct eci_instance *in)
{
    int64_t limit = s->kinds[in->shape].request.limit_micro;
    return limit > 0 ? limit : INT64_MAX;
}

static bool goes(const struct eci_fleet *s, const struct eci_instance *in, uint32_t zone,
                 sim_ns now)
{
    return in->billed && is_held(in, zone) &&
           in->since + s->kinds[in->shape].request.protection <= now;
}

/* The lowest bid first, ties by the dice. NULL: all that are there are protected. */
static struct eci_instance *next_victim(struct eci_fleet *s, uint32_t zone, sim_ns now)
{
    const struct cluster_setup *c = s->set.cluster;
    struct chance dice = chance_sub(chance_stream(c->seed, c->replication, CHANCE_SPOT, zone), 1);
    struct eci_instance *best = NULL;
    dice = chance_sub(dice, (uint64_t)now);
    for (uint32_t i = 0; i < pods_capacity(s->set.pods); i++) {
        struct eci_instance *in = &s->instances[i];
        if (!goes(s, in, zone, now))
            continue;
        int64_t bid = limit_of(s, in), least = best ? limit_of(s, best) : 0;
        if (!best || bid < least ||
            (bid == least &&
             chance_bits(dice, eci_fleet_key(in)) < chance_bits(dice, eci_fleet_key(best))))
            best = in;
    }
    return best;
}

static void on_check(void *self, sim_ns now, uint64_t zone);

/* What is beyond the zone's stock goes; protected ones once they are no longer. */
static void take(struct eci_fleet *s, sim_ns now, uint32_t zone)
{
    int64_t stock = spot_zone_stock(&s->zones[zone], now), there = held(s, zone);
    struct eci_instance *victim = NULL;
    if (there > stock)
        recorder_log(eci_fleet_recorder(s), now, true, "eci", "short of stock",
                     "zone %s has room for %lld preemptible instances, %lld are there",
                     eci_zone_name(s->config, zone), (long long)stock, (long long)there);
    while (there > stock && (victim = next_victim(s, zone, now)) != NULL) {
        eci_life_notice(s, now, victim);
        there--;
    }
    if (there <= stock || s->stock_checks[zone])
        return;
    s->stock_checks[zone] = true;
    sim_at(eci_fleet_clock(s), now + s->market->check, SIM_FAULT, on_check, s, zone);
}

static void on_check(void *self, sim_ns now, uint64_t zone)
{
    struct eci_fleet *s = self;
    s->stock_checks[zone] = false;
    take(s, now, (uint32_t)zone);
}

static void on_step(void *self, sim_ns now, uint64_t zone);

static void plan_step(struct eci_fleet *s, sim_ns now, uint32_t zone)
{
    const struct steps *stock = &s->zones[zone].stock;
    sim_ns next = stock->n > 0 ? steps_next(stock, now) : SIM_NEVER;
    if (next < s->set.cluster->horizon)
        sim_at(eci_fleet_clock(s), next, SIM_FAULT, on_step, s, zone);
}

static void on_step(void *self, sim_ns now, uint64_t zone)
{
    struct eci_fleet *s = self;
    plan_step(s, now, (uint32_t)zone);
    take(s, now, (uint32_t)zone);
}

void eci_spot_start(struct eci_fleet *s, sim_ns now)
{
    for (uint32_t z = 0; s->market && z < zones_of(s); z++)
        plan_step(s, now, z);
}

/* ---- losses ---- */

sim_ns eci_spot_loss(const struct eci_fleet *s, struct eci_instance *in, sim_ns now)
{
    const struct spot_zone *z = &s->zones[in->zone];
    struct chance own = eci_fleet_chance(s, in, CHANCE_SPOT);
    struct spot_terms terms = {
        .protection = s->kinds[in->shape].request.protection,
        .share = z->stock.n > 0 ? 0 : 1 - s->market->batch_share,
        .chance = own,
        .bid = eci_spot_bid(s, in),
    };
    sim_ns at = spot_loss_at(s->market, &terms, now, s->set.cluster->horizon);
    size_t i =
        batch_taking(&z->batches, s->market, now, now + terms.protection, chance_sub(own, 1));
    if (i >= z->batches.n || z->batches.items[i].at >= at)
        return at;
    in->batch = (uint32_t)i + 1;
    return z->batches.items[i].at;
}

void eci_spot_lost(struct eci_fleet *s, const struct eci_instance *in, sim_ns now)
{
    const struct spot_zone *z = &s->zones[in->zone];
    struct chance c = in->batch > 0 ? batch_chance(&z->batches, in->batch - 1)
                                    : eci_fleet_chance(s, in, CHANCE_SPOT);
    if (z->stock.n > 0)
        return; /* its stock has a course of its own */
    sim_ns out = spot_stock_out(s->market, c);
    if (now + out > s->stock_from[in->zone])
        s->stock_from[in->zone] = now + out;
}
