/* test_kpa: windows, panic, rates and zero of the Knative pod autoscaler. */
#include "models/control/kpa.h"
#include "sim/chance.h"

#include <criterion/criterion.h>

#define S SIM_SECOND

static const struct kpa_spec plain = {.target = 10,
                                      .total_per_pod = 100,
                                      .target_burst = 0,
                                      .panic_threshold = 2,
                                      .max_up_rate = 1000,
                                      .max_down_rate = 2,
                                      .stable_window = 60 * S,
                                      .reachable = true,
                                      .activation_scale = 1};

static struct kpa_state born(int32_t ready)
{
    struct kpa_state s = {0};
    kpa_start(&s, ready, 0);
    return s;
}

Test(kpa, wishes_are_kept_within_the_rates)
{
    struct kpa_state s = born(1);
    cr_expect_eq(kpa_scale(&plain, &s, 0, 1, 95, 0).desired, 10);
    struct kpa_spec slow = plain;
    slow.max_up_rate = 1.5;
    cr_expect_eq(kpa_scale(&slow, &s, 0, 3, 95, 0).desired, 5, "ceil(3 x 1.5)");
    cr_expect_eq(kpa_scale(&slow, &s, 0, 1, 95, 0).desired, 2, "never stuck at the same number");
    cr_expect_eq(kpa_scale(&plain, &s, 0, 7, 10, 0).desired, 3, "floor(7 / 2)");
    struct kpa_spec loose = plain;
    loose.reachable = false;
    cr_expect_eq(kpa_scale(&loose, &s, 0, 7, 10, 0).desired, 1);
    cr_expect_eq(kpa_scale(&plain, &s, 0, 0, 10, 0).desired, 1, "none ready counts as one");
}

Test(kpa, activation_lifts_what_is_not_zero)
{
    struct kpa_spec spec = plain;
    spec.activation_scale = 5;
    struct kpa_state s = born(1);
    cr_expect_eq(kpa_scale(&spec, &s, 0, 1, 1, 1).desired, 5);
    cr_expect_eq(kpa_scale(&spec, &s, 0, 1, 0, 0).desired, 0);
    cr_expect_eq(kpa_scale(&spec, &s, 0, 1, 95, 0).desired, 10);
}

Test(kpa, panic_begins_at_the_threshold_and_never_shrinks)
{
    struct kpa_state s = born(1);
    kpa_scale(&plain, &s, 0, 5, 40, 90);
    cr_expect_not(s.panicking, "9 of 5 is below 2");
    cr_expect_eq(kpa_scale(&plain, &s, 2 * S, 5, 40, 91).desired, 10);
    cr_expect(s.panicking, "10 of 5 is 2");
    cr_expect_eq(kpa_scale(&plain, &s, 4 * S, 10, 40, 40).desired, 10);
    cr_expect_eq(kpa_scale(&plain, &s, 6 * S, 10, 120, 40).desired, 12,
                 "the stable wish counts too");
    cr_expect_eq(kpa_scale(&plain, &s, 62 * S, 12, 80, 40).desired, 12, "60 s after is not after");
    cr_expect_eq(kpa_scale(&plain, &s, 62 * S + 1, 12, 80, 40).desired, 8);
    cr_expect_not(s.panicking);
    cr_expect_eq(s.max_panic_pods, 0);
}

Test(kpa, a_new_scaler_with_pods_begins_in_panic)
{
    struct kpa_state s = born(4);
    cr_expect_eq(kpa_scale(&plain, &s, 2 * S, 4, 0, 0).desired, 4);
    s = born(1);
    cr_expect_eq(kpa_scale(&plain, &s, 2 * S, 1, 0, 0).desired, 0);
}

Test(kpa, burst_counts_what_is_left)
{
    struct kpa_spec spec = plain;
    struct kpa_state s = born(1);
    cr_expect_eq(kpa_scale(&spec, &s, 0, 3, 10, 10).excess_burst, 0);
    spec.target_burst = -1;
    cr_expect_eq(kpa_scale(&spec, &s, 0, 3, 10, 10).excess_burst, -1);
    spec.target_burst = 211;
    cr_expect_eq(kpa_scale(&spec, &s, 0, 3, 10, 10.5).excess_burst, 78, "floor(300 - 211 - 10.5)");
}

