/* test_spot_trace: recorded prices and stock on the simulated clock, alone and in whole runs. */
#include "models/capacity/catalog.h"
#include "models/capacity/pool.h"
#include "models/capacity/spot_trace.h"
#include "sim/arena.h"
#include "tests/fixture_scenario.h"
#include "tests/temp_file.h"

#include <criterion/criterion.h>
#include <math.h>

static const char *types[] = {"ecs.v100", "ecs.t4"}, *zones[] = {"h", "i"};
static struct price list[] = {
    {.type = "ecs.v100", .billing = PRICE_ON_DEMAND, .per_hour = {26000000, "CNY"}},
    {.type = "ecs.t4", .billing = PRICE_ON_DEMAND, .per_hour = {13000000, "CNY"}},
};
static const struct catalog_part part = {.prices = {list, 2}};
static const struct catalog catalog = {&part, 1};

/* A pool of two types in two zones over three hours from 2024-03-01 00:00 UTC. */
struct given {
    struct arena *arena;
    struct spot_trace_config config;
    struct pool_config pool;
    struct spot_trace_frame frame;
    struct temp_file file;
    struct err e;
};

static struct given *give(const char *text)
{
    static struct given g;
    g = (struct given){.arena = arena_create(NULL), .file = temp_text(text)};
    g.config = (struct spot_trace_config){.after = SPOT_TRACE_HOLD, .scale = 1};
    g.config.file = g.file.path;
    g.pool = (struct pool_config){.name = "p", .zones = {zones, 2}, .instance_types = {types, 2}};
    g.frame = (struct spot_trace_frame){"", &catalog, "CNY", 3 * SIM_HOUR, 1709251200, NULL};
    return &g;
}

static const struct spot_traces *load_prices(struct given *g)
{
    g->pool.price_traces = (struct knob_list){&g->config, 1};
    char path[80];
    struct spot_trace_buyer pool = spot_trace_pool(&g->pool, path, sizeof path);
    return spot_trace_load(g->arena, &pool, &g->frame, &g->e);
}

static const struct spot_traces *load_stock(struct given *g)
{
    g->pool.stock_traces = (struct knob_list){&g->config, 1};
    char path[80];
    struct spot_trace_buyer pool = spot_trace_pool(&g->pool, path, sizeof path);
    return spot_trace_load(g->arena, &pool, &g->frame, &g->e);
}

static void leave(struct given *g)
{
    temp_drop(&g->file);
    arena_destroy(g->arena);
}

Test(spot_trace, gives_each_type_and_zone_its_own_prices)
{
    struct given *g = give("time,price_cny,zone,type\n0,8,h,ecs.v100\n3600,9,h,ecs.v100\n"
                           "0,7,i,ecs.v100\n0,3,h,ecs.t4\n");
    const struct spot_traces *t = load_prices(g);
    cr_assert(t, "%s: %s", g->e.where, g->e.msg);
    cr_assert_eq(steps_at(&t->prices[0], 0), 8000000);
    cr_assert_eq(steps_at(&t->prices[0], SIM_HOUR - 1), 8000000);
    cr_assert_eq(steps_at(&t->prices[0], SIM_HOUR), 9000000);
    cr_assert_eq(steps_at(&t->prices[0], 2 * SIM_HOUR), 9000000);
    cr_assert_eq(steps_next(&t->prices[0], 0), SIM_HOUR);
    cr_assert_eq(steps_next(&t->prices[0], SIM_HOUR), SIM_NEVER);
    cr_assert_eq(steps_at(&t->prices[1], 0), 3000000);
    cr_assert_eq(steps_at(&t->prices[2], 0), 7000000);
    cr_assert_eq(t->prices[3].n, 0, "the file says nothing of a T4 in i");
    leave(g);
}

