/* test_load: the four scenarios on a clock that the test turns. */
#include "kernels/load.h"
#include "sim/arena.h"
#include "sim/chance.h"

#include <criterion/criterion.h>
#include <math.h>

/* Serves in a time that a table says, over and over. */
struct fake {
    double now_s, waited_s;
    const double *times_s;
    size_t n, served, seen;
    size_t fail_at;
    size_t slow_from, slow_to; /* the device is throttled while these are served */
};

static int serve(void *self, struct err *e)
{
    struct fake *f = self;
    if (f->fail_at && f->served == f->fail_at)
        return err_set(e, ERR_SYSTEM, NULL, "the device is gone");
    f->now_s += f->times_s[f->served % f->n];
    f->served++;
    return 0;
}

static double now(void *self)
{
    return ((struct fake *)self)->now_s;
}

static void wait_until(void *self, double at_s)
{
    struct fake *f = self;
    if (at_s > f->now_s) {
        f->waited_s += at_s - f->now_s;
        f->now_s = at_s;
    }
}

static int between(void *self, size_t queries, struct err *e)
{
    struct fake *f = self;
    (void)e;
    f->seen = queries;
    f->now_s += 0.5; /* the harness's own time, which no latency holds */
    return 0;
}

static int throttled(void *self, struct err *e)
{
    struct fake *f = self;
    (void)e;
    return f->served > f->slow_from && f->served <= f->slow_to;
}

static struct load_target target(struct fake *f)
{
    return (struct load_target){
        .self = f, .serve = serve, .now_s = now, .wait_until = wait_until, .between = NULL};
}

static struct load_outcome play(struct fake *f, const struct load_target *t,
                                const struct load_rule *rule)
{
    struct err e = {0};
    struct load_outcome o;
    struct arena *a = arena_create(&e); /* lives until the test's process ends */
    f->now_s = 1000;
    cr_assert_eq(load_run(a, t, rule, &o, &e), 0, "%s", e.msg);
    return o;
}

static const double tenth[] = {0.1};

Test(load, single_stream_sends_the_next_query_after_the_last)
{
    struct fake f = {.times_s = tenth, .n = 1};
    struct load_target t = target(&f);
    struct load_rule rule = load_usual;
    rule.scenario = LOAD_SINGLE_STREAM;
    rule.batch = 4;
    t.between = between;
    rule.min_s = 0;
    struct load_outcome o = play(&f, &t, &rule);
    cr_expect_eq(o.queries, 100);
    cr_expect_eq(f.served, 101, "the first is not measured");
    cr_expect_eq(f.seen, 100);
    cr_expect_float_eq(o.latency_s[99], 0.1, 1e-9, "without the harness's own half second");
    cr_expect_float_eq(o.items_per_s, 40, 1e-6);
    cr_expect(o.stable && o.long_enough && o.queries_enough);
}

Test(load, a_closed_loop_meets_both_minima_and_ends_at_its_limit)
{
    struct fake f = {.times_s = tenth, .n = 1};
    struct load_target t = target(&f);
    struct load_rule rule = load_usual;
    rule.scenario = LOAD_SINGLE_STREAM;
    rule.min_s = 20;
    struct load_outcome o = play(&f, &t, &rule);
    cr_expect(o.queries >= 200 && o.queries <= 201, "%zu", o.queries);
    rule.min_queries = 100000;
    rule.max_s = 30;
    f = (struct fake){.times_s = tenth, .n = 1};
    o = play(&f, &t, &rule);
    cr_expect(o.queries >= 300 && o.queries <= 301, "%zu", o.queries);
    cr_expect(o.long_enough && !o.queries_enough);
}

Test(load, a_closed_loop_goes_on_until_it_is_stable)
{
    static double falling[400]; /* slower at first, as caches and clocks warm up */
    for (size_t i = 0; i < 400; i++)
        falling[i] = i < 200 ? 0.2 - 0.0005 * (double)i : 0.1;
    struct fake f = {.times_s = falling, .n = 400};
    struct load_target t = target(&f);
    struct load_rule rule = load_usual;
    rule.scenario = LOAD_SINGLE_STREAM;
    rule.min_s = 1;
    rule.min_queries = 20;
    rule.spread = 0.005;
    struct load_outcome o = play(&f, &t, &rule);
    cr_expect(o.stable && o.queries > 100, "%zu", o.queries);
}

Test(load, multi_stream_serves_eight_samples_a_query)
{
    struct fake f = {.times_s = tenth, .n = 1};
    struct load_target t = target(&f);
    struct load_rule rule = load_usual;
    rule.scenario = LOAD_MULTI_STREAM;
    rule.batch = 3; /* 8 samples are three batches */
    struct load_outcome o = play(&f, &t, &rule);
    cr_expect_float_eq(o.latency_s[0], 0.3, 1e-9);
    cr_expect_float_eq(o.items_per_s, 9 / 0.3, 1e-6, "all that were served, not 8");
    rule.batch = 16;
    f = (struct fake){.times_s = tenth, .n = 1};
    o = play(&f, &t, &rule);
    cr_expect_float_eq(o.items_per_s, 16 / 0.1, 1e-6);
    cr_expect_eq(load_items(&rule), 16);
}

