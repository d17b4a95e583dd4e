/* test_decide_manifest: what people are told about the HPA they have. */
#include "scenarios/run/decide_manifest.h"
#include "sim/arena.h"
#include "sim/json.h"
#include "tests/temp_file.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static const char seed[] = "apiVersion: autoscaling/v2beta1\n"
                           "kind: HorizontalPodAutoscaler\n"
                           "metadata:\n"
                           "  name: bert-hpa\n"
                           "spec:\n"
                           "  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: bert}\n"
                           "  minReplicas: 1\n"
                           "  maxReplicas: 10\n"
                           "  metrics:\n"
                           "    - type: External\n"
                           "      external:\n"
                           "        metricName: sls_ingress_qps\n"
                           "        targetAverageValue: 10\n";

static int ask(const char *text, const char *metric, int64_t replicas, bool json, struct text *out,
               struct err *e)
{
    struct temp_file f = temp_text(text);
    struct decide_question q = {.path = f.path,
                                .replicas = replicas,
                                .status = -1,
                                .ready = -1,
                                .metrics = {metric},
                                .n_metrics = 1,
                                .json = json};
    int rc = decide_manifest(&q, out, e);
    temp_drop(&f);
    return rc;
}

static void expect_said(const char *text, const char *metric, int64_t replicas, const char *part)
{
    struct text out = {0};
    struct err e = {0};
    cr_assert_eq(ask(text, metric, replicas, false, &out, &e), 0, "%s: %s", e.where, e.msg);
    cr_expect(strstr(out.s, part), "no '%s' in\n%s", part, out.s);
    text_fini(&out);
}

Test(decide_manifest, tells_the_next_pass_and_why)
{
    expect_said(seed, "54", 5,
                "+0s  5 -> 5  tolerance: 54 / (10 x 5) = 1.08 within 0.9..1.1, stays 5\n");
    expect_said(seed, "56", 5, "+0s  5 -> 6  ratio: 56 / 10 -> 6\n");
    expect_said(seed, "none", 5, "NoMetric: sls_ingress_qps has no value, stays 5\n");
}

Test(decide_manifest, tells_the_passes_that_follow)
{
    expect_said(seed, "95", 1,
                "1 -> 4  ScaleUpLimit: 95 / 10 -> 10, held to 4 by ScaleUpLimit "
                "max(2 x 1, 4)\n  +15s  4 -> 8");
    expect_said(seed, "95", 1, "  +30s  8 -> 10  ratio: 95 / 10 -> 10\n");
    expect_said(seed, "30", 5, "  +5m15s  5 -> 3  ratio: 30 / 10 -> 3\n");
}

Test(decide_manifest, tells_in_which_band_each_size_holds)
{
    expect_said(seed, "54", 5,
                "sls_ingress_qps holds a size in\n"
                "     1  0 to 11\n"
                "     2  10.001 to 22\n"
                "     3  20.001 to 33\n"
                "     4  30.001 to 44\n"
                "     5  40.001 to 55\n"
                "     6  50.001 to 66\n"
                "     7  60.001 to 77\n"
                "     8  70.001 to 88\n"
                "     9  80.001 to 99\n"
                "    10  90 to any\n");
}

/* Before 1.33 the upper end of the band is outside it, by the last bit, for most sizes. */
Test(decide_manifest, bands_follow_the_version)
{
    struct text out = {0};
    struct err e = {0};
    struct temp_file f = temp_text(seed);
    struct decide_question q = {.path = f.path,
                                .kubernetes_version = "1.20",
                                .replicas = 9,
                                .status = -1,
                                .ready = -1,
                                .metrics = {"99"},
                                .n_metrics = 1};
    cr_assert_eq(decide_manifest(&q, &out, &e), 0, "%s", e.msg);
    cr_expect(strstr(out.s, "9 -> 10"), "%s", out.s);
    cr_expect(strstr(out.s, "     9  80.001 to 98.999\n"), "%s", out.s);
    temp_drop(&f);
    text_fini(&out);
}

Test(decide_manifest, reads_percent_for_a_utilization)
{
    static const char cpu[] = "{\"maxReplicas\": 10, \"targetCPUUtilizationPercentage\": 60}";
    expect_said(cpu, "90%", 4, "4 -> 6  ratio: 90% / 60% = 1.5 x 4 pods -> 6\n");
    expect_said(cpu, "65", 4, "4 -> 4  tolerance: 65% / 60% = 1.083 within 0.9..1.1, stays 4\n");
    expect_said(cpu, "65", 4, "     4  46 to 66.999\n");
}

