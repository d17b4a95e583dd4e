/* test_group: which machine a scaling group buys next: plans, zones, shares, stock and quotas. */
#include "models/capacity/group.h"
#include "models/capacity/group_choose.h"

#include "models/capacity/account.h"
#include "models/capacity/catalog.h"
#include "models/capacity/nodes.h"
#include "models/capacity/quota.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define WORDS 256

/* The example of the ESS documentation: 8 vCPU at 1.393 an hour and spot at 0.158, 4 vCPU at 0.697
 * and spot at 0.088. A vCPU costs 0.01975 < 0.022 < 0.174125 < 0.17425. */
static struct instance_type types[] = {
    {.name = "ecs.sn1.large", .vcpu = 4, .memory = INT64_C(8) << 30, .kubernetes_node = true},
    {.name = "ecs.sn1.xlarge", .vcpu = 8, .memory = INT64_C(16) << 30, .kubernetes_node = true},
};
static struct price prices[] = {
    {.type = "ecs.sn1.large", .per_hour = {697000, "CNY"}, .billing = PRICE_ON_DEMAND},
    {.type = "ecs.sn1.xlarge", .per_hour = {1393000, "CNY"}, .billing = PRICE_ON_DEMAND},
};
static struct spot_hazard never = {0, 0};
static struct spot_preset market = {.name = "example",
                                    .hazards = {&never, 1},
                                    .check = 5 * SIM_MINUTE,
                                    .price_share = 0.2,
                                    .price_low = 0.1,
                                    .price_high = 1,
                                    .protection = SIM_HOUR};
static struct catalog_part part = {
    .instances = {types, 2}, .prices = {prices, 2}, .spots = {&market, 1}};
static const struct catalog catalog = {&part, 1};
static const char *zone_names[] = {"h", "i"};
static const char *type_names[] = {"ecs.sn1.large", "ecs.sn1.xlarge"};

static struct pool_config config(int policy)
{
    return (struct pool_config){
        .name = "elastic",
        .region = "cn-hangzhou",
        .zones = {zone_names, 2},
        .instance_types = {type_names, 2},
        .max_size = 20,
        .policy = policy,
        .compensate = true,
        .spot_pools = 1,
        .spot_market = "example",
        .spot_duration_h = 1,
        .boot = {.kind = DIST_CONSTANT, .a = 60e9, .b = 0, .mean = 60e9},
    };
}

static void make(struct group *g, const struct pool_config *c, struct account *account)
{
    struct err e = {0};
    struct group_setup s = {.config = c,
                            .account = account,
                            .catalog = &catalog,
                            .currency = "CNY",
                            .horizon = SIM_HOUR};
    cr_assert_eq(group_init(g, &s, &e), 0, "%s: %s", e.where, e.msg);
    /* 0.158 and 0.088 of the example, as millionths of the list price. */
    for (size_t i = 0; pool_uses_spot(c) && i < g->n_zones * g->n_types; i++)
        g->prices[i] = i % 2 ? 113424 : 126255;
}

/* Buys the machine; returns "xlarge/i spot" in words of the test's own. */
static const char *buy(struct group *g, char *out)
{
    struct group_choice choice;
    if (!group_choose(g, 0, &choice)) {
        snprintf(out, WORDS, "none: %s", choice.reason);
        return out;
    }
    struct node n = {.billing = choice.billing,
                     .zone = choice.zone,
                     .type_index = choice.type,
                     .type = g->types[choice.type].type};
    group_add(g, 0, &n);
    snprintf(out, WORDS, "%s/%s %s", n.type->name + 8, zone_names[n.zone],
             n.billing == PRICE_SPOT ? "spot" : "onDemand");
    return out;
}

