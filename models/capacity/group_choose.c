/* group_choose: types and zones in the order of the pool's policy, the first that can be had. */
#include "models/capacity/group_choose.h"

#include "models/capacity/account.h"
#include "models/capacity/group.h"
#include "models/capacity/instance.h"
#include "models/capacity/quota.h"

#include <stdio.h>

/* The wish, and what is tried for it. */
struct search {
    const struct group *g;
    sim_ns now;
    enum price_billing billing;
    const char *why_not; /* of the last thing that was tried */
};

/* Machines of the group that count against a limit. */
static int64_t held_against(const void *self, const struct quota *l)
{
    const struct group *g = self;
    int64_t sum = 0;
    for (size_t i = 0; i < 2 * g->n_zones * g->n_types; i++) {
        struct quota_machine m = {g->types[i / 2 % g->n_types].type->name,
                                  g->config->zones.items[i / 2 / g->n_types], i % 2 == 1};
        sum += quota_counts(l, &m) ? g->held[i] : 0;
    }
    return sum;
}

static bool available(struct search *s, uint32_t type, uint32_t zone)
{
    const struct group *g = s->g;
    const struct pool_config *c = g->config;
    int32_t vcpu = g->types[type].type->vcpu;
    s->why_not = "the zone is down";
    if (s->now < g->zone_from[zone])
        return false;
    bool spot = s->billing != PRICE_ON_DEMAND;
    s->why_not = spot ? "the spot vCPU quota is used up" : "the on-demand vCPU quota is used up";
    if (g->account && !account_allows(g->account, spot, vcpu))
        return false;
    struct quota_machine m = {g->types[type].type->name, c->zones.items[zone], spot};
    const struct quota *met = quota_met(&c->stock_limits, &m, s->now, held_against, g);
    s->why_not = met && met->most > 0 ? "the quota of the type in the zone is used up"
                 : spot               ? "spot is out of stock"
                                      : "on demand is out of stock";
    if (met || !spot)
        return !met;
    s->why_not = "spot is out of stock";
    if (s->now < g->stock_from[zone] || g->zone_spot[zone] >= group_stock(g, zone, s->now))
        return false;
    s->why_not = "spot costs more than spotPriceLimit";
    return !spot_too_dear(group_bid(g, type, zone), s->now);
}

static int64_t price_of(const struct search *s, uint32_t type, uint32_t zone)
{
    return s->billing == PRICE_SPOT ? group_spot_price(s->g, type, zone, s->now)
                                    : s->g->types[type].on_demand_micro;
}

/* Cheapest zone of a type: the plan's price. */
static int64_t plan_price(const struct search *s, uint32_t type)
{
    int64_t best = price_of(s, type, 0);
    for (uint32_t z = 1; z < s->g->n_zones; z++) {
        int64_t p = price_of(s, type, z);
        best = p < best ? p : best;
    }
    return best;
}

/* Among the first n plans the one with the fewest spot nodes goes first, and so on. */
static void spread(const struct group *g, struct pool_plan *plans, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        struct pool_plan p = plans[i];
        size_t j = i;
        for (; j > 0 && g->types[p.type].spot_nodes < g->types[plans[j - 1].type].spot_nodes; j--)
            plans[j] = plans[j - 1];
        plans[j] = p;
    }
}

static size_t order_plans(const struct search *s, struct pool_plan *plans)
{
    const struct group *g = s->g;
    for (uint32_t t = 0; t < g->n_types; t++)
        plans[t] = (struct pool_plan){t, s->billing, plan_price(s, t), g->types[t].type->vcpu};
    pool_sort_plans(plans, g->n_types);
    size_t pools = (size_t)g->config->spot_pools;
    if (s->billing == PRICE_SPOT)
        spread(g, plans, pools < g->n_types ? pools : g->n_types);
    return g->n_types;
}

static void order_zones(const struct group *g, uint32_t *zones)
{
    for (uint32_t z = 0; z < g->n_zones; z++) {
        uint32_t j = z;
        for (; g->config->policy == POOL_BALANCE && j > 0 &&
               g->zone_nodes[z] < g->zone_nodes[zones[j - 1]];
             j--)
            zones[j] = zones[j - 1];
        zones[j] = z;
    }
}

/* Each plan in every zone before the next plan. */
static bool search_by_cost(struct search *s, struct group_choice *out)
{
    struct pool_plan plans[GROUP_TYPES_MAX];
    size_t n = order_plans(s, plans);
    for (size_t i = 0; i < n; i++)
        for (uint32_t z = 0; z < s->g->n_zones; z++)
            if (available(s, plans[i].type, z)) {
                out->type = plans[i].type;
                out->zone = z;
                return true;
            }
    return false;
}

/* Each zone with every type before the next zone. */
static bool search_by_zone(struct search *s, struct group_choice *out)
{
    uint32_t zones[GROUP_ZONES_MAX];
    order_zones(s->g, zones);
    for (size_t i = 0; i < s->g->n_zones; i++)
        for (uint32_t t = 0; t < s->g->n_types; t++)
            if (available(s, t, zones[i])) {
                out->type = t;
                out->zone = zones[i];
                return true;
            }
    return false;
}

static bool search(struct search *s, struct group_choice *out)
{
    bool found = s->g->config->policy == POOL_COST_OPTIMIZED ? search_by_cost(s, out)
                                                             : search_by_zone(s, out);
    out->billing = s->billing;
    if (found)
        out->micro_per_hour = price_of(s, out->type, out->zone);
    return found;
}

