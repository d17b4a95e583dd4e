/* test_stopwatch: how often work is repeated, and what is read from the samples; no time is judged.
 */
#include "kernels/stopwatch.h"

#include <criterion/criterion.h>
#include <signal.h>

static const double any_spread = 1e300, never = -1;

static void count(void *self)
{
    int *n = self;
    (*n)++;
}

static struct stopwatch_reading measure(const struct stopwatch_rule *rule, int *calls)
{
    struct stopwatch_reading r;
    *calls = 0;
    stopwatch_measure(rule, count, calls, &r);
    return r;
}

Test(stopwatch, measures_the_least_number_and_one_before)
{
    int calls;
    struct stopwatch_rule rule = {.max_s = 1e9, .min_samples = 5, .spread = any_spread};
    struct stopwatch_reading r = measure(&rule, &calls);
    cr_expect_eq(r.samples, 5);
    cr_expect_eq(calls, 6, "the first is not measured");
    cr_expect(r.stable);
}

Test(stopwatch, ends_when_time_is_up_and_says_so)
{
    int calls;
    struct stopwatch_rule rule = {.max_s = 0, .min_samples = 5, .spread = never};
    struct stopwatch_reading r = measure(&rule, &calls);
    cr_expect_eq(r.samples, 1);
    cr_expect_not(r.stable);
}

Test(stopwatch, keeps_no_more_samples_than_it_has_room_for)
{
    int calls;
    struct stopwatch_rule rule = {.max_s = 1e9, .min_samples = 1, .spread = never};
    struct stopwatch_reading r = measure(&rule, &calls);
    cr_expect_eq(r.samples, STOPWATCH_MAX_SAMPLES);
    cr_expect_eq(calls, STOPWATCH_MAX_SAMPLES + 1);
}

Test(stopwatch, keeps_the_samples_for_who_wants_them)
{
    int calls;
    double kept[STOPWATCH_MAX_SAMPLES] = {0};
    struct stopwatch_rule rule = {
        .max_s = 1e9, .min_samples = 5, .spread = any_spread, .kept = kept};
    struct stopwatch_reading r = measure(&rule, &calls);
    double best = kept[0];
    for (size_t i = 0; i < r.samples; i++)
        best = kept[i] < best ? kept[i] : best;
    cr_expect_eq(best, r.best_s);
    cr_expect_eq(kept[r.samples], 0);
}

Test(stopwatch, reads_best_quartiles_and_median_in_order)
{
    int calls;
    struct stopwatch_rule rule = {.max_s = 1e9, .min_samples = 101, .spread = any_spread};
    struct stopwatch_reading r = measure(&rule, &calls);
    cr_expect(0 <= r.best_s && r.best_s <= r.low_s && r.low_s <= r.median_s &&
              r.median_s <= r.high_s);
}

Test(stopwatch, its_clock_never_runs_backwards)
{
    double before = stopwatch_now_s();
    for (int i = 0; i < 1000; i++) {
        double now = stopwatch_now_s();
        cr_assert(now >= before);
        before = now;
    }
}

Test(stopwatch, refuses_a_rule_without_samples, .signal = SIGABRT)
{
    int calls;
    struct stopwatch_rule rule = {.max_s = 1, .spread = any_spread};
    measure(&rule, &calls);
}
