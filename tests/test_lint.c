/* test_lint: each rule with a scenario that trips it and one that does not. */
#include "scenarios/run/lint.h"
#include "scenarios/run/scenario.h"
#include "tests/fixture_scenario.h"
#include "tests/temp_file.h"

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
        {"services.a.startup.model.time=91s", "liveness", "after 80 s, its model takes 9",
         LINT_ERROR},
        {"nodePools.p.instanceTypes=[\"ecs.gn6v-c8g1.2xlarge\",\"ecs.gn6i-c8g1.2xlarge\"]",
         "gpu-mix", "V100 and T4", LINT_WARNING},
        {"nodePools.p.taints=[\"gpu=yes:NoSchedule\"]", "placement",
         "no machine that the pools buy takes a pod of a: 1 node(s) had untolerated taint",
         LINT_ERROR},
        {"nodePools.p.stockLimits=[{\"most\":0}]", "placement",
         "can ever be bought: stockLimits[0] of pool p sells none", LINT_ERROR},
        {"account.onDemandVcpuQuota=7", "placement",
         "account.onDemandVcpuQuota is 7, below the 8 vCPU of ecs.gn6v-c8g1.2xlarge", LINT_ERROR},
        {"nodePools.p.maxSize=3", "reach",
         "a may grow to 4 replicas, and there is room for 3: maxSize of pool p is 3", LINT_WARNING},
        {"nodePools.p={\"name\":\"p\",\"instanceTypes\":[\"ecs.gn6v-c8g1.2xlarge\"],"
         "\"reservedCpu\":"
         "\"1\",\"maxSize\":2}",
         "reach", "room for 2: maxSize of pool p is 2", LINT_WARNING},
        {"nodePools.p.stockLimits=[{\"most\":2,\"type\":\"ecs.gn6v-c8g1.2xlarge\"}]", "reach",
         "room for 2: stockLimits of pool p", LINT_WARNING},
        {"nodePools.p={\"name\":\"p\",\"instanceTypes\":[\"ecs.gn6v-c8g1.2xlarge\"],\"zones\":["
         "\"cn-"
         "hangzhou-h\",\"cn-hangzhou-i\"],\"stockLimits\":[{\"most\":3}]}",
         "reach", "room for 3: stockLimits of pool p", LINT_WARNING},
        {"account.onDemandVcpuQuota=31", "reach", "room for 3: account.onDemandVcpuQuota is 31",
         LINT_WARNING},
        {"clusterAutoscaler=null", "placement",
         "never a machine for the pods of a: initialSize of pool p is 0", LINT_ERROR},
        {"virtualNode={\"burstResource\":\"eci_only\",\"vcpuQuota\":31}", "reach",
         "room for 3: virtualNode.vcpuQuota is 31, and an instance has 8 vCPU", LINT_WARNING},
        {"virtualNode={\"burstResource\":\"eci_only\",\"vcpuQuota\":7}", "placement",
         "can ever be created: virtualNode.vcpuQuota is 7", LINT_ERROR},
        {"virtualNode={\"burstResource\":\"eci_only\",\"stockLimits\":[{\"most\":3}]}", "reach",
         "room for 3: virtualNode.stockLimits", LINT_WARNING},
        {"nodePools.p.headroom=51", "headroom", "maxSize, 50, has room for 50", LINT_WARNING},
        {"nodePools.p={\"name\":\"p\",\"instanceTypes\":[\"ecs.gn6v-c8g1.2xlarge\"],\"headroom\":1,"
         "\"headroomCpu\":\"9\"}",
         "headroom",
         "never keeps any of its headroom: none of its machines takes a placeholder: 1 "
         "Insufficient cpu",
         LINT_WARNING},
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

