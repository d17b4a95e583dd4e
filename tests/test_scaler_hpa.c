/* test_scaler_hpa: HPA specs as users write them, and what they do over time. */
#include "models/control/hpa_config.h"
#include "tests/policy_rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define S SIM_SECOND

static int32_t pass(struct policy_rig *r, sim_ns now, int32_t size, int64_t milli,
                    struct scaler_decision *d)
{
    return policy_rig_pass(r, now, size, &milli, 1, d);
}

#define SEED                                                                                       \
    "'minReplicas': 1, 'maxReplicas': 10, 'metrics': [{'type': 'External', 'external': "           \
    "{'metricName': 'sls_ingress_qps', 'metricSelector': {'matchLabels': {'sls.ingress.route': "   \
    "'default-bert-8501'}}, 'targetAverageValue': 10}}]"
static const char seed[] =
    "{'scaleTargetRef': {'apiVersion': 'apps/v1', 'kind': 'Deployment', 'name': 'bert'}, " SEED "}";

static void expect_path(struct policy_rig *r, int64_t milli, const int32_t *want, size_t n)
{
    struct scaler_decision d;
    int32_t size = 1;
    for (size_t i = 0; i < n; i++) {
        size = pass(r, (sim_ns)i * 15 * S, size, milli, &d);
        cr_expect_eq(size, want[i], "pass %zu: %d, %s", i, (int)size, d.reason);
    }
}

Test(scaler_hpa, grows_1_4_8_10_without_behavior_and_1_5_10_with_an_empty_one)
{
    struct policy_rig r;
    policy_rig_load(&r, "hpa", seed);
    cr_assert(r.memory, "%s: %s", r.e.where, r.e.msg);
    expect_path(&r, 95000, (int32_t[]){4, 8, 10, 10}, 4);
    policy_rig_free(&r);
    policy_rig_load(&r, "hpa", "{" SEED ", 'behavior': {}}");
    expect_path(&r, 95000, (int32_t[]){5, 10, 10}, 3);
    policy_rig_free(&r);
}

Test(scaler_hpa, says_what_bound_it)
{
    struct policy_rig r;
    struct scaler_decision d;
    policy_rig_load(&r, "hpa", seed);
    pass(&r, 0, 1, 95000, &d);
    cr_expect_str_eq(d.reason, "95 / 10 -> 10, held to 4 by ScaleUpLimit max(2 x 1, 4)");
    cr_expect_str_eq(d.rule, "ScaleUpLimit");
    pass(&r, 15 * S, 5, 54000, &d);
    cr_expect_str_eq(d.reason, "54 / (10 x 5) = 1.08 within 0.9..1.1, stays 5, held at 10 by "
                               "ScaleDownStabilized (highest of 300s)");
    pass(&r, 1000 * S, 5, 54500, &d);
    cr_expect_str_eq(d.reason, "54.5 / (10 x 5) = 1.09 within 0.9..1.1, stays 5");
    cr_expect_str_eq(d.rule, "tolerance");
    pass(&r, 2000 * S, 10, 250000, &d);
    cr_expect_str_eq(d.reason, "250 / 10 -> 25, held to 10 by TooManyReplicas (max 10)");
    pass(&r, 3000 * S, 8, -1, &d);
    cr_expect_str_eq(d.reason, "sls_ingress_qps has no value, stays 8");
    cr_expect(d.metric_missing);
    cr_expect_eq(d.replicas, 8);
    pass(&r, 3000 * S, 14, 5000, &d);
    cr_expect_str_eq(d.reason, "14 is above max 10");
    pass(&r, 3000 * S, 0, 5000, &d);
    cr_expect_str_eq(d.rule, "ScalingDisabled");
    policy_rig_free(&r);
    policy_rig_load(&r, "hpa", "{" SEED ", 'behavior': {}}");
    pass(&r, 0, 1, 95000, &d);
    cr_expect_str_eq(d.reason, "95 / 10 -> 10, held to 5 by ScaleUpLimit (4 pods in 15s)");
    policy_rig_free(&r);
}

