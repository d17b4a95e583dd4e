/* test_metric_sls: windows, whole numbers and faults of the metric path. */
#include "models/control/metric_sls.h"

#include <criterion/criterion.h>

#define S SIM_SECOND
static const struct metric_sls_config plain = {
    .interval = 15 * S, .delay = 10 * S, .search_range = 100 * S, .max_retry = 5};

static const struct scaler_wants qps = {.kind = METRIC_INGRESS_QPS};
static const struct scaler_wants latency = {.kind = METRIC_INGRESS_LATENCY, .quantile = 0.99};
static const struct scaler_wants utilization = {.kind = METRIC_UTILIZATION};

static void window(const struct metric_sls_config *c, sim_ns now, sim_ns *from, sim_ns *to)
{
    struct metric_sls_window w = metric_sls_window(c, &qps, now);
    *from = w.from, *to = w.to;
}

/* What a pass is told of a metric that stands at m. */
static struct scaler_metric told(const struct metric_sls_config *c, const struct scaler_wants *wish,
                                 sim_ns now, struct scaler_metric m)
{
    struct metric_sls_query q = {wish, now, chance_stream(1, 0, CHANCE_FAULT, 3), 1};
    return metric_sls_disturb(c, &q, m);
}

Test(metric_sls, the_window_ends_ten_seconds_ago_and_is_fifteen_long)
{
    sim_ns from, to;
    window(&plain, 100 * S, &from, &to);
    cr_expect_eq(from, 75 * S);
    cr_expect_eq(to, 90 * S);
    cr_expect_eq(metric_sls_reach(&plain, &qps), 25 * S);
    struct metric_sls_config c = plain;
    c.interval = 5 * S;
    window(&c, 100 * S, &from, &to);
    cr_expect_eq(to - from, 15 * S, "15 s is the floor");
}

Test(metric_sls, lines_beyond_the_search_range_are_lost)
{
    struct metric_sls_config c = plain;
    sim_ns from, to;
    c.interval = 60 * S, c.delay = 60 * S;
    window(&c, 1000 * S, &from, &to);
    cr_expect_eq(from, 900 * S);
    cr_expect_eq(to, 940 * S);
    cr_expect_eq(metric_sls_qps(&c, 4000).milli, 66000, "still over 60 s");
    c.delay = 200 * S;
    window(&c, 1000 * S, &from, &to);
    cr_expect_eq(from, to);
}

Test(metric_sls, values_are_cut_to_whole_numbers)
{
    cr_expect_eq(metric_sls_qps(&plain, 0).milli, 0);
    cr_expect(metric_sls_qps(&plain, 0).present);
    cr_expect_eq(metric_sls_qps(&plain, 14).milli, 0);
    cr_expect_eq(metric_sls_qps(&plain, 15).milli, 1000);
    cr_expect_eq(metric_sls_qps(&plain, 1499).milli, 99000);
    cr_expect_eq(metric_sls_latency(83.99, 7).milli, 83000);
    cr_expect_not(metric_sls_latency(0, 0).present, "no line, no mean");
    struct metric_sls_config c = plain;
    c.empty_is_missing = true;
    cr_expect_not(metric_sls_qps(&c, 0).present);
}

static struct metric_sls_config with(struct metric_fault *f, size_t n)
{
    struct metric_sls_config c = plain;
    c.faults = (struct knob_list){f, n};
    return c;
}

Test(metric_sls, a_frozen_path_repeats_the_window_of_its_first_instant)
{
    struct metric_fault f = {METRIC_FROZEN, 0, 100 * S, 900 * S, 0, 0};
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
        window(&c, rows[i].now, &from, &to);
        cr_expect_eq(from, rows[i].from, "row %zu", i);
        cr_expect_eq(to - from, 15 * S);
    }
    cr_expect_eq(metric_sls_reach(&c, &qps), 925 * S);
}

Test(metric_sls, edges_never_go_back)
{
    struct metric_fault f[] = {{METRIC_LATE, 0, 50 * S, 300 * S, 60 * S, 0},
                               {METRIC_FROZEN, 0, 200 * S, 40 * S, 0, 0},
                               {METRIC_LATE, 0, 230 * S, 20 * S, 90 * S, 0}};
    struct metric_sls_config c = with(f, 3);
    sim_ns last_from = INT64_MIN, last_to = INT64_MIN;
    for (sim_ns now = 0; now < 500 * S; now += S / 4) {
        sim_ns from, to;
        window(&c, now, &from, &to);
        cr_assert(from >= last_from && to >= last_to, "at %lld", (long long)now);
        cr_assert_leq(now - from, metric_sls_reach(&c, &qps));
        last_from = from, last_to = to;
    }
    sim_ns from, to;
    window(&c, 180 * S, &from, &to);
    cr_expect_eq(from, 95 * S, "late by 60 s");
    window(&c, 60 * S, &from, &to);
    cr_expect_eq(from, 25 * S, "what was seen at 50 s stays seen");
}

Test(metric_sls, a_missing_metric_is_no_zero)
{
    struct metric_fault f = {METRIC_MISSING, 0, 100 * S, 600 * S, 0, 0};
    struct metric_sls_config c = with(&f, 1);
    struct scaler_metric m = {true, 10000};
    cr_expect(told(&c, &qps, 100 * S - 1, m).present);
    cr_expect_not(told(&c, &qps, 100 * S, m).present);
    cr_expect_not(told(&c, &latency, 699 * S, m).present);
    cr_expect(told(&c, &qps, 700 * S, m).present);
}

