/* test_lineup: packed keys against a plain list of times. */
#include "models/serving/lineup.h"
#include "sim/chance.h"

#include <criterion/criterion.h>

#define SERVERS 70

/* The server that is free first, then the lowest, of those there. */
static uint32_t first_of(const sim_ns *free, uint32_t n)
{
    uint32_t best = n;
    for (uint32_t i = 0; i < n; i++)
        if (free[i] != SIM_NEVER && (best == n || free[i] < free[best]))
            best = i;
    return best;
}

static void follow(uint32_t n, uint64_t seed)
{
    struct chance c = chance_stream(seed, 0, CHANCE_TEST, n);
    sim_ns free[SERVERS], now = 0;
    struct lineup l;
    cr_assert_eq(lineup_init(&l, n), 0);
    for (uint32_t i = 0; i < n; i++)
        lineup_add(&l, i, free[i] = 0);
    for (uint64_t step = 0; step < 3000; step++) {
        uint32_t expected = first_of(free, n);
        cr_assert_eq(lineup_server(&l, l.keys[0]), expected, "%u servers, step %u", n,
                     (unsigned)step);
        now += (sim_ns)chance_below(c, 4 * step, 10);
        sim_ns start = free[expected] > now ? free[expected] : now;
        now = start;
        free[expected] = start + 1 + (sim_ns)chance_below(c, 4 * step + 1, 5 * n);
        lineup_replace(&l, lineup_key(&l, free[expected], expected));
        if (chance_below(c, 4 * step + 2, 20) == 0)
            lineup_rebase(&l, now);
        uint32_t other = (uint32_t)chance_below(c, 4 * step + 3, 3 * n);
        if (other < n && l.n > 1) {
            lineup_remove(&l, other, 1);
            lineup_add(&l, other, free[other] = now);
        }
    }
    lineup_fini(&l);
}

Test(lineup, keeps_the_order_of_a_plain_list)
{
    for (uint32_t n = 1; n <= SERVERS; n++)
        follow(n, 1);
}

Test(lineup, is_never_free_without_servers)
{
    struct lineup l;
    cr_assert_eq(lineup_init(&l, 3), 0);
    cr_assert_eq(lineup_first(&l, SIM_NEVER), SIM_NEVER);
    lineup_add(&l, 2, 7);
    cr_assert_eq(lineup_first(&l, SIM_NEVER), 7);
    lineup_remove(&l, 0, 3);
    cr_assert_eq(lineup_first(&l, SIM_NEVER), SIM_NEVER);
    lineup_fini(&l);
}

Test(lineup, reaches_as_far_as_it_says)
{
    struct lineup l;
    cr_assert_eq(lineup_init(&l, LINEUP_MAX), 0);
    lineup_add(&l, LINEUP_MAX - 1, 0);
    lineup_replace(&l, lineup_key(&l, LINEUP_REACH - 2 * LINEUP_MAX, LINEUP_MAX - 1));
    cr_assert_eq(lineup_first(&l, 0), LINEUP_REACH - 2 * LINEUP_MAX);
    cr_assert_eq(lineup_server(&l, l.keys[0]), LINEUP_MAX - 1);
    lineup_fini(&l);
}
