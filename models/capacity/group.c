/* group: one elastic node pool at work. */
#include "models/capacity/group.h"

#include "models/capacity/account.h"
#include "models/capacity/catalog.h"
#include "models/capacity/instance.h"
#include "models/capacity/nodes.h"
#include "models/capacity/spot_trace.h"
#include "sim/chance.h"
#include "sim/digest.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sub-streams of a machine's draws. */
enum { DRAW_BOOT, DRAW_GPU, DRAW_OBJECT };
enum { DRAW_LOSS, DRAW_STOCK, DRAW_PRICE, DRAW_BATCH, DRAW_TIES = 5 };

/* ---- set-up ---- */

static int find_type(struct group *g, const struct group_setup *s, size_t i, struct err *e)
{
    const char *name = s->config->instance_types.items[i];
    char where[160];
    snprintf(where, sizeof where, "nodePools.%s.instanceTypes[%zu]", s->config->name, i);
    const struct instance_type *t = catalog_instance(s->catalog, name);
    if (!t)
        return catalog_missing(s->catalog, CATALOG_INSTANCE, name, where, e);
    if (!t->kubernetes_node)
        return err_set(e, ERR_INPUT, where,
                       "%s has %d vCPU: too small for a node of ACK (4 vCPU, 8 GiB at least)", name,
                       (int)t->vcpu);
    struct catalog_price_key key = {name, s->config->region, s->currency, PRICE_ON_DEMAND};
    const struct price *p = catalog_price(s->catalog, &key);
    if (!p)
        return err_set(e, ERR_INPUT, where,
                       "the catalogue has no on-demand price of %s in %s; add one under `prices` "
                       "in a catalogue file",
                       name, s->currency);
    g->types[i] = (struct group_type){.type = t, .on_demand_micro = p->per_hour.micro};
    key.billing = PRICE_SPOT;
    p = catalog_price(s->catalog, &key);
    g->types[i].spot_micro = p ? p->per_hour.micro : 0;
    return 0;
}

static int find_boot(struct group *g, const struct group_setup *s, struct err *e)
{
    char where[160];
    g->boot = s->config->boot;
    if (g->boot.mean > 0)
        return 0;
    const struct catalog_delivery *d = catalog_find_delivery(s->catalog, s->config->delivery);
    snprintf(where, sizeof where, "nodePools.%s.delivery", s->config->name);
    if (!d)
        return catalog_missing(s->catalog, CATALOG_DELIVERY,
                               s->config->delivery ? s->config->delivery : "", where, e);
    g->boot = d->time;
    return 0;
}

static uint64_t entity_of(const char *a, const char *b)
{
    struct digest d = {0};
    digest_text(&d, a);
    digest_text(&d, b);
    return digest_value(&d);
}

static struct chance stream(const struct group *g, enum chance_purpose purpose, uint64_t number,
                            uint64_t what)
{
    struct chance c = chance_stream(g->seed, g->replication, purpose, g->entity);
    return chance_sub(chance_sub(c, what), number);
}

/* Prices belong to the type and zone, not to the pool that looks at them. */
static void draw_price(struct group *g, size_t zone, size_t type, size_t n)
{
    size_t i = zone * g->n_types + type;
    uint64_t entity = entity_of(g->config->zones.items[zone], g->types[type].type->name);
    struct chance c = chance_stream(g->seed, g->replication, CHANCE_SPOT, entity);
    int64_t *out = &g->prices[i * n];
    spot_prices(g->market, chance_sub(c, DRAW_PRICE), out, n);
    g->bids[i].list_micro =
        spot_list_price(g->market, g->types[type].spot_micro, g->types[type].on_demand_micro);
    g->bids[i].price = (struct steps){.value = out, .n = n, .every = g->market->price_step};
}

static int make_bids(struct group *g, const struct group_setup *s, struct err *e)
{
    const struct pool_config *c = g->config;
    size_t n = spot_price_steps(g->market, s->horizon), pairs = g->n_zones * g->n_types;
    g->prices = calloc(pairs * n, sizeof *g->prices);
    g->bids = calloc(pairs, sizeof *g->bids);
    if (!g->prices || !g->bids)
        return err_set(e, ERR_SYSTEM, NULL, "out of memory for %zu price steps", n);
    for (size_t i = 0; i < pairs; i++) {
        if (s->traces && s->traces->prices[i].n > 0)
            g->bids[i].price = s->traces->prices[i];
        else
            draw_price(g, i / g->n_types, i % g->n_types, n);
        g->bids[i].limit_micro = pool_price_limit(c, g->types[i % g->n_types].type->name);
    }
    return 0;
}

