/* test_recorder: levels, series, the log and its digest, and what happens beyond the caps. */
#include "sim/chance.h"
#include "sim/recorder.h"

#include <criterion/criterion.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static struct recorder *make(sim_ns horizon)
{
    struct recorder_config c = {.horizon = horizon,
                                .max_series = 4,
                                .max_entries = 3,
                                .max_spans = 2,
                                .max_bills = 2,
                                .max_figures = 4};
    struct err e = {0};
    struct recorder *r = recorder_create(&c, &e);
    cr_assert_not_null(r);
    return r;
}

static struct result close_it(struct recorder *r)
{
    struct result out = {0};
    recorder_close(r, &out);
    return out;
}

Test(recorder, bins_are_at_most_512_and_cover_the_horizon)
{
    static const struct {
        sim_ns horizon, step;
        size_t n;
    } rows[] = {
        {1, 1, 1},
        {512, 1, 512},
        {513, 2, 257},
        {SIM_MINUTE, 117187500, 512},
        {512 * SIM_SECOND, SIM_SECOND, 512},
        {512 * SIM_SECOND + 1, 2 * SIM_SECOND, 257},
        {SIM_HOUR, 8 * SIM_SECOND, 450},
        {SIM_DAY, 169 * SIM_SECOND, 512},
        {7 * SIM_DAY, 1182 * SIM_SECOND, 512},
        {366 * SIM_DAY, 61763 * SIM_SECOND, 512},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct recorder *r = make(rows[i].horizon);
        recorder_level(r, "a", "1", 3);
        struct result out = close_it(r);
        const struct result_series *s = &out.series[0];
        cr_expect_eq(s->step, rows[i].step, "row %zu: %lld", i, (long long)s->step);
        cr_expect_eq(s->n, rows[i].n, "row %zu: %zu", i, s->n);
        for (size_t k = 0; k < s->n; k++)
            cr_assert(s->mean[k] == 3 && s->min[k] == 3 && s->max[k] == 3);
        cr_expect_eq(out.horizon, rows[i].horizon);
        recorder_destroy(r);
    }
}

/* 1000 s in 500 bins of 2 s. */
Test(recorder, a_level_has_time_weighted_bins_and_an_exact_area)
{
    struct recorder *r = make(1000 * SIM_SECOND);
    rec_id want = recorder_level(r, "service.bert.replicas.want", "replicas", 1);
    recorder_set(r, want, SIM_SECOND / 2, 5);
    recorder_change(r, want, SIM_SECOND, -3);
    recorder_set(r, want, 4 * SIM_SECOND, 7);
    recorder_set(r, want, 4 * SIM_SECOND, 4);
    cr_expect_eq(recorder_now(r, want), 4);
    cr_expect_eq(recorder_area(r, want, 4 * SIM_SECOND), 9 * SIM_SECOND, "0.5 + 2.5 + 6");
    cr_expect_eq(recorder_area(r, want, 10 * SIM_SECOND), 33 * SIM_SECOND, "and 6 s of 4");
    cr_expect_eq(recorder_mean(r, want, 10 * SIM_SECOND), 3.3);
    cr_expect_eq(recorder_min(r, want), 1);
    cr_expect_eq(recorder_max(r, want), 5, "7 lasted no time");
    struct result out = close_it(r);
    const struct result_series *s = result_find_series(&out, "service.bert.replicas.want");
    cr_assert_not_null(s);
    cr_expect_str_eq(s->unit, "replicas");
    cr_expect_eq(s->step, 2 * SIM_SECOND);
    cr_expect_eq(s->mean[0], 2.5, "(0.5 x 1 + 0.5 x 5 + 1 x 2) / 2");
    cr_expect_eq(s->min[0], 1);
    cr_expect_eq(s->max[0], 5);
    cr_expect_eq(s->mean[1], 2);
    cr_expect(s->mean[2] == 4 && s->min[2] == 4 && s->max[2] == 4, "set at the edge itself");
    cr_expect_eq(s->mean[499], 4);
    cr_expect_eq(recorder_area(r, want, 1000 * SIM_SECOND), 9 * SIM_SECOND + 996 * 4 * SIM_SECOND);
    recorder_destroy(r);
}