/* 100 QPS, then 30: ten until the last recommendation of ten has left the window. */
static sim_ns first_shrink(const char *text, sim_ns spike)
{
    struct policy_rig r;
    struct scaler_decision d;
    int32_t size = 10;
    policy_rig_load(&r, "hpa", text);
    for (sim_ns now = -60 * S; now < 900 * S; now += 15 * S) {
        size = pass(&r, now, size, now < 0 || now == spike ? 100000 : 30000, &d);
        if (size < 10) {
            cr_expect_eq(size, 3);
            policy_rig_free(&r);
            return now;
        }
    }
    policy_rig_free(&r);
    return SIM_NEVER;
}

Test(scaler_hpa, stabilisation_is_the_highest_of_the_window)
{
    /* the last high pass is at -15 s; age 300 s still counts without behavior */
    cr_expect_eq(first_shrink(seed, SIM_NEVER), 300 * S);
    cr_expect_eq(first_shrink("{" SEED ", 'behavior': {}}", SIM_NEVER), 285 * S);
    /* one spike re-arms it */
    cr_expect_eq(first_shrink(seed, 285 * S), 600 * S);
}

Test(scaler_hpa, a_window_of_its_own_counts_to_the_second)
{
    static const char down[] =
        "{" SEED ", 'behavior': {'scaleDown': {'stabilizationWindowSeconds': 60}}}";
    cr_expect_eq(first_shrink(down, SIM_NEVER), 45 * S, "the last high pass is at -15 s");
    struct policy_rig r;
    struct scaler_decision d;
    policy_rig_load(&r, "hpa",
                    "{" SEED ", 'behavior': {'scaleUp': {'stabilizationWindowSeconds': 30}}}");
    cr_expect_eq(pass(&r, 0, 3, 30000, &d), 3);
    cr_expect_eq(pass(&r, 15 * S, 3, 60000, &d), 3);
    cr_expect_str_eq(d.rule, "ScaleUpStabilized");
    cr_expect_str_eq(d.reason, "60 / 10 -> 6, held at 3 by ScaleUpStabilized (lowest of 30s)");
    cr_expect_eq(pass(&r, 30 * S, 3, 60000, &d), 6, "30 s old is old enough");
    policy_rig_free(&r);
}

Test(scaler_hpa, a_missing_metric_never_shrinks)
{
    struct policy_rig r;
    struct scaler_decision d;
    policy_rig_load(&r, "hpa", seed);
    for (sim_ns now = 0; now < 600 * S; now += 15 * S)
        cr_assert_eq(pass(&r, now, 8, -1, &d), 8);
    policy_rig_free(&r);
}

Test(scaler_hpa, versions_differ_at_exactly_eleven_a_pod)
{
    static const struct {
        const char *version;
        int32_t want;
    } rows[] = {{"1.20", 10}, {"v1.32.6-aliyun.1", 10}, {"1.33", 9}, {"1.37.0", 9}};
    for (size_t i = 0; i < 4; i++) {
        struct policy_rig r;
        struct scaler_decision d;
        char text[700];
        snprintf(text, sizeof text, "{%s, 'kubernetesVersion': '%s'}", SEED, rows[i].version);
        policy_rig_load(&r, "hpa", text);
        cr_expect_eq(pass(&r, 0, 9, 99000, &d), rows[i].want, "%s: %s", rows[i].version, d.reason);
        policy_rig_free(&r);
    }
}

