/* test_node_balance: even sizes, and what makes groups similar. */
#include "models/control/node_balance.h"
#include "tests/dice.h"

#include <criterion/criterion.h>

enum { CASES = 100000, MOST = 5 };

Test(node_balance, evens_sizes_out_within_their_limits)
{
    struct dice d = dice_of(8);
    for (int k = 0; k < CASES; k++) {
        struct node_balance_group g[MOST];
        size_t n = (size_t)dice_int(&d, 1, MOST);
        int32_t wanted = (int32_t)dice_int(&d, 0, 30), room = 0, added = 0;
        for (size_t i = 0; i < n; i++) {
            g[i] = (struct node_balance_group){(int32_t)dice_int(&d, 0, 9),
                                               (int32_t)dice_int(&d, 0, 14), 0};
            room += g[i].max > g[i].size ? g[i].max - g[i].size : 0;
        }
        int32_t got = node_balance_spread(g, n, wanted);
        for (size_t i = 0; i < n; i++)
            added += g[i].add;
        cr_assert_eq(got, wanted < room ? wanted : room, "case %d", k);
        cr_assert_eq(added, got);
        /* A group that grew is at most one above any that had room left. */
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                if (g[i].add > 0 && g[j].size + g[j].add < g[j].max)
                    cr_assert_leq(g[i].size + g[i].add, g[j].size + g[j].add + 1, "case %d", k);
        for (size_t i = 0; i < n; i++)
            cr_assert(g[i].add == 0 || g[i].size + g[i].add <= g[i].max);
    }
}

static struct node_scaler_group group(void)
{
    return (struct node_scaler_group){
        .shape = {.cpu_milli = 8000, .memory_bytes = 30000, .gpus = 1},
        .capacity_cpu_milli = 8000,
        .capacity_memory_bytes = 32000,
        .label_class = 3};
}

Test(node_balance, similar_groups_differ_in_zone_and_a_little_memory_only)
{
    struct node_scaler_group a = group(), b = group();
    cr_expect(node_balance_similar(&a, &b));
    b.capacity_memory_bytes = 32000 - 480; /* 1.5 % of the larger */
    cr_expect(node_balance_similar(&a, &b));
    b.capacity_memory_bytes--;
    cr_expect_not(node_balance_similar(&a, &b), "memory beyond 1.5 %%");
    b = group();
    b.shape.memory_bytes = 28500; /* 5 % */
    cr_expect(node_balance_similar(&a, &b));
    b.shape.memory_bytes = 28499;
    cr_expect_not(node_balance_similar(&a, &b), "allocatable beyond 5 %%");
    b = group();
    b.daemon_cpu_milli = 401;
    cr_expect_not(node_balance_similar(&a, &b), "free beyond 5 %%");
    b = group();
    b.capacity_cpu_milli = 8001;
    cr_expect_not(node_balance_similar(&a, &b), "CPU must be equal");
    b = group();
    b.shape.gpus = 2;
    cr_expect_not(node_balance_similar(&a, &b), "GPUs must be equal");
    b = group();
    b.label_class = 4;
    cr_expect_not(node_balance_similar(&a, &b), "labels must be equal");
}

Test(node_balance, the_earlier_of_equal_groups_grows_first)
{
    struct node_balance_group g[] = {{2, 10, 0}, {2, 10, 0}, {2, 10, 0}};
    cr_expect_eq(node_balance_spread(g, 3, 2), 2);
    cr_expect(g[0].add == 1 && g[1].add == 1 && g[2].add == 0);
}