Test(decide_manifest, writes_json)
{
    struct text out = {0};
    struct err e = {0};
    struct arena *a = arena_create(&e);
    cr_assert_eq(ask(seed, "95", 1, true, &out, &e), 0, "%s", e.msg);
    struct json *j = json_parse(a, "answer", out.s, out.length, &e);
    cr_assert(j, "%s", e.msg);
    cr_expect_eq(json_at(j, "passes[2].replicas")->number, 10);
    cr_expect_eq(json_at(j, "passes[1].after_s")->number, 15);
    cr_expect_str_eq(json_at(j, "holds[0].metric")->string, "sls_ingress_qps");
    cr_expect_eq(json_at(j, "holds[0].bands[4].to")->number, 55);
    cr_expect_eq(json_at(j, "holds[0].bands[9].to")->type, JSON_NULL);
    arena_destroy(a);
    text_fini(&out);
}

Test(decide_manifest, says_what_is_wrong)
{
    static const struct {
        const char *text, *metric, *part;
    } rows[] = {
        {"kind: Deployment\n", "1", "holds no HorizontalPodAutoscaler"},
        {seed, "abc", "'abc' is no value of sls_ingress_qps"},
        {seed, "-5", "'-5' is no value"},
        {"kind: HorizontalPodAutoscaler\n", "1", "spec: is missing"},
        {"kind: HorizontalPodAutoscaler\nspec: {maxReplicas: 0}\n", "1", "spec.maxReplicas"},
        {"kind: HorizontalPodAutoscaler\nspec: {maxReplica: 5}\n", "1", "maxReplicas"},
        {"kind: HorizontalPodAutoscaler\nspec: {maxReplicas: 5}\n---\n"
         "kind: HorizontalPodAutoscaler\nspec: {maxReplicas: 6}\n",
         "1", "--name"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct text out = {0};
        struct err e = {0};
        cr_expect_eq(ask(rows[i].text, rows[i].metric, 3, false, &out, &e), -1, "row %zu", i);
        cr_expect_eq(e.code, ERR_INPUT);
        cr_expect(strstr(e.msg, rows[i].part), "row %zu: %s", i, e.msg);
        text_fini(&out);
    }
}

static const char *const other = "kind: HorizontalPodAutoscaler\n"
                                 "metadata: {name: bert-night}\n"
                                 "spec: {maxReplicas: 6}\n---\n";

static void expect_refused(const struct decide_question *q, const char *where, const char *part)
{
    struct text out = {0};
    struct err e = {0};
    cr_expect_eq(decide_manifest(q, &out, &e), -1);
    cr_expect_str_eq(e.where, where);
    cr_expect(strstr(e.msg, part), "%s", e.msg);
    text_fini(&out);
}

/* Each option is blamed for its own. */
Test(decide_manifest, blames_the_size_that_is_wrong)
{
    struct temp_file f = temp_text(seed);
    struct decide_question q = {
        .path = f.path, .replicas = 5, .status = -1, .ready = 9, .metrics = {"54"}, .n_metrics = 1};
    expect_refused(&q, "--ready", "9 of 5 pods cannot be ready");
    q.status = 8;
    expect_refused(&q, "--ready", "9 of 8 pods cannot be ready");
    q.status = 2000000;
    expect_refused(&q, "--status", "2000000 is outside 0..1000000");
    q.replicas = 2000000;
    expect_refused(&q, "--replicas", "2000000 is outside");
    temp_drop(&f);
}

Test(decide_manifest, names_the_nearest_of_several)
{
    char text[2048];
    snprintf(text, sizeof text, "%s%s", other, seed);
    struct temp_file f = temp_text(text);
    struct decide_question q = {.path = f.path,
                                .name = "bert-hap",
                                .replicas = 5,
                                .status = -1,
                                .ready = -1,
                                .metrics = {"54"},
                                .n_metrics = 1};
    expect_refused(&q, "--name", "bert-night, bert-hpa, did you mean 'bert-hpa'?");
    temp_drop(&f);
}

Test(decide_manifest, finds_the_hpa_of_a_folder)
{
    struct text out = {0};
    struct err e = {0};
    struct decide_question q = {.path = SLUICE_SOURCE_DIR "/scenarios/manifests/bert",
                                .replicas = 9,
                                .status = -1,
                                .ready = -1,
                                .metrics = {"101"},
                                .n_metrics = 1};
    cr_assert_eq(decide_manifest(&q, &out, &e), 0, "%s: %s", e.where, e.msg);
    cr_expect(strstr(out.s, "HPA bert-tfserving-hpa: 1 to 10 replicas"), "%s", out.s);
    cr_expect(strstr(out.s, "9 -> 10  TooManyReplicas"), "%s", out.s);
    text_fini(&out);
    q.path = SLUICE_SOURCE_DIR "/scenarios/manifests/panda";
    expect_refused(&q, q.path, "holds no HorizontalPodAutoscaler");
}
