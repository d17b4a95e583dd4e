/* test_replicaset: who goes first when a service shrinks. */
#include "models/control/replicaset.h"

#include <criterion/criterion.h>

#define S SIM_SECOND

/* Each pod differs from the next in one thing, and goes before it. */
Test(replicaset, the_first_difference_decides)
{
    const sim_ns old = 0;
    struct replicaset_pod pods[] = {
        {.id = 0, .created = old},
        {.id = 1, .node = 9, .assigned = true, .created = old},
        {.id = 2, .node = 9, .assigned = true, .unknown = true, .created = old},
        {.id = 3, .node = 9, .assigned = true, .running = true, .created = old},
        {.id = 4,
         .node = 8,
         .assigned = true,
         .running = true,
         .ready = true,
         .deletion_cost = -5,
         .ready_since = old,
         .created = old},
        {.id = 5,
         .node = 7,
         .assigned = true,
         .running = true,
         .ready = true,
         .ready_since = 900 * S,
         .created = old},
        {.id = 6,
         .node = 7,
         .assigned = true,
         .running = true,
         .ready = true,
         .ready_since = old,
         .created = old},
        {.id = 7,
         .node = 6,
         .assigned = true,
         .running = true,
         .ready = true,
         .restarts = 2,
         .ready_since = old,
         .created = old},
        {.id = 8,
         .node = 5,
         .assigned = true,
         .running = true,
         .ready = true,
         .ready_since = old,
         .created = old + 900 * S},
        {.id = 9,
         .node = 4,
         .assigned = true,
         .running = true,
         .ready = true,
         .ready_since = old,
         .created = old},
        {.id = 10,
         .node = 3,
         .assigned = true,
         .running = true,
         .ready = true,
         .deletion_cost = 7,
         .ready_since = old,
         .created = old},
    };
    const size_t n = sizeof pods / sizeof pods[0];
    struct replicaset_pod mixed[sizeof pods / sizeof pods[0]];
    uint32_t order[sizeof pods / sizeof pods[0]];
    for (size_t shift = 0; shift < n; shift++) {
        for (size_t i = 0; i < n; i++)
            mixed[i] = pods[(i * 7 + shift) % n];
        replicaset_rank(mixed, n, 1000 * S, order);
        for (size_t i = 0; i < n; i++)
            cr_assert_eq(mixed[order[i]].id, i, "shift %zu: place %zu holds %u", shift, i,
                         mixed[order[i]].id);
    }
}

Test(replicaset, ages_of_one_magnitude_are_equal_unless_exact)
{
    struct replicaset_pod p[] = {
        {.id = 0,
         .assigned = true,
         .running = true,
         .ready = true,
         .ready_since = 100 * S,
         .uid = 1},
        {.id = 1,
         .assigned = true,
         .running = true,
         .ready = true,
         .ready_since = 110 * S,
         .uid = 2},
    };
    struct replicaset_rules exact = {.now = 1000 * S, .exact_ages = true};
    uint32_t order[2];
    replicaset_rank(p, 2, 1000 * S, order); /* 900 s and 890 s: one bucket, the uid decides */
    cr_expect_eq(order[0], 0u);
    replicaset_order(p, 2, &exact, order);
    cr_expect_eq(order[0], 1u);
    p[1].ready_since = 990 * S;
    replicaset_rank(p, 2, 1000 * S, order);
    cr_expect_eq(order[0], 1u);
}

Test(replicaset, deletion_cost_can_be_unknown_to_a_version)
{
    struct replicaset_pod p[] = {
        {.id = 0, .node = 1, .assigned = true, .deletion_cost = -9},
        {.id = 1, .node = 2, .assigned = true},
        {.id = 2, .node = 2, .assigned = true},
    };
    struct replicaset_rules old = {.no_deletion_cost = true, .exact_ages = true};
    uint32_t order[3];
    replicaset_rank(p, 3, 0, order);
    cr_expect_eq(order[0], 0u);
    replicaset_order(p, 3, &old, order);
    cr_expect_eq(order[0], 1u, "doubled on a node");
    cr_expect_eq(p[0].doubled, 1);
    cr_expect_eq(p[1].doubled, 2);
}