static int make_zones(struct group *g, const struct group_setup *s, struct err *e)
{
    for (size_t z = 0; z < g->n_zones; z++) {
        struct spot_zone_setup zone = {
            .market = g->market,
            .zone = g->config->zones.items[z],
            .region = g->config->region,
            .recorded = s->traces ? &s->traces->stock[z] : NULL,
            .horizon = s->horizon,
            .seed = g->seed,
            .replication = g->replication,
        };
        if (spot_zone_init(&g->zones[z], &zone, e))
            return -1;
    }
    return 0;
}

static int find_market(struct group *g, const struct group_setup *s, struct err *e)
{
    char where[160];
    if (!pool_uses_spot(s->config))
        return 0;
    snprintf(where, sizeof where, "nodePools.%s.spotMarket", s->config->name);
    g->market = catalog_spot(s->catalog, s->config->spot_market);
    if (!g->market)
        return catalog_missing(s->catalog, CATALOG_SPOT, s->config->spot_market, where, e);
    if (s->config->spot_price_limit.currency[0] &&
        strcmp(s->config->spot_price_limit.currency, s->currency) != 0) {
        snprintf(where, sizeof where, "nodePools.%s.spotPriceLimit", s->config->name);
        return err_set(e, ERR_INPUT, where, "the limit is in %s, the run in %s",
                       s->config->spot_price_limit.currency, s->currency);
    }
    return make_bids(g, s, e) || make_zones(g, s, e) ? -1 : 0;
}

int group_init(struct group *g, const struct group_setup *s, struct err *e)
{
    *g = (struct group){
        .config = s->config,
        .account = s->account,
        .index = s->index,
        .seed = s->seed,
        .replication = s->replication,
        .n_types = s->config->instance_types.count,
        .n_zones = s->config->zones.count,
        .entity = entity_of("pool", s->config->name),
    };
    char where[128];
    snprintf(where, sizeof where, "nodePools.%s", s->config->name);
    if (g->n_types > GROUP_TYPES_MAX || g->n_zones > GROUP_ZONES_MAX)
        return err_set(e, ERR_INPUT, where, "%zu instance types in %zu zones; at most %d and %d",
                       g->n_types, g->n_zones, GROUP_TYPES_MAX, GROUP_ZONES_MAX);
    for (size_t i = 0; i < g->n_types; i++)
        if (find_type(g, s, i, e))
            return -1;
    g->held = calloc(2 * g->n_zones * g->n_types + 1, sizeof *g->held);
    if (!g->held)
        return err_set(e, ERR_SYSTEM, where, "out of memory for %zu instance types", g->n_types);
    return find_boot(g, s, e) || find_market(g, s, e) ? -1 : 0;
}

void group_fini(struct group *g)
{
    free(g->prices);
    free(g->bids);
    for (size_t z = 0; z < g->n_zones; z++)
        spot_zone_fini(&g->zones[z]);
    free(g->held);
    g->prices = NULL;
    g->bids = NULL;
    g->held = NULL;
}

/* ---- prices ---- */

const struct spot_bid *group_bid(const struct group *g, uint32_t type, uint32_t zone)
{
    assert(type < g->n_types && zone < g->n_zones);
    return &g->bids[zone * g->n_types + type];
}

sim_ns group_notice(const struct group *g)
{
    assert(g->market);
    return g->config->notice > 0 ? g->config->notice : g->market->notice;
}

sim_ns group_protection(const struct group *g)
{
    assert(g->market);
    sim_ns wanted = g->config->spot_duration_h * SIM_HOUR;
    return wanted < g->market->protection ? wanted : g->market->protection;
}

int64_t group_spot_price(const struct group *g, uint32_t type, uint32_t zone, sim_ns at)
{
    assert(g->market && type < g->n_types && zone < g->n_zones);
    int64_t price = spot_price_at(group_bid(g, type, zone), at);
    return spot_unprotected_price(g->market, g->config->spot_duration_h, price);
}

int64_t group_node_price(const struct group *g, const struct node *n, sim_ns at)
{
    if (n->billing != PRICE_SPOT)
        return n->micro_per_hour;
    sim_ns priced = at < n->bought + group_protection(g) ? n->bought : at;
    int64_t price = spot_price_paid(group_bid(g, n->type_index, n->zone), priced);
    return spot_unprotected_price(g->market, g->config->spot_duration_h, price);
}

sim_ns group_price_step(const struct group *g, const struct node *n, sim_ns now)
{
    const struct steps *price = &group_bid(g, n->type_index, n->zone)->price;
    sim_ns protected = n->bought + group_protection(g);
    return price->n > 1 && now < protected ? protected : steps_next(price, now);
}

