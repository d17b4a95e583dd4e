/* test_set: assignments of the command line, laid into a tree. */
#include "scenarios/run/set.h"
#include "scenarios/run/yaml.h"
#include "sim/arena.h"
#include "sim/json.h"

#include <criterion/criterion.h>
#include <string.h>

#define ROWS(table) (sizeof(table) / sizeof *(table))

static const char scenario[] =
    "{\"name\": \"x\", \"services\": [{\"name\": \"bert\", \"slo\": {\"p99\": \"130ms\"}},"
    " {\"name\": \"resnet\", \"autoscaler\": \"hpa\"}], \"pools\": [{}, {\"max\": 3}], \"n\": 5,"
    " \"gone\": null}";

static struct arena *arena;
static const struct json *root;

static void set_up(void)
{
    struct err e = {0};
    arena = arena_create(&e);
    root = json_parse(arena, "a.json", scenario, strlen(scenario), &e);
}

static void tear_down(void)
{
    arena_destroy(arena);
}

TestSuite(set, .init = set_up, .fini = tear_down);

static const struct json *apply(const char *assignment)
{
    struct err e = {0};
    const struct json *made = set_apply(arena, root, assignment, &e);
    cr_assert(made, "%s: %s: %s", assignment, e.where, e.msg);
    return made;
}

Test(set, finds_members_and_elements_by_name_or_index)
{
    static const struct {
        const char *assignment, *at, *string;
    } rows[] = {
        {"services.bert.slo.p99=100ms", "services[0].slo.p99", "100ms"},
        {"services[0].slo.p99=100ms", "services[0].slo.p99", "100ms"},
        {"services.0.slo.p99=100ms", "services[0].slo.p99", "100ms"},
        {"services[\"resnet\"].slo.p99=1s", "services[1].slo.p99", "1s"},
        {"pools[1].max=20", "pools[1].max", "20"},
        {"name=y=z", "name", "y=z"},
        {"name=", "name", ""},
        {"new.deep.key=\"7\"", "new.deep.key", "7"},
        {"gone.x=1", "gone.x", "1"},
        {"services.resnet.autoscaler.hpa.maxReplicas=4", "services[1].autoscaler.hpa.maxReplicas",
         "4"},
        {"pools[0]={\"min\": [1, {\"a\": \"b\"}]}", "pools[0].min[1].a", "b"},
    };
    for (size_t i = 0; i < ROWS(rows); i++) {
        const struct json *v = json_at(apply(rows[i].assignment), rows[i].at);
        cr_assert(v && v->string, "%s", rows[i].assignment);
        cr_assert_str_eq(v->string, rows[i].string, "%s", rows[i].assignment);
        cr_assert_str_eq(v->file, "--set");
        cr_assert_eq(v->line, 0);
    }
    cr_assert_str_eq(json_at(root, "services[0].slo.p99")->string, "130ms",
                     "the tree itself stays");
    cr_assert_eq(json_at(root, "services[1].autoscaler")->type, JSON_STRING);
}

Test(set, reads_json_where_it_is_json)
{
    cr_assert_eq(json_get(apply("n=6"), "n")->type, JSON_NUMBER);
    cr_assert_eq(json_get(apply("n=true"), "n")->type, JSON_BOOL);
    cr_assert_eq(json_get(apply("n=[1,2]"), "n")->count, 2);
    cr_assert_eq(json_get(apply("n=2024-01-01"), "n")->type, JSON_STRING);
    cr_assert_eq(json_get(apply("n=NaN"), "n")->type, JSON_STRING);
}

Test(set, quotes_names_with_dots)
{
    const struct json *made = apply("labels[\"a.b/c\"]=d");
    cr_assert_str_eq(json_get(json_get(made, "labels"), "a.b/c")->string, "d");
}

Test(set, removes_by_null)
{
    const struct json *made = apply("services.bert.slo=null");
    cr_assert_null(json_at(made, "services[0].slo"));
    cr_assert_eq(json_at(made, "services[0]")->count, 1);
    cr_assert_eq(json_get(apply("services.bert=null"), "services")->count, 1);
    cr_assert_eq(apply("absent=null")->count, root->count);
}

