/* test_decide: the conformance suites as a whole, the ways to write cases, and bad ones. */
#include "scenarios/run/decide.h"
#include "sim/arena.h"
#include "sim/file.h"
#include "tests/shared_data.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct caught {
    struct text lines, complaints;
};

static void sink(void *self, const char *lines, size_t length, bool complaint)
{
    struct caught *c = self;
    text_add_bytes(complaint ? &c->complaints : &c->lines, lines, length);
}

static void caught_fini(struct caught *c)
{
    text_fini(&c->lines);
    text_fini(&c->complaints);
}

/* text: with ' for ". */
static struct decide_tally run(const char *text, unsigned threads, struct caught *c, struct err *e)
{
    struct decide_tally tally = {0};
    char *copy = malloc(strlen(text) + 1);
    strcpy(copy, text);
    for (char *p = copy; *p; p++)
        if (*p == '\'')
            *p = '"';
    struct decide_source source = {"cases.json", copy, strlen(copy), threads};
    decide_text(&source, sink, c, &tally, e);
    free(copy);
    return tally;
}

static struct decide_tally run_file(const char *path, unsigned threads)
{
    struct err e = {0};
    struct arena *a = arena_create(&e);
    size_t length;
    char *text = file_read(a, path, JSON_MAX_BYTES, &length, &e);
    cr_assert(text, "%s: %s", path, e.msg);
    struct caught c = {0};
    struct decide_tally tally = {0};
    struct decide_source source = {path, text, length, threads};
    cr_assert_eq(decide_text(&source, sink, &c, &tally, &e), 0, "%s: %s", e.where, e.msg);
    for (char *line = c.lines.s; line && *line;) {
        char *end = strchr(line, '\n');
        *end = '\0';
        cr_expect(strstr(line, "\"pass\":true"), "%s", line);
        line = end + 1;
    }
    cr_expect_eq(tally.passed, tally.cases, "%s: %zu of %zu", path, tally.passed, tally.cases);
    cr_expect_eq(c.complaints.length, 0u, "%s", c.complaints.s ? c.complaints.s : "");
    caught_fini(&c);
    arena_destroy(a);
    return tally;
}

Test(decide, passes_its_own_suite)
{
    static const char *const files[] = {"hpa", "kpa", "keda", "node_autoscaler"};
    size_t n = 0;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/tests/conformance/%s.json", SLUICE_SOURCE_DIR, files[i]);
        n += run_file(path, 1).cases;
    }
    cr_expect_geq(n, 500u);
}

Test(decide, passes_the_reference_cases)
{
    static const char *const files[] = {
        "hpa_external",       "hpa_replica_calculator",
        "hpa_behavior",       "hpa_reconcile",
        "hpa_trajectories",   "keda",
        "knative_kpa",        "generated",
        "cluster_autoscaler",
    };
    size_t n = 0;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[512];
        char name[128];
        snprintf(name, sizeof name, "conformance/%s.json", files[i]);
        if (!shared_data_path(path, sizeof path, name))
            return;
        n += run_file(path, 2).cases;
    }
    cr_expect_geq(n, 300u);
}

#define CASE(name)                                                                                 \
    "{'name': '" name "', 'kind': 'external_average', 'input': {'status_replicas': 5, "            \
    "'samples_milli': [56000], 'target_average_milli': 10000}, 'expect': {'replicas': 6}}"

Test(decide, takes_cases_in_every_form)
{
    static const char *const forms[] = {
        "{'format': 1, 'note': {'cases': 3}, 'cases': [" CASE("a") ",\n" CASE("b") "], 'count': 2}",
        "[" CASE("a") ", " CASE("b") "]",
        CASE("a") "\n" CASE("b") "\n",
        CASE("a") CASE("b"),
    };
    for (size_t i = 0; i < 4; i++) {
        struct caught c = {0};
        struct err e = {0};
        struct decide_tally t = run(forms[i], 1, &c, &e);
        cr_expect_eq(e.code, ERR_NONE, "%s", e.msg);
        cr_expect_eq(t.cases, 2u, "form %zu: %zu", i, t.cases);
        cr_expect_eq(t.passed, 2u);
        cr_expect(strstr(c.lines.s, "{\"name\":\"a\",\"kind\":\"external_average\",\"pass\":true,"
                                    "\"result\":{\"replicas\":6,\"usage_milli\":11200},"
                                    "\"reason\":\"56 / 10 -> 6\"}\n{\"name\":\"b\""),
                  "%s", c.lines.s);
        caught_fini(&c);
    }
}

