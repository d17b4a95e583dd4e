/* test_room: what is free on a node. */
#include "models/capacity/nodes.h"
#include "models/capacity/pod_shape.h"
#include "models/capacity/room.h"
#include "tests/dice.h"

#include <criterion/criterion.h>

static struct node four_gpus(void)
{
    return (struct node){.gpus = 4, .cpu_milli = 32000, .memory = INT64_C(128) << 30};
}

static struct pod_shape share(int32_t milli)
{
    return (struct pod_shape){.gpus = 1, .share_milli = milli};
}

Test(room, shares_go_to_the_fullest_gpu_that_has_room)
{
    struct node n = four_gpus();
    struct pod_shape a = share(470), b = share(810), c = share(230), whole = {.gpus = 1};
    uint32_t first = room_take(&n, &a);
    uint32_t second = room_take(&n, &b);
    cr_assert_neq(first, second, "0.47 and 0.81 are more than one GPU");
    cr_assert_eq(room_take(&n, &c), first, "0.23 fits beside 0.47 only");
    cr_assert_eq(n.gpus_used, 2);
    cr_assert_eq(room_gpu_milli(&n), 470 + 810 + 230);
    cr_assert_eq(room_free_milli(&n), 4000 - 1510);
    cr_assert_eq(room_take(&n, &whole), NODES_NONE);
    cr_assert_eq(room_take(&n, &whole), NODES_NONE);
    cr_assert_eq(room_lacks(&n, &whole, NULL), ROOM_GPUS, "all four are in use");
    struct pod_shape d = share(300), e = share(301);
    cr_assert_eq(room_lacks(&n, &d, NULL), 0, "0.3 is left beside 0.47 and 0.23");
    cr_assert_eq(room_lacks(&n, &e, NULL), ROOM_GPUS);
    room_leave(&n, &b, second);
    cr_assert_eq(n.gpus_used, 3, "a GPU that nobody shares any more is whole again");
    cr_assert_eq(room_lacks(&n, &whole, NULL), 0);
}

Test(room, prefers_the_fullest_of_two_that_have_room)
{
    struct node n = four_gpus();
    struct pod_shape half = share(500), more = share(600), small = share(300);
    uint32_t first = room_take(&n, &half), second = room_take(&n, &more);
    cr_assert_neq(first, second);
    cr_assert_eq(room_take(&n, &small), second, "0.6 before 0.5");
    cr_assert_eq(room_take(&n, &small), first, "0.9 is too full now");
}

Test(room, is_kept_for_another_pod)
{
    struct node n = four_gpus();
    struct node_reservation kept = {
        .held = true, .gpus = 3, .cpu_milli = 31000, .memory = INT64_C(127) << 30};
    struct pod_shape fits = {.gpus = 1, .cpu_milli = 1000, .memory_bytes = INT64_C(1) << 30};
    struct pod_shape large = {.gpus = 2, .cpu_milli = 1001, .memory_bytes = (INT64_C(1) << 30) + 1};
    cr_assert_eq(room_lacks(&n, &fits, &kept), 0);
    cr_assert_eq(room_lacks(&n, &large, &kept), ROOM_GPUS | ROOM_CPU | ROOM_MEMORY);
    cr_assert_eq(room_lacks(&n, &large, NULL), 0);
}

/* Whatever comes and goes, in whatever order: what is held is the sum of what is there, no GPU is
 * given beyond a whole, and an empty node is empty. */
Test(room, conserves_gpus_in_random_worlds)
{
    enum { PODS = 64 };
    struct dice dice = dice_of(7);
    for (int world = 0; world < 200; world++) {
        struct node n = {
            .gpus = (int32_t)dice_int(&dice, 1, 8), .cpu_milli = 96000, .memory = INT64_C(1) << 40};
        struct pod_shape pods[PODS];
        uint32_t devices[PODS];
        int there = 0;
        for (int step = 0; step < 300; step++) {
            int64_t held = 0;
            if (there > 0 && dice_int(&dice, 0, 2) == 0) {
                int i = (int)dice_int(&dice, 0, there - 1);
                room_leave(&n, &pods[i], devices[i]);
                pods[i] = pods[--there];
                devices[i] = devices[there];
            }
            struct pod_shape p = {.gpus = 1, .cpu_milli = dice_int(&dice, 0, 16000)};
            if (dice_int(&dice, 0, 1))
                p.share_milli = (int32_t)dice_int(&dice, 1, 999);
            else
                p.gpus = (int32_t)dice_int(&dice, 0, 4);
            if (there < PODS && room_lacks(&n, &p, NULL) == 0) {
                devices[there] = room_take(&n, &p);
                pods[there++] = p;
            }
            for (int i = 0; i < there; i++)
                held += pod_shape_gpu_milli(&pods[i]);
            cr_assert_eq(held, room_gpu_milli(&n));
            cr_assert(held <= n.gpus * 1000 && n.gpus_used <= n.gpus);
            for (int i = 0; i < NODES_GPUS_MAX; i++)
                cr_assert_leq(n.shared[i], 1000);
        }
        while (there > 0) {
            there--;
            room_leave(&n, &pods[there], devices[there]);
        }
        cr_assert(n.gpus_used == 0 && n.cpu_used == 0 && room_gpu_milli(&n) == 0);
    }
}