Test(set, applies_one_after_another)
{
    struct err e = {0};
    const struct json *made = apply("n=6");
    made = set_apply(arena, made, "name=z", &e);
    made = set_apply(arena, made, "n=7", &e);
    cr_assert_eq(json_get(made, "n")->number, 7);
    cr_assert_str_eq(json_get(made, "name")->string, "z");
    cr_assert_eq(made->count, root->count);
    cr_assert_str_eq(json_get(made, "services")->file, "a.json",
                     "what is unchanged keeps its place");
    cr_assert_eq(json_get(made, "services")->line, 1);
    cr_assert_str_eq(made->file, "a.json");
}

/* Both services share one tree below the anchor. */
Test(set, leaves_the_other_users_of_an_alias_alone)
{
    struct err e = {0};
    const char *text = "a: &x {slo: {p99: 1s}}\nb: *x\n";
    const struct json *shared = yaml_parse(arena, "a.yaml", text, strlen(text), &e);
    const struct json *made = set_apply(arena, shared, "b.slo.p99=2s", &e);
    cr_assert_str_eq(json_at(made, "b.slo.p99")->string, "2s");
    cr_assert_str_eq(json_at(made, "a.slo.p99")->string, "1s");
}

Test(set, refuses_with_the_assignment_and_the_nearest_step)
{
    static const struct {
        const char *assignment, *msg;
    } rows[] = {
        {"services.brt.slo.p99=1s", "services.brt.slo.p99=1s: services has 2 elements, none is "
                                    "'brt'; did you mean 'bert'? named: bert, resnet"},
        {"services.x.slo=1", "services.x.slo=1: services has 2 elements, none is 'x'; named: bert, "
                             "resnet"},
        {"pools[2].max=1", "pools[2].max=1: pools has 2 elements, none is '2'"},
        {"pools[-1].max=1", "pools[-1].max=1: pools has 2 elements, none is '-1'"},
        {"n.x=1", "n.x=1: n is a number, which has no 'x'"},
        {"services.resnet.autoscaler.keda.x=1",
         "services.resnet.autoscaler.keda.x=1: services.resnet.autoscaler is a string, which has "
         "no "
         "'keda'"},
        {"name", "name: expected path=value, such as services.bert.slo.p99=100ms or "
                 "nodePools[0].maxSize=20"},
        {"=1", "=1: expected path=value, such as services.bert.slo.p99=100ms or "
               "nodePools[0].maxSize=20"},
        {"a..b=1", "a..b=1: expected path=value, such as services.bert.slo.p99=100ms or "
                   "nodePools[0].maxSize=20"},
        {".a=1", ".a=1: expected path=value, such as services.bert.slo.p99=100ms or "
                 "nodePools[0].maxSize=20"},
        {"a[0=1", "a[0=1: expected path=value, such as services.bert.slo.p99=100ms or "
                  "nodePools[0].maxSize=20"},
        {"a[\"b=1", "a[\"b=1: expected path=value, such as services.bert.slo.p99=100ms or "
                    "nodePools[0].maxSize=20"},
        {"n={\"a\": 1",
         "n={\"a\": 1: the value is no JSON: found the end of the text, expected ',' "
         "or '}' to close what begins on line 1 at character 8"},
    };
    struct err bytes = {0};
    cr_assert_null(set_apply(arena, root, "name=\xFF", &bytes));
    cr_assert_str_eq(bytes.msg, "the assignment is not UTF-8");
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct err e = {0};
        cr_assert_null(set_apply(arena, root, rows[i].assignment, &e), "%s", rows[i].assignment);
        cr_assert_eq(e.code, ERR_INPUT);
        cr_assert_str_eq(e.where, "--set");
        cr_assert_str_eq(e.msg, rows[i].msg);
    }
}

Test(set, refuses_a_value_that_is_too_deep_where_it_goes)
{
    struct err e = {0};
    char assignment[256] = "a.b=";
    memset(assignment + 4, '[', 63);
    memset(assignment + 67, ']', 63);
    cr_assert_null(set_apply(arena, root, assignment, &e));
    cr_assert(strstr(e.msg, "nested deeper than 64 levels"), "%s", e.msg);
}
