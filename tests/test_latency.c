/* test_latency: percentiles of small samples. */
#include "kernels/latency.h"

#include <criterion/criterion.h>

Test(latency, percentiles_are_nearest_ranks)
{
    double x[100];
    struct latency l;
    for (int i = 0; i < 100; i++)
        x[i] = (i * 37 % 100 + 1) * 1e-3; /* 1..100 ms in some order */
    latency_summarize(x, 100, &l);
    cr_assert_float_eq(l.p50.value_s, 0.050, 1e-12);
    cr_assert_float_eq(l.p90.value_s, 0.090, 1e-12);
    cr_assert_float_eq(l.p99.value_s, 0.099, 1e-12);
    cr_assert_float_eq(l.mean_s, 0.0505, 1e-12);
    cr_assert_float_eq(l.best_s, 0.001, 1e-12);
    cr_assert_float_eq(l.worst_s, 0.100, 1e-12);
    /* 50 +- 1.96 x 5: the 40th and the 60th value */
    cr_assert_float_eq(l.p50.low_s, 0.040, 1e-12);
    cr_assert_float_eq(l.p50.high_s, 0.060, 1e-12);
    cr_assert_float_eq(l.p99.high_s, 0.100, 1e-12);
}

Test(latency, one_sample_is_every_percentile)
{
    double x[1] = {0.25};
    struct latency l;
    latency_summarize(x, 1, &l);
    cr_assert(l.p50.value_s == 0.25 && l.p99.low_s == 0.25 && l.p99.high_s == 0.25 && l.cv == 0);
}
