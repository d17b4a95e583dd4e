/* test_bench_compare: which measurements may stand beside each other, and what is said then. */
#include "scenarios/cli/bench_compare.h"
#include "scenarios/cli/bench_result.h"
#include "sim/arena.h"
#include "tests/temp_file.h"

#include <criterion/criterion.h>
#include <string.h>

struct made {
    const char *device, *clocks, *scenario, *weights;
    double p50, scatter, clock;
};

static const struct made usual = {"AMD EPYC", "locked", "single_stream", "random", 0.010,
                                  0.001,      2.4};

static struct temp_file document(const struct made *m)
{
    char text[1500];
    snprintf(text, sizeof text,
             "{\"schema\": \"sluice.benchNetwork/1\", \"backend\": \"cpu\", \"device\": \"%s\", "
             "\"core\": \"Zen\", \"clocks\": \"%s\", \"driver\": \"Linux\", \"framework\": "
             "\"OpenBLAS\", \"threads\": 2, \"settings\": {\"model\": \"bert_base\", \"scenario\": "
             "\"%s\", \"weights\": \"%s\"}, \"batch\": 4, \"latency\": {\"p50\": %.9g, \"p50Low\": "
             "%.9g, "
             "\"p50High\": %.9g}, \"disturbance\": {\"clockGHz\": %.3f}}",
             m->device, m->clocks, m->scenario, m->weights, m->p50, m->p50 * (1 - m->scatter),
             m->p50 * (1 + m->scatter), m->clock);
    return temp_text(text);
}

static struct err failure;
static char said[4000];

static int compare(const struct made *before, const struct made *now, bool force)
{
    struct temp_file a = document(before), b = document(now);
    struct arena *arena = arena_create(&failure);
    struct bench_compare_rule rule = {.tolerance = 0.01, .force = force};
    struct result x, y;
    struct text t = {0};
    failure = (struct err){0};
    int rc = bench_compare_load(arena, a.path, NULL, &x, &failure) ||
                     bench_compare_load(arena, b.path, NULL, &y, &failure)
                 ? -2
                 : bench_compare(&x, &y, &rule, &t, &failure);
    snprintf(said, sizeof said, "%s", t.s ? t.s : "");
    text_fini(&t);
    arena_destroy(arena);
    temp_drop(&a);
    temp_drop(&b);
    return rc;
}

Test(bench_compare, slower_is_what_moved_by_more_than_both_scatter)
{
    struct made now = usual;
    now.p50 = 0.0105;
    cr_expect_eq(compare(&usual, &now, false), 1, "%s", failure.msg);
    cr_expect(strstr(said, "batch4.latency.p50"), "%s", said);
    cr_expect(strstr(said, "SLOWER"));
    now.scatter = 0.06;
    cr_expect_eq(compare(&usual, &now, false), 0);
    cr_expect(strstr(said, "the same"), "%s", said);
    now = usual;
    now.p50 = 0.005;
    cr_expect_eq(compare(&usual, &now, false), 0);
    cr_expect(strstr(said, "faster"), "%s", said);
}

Test(bench_compare, different_environments_and_settings_are_refused_by_name)
{
    struct made other[5] = {usual, usual, usual, usual, usual};
    static const char *const words[5] = {
        "environment.device: AMD EPYC, now Xeon", "environment.clocks: locked, now powersave",
        "setting.scenario: single_stream, now server", "clock seen: 2.40 GHz, now 1.20",
        "setting.weights: random, now file 1f"};
    other[0].device = "Xeon";
    other[1].clocks = "powersave";
    other[2].scenario = "server";
    other[3].clock = 1.2;
    other[4].weights = "file 1f";
    for (int i = 0; i < 5; i++) {
        cr_expect_eq(compare(&usual, &other[i], false), -1);
        cr_expect_eq(failure.code, ERR_INPUT);
        cr_expect(strstr(failure.msg, words[i]), "%s", failure.msg);
        cr_expect(strstr(failure.msg, "--force"));
        cr_expect_eq(compare(&usual, &other[i], true), 0, "%s", failure.msg);
        cr_expect(strstr(said, "compared by force"), "%s", said);
    }
}

Test(bench_compare, a_result_of_the_program_is_read_back_from_its_samples)
{
    /* what is stored and what is written as JSON say the same environment */
    struct err e = {0};
    struct arena *a = arena_create(&e);
    struct bench_result b;
    struct environment env;
    environment_processor(&env);
    bench_result_begin(&b, a, "bench", &e);
    bench_result_environment(&b, &env);
    double x[3] = {1, 2, 3};
    bench_result_samples(&b, "batch1", "latency", x, 3);
    cr_assert_eq(bench_result_end(&b, "sluice bench", "done"), 0);
    char first[64];
    snprintf(first, sizeof first, "%s", b.r.run_key);
    cr_assert_eq(strlen(first), 32);
    x[1] = 2.5;
    cr_assert_eq(bench_result_end(&b, "sluice bench", "done"), 0);
    cr_expect_str_neq(first, b.r.run_key, "other samples are another measurement");
    arena_destroy(a);
}

Test(bench_compare, what_is_no_measurement_is_refused)
{
    static const char *const bad[] = {"{}",
                                      "[]",
                                      "{\"schema\": \"sluice.result/1\"}",
                                      "{\"schema\": \"sluice.benchNetwork/1\"}",
                                      "{\"batches\": [{}]}",
                                      "{"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct temp_file f = temp_text(bad[i]);
        struct arena *a = arena_create(&failure);
        struct result r;
        failure = (struct err){0};
        cr_expect_eq(bench_compare_load(a, f.path, NULL, &r, &failure), -1, "%s", bad[i]);
        cr_expect_eq(failure.code, ERR_INPUT);
        arena_destroy(a);
        temp_drop(&f);
    }
}