Test(spot_trace, turns_prices_of_another_machine_into_shares_of_list)
{
    struct given *g = give("time,price_usd,zone,type\n0,0.918,us-east-1a,p3.2xlarge\n");
    g->config.type = "ecs.v100";
    g->config.trace_type = "p3.2xlarge";
    g->config.trace_zone = "us-east-1a";
    cr_assert_null(load_prices(g));
    cr_assert_str_eq(g->e.where, "nodePools.p.spotPriceTraces[0].onDemand");
    cr_assert(strstr(g->e.msg, "in USD, the run in CNY"), "%s", g->e.msg);
    g->config.on_demand = (struct money){3060000, "USD"};
    const struct spot_traces *t = load_prices(g);
    cr_assert(t);
    cr_assert_eq(steps_at(&t->prices[0], 0), 7800000, "30 %% of 26");
    cr_assert_eq(steps_at(&t->prices[2], 0), 7800000, "in every zone");
    cr_assert_eq(t->prices[1].n, 0);
    leave(g);
}

/* Without the list price of the traced machine a rate turns money into money: 0.918 USD at 7.2 CNY
 * are 6.6096 CNY. The list price goes before the rate. */
Test(spot_trace, turns_prices_by_the_exchange_rate)
{
    struct knob_pair pairs[] = {{"EUR", "8"}, {"USD", "7.2"}};
    const struct knob_map rates = {pairs, 2};
    struct given *g = give("time,price_usd\n0,0.918\n");
    g->config.type = "ecs.v100";
    g->config.zone = "h";
    g->frame.rates = &rates;
    const struct spot_traces *t = load_prices(g);
    cr_assert(t, "%s: %s", g->e.where, g->e.msg);
    cr_assert_eq(steps_at(&t->prices[0], 0), 6609600);
    g->config.on_demand = (struct money){3060000, "USD"};
    t = load_prices(g);
    cr_assert(t, "%s: %s", g->e.where, g->e.msg);
    cr_assert_eq(steps_at(&t->prices[0], 0), 7800000, "30 %% of 26");
    pairs[1].key = "JPY";
    g->config.on_demand = (struct money){0};
    cr_assert_null(load_prices(g));
    cr_assert(strstr(g->e.msg, "exchangeRates.USD"), "%s", g->e.msg);
    leave(g);
}

