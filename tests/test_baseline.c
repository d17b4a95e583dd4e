/* test_baseline: what the same work would have cost otherwise, by hand arithmetic. */
#include "models/capacity/baseline.h"
#include "models/capacity/catalog.h"
#include "models/capacity/cluster_config.h"
#include "models/capacity/demand.h"
#include "models/capacity/pod_shape.h"
#include "models/capacity/startup.h"
#include "models/capacity/virtual_node.h"

#include <criterion/criterion.h>
#include <string.h>

#define H SIM_HOUR
#define CNY(x) ((struct money){(int64_t)((x)*1000000), "CNY"})

static struct instance_type machines[] = {
    {.name = "one", .gpu = "V100", .gpus = 1, .vcpu = 8, .memory = INT64_C(32) << 30},
    {.name = "four", .gpu = "V100", .gpus = 4, .vcpu = 32, .memory = INT64_C(128) << 30},
    {.name = "t4", .gpu = "T4", .gpus = 1, .vcpu = 4, .memory = INT64_C(15) << 30},
};
static struct spot_preset market[] = {
    {.name = "m", .price_share = 0.3, .price_low = 0.1, .price_high = 1, .protection = 6 * H}};
static struct catalog_eci_spec specs[] = {
    {.vcpu = 8, .memory = INT64_C(32) << 30, .gpu = "V100", .gpus = 1, .type = "one"},
    {.vcpu = 32, .memory = INT64_C(128) << 30, .gpu = "V100", .gpus = 4, .type = "four"},
    {.vcpu = 4, .memory = INT64_C(15) << 30, .gpu = "T4", .gpus = 1, .type = "t4"},
};
static struct price prices[] = {
    {.type = "one", .billing = PRICE_ON_DEMAND},
    {.type = "four", .billing = PRICE_ON_DEMAND},
    {.type = "one", .billing = PRICE_SUBSCRIPTION},
    {.type = "t4", .billing = PRICE_ON_DEMAND},
};
static struct catalog_part part = {
    .instances = {machines, 3},
    .prices = {prices, 4},
    .spots = {market, 1},
    .eci_specs = {specs, 3},
};
static const struct catalog catalog = {&part, 1};

static const char *types[] = {"one", "four"};
static struct pool_config pool;
static struct cluster_config config = {.pools = {&pool, 1}};
static struct pod_shape shape;
static int64_t busy_ns;

static struct baseline plain(void)
{
    prices[0].per_hour = CNY(26);
    prices[1].per_hour = CNY(100);
    prices[2].per_hour = CNY(13);
    prices[3].per_hour = CNY(12);
    pool = (struct pool_config){.name = "p", .instance_types = {types, 2}, .spot_duration_h = 1};
    shape = (struct pod_shape){.gpus = 1};
    busy_ns = 7 * H;
    return (struct baseline){
        .config = &config,
        .catalog = &catalog,
        .currency = "CNY",
        .shapes = &shape,
        .needed_ns = &busy_ns,
        .n_shapes = 1,
        .n_owners = 1,
        .horizon = 10 * H,
    };
}

Test(baseline, bounds_from_below_by_work_or_by_the_least_size)
{
    struct baseline b = plain();
    /* 7 GPU hours; `four` costs 25 a GPU. */
    cr_assert_eq(baseline_clairvoyant(&b), CNY(7 * 25).micro);
    pool.min_size = 1;
    cr_assert_eq(baseline_clairvoyant(&b), CNY(260).micro, "a node of 26 for ten hours");
    pool.min_size = 0;
    pool.spot_market = "m";
    cr_assert_eq(baseline_clairvoyant(&b), CNY(7 * 6.75).micro, "a tenth cheaper unprotected");
    pool.share = 1;
    pool.spot_duration_h = 1;
    cr_assert_eq(baseline_clairvoyant(&b), CNY(7 * 6.75).micro,
                 "that all are to be on demand, or protected, is a choice");
    market[0].price_step = H;
    cr_assert_eq(baseline_clairvoyant(&b), CNY(7 * 2.25).micro,
                 "a price that moves may fall to 0.1");
    busy_ns = -1;
    cr_assert_eq(baseline_clairvoyant(&b), -1, "nobody said how busy the pods were");
}

/* 25 GPU hours in ten: three GPUs at least, none there from the start. Each boots 100 s, waits 50 s
 * for its GPU, pulls 1000 MB at 100 MB/s, loads for 20 s: 180 s, three times. A lognormal phase may
 * take next to nothing. */