Test(group, the_plans_of_the_example_come_in_the_order_of_the_document)
{
    struct pool_config c = config(POOL_COST_OPTIMIZED);
    struct group g;
    make(&g, &c, NULL);
    cr_assert_eq(group_spot_price(&g, 1, 0, 0), 158000);
    cr_assert_eq(group_spot_price(&g, 0, 1, 0), 88000);
    struct pool_plan plans[] = {{0, PRICE_ON_DEMAND, 697000, 4},
                                {1, PRICE_ON_DEMAND, 1393000, 8},
                                {0, PRICE_SPOT, 88000, 4},
                                {1, PRICE_SPOT, 158000, 8}};
    static const double per_vcpu[] = {0.01975, 0.022, 0.174125, 0.17425};
    pool_sort_plans(plans, 4);
    for (size_t i = 0; i < 4; i++)
        cr_assert_float_eq((double)plans[i].micro_per_hour / 1e6 / plans[i].vcpu, per_vcpu[i],
                           1e-12);
    group_fini(&g);
}

/* One machine of each type in each zone under each billing: every zone before the next plan. */
Test(group, each_plan_is_tried_in_every_zone_before_the_next)
{
    struct quota one[] = {{"ecs.sn1.large", "h", QUOTA_SPOT, 1, 0, 0},
                          {"ecs.sn1.large", "i", QUOTA_SPOT, 1, 0, 0},
                          {"ecs.sn1.xlarge", "h", QUOTA_SPOT, 1, 0, 0},
                          {"ecs.sn1.xlarge", "i", QUOTA_SPOT, 1, 0, 0},
                          {"ecs.sn1.large", "h", QUOTA_ON_DEMAND, 1, 0, 0},
                          {"ecs.sn1.large", "i", QUOTA_ON_DEMAND, 1, 0, 0},
                          {"ecs.sn1.xlarge", "h", QUOTA_ON_DEMAND, 1, 0, 0},
                          {"ecs.sn1.xlarge", "i", QUOTA_ON_DEMAND, 1, 0, 0}};
    static const char *const want[] = {"xlarge/h spot",    "xlarge/i spot",     "large/h spot",
                                       "large/i spot",     "xlarge/h onDemand", "xlarge/i onDemand",
                                       "large/h onDemand", "large/i onDemand"};
    struct pool_config c = config(POOL_COST_OPTIMIZED);
    struct group g;
    char words[WORDS];
    c.lowest_cost = true;
    c.stock_limits = (struct knob_list){one, 8};
    make(&g, &c, NULL);
    for (size_t i = 0; i < 8; i++)
        cr_assert_str_eq(buy(&g, words), want[i], "machine %zu: %s", i + 1, words);
    cr_assert_str_eq(buy(&g, words), "none: the quota of the type in the zone is used up");
    group_fini(&g);
}

/* The split puts 30 % on demand first; within each billing cost decides. */
Test(group, the_split_goes_before_the_price)
{
    static const char *const want[] = {"xlarge/h onDemand", "xlarge/h spot", "xlarge/h spot",
                                       "xlarge/h onDemand", "xlarge/h spot"};
    struct pool_config c = config(POOL_COST_OPTIMIZED);
    struct group g;
    char words[WORDS];
    c.share = 0.3;
    make(&g, &c, NULL);
    for (size_t i = 0; i < 5; i++)
        cr_assert_str_eq(buy(&g, words), want[i], "machine %zu: %s", i + 1, words);
    group_fini(&g);
}

/* Of those that are there half are on demand: that is not below half. */
Test(group, a_running_target_that_is_met_buys_spot)
{
    static const char *const want[] = {"xlarge/h onDemand", "xlarge/h spot", "xlarge/h spot",
                                       "xlarge/h onDemand", "xlarge/h spot"};
    struct pool_config c = config(POOL_COST_OPTIMIZED);
    struct group g;
    char words[WORDS];
    c.share = 0.5;
    c.rounding = POOL_RUNNING_TARGET;
    make(&g, &c, NULL);
    for (size_t i = 0; i < 5; i++)
        cr_assert_str_eq(buy(&g, words), want[i], "machine %zu: %s", i + 1, words);
    group_fini(&g);
}