Test(scaler_hpa, tolerance_by_direction_follows_the_gate)
{
#define OWN "'behavior': {'scaleUp': {'tolerance': '20m'}}"
    static const struct {
        const char *rest;
        int32_t want;
    } rows[] = {
        {"", 6},
        {", 'kubernetesVersion': '1.35'", 6},
        {", 'kubernetesVersion': '1.33'", 5},
        {", 'kubernetesVersion': '1.33', 'featureGates': {'HPAConfigurableTolerance': true}", 6},
        {", 'kubernetesVersion': '1.30', 'featureGates': {'HPAConfigurableTolerance': true}", 5},
        {", 'featureGates': {'HPAConfigurableTolerance': false}", 5},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct policy_rig r;
        struct scaler_decision d;
        char text[900];
        snprintf(text, sizeof text, "{%s, %s%s}", SEED, OWN, rows[i].rest);
        policy_rig_load(&r, "hpa", text);
        cr_assert(r.memory, "%s: %s", r.e.where, r.e.msg);
        cr_expect_eq(pass(&r, 0, 5, 52000, &d), rows[i].want, "row %zu: %s", i, d.reason);
        cr_expect_eq(pass(&r, 15 * S, 5, 46000, &d), 5);
        policy_rig_free(&r);
    }
}

Test(scaler_hpa, surge_pods_leak_into_the_spec_unless_that_is_fixed)
{
    static const char *const rest[] = {"", ", 'surgePods': 'fixed'"};
    for (size_t i = 0; i < 2; i++) {
        struct policy_rig r;
        struct scaler_decision d = {0};
        struct scaler_metric m = {true, 40000};
        struct scaler_view v = {.spec_replicas = 3,
                                .status_replicas = 4,
                                .ready_replicas = 4,
                                .metrics = &m,
                                .n_metrics = 1};
        char text[700];
        snprintf(text, sizeof text, "{%s%s}", SEED, rest[i]);
        policy_rig_load(&r, "hpa", text);
        r.policy->decide(r.config, r.memory, &v, &d);
        cr_expect_eq(d.replicas, i == 0 ? 4 : 3);
        policy_rig_free(&r);
    }
}

/* Value multiplies with ready pods and runs away; AverageValue settles. */
Test(scaler_hpa, a_value_target_runs_away_while_pods_are_pending)
{
    static const char *const target[] = {"'targetValue': 10", "'targetAverageValue': 10"};
    int32_t settled[2];
    for (size_t i = 0; i < 2; i++) {
        struct policy_rig r;
        struct scaler_decision d = {0};
        char text[700];
        snprintf(text, sizeof text,
                 "{'maxReplicas': 100, 'metrics': [{'type': 'External', 'external': {'metricName': "
                 "'sls_ingress_qps', %s}}]}",
                 target[i]);
        policy_rig_load(&r, "hpa", text);
        int32_t size = 2;
        for (int k = 0; k < 40; k++) {
            struct scaler_metric m = {true, 20000};
            struct scaler_view v = {.now = k * 15 * S,
                                    .spec_replicas = size,
                                    .status_replicas = size,
                                    .ready_replicas = size,
                                    .metrics = &m,
                                    .n_metrics = 1};
            r.policy->decide(r.config, r.memory, &v, &d);
            size = d.replicas;
        }
        settled[i] = size;
        policy_rig_free(&r);
    }
    cr_expect_eq(settled[0], 100);
    cr_expect_eq(settled[1], 2);
}

