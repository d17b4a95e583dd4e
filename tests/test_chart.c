/* test_chart: which lines a chart draws for which values. */
#include "reports/chart.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BINS 400
#define ANY(s) "stroke=\"#" s "\""

static double y[BINS], low[BINS], high[BINS];

static size_t count(const char *s, const char *what)
{
    size_t n = 0;
    for (; (s = strstr(s, what)); s += strlen(what))
        n++;
    return n;
}

static struct text draw(const struct chart_panel *panels, size_t n)
{
    struct err e = {0};
    struct text t = {0};
    struct chart_time c = {
        .frame =
            {.format = PLOT_SVG, .width = 960, .scale = 1, .id = "c", .title = "t", .desc = "d"},
        .horizon = BINS * SIM_MINUTE,
        .epoch_s = 1625414400,
        .panels = panels,
        .n_panels = n};
    cr_assert_eq(chart_over_time(&c, &t, &e), 0, "%s", e.msg);
    return t;
}

static struct chart_series series_of(enum chart_shape shape, enum plot_ink ink)
{
    return (struct chart_series){.label = "s",
                                 .shape = shape,
                                 .ink = ink,
                                 .scale = 1,
                                 .step = SIM_MINUTE,
                                 .n = BINS,
                                 .y = y};
}

/* Blue lines in the plot; the swatch of the key is one more. */
static size_t pieces(void)
{
    struct chart_series s = series_of(CHART_LINE, PLOT_BLUE);
    struct chart_panel panel = {.title = "p", .series = &s, .n_series = 1, .height = 100};
    struct text t = draw(&panel, 1);
    size_t n = count(t.s, ANY("0072b2")) - 1;
    text_fini(&t);
    return n;
}

static void fill(size_t every, size_t jitter)
{
    for (size_t i = 0; i < BINS; i++)
        y[i] = (double)NAN;
    for (size_t i = 0, k = 0; i < BINS; i += every + (k++ % 3 == 0 ? jitter : 0))
        y[i] = 50 + (double)(i % 7);
}