static void say_split(const struct group *g, struct group_choice *out)
{
    const struct pool_config *c = g->config;
    struct pool_now now = {g->on_demand, g->there};
    if (!pool_uses_spot(c)) {
        snprintf(out->reason, sizeof out->reason, "the pool buys on demand only");
        return;
    }
    snprintf(out->reason, sizeof out->reason,
             "%s: %d of %d nodes are on demand; base %d and %.4g %% above it (%s) ask for %d of %d",
             price_billing_name(out->billing), (int)g->on_demand, (int)g->there, (int)c->base,
             c->share * 100, pool_rounding_name(c->rounding),
             (int)pool_on_demand_target(c, now, g->there + 1), (int)g->there + 1);
}

static bool choose_instead(const struct group *g, struct search *s, struct group_choice *out)
{
    const char *why = s->why_not;
    if (!g->config->compensate) {
        snprintf(out->reason, sizeof out->reason, "%s, and compensateWithOnDemand is off", why);
        return false;
    }
    s->billing = PRICE_ON_DEMAND;
    if (!search(s, out)) {
        snprintf(out->reason, sizeof out->reason, "%s, and %s", why, s->why_not);
        return false;
    }
    int64_t spot = group_spot_price(g, out->type, out->zone, s->now);
    out->compensating = true;
    out->premium_micro_per_hour = spot < out->micro_per_hour ? out->micro_per_hour - spot : 0;
    snprintf(out->reason, sizeof out->reason, "onDemand in place of spot: %s", why);
    return true;
}

/* All plans by price per vCPU, spot and on demand, each in every zone before the next. */
static bool choose_cheapest(const struct group *g, sim_ns now, struct group_choice *out)
{
    struct pool_plan plans[2 * GROUP_TYPES_MAX];
    struct search s = {.g = g, .now = now};
    size_t n = 0;
    for (int spot = 0; spot <= pool_uses_spot(g->config); spot++) {
        s.billing = spot ? PRICE_SPOT : PRICE_ON_DEMAND;
        for (uint32_t t = 0; t < g->n_types; t++)
            plans[n++] =
                (struct pool_plan){t, s.billing, plan_price(&s, t), g->types[t].type->vcpu};
    }
    pool_sort_plans(plans, n);
    for (size_t i = 0; i < n * g->n_zones; i++) {
        const struct pool_plan *plan = &plans[i / g->n_zones];
        uint32_t zone = (uint32_t)(i % g->n_zones);
        s.billing = plan->billing;
        if (!available(&s, plan->type, zone))
            continue;
        *out = (struct group_choice){.type = plan->type, .zone = zone, .billing = plan->billing};
        out->micro_per_hour = price_of(&s, plan->type, zone);
        snprintf(out->reason, sizeof out->reason, "%s: the cheapest plan with stock, %.6g a vCPU",
                 price_billing_name(plan->billing),
                 (double)plan->micro_per_hour / 1e6 / plan->vcpu);
        return true;
    }
    snprintf(out->reason, sizeof out->reason, "%s", s.why_not);
    return false;
}

bool group_choose(const struct group *g, sim_ns now, struct group_choice *out)
{
    *out = (struct group_choice){0};
    if (g->config->lowest_cost)
        return choose_cheapest(g, now, out);
    struct pool_now there = {g->on_demand, g->there};
    struct search s = {.g = g, .now = now};
    s.billing = pool_next_on_demand(g->config, there) ? PRICE_ON_DEMAND : PRICE_SPOT;
    if (search(&s, out)) {
        say_split(g, out);
        return true;
    }
    if (s.billing == PRICE_SPOT)
        return choose_instead(g, &s, out);
    snprintf(out->reason, sizeof out->reason, "%s", s.why_not);
    return false;
}

bool group_choose_spot(const struct group *g, sim_ns now, struct group_choice *out)
{
    *out = (struct group_choice){0};
    struct search s = {.g = g, .now = now, .billing = PRICE_SPOT};
    if (!pool_uses_spot(g->config) || !search(&s, out))
        return false;
    snprintf(out->reason, sizeof out->reason,
             "spot can be had again: it replaces an on-demand node (spotAutoReplaceOnDemand)");
    return true;
}

void group_choose_template(const struct group *g, sim_ns now, struct group_choice *out)
{
    if (group_choose(g, now, out))
        return;
    struct search s = {.g = g, .now = now, .billing = PRICE_ON_DEMAND};
    struct pool_plan plans[GROUP_TYPES_MAX];
    order_plans(&s, plans);
    *out = (struct group_choice){
        .type = g->config->policy == POOL_COST_OPTIMIZED ? plans[0].type : 0,
        .billing = PRICE_ON_DEMAND,
    };
    out->micro_per_hour = g->types[out->type].on_demand_micro;
}

bool group_choose_dear(const struct group *g, char *words, size_t size)
{
    if (g->config->policy != POOL_COST_OPTIMIZED)
        return false;
    struct search s = {.g = g, .billing = PRICE_ON_DEMAND};
    struct pool_plan plans[GROUP_TYPES_MAX];
    size_t n = order_plans(&s, plans), cheapest = 0;
    for (size_t i = 1; i < n; i++)
        if (plans[i].micro_per_hour < plans[cheapest].micro_per_hour)
            cheapest = i;
    const struct instance_type *first = g->types[plans[0].type].type;
    const struct instance_type *least = g->types[plans[cheapest].type].type;
    if (plans[0].micro_per_hour == plans[cheapest].micro_per_hour || first->gpus == 0 ||
        least->gpus == 0)
        return false;
    snprintf(
        words, size,
        "pool %s buys %s first since COST_OPTIMIZED looks at the price of a vCPU; for a single "
        "pod it pays %.4g an hour, where %s has a GPU for %.4g",
        g->config->name, first->name, (double)plans[0].micro_per_hour / 1e6, least->name,
        (double)plans[cheapest].micro_per_hour / 1e6);
    return true;
}