Test(load, offline_is_one_query_whose_batches_all_wait_from_the_start)
{
    struct fake f = {.times_s = tenth, .n = 1};
    struct load_target t = target(&f);
    struct load_rule rule = load_usual;
    rule.scenario = LOAD_OFFLINE;
    rule.batch = 16;
    struct load_outcome o = play(&f, &t, &rule);
    cr_expect_eq(o.queries, 110, "10 s and a tenth more");
    cr_expect_float_eq(o.latency_s[109], 11, 1e-6);
    cr_expect_float_eq(o.service_s[109], 0.1, 1e-9);
    cr_expect_float_eq(o.items_per_s, 160, 1e-6);
}

Test(load, server_latency_counts_from_the_scheduled_arrival)
{
    /* One stall of 2 s: a closed loop sees one slow query, the server everybody behind it. */
    static double stall[1000];
    for (size_t i = 0; i < 1000; i++)
        stall[i] = i == 50 ? 2 : 0.01;
    struct fake f = {.times_s = stall, .n = 1000};
    struct load_target t = target(&f);
    struct load_rule rule = load_usual;
    rule.scenario = LOAD_SERVER;
    rule.qps = 20;
    struct load_outcome o = play(&f, &t, &rule);
    size_t slow_service = 0, slow_latency = 0;
    for (size_t i = 0; i < o.queries; i++) {
        slow_service += o.service_s[i] > 0.13;
        slow_latency += o.latency_s[i] > 0.13;
    }
    cr_expect_eq(slow_service, 1);
    cr_expect(slow_latency > 20, "%zu", slow_latency);
    cr_expect_eq(o.over, slow_latency);
    cr_expect_not(o.holds);
}

Test(load, server_arrivals_are_those_of_the_seed)
{
    struct fake f = {.times_s = tenth, .n = 1};
    struct load_target t = target(&f);
    struct load_rule rule = load_usual;
    rule.scenario = LOAD_SERVER;
    rule.qps = 5;
    rule.seed = 7;
    rule.min_queries = 1000;
    rule.max_s = 1e9;
    struct load_outcome o = play(&f, &t, &rule);
    cr_assert_eq(o.queries, 1000);
    double due = 0;
    for (size_t i = 0; i < o.queries; i++) {
        due += chance_exponential(chance_stream(7, 0, CHANCE_SAMPLE, 1), i) / 5;
        cr_assert_float_eq(o.scheduled_s[i], due, 1e-9);
    }
    cr_expect_float_eq(due, 200, 20);
}

Test(load, an_overloaded_server_leaves_queries_that_count_as_late)
{
    struct fake f = {.times_s = tenth, .n = 1};
    struct load_target t = target(&f);
    struct load_rule rule = load_usual;
    rule.scenario = LOAD_SERVER;
    rule.qps = 100; /* it serves 10 */
    rule.max_s = 12;
    struct load_outcome o = play(&f, &t, &rule);
    cr_expect(o.queries >= 118 && o.queries <= 122, "%zu", o.queries);
    cr_expect(o.unserved > 700);
    cr_expect(o.over >= o.unserved && !o.holds && !o.certain);
}

Test(load, the_peak_lies_below_the_capacity_and_holds_the_bound)
{
    static const double hundredth[] = {0.01};
    struct fake f = {.times_s = hundredth, .n = 1};
    struct load_target t = target(&f);
    struct load_rule rule = load_usual;
    struct load_outcome o;
    struct err e = {0};
    rule.scenario = LOAD_SERVER;
    rule.min_s = 60;
    rule.max_s = 700;
    cr_assert_eq(load_find_peak(arena_create(&e), &t, &rule, &o, &e), 0);
    /* M/D/1 with a service time of 10 ms: p99 reaches 130 ms near a load of 0.84 */
    cr_expect(rule.qps > 70 && rule.qps < 95, "%g", rule.qps);
    cr_expect(o.holds && o.queries > 1000);
}

Test(load, a_device_that_cannot_hold_the_bound_has_no_peak)
{
    static const double second[] = {1};
    struct fake f = {.times_s = second, .n = 1};
    struct load_target t = target(&f);
    struct load_rule rule = load_usual;
    struct load_outcome o;
    struct err e = {0};
    rule.scenario = LOAD_SERVER;
    cr_assert_eq(load_find_peak(arena_create(&e), &t, &rule, &o, &e), 0);
    cr_expect(rule.qps == 0 && !o.holds);
}

Test(load, what_was_measured_while_throttled_is_measured_again)
{
    struct fake f = {.times_s = tenth, .n = 1, .slow_from = 20, .slow_to = 40};
    struct load_target t = target(&f);
    struct load_rule rule = load_usual;
    t.throttled = throttled;
    rule.scenario = LOAD_SINGLE_STREAM;
    struct load_outcome o = play(&f, &t, &rule);
    cr_expect(o.dropped >= 18 && o.dropped <= 24, "%zu", o.dropped);
    cr_expect_eq(f.served, 1 + o.queries + o.dropped);
    cr_expect(f.waited_s > 0.2);
}

