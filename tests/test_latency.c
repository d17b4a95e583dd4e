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

Test(latency, an_interval_widens_when_times_come_in_moods)
{
    double calm[1000], moody[1000], sorted[1000];
    for (int i = 0; i < 1000; i++) {
        double noise = 1e-5 * (i * 37 % 101);
        calm[i] = 0.010 + noise;
        moody[i] = 0.010 + 0.0003 * (i / 100) + noise;
    }
    struct latency_percentile p = {0.0105, 0.01048, 0.01052};
    latency_widen(calm, 1000, &p);
    cr_expect(p.high_s - p.low_s < 0.0001, "%g", p.high_s - p.low_s);
    for (int i = 0; i < 1000; i++)
        sorted[i] = moody[i];
    struct latency l;
    latency_summarize(sorted, 1000, &l);
    double before = l.p50.high_s - l.p50.low_s;
    latency_widen(moody, 1000, &l.p50);
    /* ten medians 0.3 ms apart: deviation 0.908 ms, 2.262 x 0.908 / sqrt 10 = 0.65 ms */
    cr_expect_float_eq(l.p50.high_s - l.p50.value_s, 0.00065, 0.00001);
    cr_expect(l.p50.high_s - l.p50.low_s > 3 * before);
}