Test(recorder, the_last_bin_is_weighed_by_what_the_horizon_leaves_of_it)
{
    struct recorder *r = make(513 * SIM_SECOND); /* 2 s bins, the last one 1 s */
    rec_id level = recorder_level(r, "a", "1", 0);
    recorder_set(r, level, 512 * SIM_SECOND + SIM_SECOND / 4, 8);
    recorder_set(r, level, 513 * SIM_SECOND, 9);
    struct result out = close_it(r);
    cr_assert_eq(out.series[0].n, 257);
    cr_expect_eq(out.series[0].mean[256], 6);
    cr_expect_eq(out.series[0].max[256], 8);
    cr_expect_eq(recorder_area(r, level, 513 * SIM_SECOND), 6 * SIM_SECOND);
    recorder_destroy(r);
}

Test(recorder, the_bins_of_a_random_level_add_up_to_its_area)
{
    struct recorder *r = make(12345678901);
    rec_id level = recorder_level(r, "a", "1", 2);
    struct chance c = chance_stream(1, 0, CHANCE_TEST, 0);
    sim_ns now = 0;
    int64_t area = 0, value = 2, low = INT64_MAX, high = INT64_MIN;
    for (uint64_t i = 0; now < 12000000000; i++) {
        sim_ns next = now + 1 + (sim_ns)chance_below(c, 2 * i, i % 100 ? 1000000 : 300000000);
        area += value * (next - now);
        low = value < low ? value : low;
        high = value > high ? value : high;
        value = (int64_t)chance_below(c, 2 * i + 1, 40) - 10;
        recorder_set(r, level, now = next, value);
        cr_assert_eq(recorder_area(r, level, now), area);
    }
    area += value * (12345678901 - now);
    struct result out = close_it(r);
    const struct result_series *s = &out.series[0];
    double sum = 0, min = (double)INFINITY, max = -(double)INFINITY;
    for (size_t k = 0; k < s->n; k++) {
        sim_ns end =
            (sim_ns)(k + 1) * s->step < out.horizon ? (sim_ns)(k + 1) * s->step : out.horizon;
        sum += s->mean[k] * (double)(end - (sim_ns)k * s->step);
        min = fmin(min, s->min[k]);
        max = fmax(max, s->max[k]);
        cr_assert(s->min[k] <= s->mean[k] && s->mean[k] <= s->max[k]);
    }
    cr_expect_float_eq(sum / (double)area, 1, 1e-12);
    cr_expect_eq(recorder_area(r, level, out.horizon), area);
    cr_expect_eq(min, (double)(low < value ? low : value));
    cr_expect_eq(max, (double)(high > value ? high : value));
    cr_expect_eq((double)recorder_min(r, level), min);
    cr_expect_eq((double)recorder_max(r, level), max);
    recorder_destroy(r);
}

Test(recorder, samples_are_kept_by_bin_with_gaps)
{
    struct recorder *r = make(512 * SIM_SECOND);
    rec_id p99 = recorder_samples(r, "service.bert.p99", "s");
    recorder_sample(r, p99, 0, 3);
    recorder_sample(r, p99, SIM_SECOND - 1, 5);
    recorder_sample(r, p99, SIM_SECOND, -1);
    recorder_sample(r, p99, SIM_SECOND, (double)NAN);
    recorder_sample(r, p99, 5 * SIM_SECOND, (double)NAN);
    recorder_sample(r, p99, 511 * SIM_SECOND, 1);
    recorder_sample(r, p99, 512 * SIM_SECOND, 2);
    struct result out = close_it(r);
    const struct result_series *s = &out.series[0];
    cr_expect(s->mean[0] == 4 && s->min[0] == 3 && s->max[0] == 5);
    cr_expect(s->mean[1] == -1 && s->min[1] == -1 && s->max[1] == -1);
    cr_expect(isnan(s->mean[2]) && isnan(s->min[2]) && isnan(s->max[2]));
    cr_expect(isnan(s->mean[5]));
    cr_expect(s->mean[511] == 1.5 && s->max[511] == 2, "the horizon counts in the last bin");
    recorder_destroy(r);
}

