/* test_lint: each rule with a scenario that trips it and one that does not. */
#include "scenarios/run/lint.h"
#include "scenarios/run/scenario.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static struct lint found;

static void look(const char *file, const char *const *sets, size_t n_sets)
{
    struct err e = {0};
    char path[512];
    snprintf(path, sizeof path, SLUICE_SOURCE_DIR "/%s", file);
    struct scenario_source source = {
        .path = path, .sets = sets, .n_sets = n_sets, .data_dir = SLUICE_SOURCE_DIR "/scenarios"};
    struct scenario *s = scenario_load(&source, &e);
    cr_assert(s, "%s: %s", e.where, e.msg);
    cr_assert_eq(lint_scenario(&found, s, &e), 0, "%s: %s", e.where, e.msg);
    scenario_free(s);
}

static const struct lint_finding *finding(const char *rule)
{
    for (size_t i = 0; i < found.n; i++)
        if (strcmp(found.items[i].rule, rule) == 0)
            return &found.items[i];
    return NULL;
}

Test(lint, has_nothing_to_say_about_a_scenario_in_order)
{
    look("tests/scenarios/lint.json", NULL, 0);
    cr_assert_eq(found.n, 0, "%s: %s", found.items[0].rule, found.items[0].words);
}

#define HPA "services.a.autoscaler.hpa."

/* One change of the scenario above each, and what it trips. */
Test(lint, trips_one_rule_for_each_mistake)
{
    static const struct {
        const char *set, *rule, *words;
        enum lint_level level;
    } rows[] = {
        {HPA "metrics[0].external.target.averageValue=5", "target", "5 QPS is 5 % of this V100",
         LINT_WARNING},
        {HPA "metrics[0].external.target.averageValue=120", "target",
         "target above capacity: a replica serves 100 requests", LINT_ERROR},
        {HPA "maxReplicas=1", "peak", "serve 100 requests a second, the peak is 150", LINT_ERROR},
        {HPA "maxReplicas=2", "peak", "hold 100 QPS, the peak is 150", LINT_WARNING},
        {"services.a.startup.readinessProbe=null", "readiness", "has no readiness probe",
         LINT_WARNING},
        {"services.a.startup.model.time=91s", "liveness", "after 90 s, its model takes 9",
         LINT_ERROR},
        {"nodePools.p.instanceTypes=[\"ecs.gn6v-c8g1.2xlarge\",\"ecs.gn6i-c8g1.2xlarge\"]",
         "gpu-mix", "V100 and T4", LINT_WARNING},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        look("tests/scenarios/lint.json", &rows[i].set, 1);
        const struct lint_finding *f = finding(rows[i].rule);
        cr_assert(f, "row %zu", i);
        cr_assert_eq(f->level, rows[i].level, "row %zu", i);
        cr_assert(strstr(f->words, rows[i].words), "row %zu: %s", i, f->words);
        cr_assert_eq(found.count > 0, rows[i].level == LINT_ERROR);
    }
}

Test(lint, points_into_the_manifests_and_never_shows_a_secret)
{
    look("scenarios/bert-elastic.json", NULL, 0);
    cr_assert(strstr(finding("api-version")->where, "hpa.yaml:1:"));
    cr_assert(strstr(finding("target")->where, "hpa.yaml:22:"));
    cr_assert(strstr(finding("readiness")->where, "deployment.yaml:"));
    cr_assert(strstr(finding("credentials")->where, "model-pvc.yaml:17:"));
    cr_assert_null(finding("route"), "it begins with the namespace");
    cr_assert_eq(found.count, 0);
    for (size_t i = 0; i < found.n; i++)
        cr_assert_null(strstr(found.items[i].words, "YOUR-ACCESS"));
}

Test(lint, finds_a_route_of_another_namespace)
{
    static const char *const set =
        "services.bert.autoscaler.hpa.metrics=[{\"type\":\"External\",\"external\":{\"metricName\":"
        "\"sls_ingress_qps\",\"metricSelector\":{\"matchLabels\":{\"sls.ingress.route\":"
        "\"prod-bert-8501\"}},\"targetAverageValue\":\"10\"}}]";
    look("scenarios/bert-elastic.json", &set, 1);
    cr_assert(finding("route"));
    cr_assert(strstr(finding("route")->words, "'prod-bert-8501' does not begin"));
    cr_assert_eq(found.count, 1);
}

/* 24 vCPU with one T4 cost less a vCPU than 4 vCPU with one, and more for one pod. */
Test(lint, says_when_cost_per_vcpu_buys_the_dearer_machine_first)
{
    static const char *const sets[] = {
        "services.a.serving.serviceTime={\"T4\":\"10ms\"}",
        "nodePools.p.instanceTypes=[\"ecs.gn6i-c24g1.6xlarge\",\"ecs.gn6i-c4g1.xlarge\"]",
    };
    look("tests/scenarios/lint.json", sets, 2);
    cr_assert(finding("plan-order"));
    cr_assert(strstr(finding("plan-order")->words, "ecs.gn6i-c24g1.6xlarge first"));
    cr_assert_eq(found.n, 1);
}