/* ---- counts ---- */

/* Of the nodes that are there, before any rounding. */
static double asked_nodes(const struct group *g)
{
    int32_t base = g->config->base < g->there ? g->config->base : g->there;
    return base + g->config->share * (g->there - base);
}

static void age(struct group *g, sim_ns now)
{
    g->there_ns += g->there * (now - g->counted_at);
    g->on_demand_ns += g->on_demand * (now - g->counted_at);
    g->asked_ns += asked_nodes(g) * (double)(now - g->counted_at);
    g->counted_at = now;
}

static void count(struct group *g, const struct node *n, int by)
{
    bool spot = n->billing == PRICE_SPOT;
    g->there += by;
    g->zone_nodes[n->zone] += by;
    g->held[(n->zone * g->n_types + n->type_index) * 2 + spot] += by;
    if (g->account)
        account_change(g->account, spot, by * (int64_t)n->type->vcpu);
    if (spot) {
        g->types[n->type_index].spot_nodes += by;
        g->zone_spot[n->zone] += by;
    } else {
        g->on_demand += by;
    }
    assert(g->there >= g->on_demand && g->on_demand >= 0);
}

bool group_has_surplus(const struct group *g)
{
    struct pool_now now = {g->on_demand, g->there};
    return g->on_demand > pool_on_demand_target(g->config, now, g->there);
}

void group_add(struct group *g, sim_ns now, const struct node *n)
{
    g->changed_at = now;
    age(g, now);
    count(g, n, 1);
}

void group_remove(struct group *g, sim_ns now, const struct node *n)
{
    g->changed_at = now;
    age(g, now);
    count(g, n, -1);
}

double group_on_demand_share(struct group *g, sim_ns now)
{
    age(g, now);
    return g->there_ns > 0 ? (double)g->on_demand_ns / (double)g->there_ns : -1;
}

double group_asked_share(struct group *g, sim_ns now)
{
    age(g, now);
    return g->there_ns > 0 ? g->asked_ns / (double)g->there_ns : -1;
}

/* ---- chance ---- */

int64_t group_stock(const struct group *g, uint32_t zone, sim_ns now)
{
    assert(zone < g->n_zones);
    return spot_zone_stock(&g->zones[zone], now);
}

struct chance group_ties(const struct group *g, uint32_t zone, sim_ns now)
{
    return stream(g, CHANCE_SPOT, (uint64_t)now * GROUP_ZONES_MAX + zone, DRAW_TIES);
}

struct group_end group_loss(const struct group *g, const struct node *n, sim_ns until)
{
    assert(n->billing == PRICE_SPOT && g->market);
    const struct batch_list *batches = &g->zones[n->zone].batches;
    struct chance own = stream(g, CHANCE_SPOT, n->number, DRAW_LOSS);
    struct spot_terms terms = {
        .protection = group_protection(g),
        .share = g->zones[n->zone].stock.n > 0 ? 0 : 1 - g->market->batch_share,
        .chance = own,
        .bid = *group_bid(g, n->type_index, n->zone),
    };
    struct group_end end = {spot_loss_at(g->market, &terms, n->bought, until), 0};
    size_t i = batch_taking(batches, g->market, n->bought, n->bought + terms.protection,
                            chance_sub(own, DRAW_BATCH));
    if (i < batches->n && batches->items[i].at < end.at)
        end = (struct group_end){batches->items[i].at, (uint32_t)i + 1};
    return end;
}

sim_ns group_stock_after_loss(struct group *g, const struct node *n, sim_ns now)
{
    struct chance c = n->batch > 0 ? batch_chance(&g->zones[n->zone].batches, n->batch - 1)
                                   : stream(g, CHANCE_SPOT, n->number, DRAW_STOCK);
    if (g->zones[n->zone].stock.n > 0)
        return 0; /* its stock has a course of its own */
    sim_ns out = spot_stock_out(g->market, c);
    if (now + out > g->stock_from[n->zone])
        g->stock_from[n->zone] = now + out;
    return out;
}

static sim_ns duration(const struct group *g, const struct dist *d, uint32_t number, uint64_t what)
{
    return dist_draw_ns(d, stream(g, CHANCE_STARTUP, number, what), 0);
}

sim_ns group_boot_time(const struct group *g, uint32_t number)
{
    return duration(g, &g->boot, number, DRAW_BOOT);
}

sim_ns group_gpu_time(const struct group *g, uint32_t number)
{
    return duration(g, &g->config->gpu_ready, number, DRAW_GPU);
}

sim_ns group_object_gone_time(const struct group *g, uint32_t number)
{
    return duration(g, &g->config->object_gone, number, DRAW_OBJECT);
}