static uint64_t digest_of(sim_ns at, bool keep, const char *subject, const char *what, int pods)
{
    struct recorder *r = make(SIM_DAY);
    recorder_log(r, 1, true, "hpa bert", "1 -> 2", "first");
    recorder_log(r, at, keep, subject, what, "%d pods", pods);
    uint64_t d = recorder_digest(r);
    struct result out = close_it(r);
    cr_expect_eq(out.control_digest, d);
    cr_expect_eq(out.n_entries, keep ? 2 : 1);
    recorder_destroy(r);
    return d;
}

Test(recorder, the_digest_covers_every_part_of_every_line_kept_or_not)
{
    uint64_t d = digest_of(5, true, "a", "b", 3);
    cr_expect_eq(digest_of(5, true, "a", "b", 3), d);
    cr_expect_eq(digest_of(5, false, "a", "b", 3), d, "keeping a line is for people only");
    cr_expect_neq(digest_of(6, true, "a", "b", 3), d);
    cr_expect_neq(digest_of(5, true, "c", "b", 3), d);
    cr_expect_neq(digest_of(5, true, "a", "c", 3), d);
    cr_expect_neq(digest_of(5, true, "a", "b", 4), d);
    cr_expect_neq(digest_of(5, true, "ab", "", 3), d);
}

Test(recorder, entries_keep_their_words_and_beyond_the_cap_their_number)
{
    struct recorder *r = make(SIM_DAY);
    char subject[8];
    for (int i = 0; i < 5; i++) {
        snprintf(subject, sizeof subject, "pod %d", i);
        recorder_log(r, i, true, subject, "ready", "after %d s", 10 * i);
    }
    uint64_t five = recorder_digest(r);
    recorder_log(r, 9, true, "pod 9", "ready", "late");
    cr_expect_neq(recorder_digest(r), five, "digested though not kept");
    struct result out = close_it(r);
    cr_assert_eq(out.n_entries, 3);
    cr_expect_eq(out.entries_dropped, 3);
    cr_expect_eq(out.entries[2].at, 2);
    cr_expect_str_eq(out.entries[0].subject, "pod 0");
    cr_expect_str_eq(out.entries[2].subject, "pod 2");
    cr_expect_str_eq(out.entries[2].what, "ready");
    cr_expect_str_eq(out.entries[2].reason, "after 20 s");
    recorder_destroy(r);
}

Test(recorder, long_words_are_cut_at_a_character_border)
{
    struct recorder *r = make(SIM_DAY);
    char longer[1200];
    for (size_t i = 0; i + 3 < sizeof longer; i += 3)
        memcpy(longer + i, "\xE2\x82\xAC", 4); /* the euro sign */
    recorder_log(r, 0, true, longer, "x", "%s", longer);
    recorder_finding(r, "note", "long", "%s", longer);
    struct result out = close_it(r);
    size_t subject = strlen(out.entries[0].subject), reason = strlen(out.entries[0].reason);
    cr_expect(subject > 40 && subject % 3 == 0, "%zu", subject);
    cr_expect(reason > 200 && reason % 3 == 0, "%zu", reason);
    cr_expect(strlen(out.findings[0].text) > 600 && strlen(out.findings[0].text) % 3 == 0);
    recorder_destroy(r);
}