Test(spot_trace, begins_repeats_and_ends_as_it_is_told)
{
    static const char text[] = "time,price_cny\n0,1\n1800,2\n3600,3\n5400,4\n";
    static const struct {
        int after;
        sim_ns start;
        int64_t at[7]; /* each half hour */
    } rows[] = {
        {SPOT_TRACE_HOLD, 0, {1, 2, 3, 4, 4, 4, 4}},
        {SPOT_TRACE_HOLD, SIM_HOUR, {3, 4, 4, 4, 4, 4, 4}},
        {SPOT_TRACE_LOOP, 0, {1, 2, 3, 1, 2, 3, 3}},
        {SPOT_TRACE_LOOP, SIM_HOUR, {3, 1, 2, 3, 1, 2, 2}},
        {SPOT_TRACE_LOOP, 10 * SIM_HOUR, {3, 1, 2, 3, 1, 2, 2}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct given *g = give(text);
        g->config.after = rows[i].after;
        g->config.start = rows[i].start;
        const struct spot_traces *t = load_prices(g);
        cr_assert(t, "%s: %s", g->e.where, g->e.msg);
        for (int64_t k = 0; k < 6; k++)
            cr_assert_eq(steps_at(&t->prices[0], k * 30 * SIM_MINUTE), rows[i].at[k] * 1000000,
                         "row %zu, half hour %d: %lld", i, (int)k,
                         (long long)steps_at(&t->prices[0], k * 30 * SIM_MINUTE));
        leave(g);
    }
}

Test(spot_trace, finds_its_place_by_date)
{
    struct given *g = give("time,price_cny\n2024-02-29T23:00:00Z,1\n2024-03-01T01:00:00Z,2\n");
    g->config.align = SPOT_TRACE_CLOCK;
    const struct spot_traces *t = load_prices(g);
    cr_assert(t);
    cr_assert_eq(steps_at(&t->prices[0], 0), 1000000);
    cr_assert_eq(steps_next(&t->prices[0], 0), SIM_HOUR);
    g->frame.epoch_s -= 7200;
    cr_assert_null(load_prices(g));
    cr_assert(strstr(g->e.msg, "says nothing of the run's first 1h"), "%s", g->e.msg);
    leave(g);
}

/* At the largest count the probe wanted no more. */
Test(spot_trace, limits_a_zone_to_the_machines_that_could_be_had)
{
    struct given *g = give("{\"metadata\": {\"gap_seconds\": 3600}, \"data\": [4, 3, 0]}");
    g->config.zone = "i";
    g->config.scale = 2.5;
    const struct spot_traces *t = load_stock(g);
    cr_assert(t, "%s: %s", g->e.where, g->e.msg);
    cr_assert_eq(t->stock[0].n, 0);
    cr_assert_eq(steps_at(&t->stock[1], 0), INT64_MAX);
    cr_assert_eq(steps_at(&t->stock[1], SIM_HOUR), 7);
    cr_assert_eq(steps_at(&t->stock[1], 2 * SIM_HOUR), 0);
    leave(g);
}

/* A pool's types are not those of the file: of several it is told which. */
Test(spot_trace, takes_the_stock_of_the_machine_that_was_traced)
{
    struct given *g = give("time,available,zone,type\n0,4,h,p3\n3600,1,h,p3\n0,2,i,p3\n0,5,i,g4\n");
    cr_assert_null(load_stock(g), "two machines in i");
    cr_assert(strstr(g->e.msg, "or several"), "%s", g->e.msg);
    g->config.zone = "h";
    const struct spot_traces *t = load_stock(g);
    cr_assert(t, "%s: %s", g->e.where, g->e.msg);
    cr_assert_eq(steps_at(&t->stock[0], 2 * SIM_HOUR), 1);
    cr_assert_eq(t->stock[1].n, 0);
    g->config.trace_type = "g4";
    g->config.zone = "i";
    t = load_stock(g);
    cr_assert(t && t->stock[0].n == 0 && t->stock[1].n == 1);
    leave(g);
}

Test(spot_trace, refuses_what_does_not_fit)
{
    static const char prices[] = "time,price_cny,zone,type\n0,8,a,b\n";
    static const char stock[] = "{\"metadata\": {\"gap_seconds\": 60}, \"data\": [1, 0]}";
    static const struct {
        bool stock;
        const char *text;
        struct spot_trace_config config;
        const char *where, *message;
    } rows[] = {
        {false, prices, {0}, "spotPriceTraces[0]", "has no series, or several"},
        {false,
         prices,
         {.type = "ecs.v10"},
         "spotPriceTraces[0].instanceType",
         "did you mean 'ecs.v100'"},
        {false, prices, {.zone = "k"}, "spotPriceTraces[0].zone", "none of the pool's"},
        {false, stock, {0}, "spotPriceTraces[0].file", "is a trace of availability (ticks)"},
        {true, prices, {0}, "spotAvailabilityTraces[0].file", "is a trace of price (priceCsv)"},
        {true, stock, {0}, "spotAvailabilityTraces[0].after", "has 2m from there on"},
        {true, stock, {.align = SPOT_TRACE_CLOCK}, "spotAvailabilityTraces[0].align", "date"},
        {false, "time,price\n0,1\n", {0}, "spotPriceTraces[0].currency", "which currency"},
        {false, "time,price\n0,1\n", {.currency = "USD"}, "spotPriceTraces[0].onDemand", "3.06"},
        {false,
         "time,price_cny\n0,1\n",
         {.on_demand = {1, "USD"}},
         "spotPriceTraces[0].onDemand",
         "in CNY"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct given *g = give(rows[i].text);
        char where[128];
        g->config = rows[i].config;
        g->config.file = g->file.path;
        g->config.after = rows[i].stock ? SPOT_TRACE_WHOLE : SPOT_TRACE_HOLD;
        cr_assert_null(rows[i].stock ? load_stock(g) : load_prices(g), "%zu", i);
        snprintf(where, sizeof where, "nodePools.p.%s", rows[i].where);
        cr_assert_str_eq(g->e.where, where, "%zu: %s", i, g->e.msg);
        cr_assert(strstr(g->e.msg, rows[i].message), "%zu: %s", i, g->e.msg);
        leave(g);
    }
}

/* The worked example of the ECS documentation (2021-07-19), as a whole run on a recorded price:
 * bought 08:00 at 1.5 with a bid of 2; 2.5 at 08:30 changes nothing, for the first hour is
 * protected in price and in life; 1.8 at 09:00, 1.6 at 09:30; 3 at 10:00 ends it. Charged so far:
 * 0.75, 1.5, 2.4, 3.2. */
Test(spot_trace, bills_the_ecs_example_over_a_whole_run)
{
    static const struct {
        const char *horizon;
        double charged;
    } rows[] = {
        {"horizon=30m", 0.75}, {"horizon=1h", 1.5}, {"horizon=90m", 2.4}, {"horizon=2h", 3.2}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture_scenario p = PLAY("ecs-spot-billing", rows[i].horizon);
        cr_assert_float_eq(fixture_value(&p, "cost.total"), rows[i].charged, 1e-9, "%s: %g",
                           rows[i].horizon, fixture_value(&p, "cost.total"));
        cr_assert_null(fixture_line(&p, "cheap-0", "spot notice", NULL, 0));
        fixture_stop(&p);
    }
    struct fixture_scenario p = PLAY("ecs-spot-billing", "seed=1");
    const struct result_entry *notice = fixture_line(&p, "cheap-0", "spot notice", NULL, 0);
    const struct result_entry *lost = fixture_line(&p, "cheap-0", "lost", NULL, 0);
    cr_assert(notice && notice->at == 2 * SIM_HOUR, "released at 10:00");
    cr_assert(lost && lost->at == 2 * SIM_HOUR + 300 * SIM_SECOND);
    /* Nobody pays more than the bid: five minutes of notice at 2 an hour. */
    cr_assert_float_eq(fixture_value(&p, "cost.total"), 3.2 + 2.0 / 12, 1e-6);
    fixture_stop(&p);
}

/* Without a limit the machine stays, and pays what the market asks. */
Test(spot_trace, pays_any_price_as_it_goes)
{
    struct fixture_scenario p =
        PLAY("ecs-spot-billing", "nodePools.cheap.spotStrategy=SpotAsPriceGo",
             "nodePools.cheap.spotPriceLimit=null");
    cr_assert_null(fixture_line(&p, "cheap-0", "spot notice", NULL, 0));
    cr_assert_float_eq(fixture_value(&p, "cost.total"), 3.2 + 3, 1e-9);
    fixture_stop(&p);
}

/* Unprotected it is a tenth cheaper, follows the market from the start, and goes at the first
 * check above the bid, at 08:30 (then five minutes at the bid). */
Test(spot_trace, lets_an_unprotected_machine_go_at_the_first_price_above_its_bid)
{
    struct fixture_scenario p =
        PLAY("ecs-spot-billing", "nodePools.cheap.spotDuration=0", "horizon=50m");
    const struct result_entry *notice = fixture_line(&p, "cheap-0", "spot notice", NULL, 0);
    cr_assert(notice && notice->at == 30 * SIM_MINUTE);
    cr_assert_float_eq(fixture_value(&p, "cost.total"), (0.75 + 2.0 / 12) * 0.9, 1e-6);
    fixture_stop(&p);
}
