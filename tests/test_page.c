/* test_page: the page, and the charts on it. */
#include "reports/page.h"
#include "reports/picture.h"
#include "sim/arena.h"
#include "sim/digest.h"
#include "tests/fixture_golden.h"
#include "tests/fixture_result.h"

#include <criterion/criterion.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

static struct arena *arena;

static void set_up(void)
{
    struct err e = {0};
    arena = arena_create(&e);
}

static void tear_down(void)
{
    arena_destroy(arena);
}

TestSuite(page, .init = set_up, .fini = tear_down);

static struct text make(const struct result *r)
{
    struct err e = {0};
    struct text t = {0};
    cr_assert_eq(page_html(r, &t, &e), 0, "%s", e.msg);
    return t;
}

/* Every element that is opened is closed, in order; void elements aside. */
static void check_nesting(const char *s)
{
    static const char *const none[] = {"meta", "br",   "input",   "rect", "polyline",
                                       "line", "path", "polygon", NULL};
    char stack[64][16];
    size_t depth = 0;
    for (s = strchr(s, '<'); s; s = strchr(s + 1, '<')) {
        bool close = s[1] == '/';
        char name[16] = "";
        const char *from = s + 1 + close;
        size_t n = strspn(from, "abcdefghijklmnopqrstuvwxyz0123456789");
        if (n == 0 || n >= sizeof name)
            continue;
        memcpy(name, from, n);
        bool empty = false;
        for (size_t i = 0; none[i]; i++)
            empty = empty || strcmp(name, none[i]) == 0;
        if (empty)
            continue;
        if (close) {
            cr_assert(depth > 0 && strcmp(stack[depth - 1], name) == 0, "</%s> closes <%s>", name,
                      depth ? stack[depth - 1] : "nothing");
            depth--;
        } else {
            cr_assert_lt(depth, 64);
            memcpy(stack[depth++], name, sizeof name);
        }
    }
    cr_assert_eq(depth, 0);
}

static size_t count(const char *s, const char *what)
{
    size_t n = 0;
    for (; (s = strstr(s, what)); s += strlen(what))
        n++;
    return n;
}

/* Ids occur once, and what is referred to exists. */
static void check_ids(const char *page)
{
    for (const char *s = page; (s = strstr(s, " id=\"")); s++) {
        char id[80], needle[96];
        size_t n = strcspn(s + 5, "\"");
        cr_assert_lt(n, sizeof id);
        memcpy(id, s + 5, n);
        id[n] = '\0';
        snprintf(needle, sizeof needle, " id=\"%s\"", id);
        cr_assert_eq(count(page, needle), 1, "%s", id);
    }
    for (const char *s = page; (s = strstr(s, "href=\"#")); s++) {
        char needle[96];
        snprintf(needle, sizeof needle, " id=\"%.*s\"", (int)strcspn(s + 7, "\""), s + 7);
        cr_assert_eq(count(page, needle), 1, "%s", needle);
    }
}

static void check_page(const struct result *r)
{
    struct text t = make(r);
    cr_assert_eq(strncmp(t.s, "<!doctype html>\n", 16), 0);
    check_nesting(t.s + 16);
    check_ids(t.s);
    static const char *const unwanted[] = {"<script", "src=",   "url(", "@import",
                                           "http:",   "https:", "nan",  "inf "};
    for (size_t i = 0; i < sizeof unwanted / sizeof *unwanted; i++) {
        const char *at = t.s;
        while ((at = strstr(at, unwanted[i]))) {
            cr_assert(strncmp(at, "http://www.w3.org/2000/svg", 26) == 0, "%s: %.80s", unwanted[i],
                      at);
            at++;
        }
    }
    text_fini(&t);
}

Test(page, is_well_formed_and_alone)
{
    check_page(fixture_bert(arena));
    check_page(fixture_empty(arena));
}

Test(page, escapes_hostile_names)
{
    struct result *r = fixture_hostile(arena);
    check_page(r);
    struct text t = make(r);
    cr_assert(strstr(t.s, "&lt;/title&gt;&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;"));
    cr_assert(strstr(t.s, "Service a&lt;b&gt;"));
    text_fini(&t);
}

