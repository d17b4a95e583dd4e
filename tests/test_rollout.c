/* test_rollout: steps of a rolling update, and that each ends with fresh pods only. */
#include "models/control/rollout.h"
#include "tests/dice.h"

#include <criterion/criterion.h>

static struct rollout_config config(bool percent, int32_t surge, int32_t unavailable)
{
    return (struct rollout_config){0, {percent, surge}, {percent, unavailable}};
}

/* Kubernetes: 25 % of 3 is one pod of surge (up) and none unavailable (down); both 0 would never
 * move, so one may be unavailable then. */
Test(rollout, surge_is_rounded_up_and_unavailable_down)
{
    struct rollout_config quarter = config(true, 25, 25), none = config(false, 0, 0);
    cr_expect_eq(rollout_surge(&quarter, 3), 1);
    cr_expect_eq(rollout_unavailable(&quarter, 3), 0);
    cr_expect_eq(rollout_surge(&quarter, 10), 3);
    cr_expect_eq(rollout_unavailable(&quarter, 10), 2);
    cr_expect_eq(rollout_unavailable(&none, 5), 1);
}

Test(rollout, three_pods_are_replaced_one_at_a_time)
{
    struct rollout_config c = config(true, 25, 25);
    static const struct {
        struct rollout_pods pods;
        struct rollout_step step;
        const char *why;
    } rows[] = {
        {{3, 3, 0, 0}, {1, 0, 0}, "one above the size"},
        {{3, 3, 1, 0}, {0, 0, 0}, "the new one is not ready yet"},
        {{3, 3, 1, 1}, {0, 0, 1}, "now an old one may go"},
        {{2, 2, 1, 1}, {1, 0, 0}, "room for the next"},
        {{2, 1, 2, 1}, {0, 0, 0}, "two ready of three: nothing may go"},
        {{2, 1, 2, 2}, {0, 1, 0}, "the one that is not ready goes first"},
        {{1, 1, 3, 3}, {0, 0, 1}, "the last"},
        {{0, 0, 3, 3}, {0, 0, 0}, "done"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct rollout_step s = rollout_next(&c, 3, &rows[i].pods);
        cr_expect_eq(s.start, rows[i].step.start, "%s", rows[i].why);
        cr_expect_eq(s.stop_unready, rows[i].step.stop_unready, "%s", rows[i].why);
        cr_expect_eq(s.stop_ready, rows[i].step.stop_ready, "%s", rows[i].why);
    }
}

/* Random bounds and sizes, pods becoming ready in any order: never above size + surge, never fewer
 * available than allowed by a stop, and it comes to an end. */
Test(rollout, keeps_its_bounds_and_ends)
{
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        struct dice d = dice_of(seed);
        struct rollout_config c =
            config(dice_flag(&d), (int32_t)dice_int(&d, 0, 29), (int32_t)dice_int(&d, 0, 29));
        int32_t size = (int32_t)dice_int(&d, 1, 20), turns = 0;
        struct rollout_pods p = {size, size, 0, 0};
        while ((p.old > 0 || p.fresh_ready < size) && turns++ < 1000) {
            struct rollout_step s = rollout_next(&c, size, &p);
            int32_t available = p.old_ready + p.fresh_ready;
            p.fresh += s.start;
            p.old -= s.stop_ready + s.stop_unready;
            p.old_ready -= s.stop_ready;
            cr_assert_leq(p.old + p.fresh, size + rollout_surge(&c, size));
            if (s.stop_ready > 0)
                cr_assert_geq(available - s.stop_ready, size - rollout_unavailable(&c, size));
            if (p.fresh_ready < p.fresh && (dice_flag(&d) || s.start == 0))
                p.fresh_ready++;
        }
        cr_assert(p.old == 0 && p.fresh == size, "seed %llu", (unsigned long long)seed);
    }
}
