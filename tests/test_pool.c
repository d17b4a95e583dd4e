/* test_pool: how many nodes are on demand, and in which order plans are tried. */
#include "models/capacity/pool.h"

#include <criterion/criterion.h>

#define ROWS(table) (sizeof(table) / sizeof *(table))

static struct pool_config pool_of(double share, int rounding, int32_t base)
{
    return (struct pool_config){
        .share = share, .rounding = rounding, .base = base, .spot_market = "calm"};
}

/* Thirty percent of 1..10 nodes. Expected values: hand arithmetic on the documented percentage;
 * runningTarget buys on demand while the share of the nodes that exist is below 0.3. */
Test(pool, splits_thirty_percent_as_the_rounding_says)
{
    static const struct {
        enum pool_rounding rounding;
        int32_t on_demand[10];
    } rows[] = {
        {POOL_CEIL, {1, 1, 1, 2, 2, 2, 3, 3, 3, 3}},
        {POOL_NEAREST, {0, 1, 1, 1, 2, 2, 2, 2, 3, 3}},
        {POOL_FLOOR, {0, 0, 0, 1, 1, 1, 2, 2, 2, 3}},
        {POOL_RUNNING_TARGET, {1, 1, 1, 1, 2, 2, 2, 3, 3, 3}},
    };
    for (size_t r = 0; r < ROWS(rows); r++) {
        struct pool_config c = pool_of(0.3, rows[r].rounding, 0);
        struct pool_now grown = {0, 0};
        for (int32_t n = 1; n <= 10; n++) {
            int32_t want = rows[r].on_demand[n - 1];
            cr_assert_eq(pool_on_demand_target(&c, (struct pool_now){0, 0}, n), want,
                         "rounding %zu, %d nodes", r, n);
            grown.on_demand += pool_next_on_demand(&c, grown);
            grown.there++;
            cr_assert_eq(grown.on_demand, want, "node by node, rounding %zu, %d nodes", r, n);
        }
    }
}

Test(pool, fills_the_base_first_and_takes_the_share_of_the_rest)
{
    struct pool_config c = pool_of(0.3, POOL_CEIL, 2);
    static const int32_t want[] = {0, 1, 2, 3, 3, 3, 4, 4, 4, 5};
    for (int32_t n = 0; n < 10; n++)
        cr_assert_eq(pool_on_demand_target(&c, (struct pool_now){0, 0}, n), want[n], "%d", n);
    struct pool_config zero = pool_of(0, POOL_CEIL, 0);
    cr_assert(!pool_next_on_demand(&zero, (struct pool_now){0, 5}));
    struct pool_config all = pool_of(1, POOL_FLOOR, 0);
    cr_assert(pool_next_on_demand(&all, (struct pool_now){5, 5}));
    struct pool_config no_spot = {.share = 0.3};
    cr_assert_eq(pool_on_demand_target(&no_spot, (struct pool_now){0, 0}, 10), 10);
}

/* 0.07 x 100 is 7.000000000000001 in doubles. */
Test(pool, does_not_round_up_what_is_whole)
{
    struct pool_config c = pool_of(0.07, POOL_CEIL, 0);
    cr_assert_eq(pool_on_demand_target(&c, (struct pool_now){0, 0}, 100), 7);
    struct pool_config d = pool_of(0.29, POOL_FLOOR, 0);
    cr_assert_eq(pool_on_demand_target(&d, (struct pool_now){0, 0}, 100), 29);
}

Test(pool, goes_back_to_its_share_after_a_loss)
{
    struct pool_config c = pool_of(0.3, POOL_CEIL, 0);
    cr_assert(!pool_next_on_demand(&c, (struct pool_now){3, 9}), "a spot node was lost");
    cr_assert(pool_next_on_demand(&c, (struct pool_now){2, 9}), "an on-demand node was removed");
    struct pool_config r = pool_of(0.3, POOL_RUNNING_TARGET, 0);
    cr_assert(!pool_next_on_demand(&r, (struct pool_now){5, 9}));
}

/* Prices per vCPU: 0.01975 < 0.022 < 0.174125 < 0.17425 (example of the ESS documentation,
 * 2021-07-09: ecs.sn1.xlarge with 8 vCPU, ecs.sn1.large with 4). */
Test(pool, orders_plans_by_price_per_vcpu_as_the_ess_example)
{
    struct pool_plan plans[] = {
        {0, PRICE_ON_DEMAND, 697000, 4},
        {1, PRICE_ON_DEMAND, 1393000, 8},
        {0, PRICE_SPOT, 88000, 4},
        {1, PRICE_SPOT, 158000, 8},
    };
    static const int64_t order[] = {158000, 88000, 1393000, 697000};
    static const double per_vcpu[] = {0.01975, 0.022, 0.174125, 0.17425};
    pool_sort_plans(plans, 4);
    for (size_t i = 0; i < 4; i++) {
        cr_assert_eq(plans[i].micro_per_hour, order[i], "place %zu", i);
        cr_assert_float_eq((double)plans[i].micro_per_hour / plans[i].vcpu / 1e6, per_vcpu[i],
                           1e-12);
    }
}

Test(pool, takes_spot_then_the_first_type_when_plans_cost_the_same)
{
    struct pool_plan plans[] = {
        {1, PRICE_ON_DEMAND, 400, 4}, {0, PRICE_ON_DEMAND, 800, 8}, {1, PRICE_SPOT, 200, 2}};
    pool_sort_plans(plans, 3);
    cr_assert_eq(plans[0].billing, PRICE_SPOT);
    cr_assert_eq(plans[1].type, 0);
    cr_assert_eq(plans[2].type, 1);
}