Test(group, policies_order_zones_and_types)
{
    static const struct {
        int policy, pools;
        const char *want[4];
    } rows[] = {
        {POOL_PRIORITY, 1, {"large/h spot", "large/h spot", "large/h spot", "large/h spot"}},
        {POOL_BALANCE, 1, {"large/h spot", "large/i spot", "large/h spot", "large/i spot"}},
        {POOL_COST_OPTIMIZED,
         1,
         {"xlarge/h spot", "xlarge/h spot", "xlarge/h spot", "xlarge/h spot"}},
        {POOL_COST_OPTIMIZED,
         2,
         {"xlarge/h spot", "large/h spot", "xlarge/h spot", "large/h spot"}},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct pool_config c = config(rows[r].policy);
        struct group g;
        char words[WORDS];
        c.spot_pools = rows[r].pools;
        make(&g, &c, NULL);
        for (size_t i = 0; i < 4; i++)
            cr_assert_str_eq(buy(&g, words), rows[r].want[i], "row %zu, machine %zu", r, i + 1);
        group_fini(&g);
    }
}

/* Spot is out in zone h for an hour from the start: zone i, then compensation. */
Test(group, stock_outs_by_type_zone_and_time)
{
    struct quota out[] = {{"ecs.sn1.xlarge", "h", QUOTA_SPOT, 0, 0, SIM_HOUR},
                          {NULL, "i", QUOTA_SPOT, 0, 0, SIM_HOUR}};
    struct pool_config c = config(POOL_COST_OPTIMIZED);
    struct group g;
    struct group_choice choice;
    char words[WORDS];
    c.stock_limits = (struct knob_list){out, 2};
    make(&g, &c, NULL);
    cr_assert_str_eq(buy(&g, words), "large/h spot");
    cr_assert(group_choose(&g, SIM_HOUR, &choice), "it is over");
    cr_assert(choice.type == 1 && choice.zone == 0 && choice.billing == PRICE_SPOT);
    out[0].type = NULL; /* all types of both zones */
    cr_assert_str_eq(buy(&g, words), "xlarge/h onDemand");
    cr_assert(group_choose(&g, 0, &choice) && choice.compensating);
    cr_assert_eq(choice.premium_micro_per_hour, 1393000 - 158000);
    c.compensate = false;
    cr_assert_str_eq(buy(&g, words),
                     "none: spot is out of stock, and compensateWithOnDemand is off");
    group_fini(&g);
}

Test(group, spot_above_the_limit_is_not_bought)
{
    struct pool_config c = config(POOL_COST_OPTIMIZED);
    struct group g;
    char words[WORDS];
    c.spot_strategy = POOL_PRICE_LIMIT;
    c.spot_price_limit = (struct money){100000, "CNY"}; /* between 0.088 and 0.158 */
    make(&g, &c, NULL);
    cr_assert_str_eq(buy(&g, words), "large/h spot");
    group_fini(&g);
    c.spot_price_limit.micro = 158000; /* a limit that is met is no obstacle */
    make(&g, &c, NULL);
    cr_assert_str_eq(buy(&g, words), "xlarge/h spot");
    group_fini(&g);
}

/* Two pools of a region share its quota; one of another region has its own. */
Test(group, the_quota_is_the_accounts)
{
    static const struct account_config quota = {.on_demand_vcpu_quota = 20, .spot_vcpu_quota = 8};
    struct account here = {.config = &quota}, there = {.config = &quota};
    struct pool_config c = config(POOL_COST_OPTIMIZED);
    struct group a, b, far;
    char words[WORDS];
    c.compensate = false;
    make(&a, &c, &here);
    make(&b, &c, &here);
    make(&far, &c, &there);
    cr_assert_str_eq(buy(&a, words), "xlarge/h spot");
    cr_assert_str_eq(buy(&b, words), "none: the spot vCPU quota is used up, and "
                                     "compensateWithOnDemand is off");
    cr_assert_str_eq(buy(&far, words), "xlarge/h spot");
    c.spot_market = NULL; /* on demand: 8 + 8 + 4 */
    cr_assert_str_eq(buy(&a, words), "xlarge/h onDemand");
    cr_assert_str_eq(buy(&b, words), "xlarge/h onDemand");
    cr_assert_str_eq(buy(&a, words), "large/h onDemand", "what is left");
    cr_assert_str_eq(buy(&b, words), "none: the on-demand vCPU quota is used up");
    group_fini(&a);
    group_fini(&b);
    group_fini(&far);
}