Test(metric_sls, noise_is_whole_unbiased_and_repeats)
{
    struct metric_fault f = {METRIC_NOISY, 0, 0, 100 * S, 0, 0.1};
    struct metric_sls_config c = with(&f, 1);
    struct metric_sls_query q = {&qps, 0, chance_stream(1, 0, CHANCE_FAULT, 3), 0};
    struct scaler_metric m = {true, 100000};
    double sum = 0, squares = 0;
    for (q.pass = 0; q.pass < 20000; q.pass++) {
        struct scaler_metric a = metric_sls_disturb(&c, &q, m);
        cr_assert_eq(a.milli, metric_sls_disturb(&c, &q, m).milli);
        cr_assert_eq(a.milli % 1000, 0);
        double d = (double)a.milli / 1000 - 100;
        sum += d, squares += d * d;
    }
    cr_expect_lt(sum / 20000 + 0.5, 0.3); /* cut, not rounded: half a unit low */
    cr_expect_gt(sum / 20000 + 0.5, -0.3);
    cr_expect_lt(squares / 20000, 110);
    cr_expect_gt(squares / 20000, 90);
    cr_expect_eq(told(&c, &qps, 100 * S, m).milli, 100000, "the fault is over");
}

Test(metric_sls, answers_that_stay_incomplete_are_missing)
{
    struct metric_sls_config c = plain;
    struct metric_sls_query q = {&qps, 0, chance_stream(1, 0, CHANCE_FAULT, 3), 0};
    struct scaler_metric m = {true, 100000};
    int missing = 0;
    c.incomplete_share = 0.5;
    c.max_retry = 1;
    for (q.pass = 0; q.pass < 20000; q.pass++)
        missing += !metric_sls_disturb(&c, &q, m).present;
    cr_expect(missing > 4700 && missing < 5300, "%d of 20000, a quarter expected", missing);
}

Test(metric_sls, a_fault_befalls_only_the_metric_that_it_names)
{
    struct metric_fault f[] = {{METRIC_MISSING, 1 + METRIC_UTILIZATION, 100 * S, 600 * S, 0, 0},
                               {METRIC_LATE, 1 + METRIC_INGRESS_LATENCY, 0, 900 * S, 40 * S, 0}};
    struct metric_sls_config c = with(f, 2);
    struct scaler_metric m = {true, 10000};
    cr_expect(told(&c, &qps, 200 * S, m).present);
    cr_expect_not(told(&c, &utilization, 200 * S, m).present);
    cr_expect_eq(metric_sls_window(&c, &qps, 200 * S).from, 175 * S);
    cr_expect_eq(metric_sls_window(&c, &latency, 200 * S).from, 135 * S);
    cr_expect_eq(metric_sls_reach(&c, &qps), 25 * S);
    cr_expect_eq(metric_sls_reach(&c, &latency), 65 * S);
}

Test(metric_sls, a_wished_window_ends_with_the_pass)
{
    struct scaler_wants panic = {.kind = METRIC_CONCURRENCY, .window = 6 * S};
    struct metric_fault f = {METRIC_FROZEN, 0, 100 * S, 50 * S, 0, 0};
    struct metric_sls_config c = with(&f, 1);
    cr_expect_eq(metric_sls_window(&c, &panic, 90 * S).from, 84 * S);
    cr_expect_eq(metric_sls_window(&c, &panic, 90 * S).to, 90 * S);
    cr_expect_eq(metric_sls_window(&c, &panic, 140 * S).from, 94 * S);
    cr_expect_eq(metric_sls_reach(&c, &panic), 56 * S);
}

Test(metric_sls, noise_does_not_cut_a_share_to_whole_numbers)
{
    struct metric_fault f = {METRIC_NOISY, 0, 0, 100 * S, 0, 0.1};
    struct metric_sls_config c = with(&f, 1);
    struct scaler_metric m = told(&c, &utilization, 0, (struct scaler_metric){true, 560});
    cr_expect(m.milli > 300 && m.milli < 900 && m.milli != 560, "%d", (int)m.milli);
}

/* A value each 60 s, the first of them at 15 s; 10 s on its way. */
Test(metric_sls, between_two_exports_the_last_one_is_read_again)
{
    struct metric_sls_config c = plain;
    sim_ns from, to;
    c.export_every = 60 * S, c.export_phase = 0.25;
    static const struct {
        int64_t now, to;
    } rows[] = {{0, -45}, {24, -45}, {25, 15}, {84, 15}, {85, 75}, {144, 75}, {145, 135}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        window(&c, rows[i].now * S, &from, &to);
        cr_expect_eq(to, rows[i].to * S, "at %lld s", (long long)rows[i].now);
        cr_expect_eq(from, to - 15 * S);
    }
    cr_expect_eq(metric_sls_reach(&c, &qps), 85 * S);
    struct scaler_wants own = {.kind = METRIC_CONCURRENCY, .window = 6 * S};
    struct metric_sls_window w = metric_sls_window(&c, &own, 100 * S);
    cr_expect_eq(w.to, 100 * S, "a window of one's own is no export");
}
