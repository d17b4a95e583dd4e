/* test_node_unneeded: eligibility, the list and the last gates, by tables and a second reading. */
#include "models/control/node_unneeded.h"
#include "tests/dice.h"

#include <criterion/criterion.h>
#include <string.h>

enum { STEPS = 120000, IDS = 12 };

Test(node_unneeded, gives_the_first_reason_that_holds)
{
    static const struct node_utilization half = {.value = 0.5}, little = {.value = 0.1};
    static const struct {
        struct node_candidate n;
        enum node_down_reason want;
        const char *why;
    } rows[] = {
        {{true, true, false, SIM_NEVER, false, &little}, NODE_DOWN_UNNEEDED, "idle"},
        {{true, true, false, SIM_NEVER, false, NULL}, NODE_DOWN_ERROR, "no figure"},
        {{true, false, false, SIM_NEVER, false, NULL},
         NODE_DOWN_UNREADY_DISABLED,
         "not ready, no figure"},
        {{false, false, false, SIM_NEVER, false, &half}, NODE_DOWN_NOT_AUTOSCALED, "of no pool"},
        {{false, true, true, SIM_NEVER, false, &little}, NODE_DOWN_DISABLED, "annotated"},
        {{true, true, true, -60 * SIM_SECOND, false, &little},
         NODE_DOWN_BEING_DELETED,
         "being deleted"},
        {{true, true, false, -5 * SIM_MINUTE, false, &little}, NODE_DOWN_UNNEEDED, "deletion lost"},
    };
    struct node_scaler_config c;
    node_settings_upstream(&c);
    c.scale_down_unready = false;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        enum node_down_reason got = node_unneeded_eligible(&c, &rows[i].n, 0);
        cr_expect_eq(got, rows[i].want, "%s: %s", rows[i].why, node_scaler_down_name(got));
    }
}

Test(node_unneeded, the_threshold_itself_depends_on_the_version)
{
    struct node_scaler_config c;
    struct node_utilization u = {.value = 0.5};
    struct node_candidate n = {
        .autoscaled = true, .ready = true, .deleting_since = SIM_NEVER, .utilization = &u};
    node_settings_upstream(&c);
    cr_expect_eq(node_unneeded_eligible(&c, &n, 0), NODE_DOWN_UNNEEDED, "1.35 and later");
    c.threshold_included = false;
    cr_expect_eq(node_unneeded_eligible(&c, &n, 0), NODE_DOWN_NOT_UNDERUTILIZED, "1.34 and before");
    u.value = 0.4999999999;
    cr_expect_eq(node_unneeded_eligible(&c, &n, 0), NODE_DOWN_UNNEEDED);
    n.gpu_node = true;
    c.gpu_utilization_threshold = 0.3;
    cr_expect_eq(node_unneeded_eligible(&c, &n, 0), NODE_DOWN_NOT_UNDERUTILIZED);
    c.gpu_rule = NODE_GPU_IGNORE;
    cr_expect_eq(node_unneeded_eligible(&c, &n, 0), NODE_DOWN_UNNEEDED,
                 "no GPU rule, no GPU threshold");
}

/* The second reading keeps one clock an id and resets it whenever the id is missing. */
Test(node_unneeded, clocks_agree_with_one_clock_a_node)
{
    struct dice d = dice_of(6);
    struct node_unneeded lists[2][IDS];
    sim_ns clock[IDS];
    size_t n = 0;
    for (int i = 0; i < IDS; i++)
        clock[i] = SIM_NEVER;
    for (int step = 0; step < STEPS; step++) {
        struct node_unneeded *before = lists[step % 2], *next = lists[(step + 1) % 2];
        sim_ns now = step * SIM_SECOND;
        size_t n_next = 0;
        for (int i = IDS - 1; i >= 0; i--) {
            bool in = dice_int(&d, 0, 3) > 0;
            clock[i] = in ? (clock[i] == SIM_NEVER ? now : clock[i]) : SIM_NEVER;
            if (in)
                next[n_next++].id = (uint64_t)i + 100;
        }
        node_unneeded_update(before, n, next, n_next, now);
        n = n_next;
        for (size_t i = 0; i < n; i++)
            cr_assert_eq(next[i].since, clock[next[i].id - 100], "step %d", step);
    }
}

/* The second reading of the last gates, as one sentence each. */
static enum node_down_reason plain(const struct node_removal *r, sim_ns wait, sim_ns unready_wait)
{
    bool long_enough = r->unneeded_for > (r->ready ? wait : unready_wait);
    bool room = r->group_size - r->deletions_in_progress - 1 >= r->group_min;
    return r->scale_down_disabled     ? NODE_DOWN_DISABLED
           : !r->autoscaled           ? NODE_DOWN_NOT_AUTOSCALED
           : !long_enough && r->ready ? NODE_DOWN_NOT_UNNEEDED_LONG_ENOUGH
           : !long_enough             ? NODE_DOWN_NOT_UNREADY_LONG_ENOUGH
           : !room                    ? NODE_DOWN_MIN_SIZE_REACHED
                                      : NODE_DOWN_DELETE;
}

Test(node_unneeded, the_last_gates_agree_with_a_second_reading)
{
    struct dice d = dice_of(7);
    struct node_scaler_config c;
    node_settings_upstream(&c);
    for (int k = 0; k < STEPS; k++) {
        c.unneeded_time = dice_int(&d, 0, 5);
        c.unready_time = dice_int(&d, 0, 5);
        struct node_removal r = {
            dice_int(&d, 0, 9) == 0,    dice_int(&d, 0, 9) > 0,      dice_flag(&d),
            dice_int(&d, 0, 6),         (int32_t)dice_int(&d, 0, 6), (int32_t)dice_int(&d, 0, 4),
            (int32_t)dice_int(&d, 0, 3)};
        cr_assert_eq(node_unneeded_removable(&c, &r), plain(&r, c.unneeded_time, c.unready_time),
                     "case %d", k);
    }
}

Test(node_unneeded, the_list_has_two_limits)
{
    static const struct {
        int64_t length;
        int32_t parallel;
        sim_ns wait, loop;
        int64_t want;
        const char *why;
    } rows[] = {
        {0, 10, 600 * SIM_SECOND, 10 * SIM_SECOND, 20, "length + 2 x parallelism"},
        {35, 10, 600 * SIM_SECOND, 10 * SIM_SECOND, 55, "the same, later"},
        {900, 10, 600 * SIM_SECOND, 10 * SIM_SECOND, 610, "parallelism x 60 loops + parallelism"},
        {900, 10, 605 * SIM_SECOND, 10 * SIM_SECOND, 610, "whole loops only"},
        {900, 10, 5 * SIM_SECOND, 10 * SIM_SECOND, 20, "at least one loop"},
        {0, 1, 600 * SIM_SECOND, 600 * SIM_SECOND, 2, "one at a time"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct node_scaler_config c;
        node_settings_upstream(&c);
        c.max_deletions = rows[i].parallel;
        c.unneeded_time = rows[i].wait;
        c.scan_interval = rows[i].loop;
        cr_expect_eq(node_unneeded_limit(&c, rows[i].length), rows[i].want, "%s", rows[i].why);
    }
}
