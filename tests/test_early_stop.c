/* test_early_stop: LoadGen's own figures, as its published logs state them. */
#include "kernels/early_stop.h"

#include <criterion/criterion.h>
#include <math.h>

#define ROWS(table) (sizeof(table) / sizeof *(table))

Test(early_stop, discards_as_many_as_published_logs_say)
{
    /* "Processed at least 64 queries (2048). Would discard 172 highest latency queries." and the
     * like, from public MLPerf result logs of SingleStream, percentile 90 */
    static const struct {
        size_t queries, discarded;
    } logs[] = {{100, 2},    {201, 9},    {659, 47},   {708, 51},
                {2048, 172}, {2145, 181}, {7469, 685}, {79944, 7796}};
    for (size_t i = 0; i < ROWS(logs); i++)
        cr_expect_eq(early_stop_rank(logs[i].queries, 0.9), logs[i].discarded + 1, "%zu queries",
                     logs[i].queries);
}

Test(early_stop, needs_64_queries_for_p90_and_662_for_p99)
{
    cr_expect_eq(early_stop_least(0.9), 64);
    cr_expect_eq(early_stop_least(0.99), 662);
    cr_expect_eq(early_stop_rank(63, 0.9), 0);
    cr_expect_eq(early_stop_rank(64, 0.9), 1);
    cr_expect_eq(early_stop_rank(0, 0.9), 0);
}

Test(early_stop, estimates_the_slowest_that_is_left)
{
    double x[100];
    for (int i = 0; i < 100; i++)
        x[i] = i + 1;
    cr_expect_eq(early_stop_estimate(x, 100, 0.9), 98); /* as a log of 100 queries: 2 discarded */
    cr_expect(isnan(early_stop_estimate(x, 100, 0.99)));
}

Test(early_stop, a_bound_holds_only_with_enough_queries_below_it)
{
    /* 0.99^458 = 0.01002, 0.99^459 = 0.0099 */
    cr_expect_not(early_stop_holds(458, 0, 0.99));
    cr_expect(early_stop_holds(459, 0, 0.99));
    cr_expect_not(early_stop_holds(10000, 100, 0.99));
    cr_expect(early_stop_holds(10000, 70, 0.99));
    cr_expect_not(early_stop_holds(0, 0, 0.99));
    cr_expect_not(early_stop_holds(5, 5, 0.5));
}
