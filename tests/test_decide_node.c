/* test_decide_node: the conformance cases of the node autoscaler, and bad ones. */
#include "scenarios/run/decide_node.h"
#include "sim/arena.h"
#include "sim/file.h"
#include "tests/shared_data.h"

#include <criterion/criterion.h>
#include <string.h>

static const struct decide_kind *find_kind(const char *name)
{
    for (const struct decide_kind *k = decide_node_kinds; k->kind; k++)
        if (strcmp(k->kind, name) == 0)
            return k;
    return NULL;
}

/* Runs one case; fails the test when it does not pass. */
static void run_case(const struct json *c)
{
    const struct decide_kind *kind = find_kind(json_get(c, "kind")->string);
    const char *name = json_get(c, "name")->string;
    struct text text = {0}, reason = {0};
    struct json_out out;
    struct err e = {0};
    struct decide_trial trial = {json_get(c, "input"), json_get(c, "expect"), &out, &reason, false};
    if (!kind)
        return;
    json_out_init(&out, &text, true);
    int rc = kind->run(&trial, &e);
    cr_expect(rc == 0 && trial.pass, "%s (%s): %s %s %s", name, kind->kind, text.s ? text.s : "",
              reason.s ? reason.s : "", e.msg);
    text_fini(&text);
    text_fini(&reason);
}

/* Returns the number of cases of our kinds. */
static size_t run_file(const char *path)
{
    struct err e = {0};
    struct arena *a = arena_create(&e);
    size_t length, n = 0;
    char *text = file_read(a, path, JSON_MAX_BYTES, &length, &e);
    cr_assert(text, "%s", e.msg);
    struct json *file = json_parse(a, path, text, length, &e);
    cr_assert(file, "%s: %s", e.where, e.msg);
    for (const struct json *c = json_get(file, "cases")->first; c; c = c->next) {
        run_case(c);
        n += find_kind(json_get(c, "kind")->string) != NULL;
    }
    arena_destroy(a);
    return n;
}

Test(decide_node, passes_its_own_conformance_cases)
{
    cr_expect_geq(run_file(SLUICE_SOURCE_DIR "/tests/conformance/node_autoscaler.json"), 100);
}

Test(decide_node, passes_the_reference_cases)
{
    static const char *const files[] = {"conformance/cluster_autoscaler.json",
                                        "conformance/generated.json"};
    for (size_t i = 0; i < 2; i++) {
        char path[1024];
        if (shared_data_path(path, sizeof path, files[i]))
            cr_expect_gt(run_file(path), 25);
    }
}

/* The message of a case that must be refused. */
static void expect_refused(const char *kind, const char *input, const char *where, const char *msg)
{
    struct text text = {0}, reason = {0};
    struct json_out out;
    struct err e = {0};
    struct arena *a = arena_create(&e);
    struct json *tree = json_parse(a, "case.json", input, strlen(input), &e);
    cr_assert(tree, "%s", e.msg);
    json_out_init(&out, &text, true);
    struct decide_trial trial = {tree, NULL, &out, &reason, false};
    int rc = find_kind(kind)->run(&trial, &e);
    cr_expect_eq(rc, -1, "%s", input);
    cr_expect_eq(e.code, ERR_INPUT);
    cr_expect_str_eq(e.where, where, "%s: %s", input, e.where);
    cr_expect_str_eq(e.msg, msg, "%s: %s", input, e.msg);
    text_fini(&text);
    text_fini(&reason);
    arena_destroy(a);
}

Test(decide_node, names_the_field_that_is_wrong)
{
    expect_refused("binpack", "{\"pod_groups\": []}", "case.json:1:1", "node: is missing");
    expect_refused("binpack",
                   "{\"node\": {\"cpu_milli\": -5, \"memory_mib\": 1}, \"pod_groups\": []}",
                   "case.json:1:24", "cpu_milli: -5 is outside 0..1000000000000000");
    expect_refused("binpack",
                   "{\"node\": {\"cpu_milli\": 1.5, \"memory_mib\": 1}, \"pod_groups\": []}",
                   "case.json:1:24", "cpu_milli: 1.5, but must be a whole number");
    expect_refused("balance", "{\"new_nodes\": true}", "case.json:1:15",
                   "new_nodes: true or false, but must be a whole number");
    expect_refused(
        "backoff",
        "{\"initial_s\": 1, \"max_s\": 2, \"reset_s\": 3, \"steps\": [{\"op\": \"pray\"}]}",
        "case.json:1:54", "op: \"pray\" is none of fail, query, cleanup, success");
    expect_refused("utilization", "{\"node\": {}, \"pods\": [{\"owner\": \"deployment\"}]}",
                   "case.json:1:23",
                   "owner: \"deployment\" is none of replicaset, daemonset, mirror, none");
    expect_refused("expander_price",
                   "{\"preferred_cpu_milli\": 0, \"stabilization_price\": 1, \"options\": []}",
                   "case.json:1:25", "preferred_cpu_milli: 0 is outside 1..1000000000000000");
    expect_refused("removable_one", "[]", "case.json:1:1",
                   "unneeded_time_s: looked for in a list, which is no object");
    expect_refused("scale_up_request",
                   "{\"max_node_provision_s\": 1e300, \"group_target\": 1, \"steps\": []}",
                   "case.json:1:26", "max_node_provision_s: is outside -1e9..1e9 seconds");
}