Test(scaler_hpa, reads_the_spec_of_every_api_version)
{
    static const struct {
        const char *text;
        enum hpa_kind kind;
        int64_t target;
        const char *name;
    } rows[] = {
        {"{'maxReplicas': 10, 'targetCPUUtilizationPercentage': 60}", HPA_UTILIZATION, 60, "cpu"},
        {"{'maxReplicas': 10}", HPA_UTILIZATION, 80, "cpu"},
        {"{'maxReplicas': 9, 'metrics': [{'type': 'Resource', 'resource': {'name': 'cpu', "
         "'targetAverageUtilization': 70}}]}",
         HPA_UTILIZATION, 70, "cpu"},
        {"{'maxReplicas': 9, 'metrics': [{'type': 'Resource', 'resource': {'name': "
         "'nvidia.com/gpu', 'target': {'type': 'AverageValue', 'averageValue': '500m'}}}]}",
         HPA_RESOURCE, 500, "nvidia.com/gpu"},
        {"{'maxReplicas': 9, 'metrics': [{'type': 'ContainerResource', 'containerResource': "
         "{'name': 'cpu', 'container': 'app', 'target': {'type': 'Utilization', "
         "'averageUtilization': 50}}}]}",
         HPA_UTILIZATION, 50, "cpu"},
        {"{'maxReplicas': 9, 'metrics': [{'type': 'Pods', 'pods': {'metricName': 'in_flight', "
         "'targetAverageValue': '4'}}]}",
         HPA_PODS, 4000, "in_flight"},
        {"{'maxReplicas': 9, 'metrics': [{'type': 'Pods', 'pods': {'metric': {'name': "
         "'DCGM_FI_DEV_GPU_UTIL'}, 'target': {'type': 'AverageValue', 'averageValue': 70}}}]}",
         HPA_PODS, 70000, "DCGM_FI_DEV_GPU_UTIL"},
        {"{'maxReplicas': 9, 'metrics': [{'type': 'Object', 'object': {'target': {'kind': "
         "'Ingress', 'name': 'x'}, 'metricName': 'requests-per-second', 'targetValue': '2k'}}]}",
         HPA_OBJECT_VALUE, 2000000, "requests-per-second"},
        {"{'maxReplicas': 9, 'metrics': [{'type': 'Object', 'object': {'describedObject': {'kind': "
         "'Ingress', 'name': 'x'}, 'metric': {'name': 'requests-per-second'}, 'target': {'type': "
         "'AverageValue', 'averageValue': 7}}}]}",
         HPA_OBJECT_AVERAGE, 7000, "requests-per-second"},
        {"{'maxReplicas': 9, 'metrics': [{'type': 'External', 'external': {'metric': {'name': "
         "'sls_ingress_latency_p99', 'selector': {'matchLabels': {'a': 'b'}}}, 'target': {'type': "
         "'Value', 'value': 120}}}]}",
         HPA_EXTERNAL_VALUE, 120000, "sls_ingress_latency_p99"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct policy_rig r;
        policy_rig_load(&r, "hpa", rows[i].text);
        cr_assert(r.memory, "row %zu: %s: %s", i, r.e.where, r.e.msg);
        struct hpa_metric m = hpa_config_metric(r.config, 0);
        cr_expect_eq(m.kind, rows[i].kind, "row %zu", i);
        cr_expect_eq(m.target, rows[i].target, "row %zu: %lld", i, (long long)m.target);
        cr_expect_str_eq(m.name, rows[i].name);
        policy_rig_free(&r);
    }
}

Test(scaler_hpa, names_what_is_wrong_in_a_spec)
{
#define EXTERNAL(rest) "{'maxReplicas': 9, 'metrics': [{'type': 'External', " rest "}]}"
    static const struct {
        const char *text, *part;
    } rows[] = {
        {"{'minReplicas': 5, 'maxReplicas': 2}", "maxReplicas: 2 is below minReplicas 5"},
        {"{'minReplicas': 1}", "maxReplicas"},
        {"{'maxReplicas': 9, 'kubernetesVersion': '1.9'}",
         "kubernetesVersion: '1.9' is no version"},
        {"{'maxReplicas': 9, 'kubernetesVersion': '1.15', 'behavior': {}}", "1.18"},
        {EXTERNAL("'pods': {}"), "metrics[0]"},
        {EXTERNAL("'external': {'metricName': 'sls_ingress_qps'}"), "target is missing"},
        {EXTERNAL("'external': {'metricName': 'sls_ingress_qps', 'targetValue': 1, "
                  "'targetAverageValue': 2}"),
         "exclude each other"},
        {EXTERNAL("'external': {'targetValue': 1}"), "no name"},
        {EXTERNAL("'external': {'metricName': 'sls_ingres_qps', 'targetValue': 1}"),
         "did you mean 'sls_ingress_qps'"},
        {EXTERNAL("'external': {'metric': {'name': 'sls_ingress_qps'}, 'target': {'type': 'Value', "
                  "'averageValue': 1}}"),
         "target type 'Value'"},
        {"{'maxReplicas': 9, 'behavior': {'scaleUp': {'policies': [{'type': 'Pods', 'value': 1, "
         "'periodSeconds': 0}]}}}",
         "periodSeconds: found 0, allowed are whole seconds in 1..1800"},
        {"{'maxReplicas': 9, 'behavior': {'scaleDown': {'stabilizationWindowSeconds': '5m'}}}",
         "stabilizationWindowSeconds: found a string 5m"},
        {"{'maxReplicas': 9, 'behavior': {'scaleDown': {'selectPolicy': 'max'}}}", "selectPolicy"},
        {"{'maxReplicas': 9, 'behavior': {'scaleDown': {'tolerance': -1}}}", "tolerance"},
        {"{'maxReplicas': 9, 'featureGates': {'HPAScale': true}}", "HPAScaleToZero"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct policy_rig r;
        policy_rig_load(&r, "hpa", rows[i].text);
        cr_expect_eq(r.e.code, ERR_INPUT, "row %zu", i);
        cr_expect(strstr(r.e.msg, rows[i].part), "row %zu: %s", i, r.e.msg);
        cr_expect(strstr(r.e.where, "hpa:1:"), "row %zu: %s", i, r.e.where);
        policy_rig_free(&r);
    }
}

Test(scaler_hpa, says_what_it_wants_to_be_shown)
{
    struct policy_rig r;
    struct scaler_wants w[4];
    policy_rig_load(&r, "hpa", seed);
    cr_expect_eq(r.policy->wants(r.config, w, 4), 1u);
    cr_expect_eq(w[0].kind, METRIC_INGRESS_QPS);
    cr_expect_eq(r.policy->period(r.config), 15 * S);
    cr_expect_eq(r.policy->target_qps(r.config), 10);
    cr_expect_str_eq(hpa_config_selector(r.config, 0)->items[0].key, "sls.ingress.route");
    policy_rig_free(&r);
    policy_rig_load(&r, "hpa",
                    "{'maxReplicas': 9, 'metrics': [{'type': 'External', 'external': "
                    "{'metricName': 'sls_ingress_latency_p95', 'targetValue': 100}}]}");
    r.policy->wants(r.config, w, 4);
    cr_expect_eq(w[0].kind, METRIC_INGRESS_LATENCY);
    cr_expect_eq(w[0].quantile, 0.95);
    cr_expect_eq(r.policy->target_qps(r.config), 0);
    policy_rig_free(&r);
}

Test(scaler_hpa, follows_gpu_utilization_from_shares)
{
    static const struct {
        const char *metric;
    } rows[] = {
        {"{'type': 'Pods', 'pods': {'metricName': 'DCGM_FI_DEV_GPU_UTIL', 'targetAverageValue': "
         "60}}"},
        {"{'type': 'Resource', 'resource': {'name': 'nvidia.com/gpu', "
         "'targetAverageUtilization': 60}}"},
        {"{'type': 'Resource', 'resource': {'name': 'nvidia.com/gpu', 'targetAverageValue': "
         "'600m'}}"},
    };
    for (size_t i = 0; i < 3; i++) {
        struct policy_rig r;
        struct scaler_decision d;
        char text[400];
        snprintf(text, sizeof text, "{'maxReplicas': 20, 'metrics': [%s]}", rows[i].metric);
        policy_rig_load(&r, "hpa", text);
        cr_assert(r.memory, "%s", r.e.msg);
        cr_expect_eq(pass(&r, 0, 4, 900, &d), 6, "row %zu: %s", i, d.reason);
        cr_expect_eq(pass(&r, 15 * S, 6, 620, &d), 6, "row %zu: %s", i, d.reason);
        policy_rig_free(&r);
    }
}
