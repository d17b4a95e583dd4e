/* test_scheduling: what manifests say to the scheduler. */
#include "scenarios/run/scenario.h"
#include "scenarios/run/scheduling.h"
#include "tests/temp_file.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static struct temp_file files[2];

/* A scenario of one job, by a manifest of a Job with this pod spec; classes come before it. */
static struct scenario *load(const char *before, const char *spec, struct err *e)
{
    char text[4096];
    snprintf(
        text, sizeof text,
        "%s"
        "apiVersion: batch/v1\nkind: Job\nmetadata: {name: train}\nspec:\n  backoffLimit: 2\n"
        "  template:\n    spec:\n      restartPolicy: Never\n      containers:\n"
        "      - name: main\n        resources:\n          requests: {cpu: 1500m, memory: 2Gi}\n"
        "          limits: {nvidia.com/gpu: 2, cpu: 4}\n%s"
        "---\nnodepool_info: {name: gpu}\nauto_scaling: {max_instances: 3}\n"
        "scaling_group: {instance_types: [ecs.gn6v-c8g1.8xlarge]}\n"
        "kubernetes_config:\n  taints:\n  - {key: team, value: a, effect: NoSchedule}\n"
        "  - {key: gpu, effect: NoExecute}\n",
        before, spec);
    files[0] = temp_text(text);
    snprintf(
        text, sizeof text,
        "{\"sluice\": 1, \"name\": \"t\", \"horizon\": \"1h\", \"manifests\": [\"%s\"],"
        " \"jobs\": [{\"name\": \"j\", \"manifest\": \"default/train\", \"runTime\": \"5m\"}]}",
        files[0].path);
    files[1] = temp_text(text);
    struct scenario_source source = {.path = files[1].path,
                                     .data_dir = SLUICE_SOURCE_DIR "/scenarios"};
    struct scenario *s = scenario_load(&source, e);
    remove(files[0].path);
    remove(files[1].path);
    return s;
}

static const struct job_config *job(const struct scenario *s)
{
    return s->jobs.items;
}

Test(scheduling, requests_tolerations_taints_and_policies_are_read)
{
    struct err e = {0};
    struct scenario *s = load("",
                              "      nodeSelector: {a: b}\n"
                              "      tolerations:\n"
                              "      - {key: team, operator: Equal, value: a, effect: NoSchedule}\n"
                              "      - {key: gpu, operator: Exists}\n"
                              "      - {operator: Exists, effect: NoExecute}\n"
                              "      - {operator: Exists}\n",
                              &e);
    cr_assert(s, "%s: %s", e.where, e.msg);
    const struct pod_shape *p = &job(s)->pod;
    const struct pool_config *pool = s->cluster.pools.items;
    cr_assert_eq(p->gpus, 2);
    cr_assert_eq(p->cpu_milli, 1500, "the request, not the limit");
    cr_assert_eq(p->memory_bytes, INT64_C(2) << 30);
    cr_assert_str_eq(p->node_selector.items[0].value, "b");
    cr_assert_eq(p->tolerations.count, 4);
    cr_assert_str_eq(p->tolerations.items[0], "team=a:NoSchedule");
    cr_assert_str_eq(p->tolerations.items[1], "gpu");
    cr_assert_str_eq(p->tolerations.items[2], ":NoExecute");
    cr_assert_str_eq(p->tolerations.items[3], "");
    cr_assert_eq(pool->taints.count, 2);
    cr_assert_str_eq(pool->taints.items[0], "team=a:NoSchedule");
    cr_assert_str_eq(pool->taints.items[1], "gpu:NoExecute");
    cr_assert_eq(job(s)->restart, JOB_NEVER);
    cr_assert_eq(job(s)->back_off_limit, 2);
    cr_assert_eq(p->priority, 0);
    scenario_free(s);
}

#define CLASS(name, value, more)                                                                   \
    "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: " name                \
    "}\nvalue: " value "\n" more "---\n"

Test(scheduling, a_priority_comes_from_its_class)
{
    static const struct {
        const char *before, *spec;
        int32_t priority;
        bool never;
    } rows[] = {
        {CLASS("high", "1000", ""), "      priorityClassName: high\n", 1000, false},
        {CLASS("low", "-5", "preemptionPolicy: Never\n"), "      priorityClassName: low\n", -5,
         true},
        {CLASS("high", "1000", ""),
         "      priorityClassName: high\n      preemptionPolicy: Never\n", 1000, true},
        {CLASS("usual", "7", "globalDefault: true\n"), "", 7, false},
        {CLASS("other", "7", ""), "", 0, false},
        {"", "      priorityClassName: system-node-critical\n", 2000001000, false},
        {"", "      priorityClassName: system-cluster-critical\n", 2000000000, false},
        {"", "      priority: 12\n", 12, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct err e = {0};
        struct scenario *s = load(rows[i].before, rows[i].spec, &e);
        cr_assert(s, "row %zu: %s: %s", i, e.where, e.msg);
        cr_assert_eq(job(s)->pod.priority, rows[i].priority, "row %zu", i);
        cr_assert_eq(job(s)->pod.never_preempts, rows[i].never, "row %zu", i);
        scenario_free(s);
    }
}

Test(scheduling, a_class_that_no_manifest_holds_is_refused)
{
    struct err e = {0};
    struct scenario *s = load(CLASS("high", "1000", ""), "      priorityClassName: hihg\n", &e);
    cr_assert_null(s);
    cr_assert(strstr(e.msg, "no PriorityClass 'hihg' is in the manifests"), "%s", e.msg);
}
