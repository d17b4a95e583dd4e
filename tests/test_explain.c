/* test_explain: the reference of every key, from the knob tables. */
#include "scenarios/run/explain.h"
#include "sim/knob.h"
#include "sim/text.h"
#include "workloads/traffic.h"

#include <criterion/criterion.h>
#include <string.h>

#define ROWS(table) (sizeof(table) / sizeof *(table))

struct slo {
    sim_ns p99;
    int colour;
};
static const struct knob_name colours[] = {{"red", 1, "as blood"}, {"blue", 2, ""}, {0}};
static const struct knob slo_rows[] = {
    {.key = "p99",
     .kind = KNOB_DURATION,
     .doc =
         "Latency that 99 % of the requests of a window stay within; a request that fails counts "
         "as one that is late.",
     .preset = "130ms",
     .min = 0.001,
     .max = 3600,
     .quality = QUALITY_ASSUMED,
     .source = "a guess, 2024"},
    {.key = "colour", .kind = KNOB_NAME, .doc = "Of the line.", .preset = "", .names = colours},
    {0},
};
static const struct knob_table slo_table = {
    .name = "slo", .doc = "What must hold.", .rows = slo_rows, .size = sizeof(struct slo)};

static const struct knob hpa_rows[] = {
    {.key = "max",
     .kind = KNOB_INT32,
     .unit = "replicas",
     .doc = "Largest size.",
     .min = 1,
     .max = 100},
    {0},
};
static const struct knob_table hpa_table = {
    .name = "hpa", .doc = "The HPA.", .rows = hpa_rows, .size = 8};
static const struct knob_option hpa_option = {"hpa", &hpa_table, NULL, NULL};
static const struct knob_option none_option = {"none", NULL, NULL, NULL};
static const struct knob_option *const options[] = {&hpa_option, &none_option, NULL};

static const struct knob service_rows[] = {
    {.key = "slo", .kind = KNOB_POINTER, .doc = "Its SLO.", .preset = "", .table = &slo_table},
    {.key = "scaler",
     .kind = KNOB_CHOICE,
     .doc = "Who sizes it.",
     .preset = "none",
     .options = options},
    {0},
};
static const struct knob_table service_table = {
    .name = "service", .doc = "One service.", .rows = service_rows, .size = 64};
static const struct knob root_rows[] = {
    {.key = "services",
     .kind = KNOB_LIST,
     .doc = "All services.",
     .table = &service_table,
     .min = 1,
     .max = 100},
    {.key = "slo", .kind = KNOB_OBJECT, .doc = "Of all.", .table = &slo_table},
    {0},
};
static const struct knob_table root = {
    .name = "scenario", .doc = "A scenario.", .rows = root_rows, .size = 64};

static void explains(const char *query, const char *expected)
{
    struct text t = {0};
    struct err e = {0};
    cr_assert_eq(explain_key(&t, &root, query, &e), 0, "%s", e.msg);
    cr_assert_str_eq(t.s, expected, "%s", t.s);
    text_fini(&t);
}

Test(explain, tells_all_about_one_key)
{
    static const char p99[] =
        "services[].slo.p99\n"
        "    Latency that 99 % of the requests of a window stay within; a request that\n"
        "    fails counts as one that is late.\n"
        "    value    a duration such as \"15s\" in 1ms..1h\n"
        "    default  130ms\n"
        "    source   assumed: a guess, 2024\n";
    explains("services[].slo.p99", p99);
    explains("services.slo.p99", p99);
    explains("services[3].slo.p99", p99);
    explains("p99", p99); /* both places have the same row */
    explains("max", "services[].scaler.hpa.max\n"
                    "    Largest size.\n"
                    "    value    a whole number in 1..100 (replicas)\n"
                    "    default  none, it must be given\n");
}