Test(page, shows_all_parts)
{
    struct text t = make(fixture_bert(arena));
    static const char *const parts[] = {"<strong>Does not hold</strong>",
                                        "What to know",
                                        "Requests a second",
                                        "metric as the autoscaler saw it",
                                        "SLO: p99 under 130",
                                        "on demand",
                                        "image pull",
                                        "Mean of all",
                                        "Subscription for the peak",
                                        "Decisions, with their reasons",
                                        "sls_ingress_qps 17",
                                        "published BERT-base benchmark",
                                        "ecs.gn6v-c8g1.2xlarge",
                                        "sluice run scenarios/bert-elastic.json --seed 1",
                                        "9e3779b97f4a7c15",
                                        "0f3a9c11d27be4805c66a1907d3e2b44",
                                        "42,050 to 42,408",
                                        "Asia/Shanghai",
                                        "Mon 5 Jul",
                                        "What would turn the verdict",
                                        "2 of 4 values turn",
                                        "3 more were not tried",
                                        "ECI is the cheapest",
                                        "spot nodes taken back, a run"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        cr_assert(strstr(t.s, parts[i]), "%s", parts[i]);
    /* Six charts, each wide and narrow. */
    cr_assert_eq(count(t.s, "<svg "), 12);
    cr_assert_eq(count(t.s, "role=\"img\""), 12);
    text_fini(&t);
}

Test(page, gives_the_same_bytes_twice_and_as_ever)
{
    struct text a = make(fixture_bert(arena)), b = make(fixture_bert(arena));
    cr_assert_str_eq(a.s, b.s);
    struct digest d = {0};
    digest_bytes(&d, a.s, a.length);
    char line[64];
    int n = snprintf(line, sizeof line, "%016llx %zu\n", (unsigned long long)digest_value(&d),
                     a.length);
    golden_check("page_bert.digest", line, (size_t)n);
    text_fini(&a);
    text_fini(&b);
}

Test(page, caps_the_log)
{
    struct result *r = fixture_bert(arena);
    struct err e = {0};
    struct result_entry *many = arena_take(arena, 2000, sizeof *many, &e);
    for (size_t i = 0; i < 2000; i++)
        many[i] = (struct result_entry){(sim_ns)i * SIM_MINUTE, "hpa", "x", "y"};
    r->entries = many;
    r->n_entries = 2000;
    struct text t = make(r);
    cr_assert_eq(count(t.s, "<tr class=\"s"), 500);
    cr_assert(strstr(t.s, "500 lines; 2,704 more are not on this page"));
    text_fini(&t);
}

Test(page, draws_every_picture_as_png_too)
{
    struct scope s = scope_whole(fixture_bert(arena));
    struct chart_frame frame = {.format = PLOT_PNG, .width = 600, .scale = 1, .id = "x"};
    for (int what = 0; what < PICTURES; what++) {
        struct err e = {0};
        struct text t = {0};
        cr_assert(picture_is_there(&s, (enum picture)what));
        cr_assert_eq(picture_draw(&s, (enum picture)what, &frame, &t, &e), 0, "%s", e.msg);
        cr_assert(t.length > 1000 && memcmp(t.s, "\x89PNG", 4) == 0);
        text_fini(&t);
    }
}

Test(page, has_no_pictures_of_nothing)
{
    struct scope s = scope_whole(fixture_empty(arena));
    for (int what = 0; what < PICTURES; what++)
        cr_assert_not(picture_is_there(&s, (enum picture)what));
}

Test(page, describes_pictures_in_words)
{
    struct scope s = scope_whole(fixture_bert(arena));
    struct text t = {0};
    picture_describe(&s, PICTURE_COST, &t);
    cr_assert(strstr(t.s, "ECI only: 20,911"), "%s", t.s);
    picture_describe(&s, PICTURE_TRAFFIC, &t);
    cr_assert(strstr(t.s, "wanted from 1 to 10;"), "%s", t.s);
    text_fini(&t);
}
