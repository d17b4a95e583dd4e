/* test_node_request: what was asked for, until it comes or expires. */
#include "models/control/node_request.h"

#include <criterion/criterion.h>

Test(node_request, more_nodes_move_the_deadline_of_all)
{
    struct node_request r = {0};
    node_request_change(&r, 2, 15 * SIM_MINUTE, 0);
    node_request_change(&r, 3, 15 * SIM_MINUTE, SIM_MINUTE);
    cr_expect_eq(r.increase, 5);
    cr_expect_eq(r.deadline, 16 * SIM_MINUTE);
    node_request_change(&r, -1, 15 * SIM_MINUTE, 2 * SIM_MINUTE);
    cr_expect_eq(r.increase, 4);
    cr_expect_eq(r.deadline, 16 * SIM_MINUTE, "fewer keep it");
    node_request_change(&r, -4, 15 * SIM_MINUTE, 3 * SIM_MINUTE);
    cr_expect_eq(r.increase, 0);
    node_request_change(&r, -1, 15 * SIM_MINUTE, 3 * SIM_MINUTE);
    cr_expect_eq(r.increase, 0);
}

Test(node_request, expires_after_its_deadline_with_the_whole_increase)
{
    struct node_request r = {0};
    node_request_change(&r, 4, 15 * SIM_MINUTE, 0);
    cr_expect_eq(node_request_update(&r, 1, 15 * SIM_MINUTE), 0, "at the deadline");
    cr_expect_eq(r.increase, 4);
    cr_expect_eq(node_request_update(&r, 1, 15 * SIM_MINUTE + 1), 4, "three of four had come");
    cr_expect_eq(r.increase, 0);
    cr_expect_eq(node_request_update(&r, 1, SIM_HOUR), 0);
}

Test(node_request, is_done_when_nothing_is_missing)
{
    struct node_request r = {0};
    node_request_change(&r, 4, 15 * SIM_MINUTE, 0);
    cr_expect_eq(node_request_update(&r, 0, SIM_HOUR), 0, "late, but here");
    cr_expect_eq(r.increase, 0);
}
