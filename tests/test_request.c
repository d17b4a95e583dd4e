/* test_request: what a pod asks of a node, out of its containers.
 *
 * Expected values: the rules of Kubernetes' documentation, "Resource sharing within containers" of
 * Init Containers and Sidecar Containers (2024), worked out by hand. */
#include "scenarios/run/request.h"
#include "scenarios/run/yaml.h"
#include "sim/arena.h"
#include "sim/json.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static const char *one(const struct json *pod, const char *key)
{
    const struct json *node = json_get(pod, key);
    return node ? node->string : "";
}

/* "gpus cpu memory" of the pod with this spec. */
static void read_spec(const char *yaml, char *out, size_t size, uint32_t *line)
{
    struct arena *a;
    struct err e = {0};
    cr_assert(a = arena_create(&e));
    struct json *all = yaml_parse_all(a, "pod.yaml", yaml, strlen(yaml), &e);
    cr_assert(all, "%s: %s", e.where, e.msg);
    struct json *pod = json_new(a, JSON_OBJECT, "pod.yaml", 1, 1, &e);
    cr_assert_eq(request_add(a, pod, all->first, &e), 0, "%s", e.msg);
    snprintf(out, size, "%s %s %s", one(pod, "gpus"), one(pod, "cpu"), one(pod, "memory"));
    *line = json_get(pod, "cpu") ? json_get(pod, "cpu")->line : 0;
    arena_destroy(a);
}

#define C(cpu, memory) "- {resources: {requests: {cpu: " cpu ", memory: " memory "}}}\n"
#define STAYS(cpu, memory)                                                                         \
    "- {restartPolicy: Always, resources: {requests: {cpu: " cpu ", memory: " memory "}}}\n"
#define GPU(n) "- {resources: {limits: {nvidia.com/gpu: " n "}}}\n"

Test(request, is_the_sum_of_the_containers_or_the_largest_init_container)
{
    static const struct {
        const char *spec, *expected, *why;
    } rows[] = {
        {"containers:\n" C("1500m", "2Gi"), " 1500m 2Gi", "one container: as it is written"},
        {"containers:\n" C("4", "20Gi") C("6", "16Gi"), " 10 38654705664", "36 GiB"},
        {"containers:\n" C("500m", "100M") C("250m", "1k"), " 750m 100001000", "suffixes"},
        {"containers:\n" GPU("4") GPU("\"1\""), "5  ", "GPUs of every container"},
        {"containers:\n"
         "- {resources: {limits: {cpu: 6}, requests: {memory: 1Gi}}}\n"
         "- {resources: {limits: {cpu: 3, memory: 2Gi}, requests: {cpu: 1}}}\n",
         " 7 3221225472", "a limit is a request where none is given"},
        {"containers:\n" C("1", "1Gi") "initContainers:\n" C("4", "1Mi"), " 4 1Gi",
         "an init container runs alone: the larger counts, each resource for itself"},
        {"containers:\n" C("1", "1Gi") "initContainers:\n" C("3", "3Gi") C("2", "4Gi"), " 3 4Gi",
         "init containers run one after another"},
        {"containers:\n" C("1", "1Gi") "initContainers:\n" STAYS("2", "1Gi"), " 3 2147483648",
         "one that stays adds up"},
        {"containers:\n" C("1", "1Gi") "initContainers:\n" STAYS("2", "1Gi") C("4", "1Gi"),
         " 6 2147483648", "and stands beside those that start after it"},
        {"containers:\n" C("1", "1Gi") "initContainers:\n" C("4", "1Gi") STAYS("2", "1Gi"),
         " 4 2147483648", "but not beside those before"},
        {"containers:\n" C("1", "1Gi") "overhead: {cpu: 250m, memory: 1Gi}\n", " 1250m 2147483648",
         "the overhead of the runtime class"},
        {"containers:\n" C("1", "1Gi") C("1", "1Gi") "resources: {requests: {cpu: 3}}\n",
         " 3 2147483648", "the pod's own request goes first"},
        {"containers:\n- {name: a}\n", "  ", "nothing is asked for"},
        {"containers:\n" GPU("0.5") GPU("1"), "0.5  ", "a share is left for the binder to refuse"},
        {"containers:\n" C("a lot", "1Gi") C("1", "1Gi"), " a lot 2147483648", "likewise"},
        {"containers:\n" C("1", "0.5") C("1", "1Gi"), " 2 1073741825", "bytes are whole"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char got[200];
        uint32_t line;
        read_spec(rows[i].spec, got, sizeof got, &line);
        cr_expect_str_eq(got, rows[i].expected, "%s: got '%s'", rows[i].why, got);
    }
}

Test(request, stands_where_its_first_part_does)
{
    char got[200];
    uint32_t line;
    read_spec("containers:\n- {name: a}\n" C("1", "1Gi") C("2", "1Gi"), got, sizeof got, &line);
    cr_expect_str_eq(got, " 3 2147483648");
    cr_expect_eq(line, 3);
}
