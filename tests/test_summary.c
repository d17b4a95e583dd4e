/* test_summary: the text that people read first. */
#include "reports/human.h"
#include "reports/summary.h"
#include "sim/arena.h"
#include "sim/err.h"
#include "tests/fixture_golden.h"
#include "tests/fixture_result.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static struct text make(struct result *(*fixture)(struct arena *), bool colour)
{
    struct err e = {0};
    struct arena *a = arena_create(&e);
    struct text t = {0};
    summary_text(fixture(a), colour, &t);
    cr_assert_eq(text_end(&t, &e), 0);
    arena_destroy(a);
    return t;
}

Test(summary, says_what_it_always_said)
{
    struct text t = make(fixture_bert, false);
    golden_check("summary_bert.txt", t.s, t.length);
    text_fini(&t);
}

/* The longest line in columns; asserts that the text is printable. */
static size_t widest(const char *s)
{
    size_t most = 0;
    char line[1000];
    while (*s) {
        size_t n = strcspn(s, "\n");
        cr_assert_lt(n, sizeof line);
        memcpy(line, s, n);
        line[n] = '\0';
        for (size_t i = 0; i < n; i++)
            cr_assert((unsigned char)line[i] >= 0x20 && line[i] != 0x7F, "%s", line);
        cr_assert(n == 0 || line[n - 1] != ' ', "trailing blank: %s", line);
        size_t columns = human_columns(line);
        most = columns > most ? columns : most;
        s += n + (s[n] == '\n');
    }
    return most;
}

Test(summary, fits_80_columns)
{
    struct result *(*const fixtures[])(struct arena *) = {fixture_bert, fixture_hostile,
                                                          fixture_empty};
    for (size_t i = 0; i < 3; i++) {
        struct text t = make(fixtures[i], false);
        cr_assert_leq(widest(t.s), 80, "fixture %zu", i);
        cr_assert_geq(widest(t.s), 50);
        text_fini(&t);
    }
}

Test(summary, begins_with_the_verdict)
{
    struct text t = make(fixture_bert, false);
    const char *second = strchr(t.s, '\n');
    cr_assert(second && strncmp(second + 1, "FAILS  Misses the SLO", 21) == 0);
    text_fini(&t);
    t = make(fixture_empty, false);
    second = strchr(t.s, '\n');
    cr_assert(second && strncmp(second + 1, "HOLDS  Nothing", 14) == 0);
    text_fini(&t);
}

Test(summary, colours_only_when_asked)
{
    struct text plain = make(fixture_bert, false), coloured = make(fixture_bert, true);
    cr_assert_null(strchr(plain.s, '\033'));
    struct text stripped = {0};
    for (const char *s = coloured.s; *s;) {
        if (*s == '\033') {
            s += strcspn(s, "m") + 1;
            continue;
        }
        text_add_bytes(&stripped, s++, 1);
    }
    cr_assert_str_eq(stripped.s, plain.s);
    text_fini(&plain);
    text_fini(&coloured);
    text_fini(&stripped);
}

Test(summary, passes_no_control_character_to_the_terminal)
{
    struct err e = {0};
    struct arena *a = arena_create(&e);
    struct result *r = fixture_bert(a);
    r->name = "x\033[2Jy\x07\x7F";
    r->findings[0].text = "\033]0;title\x07 \xC2\x9B"
                          "31m and \xE4\xB8\xAD\xE6\x96\x87";
    struct text t = {0};
    summary_text(r, false, &t);
    cr_assert_null(strchr(t.s, '\033'));
    cr_assert_null(strstr(t.s, "\xC2\x9B"));
    cr_assert(strstr(t.s, "x?[2Jy??"));
    cr_assert(strstr(t.s, "\xE4\xB8\xAD\xE6\x96\x87"));
    text_fini(&t);
    arena_destroy(a);
}

Test(summary, shows_every_service_of_several)
{
    struct text t = make(fixture_hostile, false);
    cr_assert(strstr(t.s, "Service a<b>\n"));
    cr_assert(strstr(t.s, "Service bert\n"));
    text_fini(&t);
}

/* A verdict of so many letters that its line would end just before a per cent sign. */
Test(summary, keeps_a_per_cent_sign_with_its_number)
{
    for (int letters = 1; letters < 90; letters++) {
        struct err e = {0};
        struct arena *a = arena_create(&e);
        struct text t = {0};
        struct result *r = fixture_bert(a);
        char verdict[200];
        snprintf(
            verdict, sizeof verdict, "%.*s held in 98.9 %% of all", letters,
            "a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a "
            "a a a a");
        r->verdict = verdict;
        summary_text(r, false, &t);
        cr_assert_eq(text_end(&t, &e), 0);
        cr_assert(strstr(t.s, "98.9 %"), "%s", verdict);
        text_fini(&t);
        arena_destroy(a);
    }
}
