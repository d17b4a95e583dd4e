/* test_hist: buckets, quantiles and sums against plain sorted values. */
#include "sim/chance.h"
#include "sim/hist.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

static struct hist a, b, c;

static int ascending(const void *x, const void *y)
{
    sim_ns p = *(const sim_ns *)x, q = *(const sim_ns *)y;
    return (p > q) - (p < q);
}

/* Spread over all octaves. */
static sim_ns value(uint64_t entity, uint64_t i)
{
    struct chance s = chance_stream(1, 0, CHANCE_TEST, entity);
    return (sim_ns)chance_exp(32.5 * chance_uniform(s, i)) - 1;
}

Test(hist, every_value_lies_in_its_bucket)
{
    cr_expect_eq(hist_bucket_low(0), 0);
    for (uint32_t i = 0; i + 1 < HIST_BUCKETS; i++) {
        sim_ns low = hist_bucket_low(i), next = hist_bucket_low(i + 1);
        cr_assert_lt(low, next);
        cr_assert_eq(hist_bucket(low), i, "low of %u", i);
        cr_assert_eq(hist_bucket(next - 1), i, "top of %u", i);
        cr_assert_leq((double)(next - 1 - low) / (double)(low ? low : 1), 1.0 / 64);
    }
    cr_expect_eq(hist_bucket((INT64_C(1) << 47) - 1), HIST_BUCKETS - 1);
    cr_expect_eq(hist_bucket(INT64_C(1) << 47), HIST_BUCKETS - 1, "saturates");
    cr_expect_eq(hist_bucket(INT64_MAX), HIST_BUCKETS - 1, "saturates");
}

Test(hist, quantiles_are_within_eight_thousandths_of_the_nearest_rank)
{
    enum { N = 100001 };
    static sim_ns v[N];
    for (uint64_t i = 0; i < N; i++) {
        v[i] = value(1, i);
        hist_add(&a, v[i]);
    }
    qsort(v, N, sizeof v[0], ascending);
    for (int k = 0; k <= 1000; k++) {
        double q = k / 1000.0;
        size_t rank = (size_t)ceil(q * N - 1e-6);
        double want = (double)v[rank ? rank - 1 : 0];
        double got = (double)hist_quantile(&a, q);
        cr_assert_leq(fabs(got - want), 0.0079 * want, "q %g: %g against %g", q, got, want);
    }
    cr_expect_eq(hist_quantile(&a, 1), v[N - 1], "the maximum is exact");
    cr_expect_eq(a.max, v[N - 1]);
}

Test(hist, small_sets_give_the_rank_of_the_textbook)
{
    for (sim_ns v = 1; v <= 100; v++)
        hist_add(&a, v);
    static const struct {
        double q;
        sim_ns want;
    } rows[] = {{0, 1},     {0.001, 1}, {0.01, 1},    {0.011, 2},  {0.07, 7},
                {0.14, 14}, {0.28, 28}, {0.5, 50},    {0.501, 51}, {0.55, 55},
                {0.9, 90},  {0.99, 99}, {0.991, 100}, {1, 100}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        cr_expect_eq(hist_quantile(&a, rows[i].q), rows[i].want, "q %g: %lld", rows[i].q,
                     (long long)hist_quantile(&a, rows[i].q));
    cr_expect_eq(hist_quantile(&b, 0.5), 0, "empty");
    cr_expect_eq(hist_mean(&b), 0, "empty");
    hist_add(&b, 1000003);
    cr_expect_eq(hist_quantile(&b, 0), 1000003, "one value is its own quantile");
    hist_add(&b, 1000003);
    cr_expect_leq(hist_quantile(&b, 0.5), b.max, "never above the maximum");
}

Test(hist, values_beyond_the_range_keep_their_maximum)
{
    hist_add(&a, 5);
    for (int i = 0; i < 3; i++)
        hist_add(&a, INT64_C(1) << 60);
    cr_expect_eq(hist_quantile(&a, 1), INT64_C(1) << 60);
    cr_expect_geq(hist_quantile(&a, 0.5), INT64_C(1) << 46);
    cr_expect_eq(a.n, 4);
}

static void expect_same(const struct hist *x, const struct hist *y)
{
    for (uint32_t i = 0; i < HIST_BUCKETS; i++)
        cr_assert_eq(x->count[i], y->count[i], "bucket %u", i);
    cr_expect_eq(x->n, y->n);
    cr_expect_eq(x->sum_lo, y->sum_lo);
    cr_expect_eq(x->sum_hi, y->sum_hi);
}

Test(hist, merging_and_subtracting_are_exact)
{
    for (uint64_t i = 0; i < 20000; i++) {
        hist_add(&a, value(2, i));
        hist_add(&c, value(2, i));
        hist_add(&b, value(3, i));
        hist_add(&c, value(3, i));
    }
    struct hist both = a;
    hist_merge(&both, &b);
    expect_same(&both, &c);
    cr_expect_eq(both.max, a.max > b.max ? a.max : b.max);
    hist_subtract(&both, &a);
    expect_same(&both, &b);
    hist_subtract(&both, &b);
    hist_clear(&a);
    expect_same(&both, &a);
    cr_expect_eq(a.max, 0);
}

Test(hist, the_sum_carries_beyond_64_bits)
{
    const sim_ns big = INT64_MAX;
    for (int i = 0; i < 5; i++) {
        hist_add(&a, big);
        hist_add(&b, big);
        hist_add(&b, 1);
    }
    cr_expect_eq(a.sum_hi, 2, "5 (2^63 - 1) = 2 x 2^64 + 2^63 - 5");
    cr_expect_eq(a.sum_lo, (UINT64_C(1) << 63) - 5);
    cr_expect_float_eq(hist_mean(&a) / 0x1p63, 1, 1e-15);
    hist_merge(&a, &b);
    cr_expect_eq(a.sum_hi, 4);
    cr_expect_eq(a.sum_lo, UINT64_MAX - 4, "10 (2^63 - 1) + 5 = 5 x 2^64 - 5");
    hist_subtract(&a, &b);
    cr_expect_eq(a.sum_hi, 2);
    cr_expect_eq(a.sum_lo, (UINT64_C(1) << 63) - 5);
}

Test(hist, subtracting_borrows_from_the_upper_word)
{
    hist_add(&a, INT64_MAX);
    b = a;
    hist_add(&a, INT64_MAX);
    hist_add(&a, INT64_MAX);
    hist_subtract(&a, &b);
    cr_expect_eq(a.sum_hi, 0);
    cr_expect_eq(a.sum_lo, UINT64_MAX - 1, "2 (2^63 - 1)");
}

Test(hist, counts_within_a_limit_by_whole_buckets)
{
    for (uint64_t i = 0; i < 10000; i++)
        hist_add(&a, value(4, i));
    cr_expect_eq(hist_count_within(&a, -1), 0);
    cr_expect_eq(hist_count_within(&a, INT64_MAX), a.n);
    for (sim_ns limit = 1; limit < INT64_C(1) << 46; limit = limit * 3 + 1) {
        uint64_t exact = 0, upper = 0;
        for (uint64_t i = 0; i < 10000; i++) {
            exact += value(4, i) <= limit;
            upper += (double)value(4, i) <= (double)limit * (1 + 1.0 / 64);
        }
        uint64_t got = hist_count_within(&a, limit);
        cr_assert(exact <= got && got <= upper, "limit %lld", (long long)limit);
    }
}
