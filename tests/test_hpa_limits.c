/* test_hpa_limits: stabilisation, clamps, rate limits and histories. */
#include "models/control/hpa_limits.h"

#include <criterion/criterion.h>

#define S SIM_SECOND

static struct hpa_history history(struct hpa_recommendation *items, size_t n, size_t cap)
{
    return (struct hpa_history){items, n, cap};
}

Test(hpa_limits, legacy_window_includes_its_edge)
{
    struct hpa_recommendation items[4] = {{9, -300 * S}};
    struct hpa_history h = history(items, 1, 4);
    cr_expect_eq(hpa_limits_stabilize_legacy(&h, 300 * S, 3, 0), 9);
    cr_expect_eq(h.n, 2u);
    items[0].at = -300 * S - 1;
    h.n = 1;
    cr_expect_eq(hpa_limits_stabilize_legacy(&h, 300 * S, 3, 0), 3);
    cr_expect_eq(h.n, 1u, "the expired slot is used again");
    cr_expect_eq(items[0].replicas, 3);
}

Test(hpa_limits, behavior_window_excludes_its_edge)
{
    struct hpa_recommendation items[4] = {{9, -300 * S}};
    struct hpa_history h = history(items, 1, 4);
    struct hpa_windows w = {0, 300 * S};
    cr_expect_eq(hpa_limits_stabilize(&h, w, 9, 3, 0), 3);
    cr_expect_eq(h.n, 2u, "exactly at the window: neither counts nor is overwritten");
    items[0].at = -300 * S + 1;
    h.n = 1;
    cr_expect_eq(hpa_limits_stabilize(&h, w, 9, 3, 0), 9);
}

Test(hpa_limits, only_shrinking_is_held_back_without_behavior)
{
    struct hpa_recommendation items[4] = {{2, -10 * S}};
    struct hpa_history h = history(items, 1, 4);
    cr_expect_eq(hpa_limits_stabilize_legacy(&h, 300 * S, 8, 0), 8);
}

Test(hpa_limits, both_windows_bend_the_current_size)
{
    struct hpa_recommendation items[8];
    struct {
        int32_t past, current, desired;
        struct hpa_windows w;
        int32_t want;
    } rows[] = {
        {4, 1, 9, {60 * S, 0}, 4},      /* the lowest of the up window */
        {4, 9, 2, {0, 60 * S}, 4},      /* the highest of the down window */
        {2, 5, 9, {60 * S, 60 * S}, 5}, /* both: stays where it is between them */
        {9, 5, 7, {60 * S, 60 * S}, 7}, {9, 5, 9, {0, 0}, 9}, {5, 100, 3, {0, 60 * S}, 5},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        items[0] = (struct hpa_recommendation){rows[i].past, -30 * S};
        struct hpa_history h = history(items, 1, 8);
        cr_expect_eq(hpa_limits_stabilize(&h, rows[i].w, rows[i].current, rows[i].desired, 0),
                     rows[i].want, "row %zu", i);
    }
}

Test(hpa_limits, the_last_expired_slot_is_used_again)
{
    struct hpa_recommendation items[5] = {{10, -600 * S}, {4, -60 * S}, {9, -540 * S}};
    struct hpa_history h = history(items, 3, 5);
    struct hpa_windows w = {0, 180 * S};
    hpa_limits_stabilize(&h, w, 100, 3, 0);
    cr_expect_eq(h.n, 3u);
    cr_expect_eq(items[0].replicas, 10);
    cr_expect_eq(items[2].replicas, 3);
    cr_expect_eq(items[2].at, 0);
}

Test(hpa_limits, a_full_history_forgets_its_oldest)
{
    struct hpa_recommendation items[2] = {{1, -20 * S}, {2, -30 * S}};
    struct hpa_history h = history(items, 2, 2);
    hpa_limits_remember(&h, 7, 0);
    cr_expect_eq(items[1].replicas, 7);
    cr_expect_eq(h.n, 2u);
}