/* The plain way: look at everything that is young enough. */
Test(kpa, the_window_is_the_largest_of_its_slots)
{
    struct chance c = chance_stream(7, 0, CHANCE_TEST, 0);
    for (uint64_t run = 0; run < 500; run++) {
        struct kpa_entry room[16];
        int64_t slots[200];
        double values[200];
        struct kpa_window w = {room, 1 + chance_below(chance_sub(c, run), 0, 16), 0, 0};
        int64_t slot = 0;
        for (size_t i = 0; i < 200; i++) {
            slot += (int64_t)chance_below(chance_sub(c, run), 2 * i + 1, 4);
            slots[i] = slot;
            values[i] = (double)chance_below(chance_sub(c, run), 2 * i + 2, 9);
            double most = 0;
            for (size_t k = 0; k <= i; k++)
                if (slot - slots[k] < (int64_t)w.size && values[k] > most)
                    most = values[k];
            cr_assert_eq(kpa_window_record(&w, slot, values[i]), most, "run %llu, step %zu",
                         (unsigned long long)run, i);
        }
    }
}

Test(kpa, the_delay_holds_the_largest_size)
{
    struct kpa_entry room[15];
    struct kpa_state s = born(1);
    s.delay = (struct kpa_window){room, kpa_delay_slots(29 * S), 0, 0};
    cr_expect_eq(s.delay.size, 15u, "a part of a slot is a slot");
    cr_expect_eq(kpa_scale(&plain, &s, 0, 4, 40, 40).desired, 4);
    struct kpa_decision d = kpa_scale(&plain, &s, 28 * S, 4, 20, 20);
    cr_expect_eq(d.desired, 4);
    cr_expect(d.delayed);
    cr_expect_eq(kpa_scale(&plain, &s, 30 * S, 4, 20, 20).desired, 2);
}

Test(kpa, zero_needs_the_window_and_then_the_grace_period)
{
    const struct kpa_bounds b = {0, 0, true, 60 * S, 30 * S};
    struct kpa_state s = born(1);
    enum kpa_bound why;
    cr_expect_eq(kpa_clamp(&b, &s, 3, 0, 59 * S, &why), 1);
    cr_expect_eq(why, KPA_KEPT);
    cr_expect_eq(kpa_clamp(&b, &s, 1, 0, 60 * S, &why), 1, "idle from here");
    cr_expect_eq(kpa_clamp(&b, &s, 1, 0, 89 * S, &why), 1);
    cr_expect_eq(kpa_clamp(&b, &s, 1, 0, 90 * S, &why), 0);
    cr_expect_eq(kpa_clamp(&b, &s, 0, 0, 91 * S, &why), 0);
    cr_expect_eq(kpa_clamp(&b, &s, 0, 2, 92 * S, &why), 2);
    cr_expect_eq(kpa_clamp(&b, &s, 2, 0, 151 * S, &why), 1, "active again since 92 s");
    const struct kpa_bounds never = {0, 0, false, 60 * S, 30 * S};
    cr_expect_eq(kpa_clamp(&never, &s, 1, 0, 999 * S, &why), 1);
    const struct kpa_bounds range = {2, 5, true, 60 * S, 30 * S};
    cr_expect_eq(kpa_clamp(&range, &s, 3, 0, 0, &why), 2);
    cr_expect_eq(why, KPA_MIN);
    cr_expect_eq(kpa_clamp(&range, &s, 3, 9, 0, &why), 5);
    cr_expect_eq(why, KPA_MAX);
}

Test(kpa, targets_come_from_limits_defaults_and_annotations)
{
    struct {
        struct kpa_aim aim;
        double target, total;
    } rows[] = {
        {{KPA_CONCURRENCY, 0, 100, 0.7, -1, -1}, 70, 100},
        {{KPA_CONCURRENCY, 12, 100, 0.7, -1, 0.75}, 9, 12},
        {{KPA_CONCURRENCY, 1, 100, 1, 10, -1}, 1, 1},
        {{KPA_CONCURRENCY, 0, 100, 0.001, 1, -1}, 0.01, 1},
        {{KPA_RPS, 5, 200, 0.7, -1, -1}, 140, 200},
        {{KPA_RPS, 5, 200, 0.5, 80, -1}, 40, 80},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kpa_target t = kpa_resolve(&rows[i].aim);
        cr_expect(t.target > rows[i].target - 1e-9 && t.target < rows[i].target + 1e-9, "%zu", i);
        cr_expect_eq(t.total, rows[i].total, "row %zu", i);
    }
}
