/* test_shim: the shim reports mistakes that were planted, and lets what is right pass. */
#include "tests/cuda_shim/planted.h"
#include "tests/cuda_shim/rig.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

/* Runs one; true when all values were turned around within their block and no fault was reported.
 * told: the report, or the error of the call. */
static bool passes(enum planted what, enum shim_order order, char told[512])
{
    float values[PLANTED_VALUES];
    struct rig r = rig_create(order);
    struct pair p = pair_random(PLANTED_VALUES, 1);
    bool right = true;
    for (size_t i = 0; i < p.n; i++)
        p.f[i] = (float)(i + 1);
    float *at = rig_put(&r, &p);
    int rc = planted_run(what, at, r.device, &r.e) ||
             device_get(r.device, values, at, sizeof values, &r.e);
    snprintf(told, 512, "%s", shim_fault());
    if (rc && !told[0])
        snprintf(told, 512, "%.500s", r.e.msg);
    for (size_t i = 0; rc == 0 && i < p.n; i++)
        right = right && values[i] == (float)(i / 64 * 64 + 64 - i % 64);
    device_give(r.device, at);
    if (!told[0]) /* an overrun into the bytes before the guard page shows when memory goes back */
        snprintf(told, 512, "%s", shim_fault());
    device_destroy(r.device);
    cr_assert_eq(shim_live(), 0);
    pair_free(&p);
    return right && !told[0];
}

Test(shim, a_right_kernel_passes_in_every_order)
{
    char told[512];
    for (enum shim_order o = SHIM_FORWARD; o <= SHIM_SHUFFLED; o++)
        cr_assert(passes(PLANTED_RIGHT, o, told), "%s", told);
}

Test(shim, a_wrong_kernel_fails_in_one_order_at_least)
{
    for (enum planted p = PLANTED_RIGHT + 1; p < PLANTED_KINDS; p++) {
        char told[512];
        int passed = 0;
        for (enum shim_order o = SHIM_FORWARD; o <= SHIM_SHUFFLED; o++)
            passed += passes(p, o, told);
        cr_assert_lt(passed, SHIM_ORDERS, "planted mistake %d passed in all orders", (int)p);
    }
}

Test(shim, a_report_names_kernel_block_and_warp)
{
    static const struct {
        enum planted what;
        const char *told;
    } rows[] = {
        {PLANTED_SHARED_OVERRUN, "kernel planted_shared, block (0,0,0), warp 1, thread (63,0,0): "
                                 "out of bounds: shared memory"},
        {PLANTED_SHARED_CANARY, "kernel planted_shared, block (0,0,0), warp 0: shared memory was "
                                "written out of bounds, at byte 252 of 252"},
        {PLANTED_SHARED_UNDERRUN, "shared memory was written out of bounds, at byte -4 of 256"},
        {PLANTED_GLOBAL_OVERRUN, "kernel planted_global, block (1,0,0), warp 1, thread (63,0,0): "
                                 "out of bounds: device memory"},
        {PLANTED_WRONG_STRIDE, "kernel planted_global, block (0,0,0), warp 0, thread (2,0,0): out "
                               "of bounds: device memory"},
        {PLANTED_DIVERGENT, "kernel planted_divergent, block (0,0,0), warp 1: divergent barrier: "
                            "thread 0 waits at line "},
        {PLANTED_EARLY_RETURN, "kernel planted_early_return, block (0,0,0), warp 1: thread 0 waits "
                               "at the barrier of line "},
        {PLANTED_SPLIT_WARP, "kernel planted_split_warp, block (0,0,0), warp 1: the warp is split: "
                             "lane "},
        {PLANTED_WRONG_MASK, "kernel planted_wrong_mask, block (0,0,0), warp 0: lane 0 reads lane "
                             "16, which is not in its mask 0000ffff"},
        {PLANTED_RECURSION, "out of bounds: its stack"},
        {PLANTED_LARGE_BLOCK, "CUDA: planted_right: "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char told[512];
        cr_assert_not(passes(rows[i].what, SHIM_FORWARD, told));
        cr_assert(strstr(told, rows[i].told), "%d: \"%s\" is not in \"%s\"", (int)rows[i].what,
                  rows[i].told, told);
    }
}

Test(shim, warps_shuffle_and_vote)
{
    for (enum shim_order o = SHIM_FORWARD; o <= SHIM_SHUFFLED; o++) {
        float v[PLANTED_WARP_VALUES];
        struct rig r = rig_create(o);
        struct pair p = pair_random(PLANTED_WARP_VALUES, 1);
        float *at = rig_put(&r, &p);
        planted_warp(at, r.device, &r.e);
        cr_assert_eq(device_get(r.device, v, at, sizeof v, &r.e), 0, "%s", r.e.msg);
        for (int lane = 0; lane < 32; lane++) {
            const int want[7] = {
                lane ^ 5, lane < 3 ? lane : lane - 3, lane < 28 ? lane + 4 : lane, 7, 0xAA, 1, 1};
            for (int i = 0; i < 7; i++)
                cr_assert_eq(v[32 * i + lane], (float)want[i], "lane %d of %d", lane, i);
        }
        device_give(r.device, at);
        pair_free(&p);
        rig_destroy(&r, "lanes");
    }
}

Test(shim, work_is_done_only_when_somebody_waits)
{
    struct rig r = rig_create(SHIM_FORWARD);
    struct pair p = pair_random(PLANTED_VALUES, 1);
    float *at = rig_put(&r, &p);
    int64_t before = shim_launched();
    planted_run(PLANTED_RIGHT, at, r.device, &r.e);
    cr_assert_eq(shim_launched(), before);
    device_wait(r.device, &r.e);
    cr_assert_eq(shim_launched(), before + 1);
    device_give(r.device, at);
    pair_free(&p);
    rig_destroy(&r, "wait");
}

Test(shim, the_host_cannot_touch_device_memory, .signal = SIGSEGV)
{
    struct rig r = rig_create(SHIM_FORWARD);
    struct pair p = pair_random(PLANTED_VALUES, 1);
    float *at = rig_put(&r, &p);
    planted_run(PLANTED_RIGHT, at, r.device, &r.e);
    device_wait(r.device, &r.e);
    cr_assert_eq(*(volatile float *)at, 1.0F); /* never reached */
}

Test(shim, what_is_not_given_back_is_counted)
{
    struct rig r = rig_create(SHIM_FORWARD);
    int64_t before = shim_live();
    void *p = device_take(r.device, 12, &r.e);
    cr_assert_eq(shim_live(), before + 1);
    device_give(r.device, p);
    cr_assert_eq(shim_live(), before);
    rig_destroy(&r, "live");
}
