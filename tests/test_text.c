/* test_text: a growing string, and numbers that print and parse the same everywhere. */
#include "sim/text.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <string.h>

#define ROWS(table) (sizeof(table) / sizeof *(table))

Test(text, grows_by_any_kind_of_append)
{
    struct text t = {0};
    struct err e = {0};
    for (int i = 0; i < 1000; i++) {
        text_add(&t, "ab");
        text_add_bytes(&t, "cde", 1);
        text_printf(&t, "%03d", i);
    }
    cr_assert_eq(t.length, 6000);
    cr_assert_eq(strlen(t.s), 6000);
    cr_assert_eq(memcmp(t.s + 5994, "abc999", 6), 0);
    cr_assert_eq(text_end(&t, &e), 0);
    text_fini(&t);
    cr_assert_null(t.s);
}

Test(text, tells_at_the_end_that_memory_ran_out)
{
    struct text t = {.failed = true};
    struct err e = {0};
    text_add(&t, "lost");
    cr_assert_eq(t.length, 0);
    cr_assert_eq(text_end(&t, &e), -1);
    cr_assert_eq(e.code, ERR_SYSTEM);
}

Test(text, prints_the_shortest_number_that_reads_back)
{
    static const struct {
        double v;
        const char *s;
    } rows[] = {
        {0.0, "0"},
        {-0.0, "0"},
        {1.0, "1"},
        {0.1, "0.1"},
        {0.3, "0.3"},
        {0.1 + 0.2, "0.30000000000000004"},
        {-2.5, "-2.5"},
        {1e21, "1e+21"},
        {9007199254740993.0, "9007199254740992"},
        {DBL_MAX, "1.7976931348623157e+308"},
        {5e-324, "4.94065645841247e-324"},
    };
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct text t = {0};
        text_number(&t, rows[i].v);
        cr_assert_str_eq(t.s, rows[i].s);
        cr_assert_eq(strtod(t.s, NULL), rows[i].v);
        text_fini(&t);
    }
}

Test(text, replaces_what_html_would_read)
{
    struct text t = {0};
    text_html(&t, "a<b> & \"c\" 'd'");
    cr_assert_str_eq(t.s, "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;");
    text_fini(&t);
}

Test(text, parses_doubles_whole_or_not_at_all)
{
    static const struct {
        const char *s;
        double v;
    } good[] = {
        {"0", 0},       {"-1.5", -1.5}, {"+2", 2},
        {".5", 0.5},    {"5.", 5},      {"1e3", 1000},
        {"1E-2", 0.01}, {"007", 7},     {"2.2250738585072011e-308", 2.2250738585072011e-308},
        {"1e-400", 0},
    };
    static const char *const bad[] = {"",     ".",     "-",      "e5",    "1e",   "1e+",
                                      "1 ",   " 1",    "nan",    "inf",   "0x10", "1,5",
                                      "1..2", "1e999", "-1e999", "1_000", "1.5f"};
    for (size_t i = 0; i < ROWS(good); i++) {
        double v = -1;
        cr_assert(text_parse_double(good[i].s, &v), "%s", good[i].s);
        cr_assert_eq(v, good[i].v, "%s", good[i].s);
    }
    for (size_t i = 0; i < ROWS(bad); i++) {
        double v;
        cr_assert_not(text_parse_double(bad[i], &v), "%s", bad[i]);
    }
}

Test(text, parses_integers_to_the_edges)
{
    int64_t v = 0;
    cr_assert(text_parse_int64("9223372036854775807", &v) && v == INT64_MAX);
    cr_assert(text_parse_int64("-9223372036854775808", &v) && v == INT64_MIN);
    cr_assert(text_parse_int64("-0", &v) && v == 0);
    cr_assert_not(text_parse_int64("9223372036854775808", &v));
    cr_assert_not(text_parse_int64("-", &v));
    cr_assert_not(text_parse_int64("", &v));
    cr_assert_not(text_parse_int64("+1", &v));
    cr_assert_not(text_parse_int64("1.0", &v));
    cr_assert_not(text_parse_int64(" 1", &v));
}

Test(text, parses_durations_exactly)
{
    static const struct {
        const char *s;
        int64_t ns;
    } good[] = {
        {"0", 0},
        {"0s", 0},
        {"15s", 15000000000},
        {"1h30m", 5400000000000},
        {"2.5ms", 2500000},
        {"7d", 604800000000000},
        {"1w", 604800000000000},
        {"0.1s", 100000000},
        {"20us", 20000},
        {"20\xC2\xB5s", 20000},
        {"7ns", 7},
        {"0.4ns", 0},
        {"0.5ns", 1},
        {"1h0m0.000000001s", 3600000000001},
        {"9223372036854775807ns", INT64_MAX},
        {"106751d23h47m16.854775807s", INT64_MAX},
    };
    static const char *const bad[] = {
        "",
        "15",
        "s",
        "-5s",
        "1h30",
        "30m1h",
        "1s1s",
        "1 s",
        "15s ",
        "1e3s",
        "15sec",
        "1.s5",
        "15S",
        "1.2.3s",
        "9223372036854775808ns",
        "106751d23h47m16.854775808s",
        "20000w",
        "99999999999999999999999999w",
        "NaN",
        "0.",
    };
    for (size_t i = 0; i < ROWS(good); i++) {
        int64_t ns = -1;
        cr_assert(text_parse_duration(good[i].s, &ns), "%s", good[i].s);
        cr_assert_eq(ns, good[i].ns, "%s is %lld", good[i].s, (long long)ns);
    }
    for (size_t i = 0; i < ROWS(bad); i++) {
        int64_t ns;
        cr_assert_not(text_parse_duration(bad[i], &ns), "%s", bad[i]);
    }
}