Test(chart, joins_samples_and_breaks_at_gaps)
{
    static const struct {
        size_t every, jitter;
    } rows[] = {{1, 0}, {2, 0}, {3, 1}, {7, 1}, {40, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fill(rows[i].every, rows[i].jitter);
        cr_assert_eq(pieces(), 1, "every %zu", rows[i].every);
        for (size_t k = 150; k < 250 && i < 4; k++)
            y[k] = (double)NAN;
        cr_assert_eq(pieces(), i < 4 ? 2 : 1, "every %zu, with a gap", rows[i].every);
    }
    fill(1, 0);
    y[200] = (double)NAN;
    cr_assert_eq(pieces(), 2, "one bin of a dense series");
}

Test(chart, shows_a_value_that_stands_alone)
{
    fill(1, 0);
    for (size_t i = 100; i < BINS; i++)
        y[i] = (double)NAN;
    y[300] = 9;
    cr_assert_eq(pieces(), 2);
    fill(1000, 0);
    cr_assert_eq(pieces(), 1);
    y[0] = (double)NAN;
    cr_assert_eq(pieces(), 0);
}

Test(chart, stacks_areas)
{
    static double a[BINS], b[BINS];
    for (size_t i = 0; i < BINS; i++) {
        a[i] = 3;
        b[i] = 4;
    }
    struct chart_series s[2] = {series_of(CHART_AREA, PLOT_BLUE),
                                series_of(CHART_AREA, PLOT_ORANGE)};
    s[0].y = a;
    s[1].y = b;
    struct chart_panel panel = {
        .title = "p", .series = s, .n_series = 2, .height = 100, .whole = true};
    struct text t = draw(&panel, 1);
    /* The axis ends at 8: the sum is 7. Levels are rectangles, from 0 to 3 and from 3 to 7. */
    cr_assert(strstr(t.s, ">8</text>") && !strstr(t.s, ">10</text>"));
    const char *lower = strstr(t.s, "fill=\"#0072b2\""), *upper = strstr(t.s, "fill=\"#e69f00\"");
    cr_assert(lower && upper);
    cr_assert_eq(count(t.s, "fill=\"#e69f00\""), 2, "swatch and area");
    text_fini(&t);
}

Test(chart, draws_bands_of_dense_series_only)
{
    fill(1, 0);
    for (size_t i = 0; i < BINS; i++) {
        low[i] = 20;
        high[i] = 80;
    }
    struct chart_series s = series_of(CHART_LINE, PLOT_BLUE);
    s.low = low;
    s.high = high;
    struct chart_panel panel = {.title = "p", .series = &s, .n_series = 1, .height = 100};
    struct text t = draw(&panel, 1);
    cr_assert_eq(count(t.s, "fill=\"#cfe3f1\""), 2, "swatch and band");
    text_fini(&t);
    fill(3, 0);
    t = draw(&panel, 1);
    cr_assert_eq(count(t.s, "fill=\"#cfe3f1\""), 1);
    text_fini(&t);
}

Test(chart, puts_bins_together_for_few_pixels)
{
    static double many[5000];
    for (size_t i = 0; i < 5000; i++)
        many[i] = i == 2500 ? 1000 : 1;
    struct chart_series s = series_of(CHART_LINE, PLOT_BLUE);
    s.y = many;
    s.n = 5000;
    s.step = BINS * SIM_MINUTE / 5000;
    s.peaks = true;
    struct chart_panel panel = {.title = "p", .series = &s, .n_series = 1, .height = 100};
    struct text t = draw(&panel, 1);
    const char *line = strstr(t.s, "<polyline");
    size_t points = 0;
    for (const char *c = line; *c != '>'; c++)
        points += *c == ',';
    cr_assert(points > 3 && points < 960, "%zu points", points);
    cr_assert(strstr(line, ",30 "), "the peak reaches the top: %.200s", line);
    text_fini(&t);
}

Test(chart, names_rules_in_the_key)
{
    fill(1, 0);
    struct chart_series s = series_of(CHART_LINE, PLOT_BLUE);
    struct chart_rule rule = {"limit <50>", 500};
    struct chart_panel panel = {
        .title = "p", .series = &s, .n_series = 1, .rules = &rule, .n_rules = 1, .height = 100};
    struct text t = draw(&panel, 1);
    cr_assert(strstr(t.s, "limit &lt;50&gt;"));
    cr_assert(strstr(t.s, ">600</text>"), "the axis holds the rule");
    cr_assert_eq(count(t.s, "stroke-dasharray"), 2, "swatch and rule");
    text_fini(&t);
}

Test(chart, labels_bars_beside_or_above)
{
    struct chart_segment parts[] = {{0, 30, PLOT_BLUE}, {30, 100, PLOT_RED}};
    struct chart_row rows[] = {{"first \xE4\xB8\xAD", "100 s", parts, 2, true},
                               {"second", NULL, parts, 1, false}};
    struct chart_key keys[] = {{"a", PLOT_BLUE}, {"b", PLOT_RED}};
    static const double widths[] = {960, 400};
    for (int i = 0; i < 2; i++) {
        struct err e = {0};
        struct text t = {0};
        struct chart_bars c = {.frame = {.format = PLOT_SVG,
                                         .width = widths[i],
                                         .scale = 1,
                                         .id = "b",
                                         .title = "t",
                                         .desc = "d"},
                               .heading = "h",
                               .unit = "s",
                               .keys = keys,
                               .n_keys = 2,
                               .rows = rows,
                               .n_rows = 2};
        cr_assert_eq(chart_of_bars(&c, &t, &e), 0);
        const char *label = strstr(t.s, ">first \xE4\xB8\xAD</text>");
        cr_assert(label);
        while (label > t.s && strncmp(label, "<text", 5) != 0)
            label--;
        bool beside = strstr(label, "text-anchor=\"end\"") &&
                      strstr(label, "text-anchor=\"end\"") < strstr(label, "</text>");
        cr_assert_eq(beside, i == 0);
        cr_assert_eq(count(t.s, "fill=\"#0072b2\""), 3, "swatch and two parts");
        text_fini(&t);
    }
}
