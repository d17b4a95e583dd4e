/* test_metric_sls: windows, whole numbers and faults of the metric path. */
#include "models/control/metric_sls.h"

#include <criterion/criterion.h>

#define S SIM_SECOND
static const struct metric_sls_config plain = {
    .interval = 15 * S, .delay = 10 * S, .search_range = 100 * S, .max_retry = 5};

Test(metric_sls, the_window_ends_ten_seconds_ago_and_is_fifteen_long)
{
    sim_ns from, to;
    metric_sls_edges(&plain, 100 * S, &from, &to);
    cr_expect_eq(from, 75 * S);
    cr_expect_eq(to, 90 * S);
    cr_expect_eq(metric_sls_reach(&plain), 25 * S);
    struct metric_sls_config c = plain;
    c.interval = 5 * S;
    metric_sls_edges(&c, 100 * S, &from, &to);
    cr_expect_eq(to - from, 15 * S, "15 s is the floor");
}

Test(metric_sls, lines_beyond_the_search_range_are_lost)
{
    struct metric_sls_config c = plain;
    sim_ns from, to;
    c.interval = 60 * S, c.delay = 60 * S;
    metric_sls_edges(&c, 1000 * S, &from, &to);
    cr_expect_eq(from, 900 * S);
    cr_expect_eq(to, 940 * S);
    cr_expect_eq(metric_sls_qps(&c, 1000 * S, 4000).milli, 66000, "still over 60 s");
    c.delay = 200 * S;
    metric_sls_edges(&c, 1000 * S, &from, &to);
    cr_expect_eq(from, to);
}

Test(metric_sls, values_are_cut_to_whole_numbers)
{
    cr_expect_eq(metric_sls_qps(&plain, 0, 0).milli, 0);
    cr_expect(metric_sls_qps(&plain, 0, 0).present);
    cr_expect_eq(metric_sls_qps(&plain, 0, 14).milli, 0);
    cr_expect_eq(metric_sls_qps(&plain, 0, 15).milli, 1000);
    cr_expect_eq(metric_sls_qps(&plain, 0, 1499).milli, 99000);
    cr_expect_eq(metric_sls_latency(&plain, 0, 83.99, 7).milli, 83000);
    cr_expect_not(metric_sls_latency(&plain, 0, 0, 0).present, "no line, no mean");
    struct metric_sls_config c = plain;
    c.empty_is_missing = true;
    cr_expect_not(metric_sls_qps(&c, 0, 0).present);
}

static struct metric_sls_config with(struct metric_fault *f, size_t n)
{
    struct metric_sls_config c = plain;
    c.faults = (struct knob_list){f, n};
    return c;
}

Test(metric_sls, a_frozen_path_repeats_the_window_of_its_first_instant)
{
    struct metric_fault f = {METRIC_FROZEN, 100 * S, 900 * S, 0, 0};
    struct metric_sls_config c = with(&f, 1);
    struct {
        sim_ns now, from;
    } rows[] = {{99 * S, 74 * S},
                {100 * S, 75 * S},
                {500 * S, 75 * S},
                {1000 * S - 1, 75 * S},
                {1000 * S, 975 * S}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sim_ns from, to;
        metric_sls_edges(&c, rows[i].now, &from, &to);
        cr_expect_eq(from, rows[i].from, "row %zu", i);
        cr_expect_eq(to - from, 15 * S);
    }
    cr_expect_eq(metric_sls_reach(&c), 925 * S);
}

Test(metric_sls, edges_never_go_back)
{
    struct metric_fault f[] = {{METRIC_LATE, 50 * S, 300 * S, 60 * S, 0},
                               {METRIC_FROZEN, 200 * S, 40 * S, 0, 0},
                               {METRIC_LATE, 230 * S, 20 * S, 90 * S, 0}};
    struct metric_sls_config c = with(f, 3);
    sim_ns last_from = INT64_MIN, last_to = INT64_MIN;
    for (sim_ns now = 0; now < 500 * S; now += S / 4) {
        sim_ns from, to;
        metric_sls_edges(&c, now, &from, &to);
        cr_assert(from >= last_from && to >= last_to, "at %lld", (long long)now);
        cr_assert_leq(now - from, metric_sls_reach(&c));
        last_from = from, last_to = to;
    }
    sim_ns from, to;
    metric_sls_edges(&c, 180 * S, &from, &to);
    cr_expect_eq(from, 95 * S, "late by 60 s");
    metric_sls_edges(&c, 60 * S, &from, &to);
    cr_expect_eq(from, 25 * S, "what was seen at 50 s stays seen");
}

Test(metric_sls, a_missing_metric_is_no_zero)
{
    struct metric_fault f = {METRIC_MISSING, 100 * S, 600 * S, 0, 0};
    struct metric_sls_config c = with(&f, 1);
    cr_expect(metric_sls_qps(&c, 100 * S - 1, 150).present);
    cr_expect_not(metric_sls_qps(&c, 100 * S, 150).present);
    cr_expect_not(metric_sls_latency(&c, 699 * S, 5, 150).present);
    cr_expect(metric_sls_qps(&c, 700 * S, 150).present);
}

Test(metric_sls, noise_is_whole_unbiased_and_repeats)
{
    struct metric_fault f = {METRIC_NOISY, 0, 100 * S, 0, 0.1};
    struct metric_sls_config c = with(&f, 1);
    struct chance s = chance_stream(1, 0, CHANCE_FAULT, 3);
    struct scaler_metric m = {true, 100000};
    double sum = 0, squares = 0;
    for (uint64_t pass = 0; pass < 20000; pass++) {
        struct scaler_metric a = metric_sls_disturb(&c, 0, m, s, pass);
        cr_assert_eq(a.milli, metric_sls_disturb(&c, 0, m, s, pass).milli);
        cr_assert_eq(a.milli % 1000, 0);
        double d = (double)a.milli / 1000 - 100;
        sum += d, squares += d * d;
    }
    cr_expect_lt(sum / 20000 + 0.5, 0.3); /* cut, not rounded: half a unit low */
    cr_expect_gt(sum / 20000 + 0.5, -0.3);
    cr_expect_lt(squares / 20000, 110);
    cr_expect_gt(squares / 20000, 90);
    cr_expect_eq(metric_sls_disturb(&c, 100 * S, m, s, 1).milli, 100000, "the fault is over");
}

Test(metric_sls, answers_that_stay_incomplete_are_missing)
{
    struct metric_sls_config c = plain;
    struct chance s = chance_stream(1, 0, CHANCE_FAULT, 3);
    struct scaler_metric m = {true, 100000};
    int missing = 0;
    c.incomplete_share = 0.5;
    c.max_retry = 1;
    for (uint64_t pass = 0; pass < 20000; pass++)
        missing += !metric_sls_disturb(&c, 0, m, s, pass).present;
    cr_expect(missing > 4700 && missing < 5300, "%d of 20000, a quarter expected", missing);
}