/* Expected values are those of Kubernetes' resource.Quantity, MilliValue. */
Test(text, parses_quantities_as_kubernetes_does)
{
    static const struct {
        const char *s;
        int64_t milli;
    } good[] = {
        {"0", 0},
        {"10", 10000},
        {"100m", 100},
        {"1500m", 1500},
        {"0.1", 100},
        {"1k", 1000000},
        {"1Ki", 1024000},
        {"1.5Gi", 1610612736000},
        {"16Gi", 17179869184000},
        {"2e3", 2000000},
        {"2E3", 2000000},
        {"1e-3", 1},
        {"1u", 1},
        {"1n", 1},
        {"-1u", 0},
        {"-1500m", -1500},
        {"+5", 5000},
        {"1.0005", 1001},
        {"0.001Ei", INT64_C(1152921504606846976)},
        {"9223372036854775.807", INT64_MAX},
        {".5", 500},
        {"0.000000000000000000001", 1},
    };
    static const char *const bad[] = {"",
                                      "m",
                                      "1.5.2",
                                      "1Kib",
                                      "1 Gi",
                                      "ten",
                                      "1ki",
                                      "1mm",
                                      "--1",
                                      "1e",
                                      "0x1",
                                      "16GB",
                                      "9223372036854775.8071",
                                      "9Ei",
                                      "1E",
                                      "1e60",
                                      "99999999999999999999999",
                                      "NaN"};
    for (size_t i = 0; i < ROWS(good); i++) {
        int64_t milli = 0;
        cr_assert(text_parse_quantity(good[i].s, &milli), "%s", good[i].s);
        cr_assert_eq(milli, good[i].milli, "%s is %lld", good[i].s, (long long)milli);
    }
    for (size_t i = 0; i < ROWS(bad); i++) {
        int64_t milli;
        cr_assert_not(text_parse_quantity(bad[i], &milli), "%s", bad[i]);
    }
}

Test(text, parses_bytes_exactly)
{
    static const struct {
        const char *s;
        int64_t bytes;
    } good[] = {
        {"1024", 1024},
        {"409M", 409000000},
        {"16Gi", INT64_C(17179869184)},
        {"1.2Gi", 1288490189}, /* 1288490188.8 rounded up */
        {"0.5Ki", 512},
        {"9223372036854775807", INT64_MAX},
        {"1234567890123456789", 1234567890123456789},
        {"7Ei", INT64_C(8070450532247928832)},
    };
    static const char *const bad[] = {"",    "-1",  "100m", "16GB", "9223372036854775808",
                                      "8Ei", "1 Gi"};
    for (size_t i = 0; i < ROWS(good); i++) {
        int64_t bytes = -1;
        cr_assert(text_parse_bytes(good[i].s, &bytes), "%s", good[i].s);
        cr_assert_eq(bytes, good[i].bytes, "%s is %lld", good[i].s, (long long)bytes);
    }
    for (size_t i = 0; i < ROWS(bad); i++) {
        int64_t bytes;
        cr_assert_not(text_parse_bytes(bad[i], &bytes), "%s", bad[i]);
    }
}

Test(text, prints_durations_that_read_back)
{
    static const struct {
        int64_t ns;
        const char *s;
    } rows[] = {
        {0, "0s"},
        {15000000000, "15s"},
        {5400000000000, "1h30m"},
        {2500000, "2.5ms"},
        {604800000000000, "7d"},
        {1500000000, "1.5s"},
        {60500000000, "1m500ms"},
        {61500000000, "1m1.5s"},
        {1, "1ns"},
        {1001, "1.001us"},
        {-90000000000, "-1m30s"},
        {INT64_MAX, "106751d23h47m16.854775807s"},
    };
    char buf[64];
    for (size_t i = 0; i < ROWS(rows); i++) {
        cr_assert_str_eq(text_duration(buf, sizeof buf, rows[i].ns), rows[i].s);
        int64_t back = -1;
        if (rows[i].ns >= 0)
            cr_assert(text_parse_duration(buf, &back) && back == rows[i].ns, "%s", buf);
    }
    cr_assert_str_eq(text_duration(buf, 4, 5400000000000), "1h3");
}

Test(text, finds_the_nearest_name)
{
    static const char *const names[] = {"minSize", "maxSize", NULL, "p99", "onDemandBaseCapacity",
                                        "x"};
    static const struct {
        const char *s, *nearest;
    } rows[] = {
        {"minSzie", "minSize"},
        {"MINSIZE", "minSize"},
        {"min_size", "minSize"},
        {"p95", "p99"},
        {"onDemandBaseCapacty", "onDemandBaseCapacity"},
        {"y", NULL},
        {"replicas", NULL},
        {"", NULL},
    };
    for (size_t i = 0; i < ROWS(rows); i++) {
        const char *found = text_nearest(rows[i].s, names, ROWS(names));
        if (rows[i].nearest)
            cr_assert(found && strcmp(found, rows[i].nearest) == 0, "%s: %s", rows[i].s,
                      found ? found : "none");
        else
            cr_assert_null(found, "%s", rows[i].s);
    }
}

Test(text, says_one_of_one_only)
{
    cr_assert_str_eq(text_plural(1, "change", "changes"), "change");
    cr_assert_str_eq(text_plural(0, "change", "changes"), "changes");
    cr_assert_str_eq(text_plural(2, "life", "lives"), "lives");
    cr_assert_str_eq(text_plural(UINT64_MAX, "row was", "rows were"), "rows were");
}