Test(explain, lists_the_keys_of_a_table_by_its_name)
{
    explains("hpa", "services[].scaler.hpa\n"
                    "    The HPA.\n"
                    "\n"
                    "  max\n"
                    "      Largest size.\n"
                    "      value    a whole number in 1..100 (replicas)\n"
                    "      default  none, it must be given\n");
}

Test(explain, lists_names_and_choices_with_their_meaning)
{
    explains("colour", "services[].slo.colour\n"
                       "    Of the line.\n"
                       "    value    one of red, blue\n"
                       "             red: as blood\n"
                       "    default  absent\n");
    explains("scaler", "services[].scaler\n"
                       "    Who sizes it.\n"
                       "    value    one of hpa, none, alone or as {\"name\": {settings}}\n"
                       "    default  none\n"
                       "\n"
                       "  hpa\n"
                       "      The HPA.\n"
                       "\n"
                       "  none\n");
}

Test(explain, begins_with_the_root)
{
    static const char *const queries[] = {"", NULL, "scenario"};
    for (size_t i = 0; i < ROWS(queries); i++) {
        struct text t = {0};
        struct err e = {0};
        cr_assert_eq(explain_key(&t, &root, queries[i], &e), 0);
        cr_assert_eq(strncmp(t.s, "scenario\n    A scenario.\n\n  services\n", 36), 0, "%s", t.s);
        text_fini(&t);
    }
}

Test(explain, names_the_nearest_key)
{
    static const struct {
        const char *query, *msg;
    } rows[] = {
        {"services.slo.p9", "unknown key 'services.slo.p9'; did you mean 'services[].slo.p99'?"},
        {"elsewhere.else.p99",
         "unknown key 'elsewhere.else.p99'; did you mean 'services[].slo.p99'?"},
        {"colur", "unknown key 'colur'; did you mean 'colour'?"},
        {"zzzzzz",
         "unknown key 'zzzzzz'; `sluice explain` lists the keys at the top, `sluice explain "
         "--all` every key"},
    };
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct text t = {0};
        struct err e = {0};
        cr_assert_eq(explain_key(&t, &root, rows[i].query, &e), -1);
        cr_assert_eq(e.code, ERR_INPUT);
        cr_assert_str_eq(e.msg, rows[i].msg);
        cr_assert_eq(t.length, 0);
    }
}

static size_t widest_line(const char *s)
{
    size_t widest = 0;
    while (*s) {
        size_t bytes = strcspn(s, "\n"), width = 0;
        for (size_t i = 0; i < bytes; i++)
            width += ((unsigned char)s[i] & 0xC0) != 0x80;
        widest = width > widest ? width : widest;
        s += bytes + (s[bytes] == '\n');
    }
    return widest;
}

Test(explain, stays_within_eighty_columns)
{
    struct text t = {0};
    struct err e = {0};
    cr_assert_eq(explain_key(&t, &traffic_knobs, "", &e), 0, "%s", e.msg);
    cr_assert_leq(widest_line(t.s), 80);
    cr_assert_gt(t.length, 1000);
    text_fini(&t);
}

Test(explain, writes_the_reference_as_markdown)
{
    struct text t = {0};
    struct err e = {0};
    cr_assert_eq(explain_reference(&t, &root, &e), 0);
    cr_assert(strstr(t.s, "\n## scenario\n\nA scenario.\n\n| key | meaning |"), "%s", t.s);
    cr_assert(strstr(t.s, "\n## `services[].slo`\n\nWhat must hold.\n"), "%s", t.s);
    cr_assert(strstr(t.s, "| `p99` | Latency that 99 % of"), "%s", t.s);
    cr_assert(
        strstr(t.s,
               " | a duration such as \"15s\" in 1ms..1h | 130ms | assumed: a guess, 2024 |\n"),
        "%s", t.s);
    cr_assert(strstr(t.s, "\n## `services[].scaler.hpa`\n"), "%s", t.s);
    cr_assert(strstr(t.s, "\n## `slo`\n\nThe same keys as `services[].slo`.\n"), "%s", t.s);
    text_fini(&t);
}
