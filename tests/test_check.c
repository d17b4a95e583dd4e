/* test_check: assertions, as a build gate uses them. */
#include "reports/check.h"
#include "sim/arena.h"
#include "tests/fixture_result.h"

#include <criterion/criterion.h>
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

TestSuite(check, .init = set_up, .fini = tear_down);

Test(check, judges_figures_by_their_units)
{
    static const struct {
        const char *text;
        bool holds, certain;
    } rows[] = {
        {"latency.p99 < 130ms", true, true},
        {"latency.p99<0.0983", false, false},
        {"latency.p99 <= 0.0983", true, false},
        {"latency.p99 < 100ms", true, false},
        {"latency.p99 > 1s", false, true},
        {"cost.perMonth <= 60000 CNY", true, true},
        {"cost.perMonth <= 60000CNY", true, true},
        {"cost.perMonth < 42229.5", false, false},
        {"nodes.onDemandShare >= 30%", true, true},
        {"nodes.onDemandShare >= 0.34", false, true},
        {"replicas.max == 10", true, true},
        {"replicas.max != 10", false, true},
        {"requests.failed.total < 500000", true, true},
        {"slo.heldShare >= 99.9 %", false, true},
        /* 440,231 in all; the interval is that of one replication, about 22,000 */
        {"requests.failed.total < 400000", false, true},
        {"nodes.hours.spot < 600 h", true, true},
    };
    const struct result *r = fixture_bert(arena);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct err e = {0};
        struct check c;
        struct check_outcome o;
        cr_assert_eq(check_parse(&c, NULL, rows[i].text, &e), 0, "%s", e.msg);
        cr_assert_eq(check_judge(&c, r, &o, &e), 0, "%s", e.msg);
        cr_assert(o.holds == rows[i].holds && o.certain == rows[i].certain, "%s: %s", rows[i].text,
                  o.message);
    }
}

Test(check, says_what_it_found)
{
    struct err e = {0};
    struct check c;
    struct check_outcome o;
    cr_assert_eq(check_parse(&c, NULL, "latency.p99 < 130ms", &e), 0);
    cr_assert_eq(check_judge(&c, fixture_bert(arena), &o, &e), 0);
    cr_assert_str_eq(o.message,
                     "latency.p99 is 98.3\xC2\xA0ms (94.1 to 102\xC2\xA0ms), asked for < "
                     "130\xC2\xA0ms");
}

Test(check, refuses_what_is_no_assertion)
{
    static const struct {
        const char *text, *part;
    } rows[] = {
        {"latency.p99", "is no assertion"},
        {"latency.p99 < ", "is no assertion"},
        {" < 3", "is no assertion"},
        {"latency.p99 = 3", "is no assertion"},
        {"", "is no assertion"},
        {"latency.p98 < 3", "the nearest is \"latency.p9"},
        {"zzz < 3", "no figure \"zzz\""},
        {"latency.p99 < 3 apples", "a duration such as"},
        {"latency.p99 < nan", "a duration such as"},
        {"cost.total < 3 USD", "an amount in that currency"},
        {"slo.heldShare > 3 CNY", "a share such as"},
        {"replicas.max < many", "a number"},
    };
    const struct result *r = fixture_bert(arena);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct err e = {0};
        struct check c;
        struct check_outcome o;
        bool refused =
            check_parse(&c, "a.json:3:4", rows[i].text, &e) != 0 || check_judge(&c, r, &o, &e) != 0;
        cr_assert(refused && e.code == ERR_INPUT && strstr(e.msg, rows[i].part), "%s: %s",
                  rows[i].text, e.msg);
    }
    char long_text[1000];
    memset(long_text, 'a', sizeof long_text);
    strcpy(long_text + 990, " < 3");
    struct err e = {0};
    struct check c;
    cr_assert_eq(check_parse(&c, NULL, long_text, &e), -1);
}

Test(check, writes_junit)
{
    struct err e = {0};
    struct check c[2];
    struct check_outcome o[2];
    const struct result *r = fixture_bert(arena);
    cr_assert_eq(check_parse(&c[0], NULL, "replicas.max <= 10", &e), 0);
    cr_assert_eq(check_parse(&c[1], NULL, "replicas.max < 10", &e), 0);
    for (size_t i = 0; i < 2; i++)
        cr_assert_eq(check_judge(&c[i], r, &o[i], &e), 0);
    struct text t = {0};
    check_junit(o, 2, "a<b>\x01", &t);
    cr_assert_str_eq(t.s,
                     "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                     "<testsuites>\n"
                     "<testsuite tests=\"2\" failures=\"1\" errors=\"0\" name=\"a&lt;b&gt;?\">\n"
                     "<testcase classname=\"a&lt;b&gt;?\" name=\"replicas.max &lt;= 10\">\n"
                     "<system-out>replicas.max is 10\xC2\xA0replicas, asked for &lt;= "
                     "10\xC2\xA0replicas</system-out>\n"
                     "</testcase>\n"
                     "<testcase classname=\"a&lt;b&gt;?\" name=\"replicas.max &lt; 10\">\n"
                     "<failure message=\"replicas.max is 10\xC2\xA0replicas, asked for &lt; "
                     "10\xC2\xA0replicas\"/>\n"
                     "</testcase>\n"
                     "</testsuite>\n"
                     "</testsuites>\n");
    text_fini(&t);
}