Test(hpa_limits, legacy_clamp_takes_min_first_then_the_smaller_cap)
{
    struct {
        struct hpa_range r;
        int32_t want;
        enum hpa_limit why;
    } rows[] = {
        {{1, 10, 1, 10}, 4, HPA_LIMIT_UP},
        {{4, 10, 1, 10}, 8, HPA_LIMIT_UP},
        {{8, 10, 1, 10}, 10, HPA_LIMIT_NONE},
        {{8, 25, 1, 10}, 10, HPA_LIMIT_TOO_MANY},
        {{5, 25, 1, 10}, 10, HPA_LIMIT_TOO_MANY},
        {{5, 1, 2, 10}, 2, HPA_LIMIT_TOO_FEW},
        {{0, 9, 0, 10}, 4, HPA_LIMIT_UP},
        {{3, 3, 1, 10}, 3, HPA_LIMIT_NONE},
        {{1, 1, 6, 10}, 6, HPA_LIMIT_TOO_FEW},
        {{2000000000, INT32_MAX, 1, INT32_MAX}, INT32_MAX, HPA_LIMIT_NONE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        enum hpa_limit why;
        cr_expect_eq(hpa_limits_clamp(&rows[i].r, 2, 4, &why), rows[i].want, "row %zu", i);
        cr_expect_eq(why, rows[i].why, "row %zu: %s", i, hpa_limits_name(why));
    }
}

static const struct hpa_policy pods2[] = {{HPA_POLICY_PODS, 2, 60 * S}};
static const struct hpa_policy pct50[] = {{HPA_POLICY_PERCENT, 50, 60 * S}};
static const struct hpa_policy both[] = {{HPA_POLICY_PODS, 2, 60 * S},
                                         {HPA_POLICY_PERCENT, 50, 60 * S}};
static const struct hpa_events nothing = {0};
static const struct hpa_pace idle = {&nothing, &nothing, 0};

Test(hpa_limits, policies_are_selected_by_the_size_of_the_change)
{
    struct hpa_rules max = {HPA_SELECT_MAX, 0, both, 2}, min = {HPA_SELECT_MIN, 0, both, 2};
    struct hpa_rules off = {HPA_SELECT_DISABLED, 0, both, 2};
    size_t policy;
    cr_expect_eq(hpa_limits_up(10, &max, &idle, &policy), 15);
    cr_expect_eq(policy, 1u);
    cr_expect_eq(hpa_limits_up(10, &min, &idle, &policy), 12);
    cr_expect_eq(policy, 0u);
    cr_expect_eq(hpa_limits_up(10, &off, &idle, &policy), 10);
    cr_expect_eq(policy, 2u);
    cr_expect_eq(hpa_limits_down(10, &max, &idle, NULL), 5);
    cr_expect_eq(hpa_limits_down(10, &min, &idle, NULL), 8);
    cr_expect_eq(hpa_limits_down(10, &off, &idle, NULL), 10);
}

Test(hpa_limits, percent_rounds_up_going_up_and_towards_zero_going_down)
{
    struct hpa_rules r = {HPA_SELECT_MAX, 0, pct50, 1};
    cr_expect_eq(hpa_limits_up(3, &r, &idle, NULL), 5);
    cr_expect_eq(hpa_limits_down(3, &r, &idle, NULL), 1);
    static const struct hpa_policy one[] = {{HPA_POLICY_PERCENT, 1, 60 * S}};
    struct hpa_rules slow = {HPA_SELECT_MAX, 0, one, 1};
    cr_expect_eq(hpa_limits_up(3, &slow, &idle, NULL), 4);
    static const struct hpa_policy ten[] = {{HPA_POLICY_PERCENT, 10, 60 * S}};
    struct hpa_rules tenth = {HPA_SELECT_MAX, 0, ten, 1};
    cr_expect_eq(hpa_limits_up(50, &tenth, &idle, NULL), 56, "50 x 1.1 is above 55 in doubles");
    static const struct hpa_policy lots[] = {{HPA_POLICY_PERCENT, 1000, 60 * S}};
    struct hpa_rules below = {HPA_SELECT_MAX, 0, lots, 1};
    cr_expect_eq(hpa_limits_down(10, &below, &idle, NULL), -90);
}

Test(hpa_limits, spent_changes_move_the_start_of_the_period)
{
    struct hpa_event up[] = {{9, -20 * S, false}, {5, -60 * S, false}, {1, -100 * S, false}};
    struct hpa_event down[] = {{3, -59 * S, false}};
    struct hpa_events ups = {up, 3, 3}, downs = {down, 1, 1};
    struct hpa_pace pace = {&ups, &downs, 0};
    cr_expect_eq(hpa_limits_changed(&ups, 60 * S, 0), 9, "60 s old is no longer within 60 s");
    cr_expect_eq(hpa_limits_changed(&ups, 61 * S, 0), 14);
    struct hpa_rules r = {HPA_SELECT_MAX, 0, pods2, 1};
    cr_expect_eq(hpa_limits_up(100, &r, &pace, NULL), 100 - 9 + 3 + 2);
    cr_expect_eq(hpa_limits_down(100, &r, &pace, NULL), 100 - 9 + 3 - 2);
}

Test(hpa_limits, rate_never_turns_around)
{
    struct hpa_event up[] = {{9, -20 * S, false}};
    struct hpa_events ups = {up, 1, 1};
    struct hpa_pace spent = {&ups, &nothing, 0}, spent_down = {&nothing, &ups, 0};
    struct hpa_rules r = {HPA_SELECT_MAX, 0, pods2, 1};
    struct hpa_range grow = {20, 30, 1, 100}, shrink = {20, 5, 1, 100};
    enum hpa_limit why;
    cr_expect_eq(hpa_limits_rate(&grow, &r, &r, &spent, &why), 20);
    cr_expect_eq(why, HPA_LIMIT_UP);
    cr_expect_eq(hpa_limits_rate(&shrink, &r, &r, &spent_down, &why), 20);
    cr_expect_eq(why, HPA_LIMIT_DOWN);
}

Test(hpa_limits, rate_ends_at_min_and_max)
{
    struct hpa_rules up = hpa_limits_default_up(), down = hpa_limits_default_down(300 * S);
    struct {
        struct hpa_range r;
        int32_t want;
        enum hpa_limit why;
    } rows[] = {
        {{1, 10, 1, 10}, 5, HPA_LIMIT_UP},           {{5, 10, 1, 10}, 10, HPA_LIMIT_NONE},
        {{5, 25, 1, 10}, 10, HPA_LIMIT_TOO_MANY},    {{5, 25, 1, 11}, 10, HPA_LIMIT_UP},
        {{10, 0, 1, 10}, 1, HPA_LIMIT_TOO_FEW},      {{10, 0, 0, 10}, 0, HPA_LIMIT_NONE},
        {{100, 100, 100, 150}, 100, HPA_LIMIT_NONE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        enum hpa_limit why;
        cr_expect_eq(hpa_limits_rate(&rows[i].r, &up, &down, &idle, &why), rows[i].want, "%zu", i);
        cr_expect_eq(why, rows[i].why, "row %zu: %s", i, hpa_limits_name(why));
    }
}

/* A policy is a cap, not a step: 10 pods in 15 s and a need of 2 adds 2. */
Test(hpa_limits, policies_cap_and_do_not_set_the_step)
{
    static const struct hpa_policy ten[] = {{HPA_POLICY_PODS, 10, 15 * S}};
    struct hpa_rules r = {HPA_SELECT_MAX, 0, ten, 1};
    struct hpa_range range = {5, 7, 1, 100};
    enum hpa_limit why;
    cr_expect_eq(hpa_limits_rate(&range, &r, &r, &idle, &why), 7);
    cr_expect_eq(why, HPA_LIMIT_NONE);
}

Test(hpa_limits, events_reuse_the_last_outdated_slot)
{
    struct hpa_event items[6] = {{5, -31 * S, false}, {8, -61 * S, false}, {3, -29 * S, false}};
    struct hpa_events e = {items, 3, 6};
    static const struct hpa_policy p[] = {{HPA_POLICY_PODS, 10, 30 * S}};
    struct hpa_rules r = {HPA_SELECT_MAX, 0, p, 1};
    hpa_limits_store(&e, &r, 4, 0);
    cr_expect_eq(e.n, 3u);
    cr_expect(items[0].outdated);
    cr_expect_eq(items[1].change, 4);
    cr_expect_not(items[1].outdated);
    cr_expect_not(items[2].outdated);
    items[0] = (struct hpa_event){5, -30 * S, false};
    hpa_limits_store(&e, &r, 6, 0);
    cr_expect_eq(e.n, 4u, "exactly the period is not outdated yet");
}
