/* test_indent: manifests that lost their indentation. */
#include "scenarios/run/indent.h"

#include "scenarios/run/yaml.h"
#include "sim/arena.h"

#include <criterion/criterion.h>
#include <string.h>

static struct json *parse(struct arena *a, const char *text)
{
    struct err e = {0};
    struct json *all = yaml_parse_all(a, "pod.yaml", text, strlen(text), &e);
    cr_assert(all && all->first, "%s: %s", e.where, e.msg);
    return all->first;
}

Test(indent, what_belongs_to_metadata_and_spec_goes_back)
{
    struct arena *a = arena_create(NULL);
    char words[400];
    struct json *root = parse(a, "apiVersion: v1\nkind: Pod\nmetadata:\nname: tensorflow\n"
                                 "annotations:\nk8s.aliyun.com/eci-gpu-type : \"P4\"\nspec:\n"
                                 "restartPolicy: OnFailure\ncontainers:\n- image: tf\nresources:\n"
                                 "limits:\nnvidia.com/gpu: \"1\"\n");
    cr_assert(indent_repair(root, words, sizeof words));
    cr_assert_str_eq(json_at(root, "metadata.name")->string, "tensorflow");
    cr_assert_str_eq(
        json_get(json_at(root, "metadata.annotations"), "k8s.aliyun.com/eci-gpu-type")->string,
        "P4");
    cr_assert_str_eq(json_at(root, "spec.restartPolicy")->string, "OnFailure");
    cr_assert_str_eq(json_at(root, "spec.containers[0].image")->string, "tf");
    cr_assert_str_eq(
        json_get(json_at(root, "spec.containers[0].resources.limits"), "nvidia.com/gpu")->string,
        "1");
    cr_assert_str_eq(words, "metadata.name, metadata.annotations, "
                            "annotations.k8s.aliyun.com/eci-gpu-type, spec.restartPolicy, "
                            "spec.containers, containers.resources, resources.limits, "
                            "limits.nvidia.com/gpu");
    cr_assert_eq(root->count, 4);
    arena_destroy(a);
}

Test(indent, what_is_indented_is_left_alone)
{
    static const char *const texts[] = {
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: x\nspec:\n  containers: []\n",
        "kind: Namespace\nmetadata: {name: x}\n",
        "kind: Pod\nmetadata:\n  name: x\nspec:\n", /* nothing follows the empty spec */
        "name: x\nspec:\n",                         /* no Kubernetes object */
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct arena *a = arena_create(NULL);
        char words[400];
        struct json *root = parse(a, texts[i]);
        size_t count = root->count;
        cr_assert_not(indent_repair(root, words, sizeof words), "text %zu: %s", i, words);
        cr_assert_eq(root->count, count);
        arena_destroy(a);
    }
}

/* A container's own name would come a second time. */
Test(indent, a_key_that_comes_twice_is_refused_by_yaml)
{
    struct arena *a = arena_create(NULL);
    struct err e = {0};
    const char *text = "kind: Pod\nmetadata:\nname: a\nspec:\ncontainers:\n- image: tf\nname: b\n";
    cr_assert_null(yaml_parse_all(a, "pod.yaml", text, strlen(text), &e));
    cr_assert_eq(e.code, ERR_INPUT);
    arena_destroy(a);
}
