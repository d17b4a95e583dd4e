/* test_node_delay: three clocks and their edges. */
#include "models/control/node_delay.h"

#include <criterion/criterion.h>

Test(node_delay, ends_exactly_when_its_time_is_over)
{
    struct node_delay d = {.last_add = 100, .last_delete = SIM_NEVER, .last_failure = SIM_NEVER};
    cr_expect_eq(node_delay_holds(&d, 50, 50, 50, 149), NODE_COOL_AFTER_ADD);
    cr_expect_eq(node_delay_holds(&d, 50, 50, 50, 150), NODE_COOL_NONE);
    d.last_failure = 120;
    cr_expect_eq(node_delay_holds(&d, 50, 50, 50, 169), NODE_COOL_AFTER_FAILURE);
    d.last_delete = 160;
    cr_expect_eq(node_delay_holds(&d, 50, 50, 50, 180), NODE_COOL_AFTER_DELETE);
    cr_expect_eq(node_delay_holds(&d, 50, 50, 0, 180), NODE_COOL_NONE);
    cr_expect_eq(node_delay_holds(&d, 50, 50, 50, 130), NODE_COOL_AFTER_ADD,
                 "the first that holds");
}

Test(node_delay, an_autoscaler_starts_one_hour_after_everything)
{
    struct node_delay d = node_delay_start(SIM_DAY);
    cr_expect_eq(node_delay_holds(&d, SIM_HOUR, SIM_HOUR, SIM_HOUR, SIM_DAY), NODE_COOL_NONE);
    cr_expect_eq(node_delay_holds(&d, SIM_HOUR + 1, 0, 0, SIM_DAY), NODE_COOL_AFTER_ADD);
}