Test(recorder, no_bill_is_lost_from_the_total)
{
    struct recorder *r = make(SIM_DAY);
    char name[16];
    for (int i = 0; i < 5; i++) {
        snprintf(name, sizeof name, "elastic-%d", i);
        struct result_bill bill = {.resource = name,
                                   .group = "elastic",
                                   .type = "ecs.gn6v-c8g1.2xlarge",
                                   .billing = "spot",
                                   .to = SIM_HOUR,
                                   .amount_micro = 1 << i,
                                   .currency = "CNY"};
        recorder_bill(r, &bill);
    }
    memset(name, 'x', sizeof name); /* the recorder keeps its own copy */
    struct result out = close_it(r);
    cr_assert_eq(out.n_bills, 2);
    cr_expect_eq(out.bills_dropped, 3);
    cr_expect_eq(out.bills_dropped_micro, 4 + 8 + 16);
    cr_expect_str_eq(out.bills[1].resource, "elastic-1");
    cr_expect_str_eq(out.bills[1].type, "ecs.gn6v-c8g1.2xlarge");
    cr_expect_str_eq(out.bills[1].zone, "", "no zone reads as an empty one");
    cr_expect_str_eq(out.bills[1].currency, "CNY");
    cr_expect_eq(out.bills[1].amount_micro, 2);
    cr_expect_eq(out.bills[1].to, SIM_HOUR);
    recorder_destroy(r);
}

Test(recorder, spans_findings_and_figures_are_kept)
{
    struct recorder *r = make(SIM_DAY);
    for (int i = 0; i < 3; i++)
        recorder_span(r, "bert-7", i ? "load model" : "pull image", i, 2 * i);
    for (int i = 0; i < 4; i++)
        recorder_finding(r, "warning", "target-above-capacity", "%d QPS", i / 2);
    recorder_figure(r, "latency.p99", "s", FIGURE_MEAN, 0.13);
    recorder_figure(r, "latency.mean", "s", FIGURE_MEAN, (double)NAN);
    recorder_figure(r, "requests.arrived", "requests", FIGURE_SUM, 0);
    struct result out = close_it(r);
    cr_assert_eq(out.n_spans, 2);
    cr_expect_eq(out.spans_dropped, 1);
    cr_expect_str_eq(out.spans[1].phase, "load model");
    cr_expect_eq(out.spans[1].to, 2);
    cr_assert_eq(out.n_findings, 2, "the same words once");
    cr_expect_str_eq(out.findings[1].text, "1 QPS");
    cr_assert_eq(out.n_figures, 2);
    cr_expect_null(result_figure(&out, "latency.mean"), "NaN is no figure");
    cr_expect_eq(result_value(&out, "latency.p99", 0), 0.13);
    cr_expect_str_eq(result_figure(&out, "requests.arrived")->unit, "requests");
    cr_expect_eq(result_figure(&out, "requests.arrived")->merge, FIGURE_SUM);
    recorder_destroy(r);
    recorder_destroy(NULL);
}

Test(recorder, more_findings_than_fit_are_counted)
{
    struct recorder *r = make(SIM_DAY);
    for (int i = 0; i < 100; i++)
        recorder_finding(r, "note", "n", "%d", i);
    struct result out = close_it(r);
    cr_expect_eq(out.n_findings + out.findings_dropped, 100);
    cr_expect_gt(out.findings_dropped, 0);
    recorder_destroy(r);
}

Test(recorder, refuses_a_path_twice, .signal = SIGABRT)
{
    struct recorder *r = make(SIM_DAY);
    recorder_figure(r, "a", "1", FIGURE_SUM, 1);
    recorder_figure(r, "a", "1", FIGURE_SUM, 1);
}

Test(recorder, refuses_time_that_runs_backwards, .signal = SIGABRT)
{
    struct recorder *r = make(SIM_DAY);
    rec_id level = recorder_level(r, "a", "1", 0);
    recorder_set(r, level, 10, 1);
    recorder_set(r, level, 9, 2);
}

Test(recorder, refuses_records_after_its_close, .signal = SIGABRT)
{
    struct recorder *r = make(SIM_DAY);
    close_it(r);
    recorder_log(r, 0, true, "a", "b", "c");
}
