/* test_roofline: the roof, and that the same chart is the same bytes. */
#include "reports/roofline.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static const struct roofline_point points[] = {{"conv1", PLOT_BLUE, 60, 80, 0.5},
                                               {"pool1", PLOT_ORANGE, 0.5, 2, 0.2},
                                               {"conv2", PLOT_BLUE, 61, 78, 0.1}};
static const struct chart_key keys[] = {{"convolution", PLOT_BLUE}, {"pooling", PLOT_ORANGE}};

static struct roofline usual(enum plot_format format)
{
    return (struct roofline){.frame = {.format = format,
                                       .width = 640,
                                       .scale = 1,
                                       .id = "roof",
                                       .title = "Roofline",
                                       .desc = "what steps reached"},
                             .heading = "net, batch 1",
                             .peak_gflops = 100,
                             .gb_per_s = 20,
                             .keys = keys,
                             .n_keys = 2,
                             .points = points,
                             .n = 3};
}

Test(roofline, memory_is_the_limit_left_of_the_ridge_and_arithmetic_right_of_it)
{
    struct roofline r = usual(PLOT_SVG);
    cr_expect_eq(roofline_limit(&r, 1), 20);
    cr_expect_eq(roofline_limit(&r, 5), 100);
    cr_expect_eq(roofline_limit(&r, 50), 100);
}

Test(roofline, draws_its_roof_keys_and_labels)
{
    struct roofline r = usual(PLOT_SVG);
    struct text t = {0}, again = {0};
    struct err e = {0};
    cr_assert_eq(roofline_draw(&r, &t, &e), 0, "%s", e.msg);
    cr_assert_eq(roofline_draw(&r, &again, &e), 0);
    static const char *const words[] = {"<svg",           "net, batch 1",      "convolution",
                                        "peak 100 GFLOP", "20 GB/s",           "conv1",
                                        "pool1",          "what steps reached"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        cr_expect(strstr(t.s, words[i]), "%s", words[i]);
    cr_expect(strstr(t.s, ">conv2<"), "it lies on conv1, and is named further away");
    cr_expect_str_eq(t.s, again.s);
    text_fini(&t);
    text_fini(&again);
}

Test(roofline, is_a_png_too)
{
    struct roofline r = usual(PLOT_PNG);
    struct text t = {0};
    struct err e = {0};
    cr_assert_eq(roofline_draw(&r, &t, &e), 0, "%s", e.msg);
    cr_expect(t.length > 1000 && memcmp(t.s, "\x89PNG", 4) == 0);
    text_fini(&t);
}

static double number_behind(const char *s, const char *key)
{
    const char *at = strstr(s, key);
    return at ? strtod(at + strlen(key), NULL) : -1;
}

/* A large mark at the roof's right end may not cover the roof's own figure. */
Test(roofline, the_peaks_label_stands_above_every_mark)
{
    static const struct roofline_point whole = {"all", PLOT_BLUE, 60, 100, 1};
    struct roofline r = usual(PLOT_SVG);
    struct text t = {0};
    struct err e = {0};
    r.points = &whole;
    r.n = 1;
    cr_assert_eq(roofline_draw(&r, &t, &e), 0, "%s", e.msg);
    const char *label = strstr(t.s, ">peak 100 GFLOP"), *mark = strstr(t.s, "<polygon");
    cr_assert(label && mark, "%s", t.s);
    while (label > t.s && strncmp(label, "<text", 5) != 0)
        label--;
    double base = number_behind(label, " y=\""), top = 1e9;
    for (const char *p = strstr(mark, "points=\"") + 8; *p != '"';) { /* "x,y x,y ..." */
        char *end;
        double y = strtod(strchr(p, ',') + 1, &end);
        p = end;
        top = y < top ? y : top;
        while (*p == ' ')
            p++;
    }
    cr_expect(base > 0 && base + 3 < top, "base line %g, mark from %g", base, top);
    text_fini(&t);
}