Test(decide, one_case_and_none_are_fine)
{
    struct caught c = {0};
    struct err e = {0};
    cr_expect_eq(run(CASE("a"), 1, &c, &e).passed, 1u);
    cr_expect_eq(run("{'format': 1, 'cases': []}", 1, &c, &e).cases, 0u);
    cr_expect_eq(run("[]", 1, &c, &e).cases, 0u);
    cr_expect_eq(e.code, ERR_NONE, "%s", e.msg);
    caught_fini(&c);
}

Test(decide, without_expect_there_is_no_verdict)
{
    struct caught c = {0};
    struct err e = {0};
    struct decide_tally t = run("{'name': 'x', 'kind': 'clamp_legacy', 'input': {'current': 1, "
                                "'desired': 10, 'min': 1, 'max': 10}}",
                                1, &c, &e);
    cr_expect_eq(t.cases, 1u);
    cr_expect_eq(t.passed + t.failed + t.bad, 0u);
    cr_expect_not(strstr(c.lines.s, "pass"), "%s", c.lines.s);
    cr_expect(strstr(c.lines.s, "\"replicas\":4"), "%s", c.lines.s);
    caught_fini(&c);
}

Test(decide, a_failing_case_says_what_differs)
{
    struct caught c = {0};
    struct err e = {0};
    struct decide_tally t = run(
        "[{'name': 'x', 'kind': 'clamp_legacy', 'input': {'current': 1, 'desired': 10, 'min': 1, "
        "'max': 10}, 'expect': {'replicas': 10}}, {'name': 'y', 'kind': 'clamp_legacy', 'input': "
        "{'current': 1, 'desired': 10, 'min': 1, 'max': 10}, 'expect': {'pods': 10}}]",
        1, &c, &e);
    cr_expect_eq(t.failed, 2u);
    cr_expect(strstr(c.lines.s, "\"pass\":false"));
    cr_expect(strstr(c.lines.s, "replicas is not as expected"), "%s", c.lines.s);
    cr_expect(strstr(c.lines.s, "pods is no result here"), "%s", c.lines.s);
    caught_fini(&c);
}

struct bad_row {
    const char *text, *complaint;
};