#define LEAVES_A                                                                                   \
    "nodePools.p={\"name\":\"p\",\"instanceTypes\":[\"ecs.gn6v-c8g1.2xlarge"                       \
    "\"],\"zones\":[\"cn-hangzhou-h\",\"cn-hangzhou-i\"],\"stockLimits\":[{"                       \
    "\"most\":0,\"zone\":\"cn-hangzhou-h\"}]}"
#define LEAVES_B                                                                                   \
    "nodePools.p={\"name\":\"p\",\"instanceTypes\":[\"ecs.gn6v-c8g1.2xlarge"                       \
    "\"],\"zones\":[\"cn-hangzhou-h\",\"cn-hangzhou-i\"],\"stockLimits\":[{"                       \
    "\"most\":1,\"zone\":\"cn-hangzhou-h\"}]}"
#define LEAVES_C                                                                                   \
    "virtualNode={\"burstResource\":\"eci_only\",\"stockLimits\":[{\"most\""                       \
    ":0,\"billing\":\"spot\"}]}"

/* Each of these leaves a machine to be had. */
Test(lint, is_silent_about_limits_that_leave_something)
{
    static const char *const rows[] = {
        "nodePools.p.stockLimits=[{\"most\":0,\"lasts\":\"59m\"}]",
        "nodePools.p.stockLimits=[{\"most\":0,\"from\":\"1s\"}]",
        "nodePools.p.stockLimits=[{\"most\":0,\"billing\":\"spot\"}]",
        LEAVES_A,
        "account.onDemandVcpuQuota=32",
        "nodePools.p.maxSize=4",
        "nodePools.p.stockLimits=[{\"most\":4}]",
        "nodePools.p.stockLimits=[{\"most\":1,\"lasts\":\"59m\"}]",
        LEAVES_B,
        "virtualNode={\"burstResource\":\"eci_only\",\"vcpuQuota\":32}",
        "virtualNode={\"burstResource\":\"eci_only\",\"stockLimits\":[{\"most\":4}]}",
        LEAVES_C,
        "nodePools.p.taints=[\"gpu=yes:PreferNoSchedule\"]",
        "nodePools.p.headroom=50",
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        look("tests/scenarios/lint.json", &rows[i], 1);
        cr_assert_eq(found.n, 0, "row %zu: %s", i, found.items[0].words);
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

/* Each rule with a manifest that trips it and the same one in order, as files of a cluster. */
#define DEPLOYMENT(probes)                                                                         \
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: prod}\nspec:\n"       \
    "  template:\n    spec:\n      containers:\n      - name: web\n        image: web:1\n"         \
    "        resources: {limits: {nvidia.com/gpu: 1}}\n" probes
#define READY "        readinessProbe: {httpGet: {path: /, port: 80}, periodSeconds: 5}\n"
#define LIVE(failures)                                                                             \
    "        livenessProbe: {tcpSocket: {port: 80}, initialDelaySeconds: 10, periodSeconds: 5, "   \
    "failureThreshold: " failures "}\n"
#define HPA_OF(version, route, target, max)                                                        \
    "---\napiVersion: autoscaling/" version "\nkind: HorizontalPodAutoscaler\nmetadata: {name: "   \
    "web, namespace: prod}\nspec:\n  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, "     \
    "name: web}\n  minReplicas: 1\n  maxReplicas: " max "\n  metrics:\n  - type: External\n"       \
    "    external:\n      metric: {name: sls_ingress_qps, selector: {matchLabels: "                \
    "{sls.ingress.route: " route "}}}\n      target: {type: AverageValue, averageValue: '" target  \
    "'}\n"
#define VOLUME(attributes)                                                                         \
    "---\napiVersion: v1\nkind: PersistentVolume\nmetadata: {name: model}\nspec:\n  csi:\n"        \
    "    driver: ossplugin.csi.alibabacloud.com\n    volumeAttributes: {bucket: b" attributes      \
    "}\n"
#define POOL(max, taints)                                                                          \
    "---\nnodepool_info: {name: p}\nauto_scaling: {min_instances: 0, max_instances: " max "}\n"    \
    "kubernetes_config: {labels: [], taints: [" taints "]}\nscaling_group: {instance_types: "      \
    "[ecs.gn6v-c8g1.2xlarge], multi_az_policy: COST_OPTIMIZED}\n"
#define GOOD_HPA HPA_OF("v2", "prod-web-80", "50", "4")
#define GOOD_POD DEPLOYMENT(READY LIVE("30"))

static void look_at(const char *manifest)
{
    struct err e = {0};
    struct temp_file m = temp_text(manifest);
    char yaml[80], text[900], set[120];
    snprintf(yaml, sizeof yaml, "%s.yaml", m.path);
    cr_assert_eq(rename(m.path, yaml), 0);
    snprintf(text, sizeof text,
             "{\"sluice\": 1, \"name\": \"m\", \"horizon\": \"1h\", \"manifests\": [\"%s\"], "
             "\"services\": [{\"name\": \"web\", \"deployment\": \"prod/web\", \"traffic\": "
             "{\"qps\": 150}, \"serving\": {\"serviceTime\": {\"V100\": \"10ms\"}}, \"startup\": "
             "{\"model\": {\"time\": \"60s\"}}}]%s}",
             yaml,
             strstr(manifest, "nodepool_info")
                 ? ", \"nodePools\": [{\"name\": \"p\"}], \"clusterAutoscaler\": {}"
                 : "");
    struct temp_file f = temp_text(text);
    snprintf(set, sizeof set, "seed=1");
    const char *sets[] = {set};
    struct scenario_source source = {
        .path = f.path, .sets = sets, .n_sets = 1, .data_dir = SLUICE_SOURCE_DIR "/scenarios"};
    struct scenario *s = scenario_load(&source, &e);
    cr_assert(s, "%s: %s", e.where, e.msg);
    cr_assert_eq(lint_scenario(&found, s, &e), 0);
    scenario_free(s);
    unlink(yaml);
    temp_drop(&f);
}

Test(lint, each_rule_has_a_manifest_that_trips_it_and_one_that_does_not)
{
    static const struct {
        const char *rule, *bad;
    } rows[] = {
        {"route", GOOD_POD HPA_OF("v2", "other-web-80", "50", "4")},
        {"api-version", GOOD_POD HPA_OF("v2beta2", "prod-web-80", "50", "4")},
        {"target", GOOD_POD HPA_OF("v2", "prod-web-80", "5", "40")},
        {"target", GOOD_POD HPA_OF("v2", "prod-web-80", "120", "4")},
        {"peak", GOOD_POD HPA_OF("v2", "prod-web-80", "50", "2")},
        {"readiness", DEPLOYMENT(LIVE("30")) GOOD_HPA},
        {"liveness", DEPLOYMENT(READY LIVE("3")) GOOD_HPA},
        {"credentials", GOOD_POD GOOD_HPA VOLUME(", akId: A, akSecret: B")},
        {"placement", GOOD_POD GOOD_HPA POOL("4", "{key: gpu, value: 'yes', effect: NoSchedule}")},
        {"reach", GOOD_POD GOOD_HPA POOL("3", "")},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        look_at(rows[i].bad);
        cr_assert(finding(rows[i].rule), "row %zu: %s does not trip", i, rows[i].rule);
        look_at(GOOD_POD GOOD_HPA VOLUME("")
                    POOL("4", "{key: gpu, value: 'yes', effect: PreferNoSchedule}"));
        cr_assert_null(finding(rows[i].rule), "row %zu: %s: %s", i, rows[i].rule,
                       finding(rows[i].rule)->words);
    }
}

#define INGRESS(spec)                                                                              \
    "---\napiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: web, namespace: "      \
    "prod}\nspec: " spec "\n"
#define BACKEND(name, port)                                                                        \
    "{rules: [{http: {paths: [{backend: {service: {name: " name ", port: {" port "}}}}]}}]}"

/* What ingress-nginx writes to its log: NAMESPACE-SERVICE-PORT, the port as the Ingress has it. */
Test(lint, sets_the_route_against_the_ingress)
{
    static const struct {
        const char *manifest, *words;
    } rows[] = {
        {GOOD_POD GOOD_HPA INGRESS(BACKEND("web", "number: 80")), NULL},
        {GOOD_POD GOOD_HPA INGRESS(BACKEND("web", "number: 8501")), "did you mean 'prod-web-8501'"},
        {GOOD_POD GOOD_HPA INGRESS(BACKEND("other", "number: 80")), "did you mean 'prod-other-80'"},
        {GOOD_POD GOOD_HPA INGRESS(BACKEND("web", "name: http")), "did you mean 'prod-web-http'"},
        {GOOD_POD HPA_OF("v2", "prod-web-http", "50", "4") INGRESS(BACKEND("web", "name: http")),
         NULL},
        {GOOD_POD GOOD_HPA INGRESS("{defaultBackend: {service: {name: web, port: {number: 80}}}}"),
         NULL},
        {GOOD_POD GOOD_HPA INGRESS("{backend: {serviceName: web, servicePort: 80}}"), NULL},
        {GOOD_POD GOOD_HPA INGRESS("{backend: {serviceName: web, servicePort: 81}}"),
         "no Ingress of the manifests makes the route 'prod-web-80'"},
        {GOOD_POD GOOD_HPA, NULL},
        {GOOD_POD HPA_OF("v2", "default-web-80", "50", "4") INGRESS(BACKEND("web", "number: 80")),
         "does not begin with the namespace of the deployment, 'prod-'"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        look_at(rows[i].manifest);
        const struct lint_finding *f = finding("route");
        cr_expect_eq(f != NULL, rows[i].words != NULL, "row %zu: %s", i, f ? f->words : "silent");
        if (f && rows[i].words) {
            cr_expect(strstr(f->words, rows[i].words), "row %zu: %s", i, f->words);
            cr_expect_eq(f->level, LINT_ERROR);
        }
    }
}

/* First probe 30 s after the container's start, then each 5 s: the third failure comes at 40 s.
 * What lint says of a load time is what a run does with it. */
Test(lint, judges_the_liveness_probe_as_a_run_does)
{
    static const struct {
        const char *load;
        bool restarts;
    } rows[] = {{"39s", false}, {"39.9s", false}, {"40s", true},
                {"41s", true},  {"43s", true},    {"46s", true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char set[80];
        snprintf(set, sizeof set, "services.bert.startup.model={\"time\":\"%s\"}", rows[i].load);
        struct fixture_scenario p =
            PLAY("users-pool", set, "services.bert.startup.frameworkInit=0s",
                 "services.bert.startup.livenessProbe={\"initialDelay\":\"30s\",\"period\":\"5s\","
                 "\"failureThreshold\":3}",
                 "services.bert.autoscaler={\"fixed\":1}", "services.bert.initialReplicas=0");
        struct err e = {0};
        cr_assert_eq(lint_scenario(&found, p.scenario, &e), 0, "%s", e.msg);
        const char *told = fixture_finding(&p, "liveness-restarts");
        cr_expect_eq(finding("liveness") != NULL, rows[i].restarts, "lint at %s", rows[i].load);
        cr_expect_eq(fixture_value(&p, "startup.restarts") > 0, rows[i].restarts, "run at %s",
                     rows[i].load);
        cr_expect_eq(told != NULL, rows[i].restarts, "finding at %s", rows[i].load);
        if (told)
            cr_expect_str_eq(told, "bert: the liveness probe (initialDelay 30s, period 5s, "
                                   "failureThreshold 3) ended containers while they loaded: one "
                                   "that does not answer 40s after its start begins anew.");
        fixture_stop(&p);
    }
}