/* 20 pauses, and then it is measured as it is: that must be known. */
Test(load, a_device_that_stays_throttled_is_told)
{
    struct fake f = {.times_s = tenth, .n = 1, .slow_from = 0, .slow_to = 100000};
    struct load_target t = target(&f);
    struct load_rule rule = load_usual;
    t.throttled = throttled;
    rule.scenario = LOAD_SINGLE_STREAM;
    struct load_outcome o = play(&f, &t, &rule);
    cr_expect(o.slowed && o.queries >= 100);
    f = (struct fake){.times_s = tenth, .n = 1, .slow_from = 20, .slow_to = 40};
    o = play(&f, &t, &rule);
    cr_expect_not(o.slowed);
}

/* However little time there is, a quarter of it at most is lost to a slow device. */
Test(load, a_device_that_stays_throttled_is_measured_within_its_time)
{
    static const double limits_s[] = {0.05, 0.3, 1, 5, 60};
    for (size_t i = 0; i < sizeof limits_s / sizeof *limits_s; i++) {
        struct fake f = {.times_s = tenth, .n = 1, .slow_from = 0, .slow_to = 100000};
        struct load_target t = target(&f);
        struct load_rule rule = load_usual;
        t.throttled = throttled;
        rule.scenario = LOAD_SINGLE_STREAM;
        rule.min_s = rule.max_s = limits_s[i];
        struct load_outcome o = play(&f, &t, &rule);
        cr_expect(o.slowed || limits_s[i] < 0.25, "%g s", limits_s[i]);
        cr_expect(o.queries >= 1 && (double)o.queries * 0.1 >= 0.7 * limits_s[i] - 0.1,
                  "%zu queries in %g s", o.queries, limits_s[i]);
    }
}

/* A little more than the server can do, so that nobody is late as yet; then much more, briefly. */
Test(load, a_rate_at_which_the_queue_grows_does_not_hold)
{
    static const double service_s[] = {1.0 / 679};
    struct fake f = {.times_s = service_s, .n = 1};
    struct load_target t = target(&f);
    struct load_rule rule = load_usual;
    rule.scenario = LOAD_SERVER;
    rule.qps = 690;
    rule.min_s = 0.1;
    rule.max_s = 60;
    struct load_outcome o = play(&f, &t, &rule);
    cr_expect(o.over == 0 && o.long_enough, "%zu late", o.over);
    cr_expect(o.growing && !o.holds && !o.certain);
    rule.qps = 935;
    rule.max_s = 0.1;
    f = (struct fake){.times_s = service_s, .n = 1};
    o = play(&f, &t, &rule);
    cr_expect(o.growing && !o.holds && !o.long_enough);
    rule.qps = 300;
    f = (struct fake){.times_s = service_s, .n = 1};
    o = play(&f, &t, &rule);
    cr_expect(!o.growing && o.holds && !o.long_enough, "0.1 s say little of a bound of 0.13 s");
    rule.max_s = 60;
    f = (struct fake){.times_s = service_s, .n = 1};
    o = play(&f, &t, &rule);
    cr_expect(o.holds && o.long_enough && o.queries >= 300, "ten bounds: %zu", o.queries);
}

/* A search is eight runs; all of them together end at the limit, but for a query that has begun. */
Test(load, a_search_for_the_peak_ends_at_its_limit)
{
    static const double hundredth[] = {0.01};
    static const double limits_s[] = {1, 8, 80};
    for (size_t i = 0; i < 3; i++) {
        struct fake f = {.times_s = hundredth, .n = 1, .now_s = 1000};
        struct load_target t = target(&f);
        struct load_rule rule = load_usual;
        struct load_outcome o;
        struct err e = {0};
        rule.scenario = LOAD_SERVER;
        rule.min_s = 60;
        rule.max_s = limits_s[i];
        cr_assert_eq(load_find_peak(arena_create(&e), &t, &rule, &o, &e), 0);
        cr_expect(f.now_s - 1000 < 1.1 * limits_s[i] + 0.2, "%g of %g s", f.now_s - 1000,
                  limits_s[i]);
        cr_expect_not(o.long_enough);
    }
}

Test(load, a_device_that_fails_ends_every_scenario)
{
    for (int scenario = 0; scenario < LOAD_SCENARIOS; scenario++) {
        struct fake f = {.times_s = tenth, .n = 1, .fail_at = 30};
        struct load_target t = target(&f);
        struct load_rule rule = load_usual;
        struct load_outcome o;
        struct err e = {0};
        rule.scenario = (enum load_scenario)scenario;
        rule.qps = 5;
        cr_expect_eq(load_run(arena_create(&e), &t, &rule, &o, &e), -1);
        cr_expect_str_eq(e.msg, "the device is gone");
        cr_expect_eq(f.served, 30);
    }
}