Test(decide, a_bad_case_is_named_and_the_others_run)
{
#define AVERAGE(rest) "{'name': 'x', 'kind': 'external_average', 'input': {" rest "}}"
    static const struct bad_row rows[] = {
        {"{'name': 'x', 'kind': 'external_avg', 'input': {}}",
         "cases.json:1:24: case 'x': kind: 'external_avg' is unknown"},
        {"{'name': 'x', 'kind': 'rate_limt', 'input': {}}", "did you mean 'rate_limit'"},
        {"{'name': 'x', 'input': {}}", "case 'x': kind: is missing"},
        {"{'kind': 'rate_limit', 'input': {}}", "name: is missing"},
        {"{'name': 'x', 'kind': 'rate_limit'}", "case 'x': input: is missing"},
        {"{'name': 'x', 'kind': 'rate_limit', 'input': []}", "case 'x': input: "},
        {"7", "case: a number, but must be an object"},
        {AVERAGE("'samples_milli': [1], 'target_average_milli': 1"), "status_replicas: is missing"},
        {AVERAGE("'status_replicas': -1, 'samples_milli': [1], 'target_average_milli': 1"),
         "status_replicas: -1"},
        {AVERAGE("'status_replicas': 1.5, 'samples_milli': [1], 'target_average_milli': 1"),
         "status_replicas: 1.5"},
        {AVERAGE("'status_replicas': 1, 'samples_milli': ['x'], 'target_average_milli': 1"),
         "samples_milli: x"},
        {AVERAGE("'status_replicas': 1, 'samples_milli': [1], 'target_average_milli': 0"),
         "target_average_milli: 0"},
        {AVERAGE("'status_replicas': 1, 'samples_milli': [1], 'target_average_milli': 9, "
                 "'tolerance': {'up': -1}"),
         "up: -1"},
        {AVERAGE("'status_replicas': 1, 'samples_milli': [1], 'target_average_milli': 1,"),
         "cases.json:1:"},
        {"{'name': 'x', 'kind': 'external_value', 'input': {'current_replicas': 1, "
         "'samples_milli': [1], 'target_milli': 1}}",
         "pods: is missing"},
        {"{'name': 'x', 'kind': 'object_value', 'input': {'current_replicas': 1, 'value_milli': 1, "
         "'target_milli': 1, 'pods': [{'name': 'p', 'phase': 'Sleeping'}]}}",
         "phase: 'Sleeping'"},
        {"{'name': 'x', 'kind': 'scale_up_limit', 'input': {'current': 1, 'rules': {'policies': "
         "[{'type': 'Nodes', 'value': 1, 'period_s': 1}]}}}",
         "type: 'Nodes'"},
        {"{'name': 'x', 'kind': 'rate_limit', 'input': {'current': 1, 'desired': 1, 'min': 1, "
         "'max': 1, 'up_rules': {'select': 'Most'}}}",
         "select: 'Most'"},
        {"{'name': 'x', 'kind': 'reconcile', 'input': {'min': 5, 'max': 1, 'spec_replicas': 1, "
         "'status_replicas': 1, 'metrics': [{'type': 'failing'}]}}",
         "max: 1 is below min 5"},
        {"{'name': 'x', 'kind': 'reconcile', 'input': {'min': 1, 'max': 1, 'spec_replicas': 1, "
         "'status_replicas': 1, 'metrics': []}}",
         "metrics: is empty"},
        {"{'name': 'x', 'kind': 'reconcile', 'input': {'min': 1, 'max': 1, 'spec_replicas': 1, "
         "'status_replicas': 1, 'metrics': [{'type': 'cpu'}]}}",
         "type: 'cpu'"},
        {"{'name': 'x', 'kind': 'stabilize_legacy', 'input': {'window_s': 1, 'desired': 1, "
         "'history': [{'replicas': 1}]}}",
         "age_s: is missing"},
        {"{'name': 'x', 'kind': 'kpa_scale', 'input': {'initial_ready': 1, 'spec': {'target': 0}, "
         "'steps': []}}",
         "target: 0"},
        {"{'name': 'x', 'kind': 'keda_job_strategy', 'input': {'strategy': 'slow'}}",
         "strategy: 'slow'"},
        {"{'name': 'x', 'kind': 'trajectory', 'input': {'initial_replicas': 1, 'min': 1, 'max': 2, "
         "'target_average_milli': 1, 'sync_s': 15, 'metric_milli': [true]}}",
         "metric_milli"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[1024];
        struct caught c = {0};
        struct err e = {0};
        snprintf(text, sizeof text, "[%s,\n%s]", rows[i].text, CASE("good"));
        struct decide_tally t = run(text, 1, &c, &e);
        cr_expect_eq(t.bad, 1u, "row %zu: %s", i, c.lines.s);
        cr_expect_eq(t.passed, 1u, "row %zu: the other runs: %s", i, c.lines.s);
        cr_expect(c.complaints.s && strstr(c.complaints.s, rows[i].complaint), "row %zu: %s", i,
                  c.complaints.s);
        cr_expect(strstr(c.lines.s, "\"error\":"), "%s", c.lines.s);
        caught_fini(&c);
    }
}

Test(decide, a_broken_frame_is_refused_as_a_whole)
{
    static const char *const rows[] = {
        "",
        "{",
        "nonsense",
        "{'format': 2, 'cases': []}",
        "{'cases': [], 'cases': []}",
        "{'format': 1, 'cases': [" CASE("a") "}",
        "[" CASE("a") ",]",
        "[" CASE("a") "] x",
        "{'cases': [" CASE("a") "]} {}",
        "{'format': 1,, 'cases': []}",
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct caught c = {0};
        struct err e = {0};
        struct decide_tally t = run(rows[i], 1, &c, &e);
        cr_expect(e.code == ERR_INPUT || t.bad > 0, "row %zu passes: %s", i, rows[i]);
        cr_expect_eq(t.passed, 0u, "row %zu", i);
        caught_fini(&c);
    }
}

Test(decide, threads_change_neither_order_nor_text)
{
    struct text many = {0};
    struct caught one = {0}, four = {0};
    struct err e = {0};
    text_add(&many, "[");
    for (int i = 0; i < 1000; i++)
        text_printf(&many,
                    "%s{'name': 'c%d', 'kind': 'external_average', 'input': "
                    "{'status_replicas': %d, 'samples_milli': [%d], "
                    "'target_average_milli': 10000}}%s",
                    i ? ",\n" : "", i, i % 50, i * 997 % 700000,
                    i == 500 ? ", {'name': 'bad'}" : "");
    text_add(&many, "]");
    struct decide_tally a = run(many.s, 1, &one, &e), b = run(many.s, 4, &four, &e);
    cr_expect_eq(a.cases, 1001u);
    cr_expect_eq(b.bad, 1u);
    cr_expect_str_eq(one.lines.s, four.lines.s);
    cr_expect_str_eq(one.complaints.s, four.complaints.s);
    caught_fini(&one);
    caught_fini(&four);
    text_fini(&many);
}
