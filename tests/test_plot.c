/* test_plot: the door to libplot. */
#include "reports/plot.h"
#include "tests/fixture_golden.h"

#include <criterion/criterion.h>
#include <string.h>

/* libplot 4.4 loses the copies of its parameters with each drawing (reports/plot.h says so); a
 * leak of ours must still show. LeakSanitizer asks for this by name. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libplot.so\nleak:libpng16.so\n";
}

static const struct plot_page small = {.format = PLOT_SVG,
                                       .width = 200,
                                       .height = 100,
                                       .scale = 2,
                                       .id = "p-1",
                                       .title = "A <b> & \"c\"",
                                       .desc = "\xE4\xB8\xAD",
                                       .css_class = "wide"};

static void draw(struct plot *p)
{
    struct plot_point line[] = {{10, 10}, {20.5, 30}, {40, 30.25}};
    plot_lines(p, line, 3, &(struct plot_pen){.ink = PLOT_BLUE, .width = 2});
    plot_line(p, line[0], line[2], &(struct plot_pen){.ink = PLOT_RED, .width = 1, .dashed = true});
    plot_polygon(p, line, 3, PLOT_PALE + PLOT_GREEN);
    plot_box(p, (struct plot_point){50, 50}, (struct plot_point){60, 70}, PLOT_ORANGE);
    plot_label(p, (struct plot_point){100, 20}, "<script>x</script> \xE4\xB8\xAD & more",
               &(struct plot_type){.ink = PLOT_TEXT, .size = 13, .anchor = PLOT_END});
    plot_label(p, (struct plot_point){100, 40}, "",
               &(struct plot_type){.ink = PLOT_TEXT, .size = 13});
    plot_label(p, (struct plot_point){100, 60}, "# #0 </text>",
               &(struct plot_type){.ink = PLOT_TITLE, .size = 13, .bold = true});
}

static struct text render(const struct plot_page *page)
{
    struct err e = {0};
    struct text t = {0};
    struct plot *p = plot_open(page, &e);
    cr_assert(p, "%s", e.msg);
    draw(p);
    cr_assert_eq(plot_close(p, &t, &e), 0, "%s", e.msg);
    return t;
}

Test(plot, writes_an_svg_for_inside_a_page)
{
    struct text t = render(&small);
    cr_assert_eq(strncmp(t.s, "<svg xmlns=", 11), 0, "%s", t.s);
    cr_assert(strstr(t.s, "viewBox=\"0 0 200 100\""));
    cr_assert(strstr(t.s, "<title id=\"p-1-t\">A &lt;b&gt; &amp; &quot;c&quot;</title>"));
    cr_assert(strstr(t.s, "<desc id=\"p-1-d\">\xE4\xB8\xAD</desc>"));
    cr_assert(strstr(t.s, ">&lt;script&gt;x&lt;/script&gt; \xE4\xB8\xAD &amp; more</text>"));
    cr_assert(strstr(t.s, "># #0 &lt;/text&gt;</text>"));
    static const char *const unwanted[] = {
        "<?xml",          "DOCTYPE",    "libplot", "id=\"body\"",
        "id=\"content\"", "transform=", "<script", "Helvetica,s"};
    for (size_t i = 0; i < sizeof unwanted / sizeof *unwanted; i++)
        cr_assert_null(strstr(t.s, unwanted[i]), "%s in %s", unwanted[i], t.s);
    golden_check("plot_small.svg", t.s, t.length);
    text_fini(&t);
}

Test(plot, gives_the_same_bytes_twice)
{
    struct text a = render(&small), b = render(&small);
    cr_assert(a.length == b.length && memcmp(a.s, b.s, a.length) == 0);
    text_fini(&a);
    text_fini(&b);
}

Test(plot, keeps_a_long_line_in_one_piece)
{
    struct err e = {0};
    struct text t = {0};
    static struct plot_point points[3000];
    for (size_t i = 0; i < 3000; i++)
        points[i] = (struct plot_point){(double)i / 15, (double)(i * 7 % 100)};
    struct plot *p = plot_open(&small, &e);
    plot_lines(p, points, 3000, &(struct plot_pen){.ink = PLOT_BLUE, .width = 1});
    cr_assert_eq(plot_close(p, &t, &e), 0);
    const char *first = strstr(t.s, "<polyline");
    cr_assert(first && !strstr(first + 1, "<polyline"));
    text_fini(&t);
}

Test(plot, writes_png)
{
    struct plot_page page = small;
    page.format = PLOT_PNG;
    struct text t = render(&page);
    cr_assert(t.length > 100);
    cr_assert_eq(memcmp(t.s, "\x89PNG\r\n\x1a\n", 8), 0);
    /* IHDR: 400 x 200 */
    cr_assert_eq(memcmp(t.s + 16, "\x00\x00\x01\x90\x00\x00\x00\xC8", 8), 0);
    text_fini(&t);
}

Test(plot, can_be_thrown_away)
{
    struct err e = {0};
    struct plot *p = plot_open(&small, &e);
    draw(p);
    cr_assert_eq(plot_close(p, NULL, &e), 0);
}

Test(plot, gives_every_ink_a_colour_for_the_dark)
{
    struct text t = {0};
    plot_css_dark(&t, ".plot");
    size_t n = 0;
    for (const char *s = t.s; (s = strstr(s, ".plot [fill=")); s++)
        n++;
    cr_assert_eq(n, PLOT_INKS);
    cr_assert_null(strstr(t.s, "#000000"));
    text_fini(&t);
}

Test(plot, guesses_the_width_of_text)
{
    cr_assert_eq(plot_label_width("", 10), 0);
    cr_assert(plot_label_width("WWW", 10) > plot_label_width("iii", 10));
    cr_assert(plot_label_width("\xE4\xB8\xAD", 10) > 10);
    cr_assert(plot_label_width("\xFF\xFF", 10) > 0);
}