Test(baseline, the_bound_contains_the_starts_that_no_policy_can_avoid)
{
    struct baseline b = plain();
    struct startup_config start = {
        .image = {.size = 1000000000, .bandwidth = 100000000},
        .model = {.time = {.kind = DIST_CONSTANT, .a = 20e9, .mean = 20e9}},
        .warm_up = {.kind = DIST_LOGNORMAL, .a = 20, .b = 1, .mean = 1e9},
    };
    b.startups = &start;
    pool.boot = dist_constant(100e9);
    pool.gpu_ready = dist_uniform(50e9, 90e9);
    busy_ns = 25 * H;
    cr_assert_eq(baseline_clairvoyant(&b), money_for(CNY(25).micro, 25 * H + 3 * 180 * SIM_SECOND));
    pool.initial_size = 2;
    pool.instance_types.count = 1; /* of one GPU: 26 */
    cr_assert_eq(baseline_clairvoyant(&b), money_for(CNY(26).micro, 25 * H + 180 * SIM_SECOND),
                 "two are there");
    start.image.cached = true;
    cr_assert_eq(baseline_clairvoyant(&b), money_for(CNY(26).micro, 25 * H + 170 * SIM_SECOND));
    start.instant = true;
    cr_assert_eq(baseline_clairvoyant(&b), money_for(CNY(26).micro, 25 * H + 150 * SIM_SECOND));
}

/* Ten hours on T4, which takes half as long again: 6.67 on V100. By the GPU hour T4 at 12 is the
 * cheaper of the two for this work (120 against 166.67), at 18 it is not (180). */
static double alone(const void *self, uint32_t owner, const char *gpu)
{
    (void)self;
    (void)owner;
    return strcmp(gpu, "V100") == 0 ? 40e6 : 60e6;
}

Test(baseline, work_is_done_on_the_kind_on_which_it_costs_least)
{
    static const char *both[] = {"four", "t4"};
    struct baseline b = plain();
    struct err e = {0};
    struct demand *held = demand_create(1, &e);
    demand_held(held, 0, "T4", 10 * H);
    pool.instance_types = (struct knob_texts){both, 2};
    b.demand = held;
    b.alone_ns = alone;
    busy_ns = 10 * H;
    cr_assert_eq(baseline_clairvoyant(&b), CNY(120).micro);
    prices[3].per_hour = CNY(18);
    cr_assert_float_eq((double)baseline_clairvoyant(&b), 25e6 * 20 / 3, 4e6);
    demand_destroy(held);
}

/* However little there is to do, a machine that has to be there is paid for as a whole: 26 an hour
 * for one, as `four` is cheaper by the GPU only. Services hold GPUs of their own: by the GPU. */
Test(baseline, the_bound_contains_a_machine_for_as_long_as_one_has_to_be_there)
{
    struct baseline b = plain();
    int64_t present_ns[2] = {9 * H, 0}, busy[2] = {H, H / 2};
    struct pod_shape shapes[2] = {{.gpus = 1}, {.gpus = 1}};
    b.present_ns = present_ns;
    b.needed_ns = busy;
    b.shapes = shapes;
    cr_assert_eq(baseline_clairvoyant(&b), CNY(9 * 26).micro, "not one hour at 25");
    shapes[0].gpus = 2;
    cr_assert_eq(baseline_clairvoyant(&b), CNY(9 * 100).micro, "two GPUs fit on `four` alone");
    shapes[0].gpus = 1;
    b.n_owners = b.n_shapes = 2;
    present_ns[1] = 8 * H;
    cr_assert_eq(baseline_clairvoyant(&b), CNY(17 * 25).micro, "17 GPU hours");
    busy[1] = 12 * H;
    cr_assert_eq(baseline_clairvoyant(&b), CNY(21 * 25).micro, "12 of work, 9 of presence");
    pool.spot_market = "m";
    pool.spot_duration_h = 0;
    cr_assert_eq(baseline_clairvoyant(&b), CNY(21 * 25 * 0.27).micro, "spot, unprotected");
    struct cluster_config there = config;
    there.node_list = "nodes.csv";
    b.config = &there;
    cr_assert_eq(baseline_clairvoyant(&b), -1, "some work may have cost nothing");
}

/* Node 100 s and its GPU 50 s, then 30 s; an instance is paid for from its download on, which an
 * image cache spares it. */
Test(baseline, a_start_is_the_shorter_of_a_node_s_and_an_instance_s)
{
    struct baseline b = plain();
    struct startup_config start = {
        .image = {.size = 1000000000, .bandwidth = 100000000},
        .model = {.time = {.kind = DIST_CONSTANT, .a = 20e9, .mean = 20e9}},
    };
    struct virtual_node_config instances = {.region = NULL};
    struct cluster_config both = config;
    cr_assert_eq(baseline_start(&b, 0), 0, "nobody said how it starts");
    b.startups = &start;
    b.config = &both;
    pool.boot = dist_constant(100e9);
    pool.gpu_ready = dist_uniform(50e9, 90e9);
    cr_assert_eq(baseline_start(&b, 0), 180 * SIM_SECOND);
    both.virtual_node = &instances;
    cr_assert_eq(baseline_start(&b, 0), 30 * SIM_SECOND);
    instances.image_cache = true;
    cr_assert_eq(baseline_start(&b, 0), 20 * SIM_SECOND);
}
