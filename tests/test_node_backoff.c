/* test_node_backoff: lengths and edges. */
#include "models/control/node_backoff.h"

#include <criterion/criterion.h>

static const struct node_backoff_rule rule = {5 * SIM_MINUTE, 30 * SIM_MINUTE, 3 * SIM_HOUR};

Test(node_backoff, doubles_from_five_to_thirty_minutes)
{
    static const sim_ns want[] = {5 * SIM_MINUTE, 10 * SIM_MINUTE, 20 * SIM_MINUTE, 30 * SIM_MINUTE,
                                  30 * SIM_MINUTE};
    struct node_backoff b = {0};
    sim_ns now = SIM_HOUR;
    for (size_t i = 0; i < 5; i++) {
        node_backoff_fail(&b, &rule, now);
        cr_expect_eq(b.until - now, want[i], "failure %zu", i);
        cr_expect(node_backoff_active(&b, b.until - 1));
        cr_expect_not(node_backoff_active(&b, b.until));
        now = b.until + 1;
    }
}

Test(node_backoff, a_failure_at_its_very_end_does_not_double_it)
{
    struct node_backoff b = {0};
    node_backoff_fail(&b, &rule, 0);
    node_backoff_fail(&b, &rule, 5 * SIM_MINUTE);
    cr_expect_eq(b.until, 10 * SIM_MINUTE);
    node_backoff_fail(&b, &rule, 10 * SIM_MINUTE + 1);
    cr_expect_eq(b.until, 20 * SIM_MINUTE + 1);
    node_backoff_fail(&b, &rule, 15 * SIM_MINUTE);
    cr_expect_eq(b.until, 25 * SIM_MINUTE, "the same length from the new failure");
}

Test(node_backoff, is_forgotten_three_hours_after_the_last_failure)
{
    struct node_backoff b = {0};
    node_backoff_fail(&b, &rule, 0);
    node_backoff_fail(&b, &rule, 6 * SIM_MINUTE);
    node_backoff_forget(&b, &rule, 6 * SIM_MINUTE + 3 * SIM_HOUR);
    cr_expect(b.tracked);
    node_backoff_forget(&b, &rule, 6 * SIM_MINUTE + 3 * SIM_HOUR + 1);
    cr_expect_not(b.tracked);
    node_backoff_fail(&b, &rule, SIM_DAY);
    cr_expect_eq(b.until, SIM_DAY + 5 * SIM_MINUTE);
}
