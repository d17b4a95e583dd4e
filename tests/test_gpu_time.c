/* test_gpu_time: GPU time added up exactly. */
#include "models/capacity/gpu_time.h"

#include <criterion/criterion.h>

Test(gpu_time, is_exact_where_one_sum_would_overflow)
{
    struct gpu_time t = {0}, parts = {0};
    /* 8 GPUs for 149 days, a thousand times: 1.03e23 milli-GPU-nanoseconds. */
    sim_ns life = 149 * SIM_DAY + 1;
    for (int i = 0; i < 1000; i++)
        gpu_time_add(&t, 8000, life);
    cr_assert_eq(t.milli_s, INT64_C(149) * 86400 * 8000 * 1000);
    cr_assert_eq(t.milli_ns, 8000000);
    for (int i = 0; i < 1000; i++) {
        struct gpu_time one = {0};
        gpu_time_add(&one, 3000, life);
        gpu_time_add(&one, 5000, life - 400);
        gpu_time_add(&one, 5000, 400);
        gpu_time_sum(&parts, one);
    }
    cr_assert(gpu_time_equal(t, parts));
    gpu_time_add(&parts, 1, 1);
    cr_assert_not(gpu_time_equal(t, parts), "one thousandth of a GPU for one nanosecond");
}

Test(gpu_time, is_told_in_gpu_seconds)
{
    struct gpu_time t = {0};
    gpu_time_add(&t, 250, 10 * SIM_SECOND);
    gpu_time_add(&t, 1000, SIM_SECOND / 2);
    cr_assert_float_eq(gpu_time_s(t), 3.0, 1e-12);
}
