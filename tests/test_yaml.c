/* test_yaml: YAML as the same tree that JSON gives. */
#include "scenarios/run/yaml.h"
#include "sim/arena.h"
#include "sim/json.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROWS(table) (sizeof(table) / sizeof *(table))

static struct arena *arena;

static void set_up(void)
{
    struct err e = {0};
    arena = arena_create(&e);
}

static void tear_down(void)
{
    arena_destroy(arena);
}

TestSuite(yaml, .init = set_up, .fini = tear_down);

static const struct json *parse(const char *text)
{
    struct err e = {0};
    const struct json *root = yaml_parse(arena, "a.yaml", text, strlen(text), &e);
    cr_assert(root, "%.80s: %s: %s", text, e.where, e.msg);
    return root;
}

static void refuses_bytes(const char *text, size_t length, const char *where, const char *msg)
{
    struct err e = {0};
    cr_assert_null(yaml_parse(arena, "a.yaml", text, length, &e), "accepted: %.80s", text);
    cr_assert_eq(e.code, ERR_INPUT, "%s", e.msg);
    cr_assert_str_eq(e.where, where, "%.80s: %s: %s", text, e.where, e.msg);
    cr_assert_str_eq(e.msg, msg, "%.80s: %s", text, e.msg);
}

/* Types and values as Kubernetes' YAML library resolves plain scalars. */
Test(yaml, types_plain_scalars_as_kubernetes_does)
{
    static const struct {
        const char *text;
        enum json_type type;
        double number;
        const char *string;
    } rows[] = {
        {"~", JSON_NULL, 0, NULL},
        {"null", JSON_NULL, 0, NULL},
        {"", JSON_NULL, 0, NULL},
        {"true", JSON_BOOL, 1, NULL},
        {"Yes", JSON_BOOL, 1, NULL},
        {"on", JSON_BOOL, 1, NULL},
        {"off", JSON_BOOL, 0, NULL},
        {"FALSE", JSON_BOOL, 0, NULL},
        {"tRUE", JSON_STRING, 0, "tRUE"},
        {"y", JSON_STRING, 0, "y"},
        {"10", JSON_NUMBER, 10, "10"},
        {"-10", JSON_NUMBER, -10, "-10"},
        {"+10", JSON_NUMBER, 10, "10"},
        {"1_000", JSON_NUMBER, 1000, "1000"},
        {"0644", JSON_NUMBER, 420, "420"},
        {"0o644", JSON_NUMBER, 420, "420"},
        {"0x1F", JSON_NUMBER, 31, "31"},
        {"-0x1f", JSON_NUMBER, -31, "-31"},
        {"0b101", JSON_NUMBER, 5, "5"},
        {"0xFFFFFFFFFFFFFFFFF", JSON_STRING, 0, "0xFFFFFFFFFFFFFFFFF"},
        {"08", JSON_NUMBER, 8, "08"},
        {"1.50", JSON_NUMBER, 1.5, "1.50"},
        {".5", JSON_NUMBER, 0.5, ".5"},
        {"1e3", JSON_NUMBER, 1000, "1e3"},
        {"9007199254740993", JSON_NUMBER, 9007199254740992.0, "9007199254740993"},
        {"\"10\"", JSON_STRING, 0, "10"},
        {"'true'", JSON_STRING, 0, "true"},
        {"'it''s'", JSON_STRING, 0, "it's"},
        {"!!str 10", JSON_STRING, 0, "10"},
        {"! 10", JSON_STRING, 0, "10"},
        {"!!int \"10\"", JSON_NUMBER, 10, "10"},
        {"1.2.3", JSON_STRING, 0, "1.2.3"},
        {"2021-07-15", JSON_STRING, 0, "2021-07-15"},
        {"1:30", JSON_STRING, 0, "1:30"},
        {"5Gi", JSON_STRING, 0, "5Gi"},
        {"specific:1623831335", JSON_STRING, 0, "specific:1623831335"},
        {"NaN", JSON_STRING, 0, "NaN"},
        {"url // a comment that is none", JSON_STRING, 0, "url // a comment that is none"},
        {"value # a comment", JSON_STRING, 0, "value"},
        {"|\n   two\n   lines", JSON_STRING, 0, "two\nlines"},
    };
    char text[128];
    for (size_t i = 0; i < ROWS(rows); i++) {
        snprintf(text, sizeof text, "k: %s", rows[i].text);
        const struct json *v = json_get(parse(text), "k");
        cr_assert_eq(v->type, rows[i].type, "%s is %s", text, json_type_name(v->type));
        if (v->type == JSON_BOOL)
            cr_assert_eq(v->boolean, rows[i].number == 1, "%s", text);
        else
            cr_assert_eq(v->number, rows[i].number, "%s", text);
        if (rows[i].string)
            cr_assert_str_eq(v->string, rows[i].string, "%s", text);
    }
}

Test(yaml, gives_every_node_its_place)
{
    const struct json *root = parse("metadata:\n"
                                    "  annotations:\n"
                                    "    k8s.aliyun.com/eci-gpu-type : \"P4\"\n"
                                    "spec:\n"
                                    "  list:\n"
                                    "  - a: 1\n"
                                    "    \xE4\xB8\xAD: [x, y]\n");
    const struct json *gpu =
        json_get(json_at(root, "metadata.annotations"), "k8s.aliyun.com/eci-gpu-type");
    char place[64];
    cr_assert_str_eq(gpu->string, "P4");
    cr_assert_str_eq(json_place(place, sizeof place, gpu), "a.yaml:3:35");
    cr_assert(gpu->key_line == 3 && gpu->key_column == 5);
    cr_assert_str_eq(json_place(place, sizeof place, json_at(root, "spec.list[0].a")),
                     "a.yaml:6:8");
    /* columns count characters */
    cr_assert_str_eq(json_place(place, sizeof place, json_at(root, "spec.list[0].\xE4\xB8\xAD[1]")),
                     "a.yaml:7:12");
    cr_assert_str_eq(json_place(place, sizeof place, root), "a.yaml:1:1");
}

Test(yaml, accepts_bom_crlf_and_json)
{
    const struct json *root = parse("\xEF\xBB\xBF"
                                    "a: 1\r\nb:\r\n  - x\r\n");
    cr_assert_eq(json_get(root, "a")->number, 1);
    cr_assert_str_eq(json_at(root, "b[0]")->string, "x");
    root = parse("{\n\t\"a\": [1, 2.5, \"x\"],\n\t\"b\": {\"c\": null}\n}\n");
    cr_assert_eq(json_at(root, "a[1]")->number, 2.5);
    cr_assert_eq(json_at(root, "b.c")->type, JSON_NULL);
}

Test(yaml, follows_aliases_and_merge_keys)
{
    const struct json *root = parse("base: &b {x: 1, y: 2, z: [3]}\n"
                                    "more: &m {y: 7, w: 8}\n"
                                    "copy: *b\n"
                                    "one:\n  <<: *b\n  x: 10\n"
                                    "two:\n  y: 20\n  <<: [*m, *b]\n");
    cr_assert_eq(json_at(root, "copy.z[0]")->number, 3);
    cr_assert_str_eq(json_get(root, "copy")->key, "copy");
    cr_assert_eq(json_at(root, "one.x")->number, 10);
    cr_assert_eq(json_at(root, "one.y")->number, 2);
    cr_assert_eq(json_get(root, "one")->count, 3);
    cr_assert_eq(json_at(root, "two.y")->number, 20);
    cr_assert_eq(json_at(root, "two.w")->number, 8);
    cr_assert_eq(json_at(root, "two.z[0]")->line, 1);
    cr_assert_null(json_at(parse("a: &x 1\nb: [*x]"), "b[0]")->key);
    cr_assert_eq(json_get(root, "base")->count, 3, "the source is left as it was");
}

Test(yaml, reads_every_document_of_a_file)
{
    struct err e = {0};
    const char *text = "# first\n---\nkind: A\n---\n---\nkind: B\nn: &x 1\n...\n---\nkind: C\n";
    const struct json *all = yaml_parse_all(arena, "a.yaml", text, strlen(text), &e);
    cr_assert(all, "%s", e.msg);
    cr_assert_eq(all->count, 4);
    cr_assert_eq(all->first->next->type, JSON_NULL);
    cr_assert_str_eq(json_at(all, "[3].kind")->string, "C");
    cr_assert_eq(json_at(all, "[2].kind")->line, 6);
    cr_assert_null(yaml_parse_all(arena, "a.yaml", "a: &x 1\n---\nb: *x\n", 18, &e));
    cr_assert(strstr(e.msg, "unknown alias '*x'"), "an anchor ends with its document: %s", e.msg);
    e = (struct err){0};
    cr_assert_eq(yaml_parse_all(arena, "a.yaml", "# nothing\n", 10, &e)->count, 0);
    cr_assert_eq(yaml_parse_all(arena, "a.yaml", NULL, 0, &e)->count, 0);
}

Test(yaml, refuses_with_place_found_and_expected)
{
    static const struct {
        const char *text, *where, *msg;
    } rows[] = {
        {"", "a.yaml:1:1", "the document is empty, expected a value"},
        {"# only a comment\n", "a.yaml:1:1", "the document is empty, expected a value"},
        {"---\n...\n", "a.yaml:1:1", "the document is empty, expected a value"},
        {"a: 1\n---\nb: 2\n", "a.yaml:2:1", "a second document begins here, expected one only"},
        {"a: 1\nb: 2\na: 3\n", "a.yaml:3:1",
         "key 'a' is repeated; it stands first at line 1, column 1"},
        {"x: 1e999", "a.yaml:1:4", "the number 1e999 is too large for a double"},
        {"x: .inf", "a.yaml:1:4", "found .inf, expected a finite number"},
        {"x: -.Inf", "a.yaml:1:4", "found -.Inf, expected a finite number"},
        {"x: .NaN", "a.yaml:1:4", "found .NaN, expected a finite number"},
        {"x: !gpu P4", "a.yaml:1:4",
         "unknown tag '!gpu'; allowed: !!null, !!bool, !!int, !!float, !!str, !!seq, !!map"},
        {"x: !!int abc", "a.yaml:1:4", "found a string, expected what its tag !!int says"},
        {"x: !!binary aGk=", "a.yaml:1:4",
         "unknown tag 'tag:yaml.org,2002:binary'; allowed: !!null, !!bool, !!int, !!float, !!str, "
         "!!seq, !!map"},
        {"x: *none", "a.yaml:1:4",
         "unknown alias '*none'; no anchor of this name stands before it"},
        {"x: &x [1, *x]", "a.yaml:1:11", "alias '*x' stands inside its own anchor"},
        {"a: &a 5\nb: {<<: *a}", "a.yaml:1:4",
         "found a number, expected a mapping after the merge key <<"},
        {"? [1, 2]\n: x", "a.yaml:1:3", "found a list, mapping or alias as a key, expected a text"},
        {"x: \"a\\0b\"", "a.yaml:1:4", "a NUL character in a text, which must not hold one"},
        {"a: 1\n\tb: 2\n", "a.yaml:2:1",
         "found a tab character that violates indentation (while scanning a plain scalar that "
         "begins on line 1); YAML indents with blanks, never with tabs"},
        {"a: {b: 1\n", "a.yaml:2:1",
         "did not find expected ',' or '}' (while parsing a flow mapping that begins on line 1)"},
        {"a: b: c\n", "a.yaml:1:5", "mapping values are not allowed in this context"},
        {"a:\n  b: 1\n c: 2\n", "a.yaml:3:2",
         "did not find expected key (while parsing a block mapping that begins on line 1)"},
        {"a: \"open\n", "a.yaml:2:1",
         "found unexpected end of stream (while scanning a quoted scalar that begins on line 1)"},
        {"a: 1\nb: \xFF\n", "a.yaml:2:4",
         "invalid leading UTF-8 octet: found 0xFF, expected UTF-8 text"},
        {"\xFF\xFE"
         "a: 1\n",
         "a.yaml:1:1", "invalid leading UTF-8 octet: found 0xFF, expected UTF-8 text"},
        {"a: \x01\n", "a.yaml:1:4",
         "control characters are not allowed: found 0x01, expected UTF-8 text"},
    };
    for (size_t i = 0; i < ROWS(rows); i++)
        refuses_bytes(rows[i].text, strlen(rows[i].text), rows[i].where, rows[i].msg);
    refuses_bytes("a: 1\n\0b: 2\n", 11, "a.yaml:2:1",
                  "control characters are not allowed: found 0x00, expected UTF-8 text");
}

/* Nine levels of nine aliases each: 9^9 values from 200 bytes. */
Test(yaml, refuses_an_alias_bomb_at_its_place)
{
    struct text t = {0};
    struct err e = {0};
    text_add(&t, "l0: &l0 x\n");
    for (int i = 1; i < 10; i++)
        text_printf(&t, "l%d: &l%d [*l%d,*l%d,*l%d,*l%d,*l%d,*l%d,*l%d,*l%d,*l%d]\n", i, i, i - 1,
                    i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1);
    cr_assert_null(yaml_parse(arena, "bomb.yaml", t.s, t.length, &e));
    cr_assert_eq(e.code, ERR_INPUT);
    cr_assert_str_eq(e.msg, "aliases add more than 100000 values to this document");
    cr_assert_str_eq(e.where, "bomb.yaml:7:10");
    text_fini(&t);
}

/* Each level stands on the last one's alias: no text is nested, the tree would be. */
Test(yaml, refuses_depth_that_aliases_add)
{
    struct text t = {0};
    struct err e = {0};
    text_add(&t, "l0: &l0 [x]\n");
    for (int i = 1; i < 100; i++)
        text_printf(&t, "l%d: &l%d [*l%d]\n", i, i, i - 1);
    cr_assert_null(yaml_parse(arena, "deep.yaml", t.s, t.length, &e));
    cr_assert_str_eq(e.msg, "nested deeper than 64 levels");
    cr_assert_str_eq(e.where, "deep.yaml:64:12");
    text_fini(&t);
}

Test(yaml, nests_to_the_limit_and_no_deeper)
{
    char text[256] = {0};
    memset(text, '[', 64);
    memset(text + 64, ']', 64);
    parse(text);
    size_t length = 100u << 20;
    char *large = malloc(length);
    memset(large, '[', length);
    refuses_bytes(large, length, "a.yaml:1:65", "nested deeper than 64 levels");
    free(large);
}

Test(yaml, limits_anchors_and_merges)
{
    struct text t = {0};
    for (int i = 0; i <= YAML_MAX_ANCHORS; i++)
        text_printf(&t, "- &a%d x\n", i);
    refuses_bytes(t.s, t.length, "a.yaml:1001:3", "more than 1000 anchors");
    text_fini(&t);
    text_add(&t, "<<: {");
    for (int i = 0; i <= YAML_MAX_MERGED; i++)
        text_printf(&t, "k%d: 0, ", i);
    text_add(&t, "}");
    refuses_bytes(t.s, t.length, "a.yaml:1:5", "a merge of more than 1000 keys");
    text_fini(&t);
}

static const struct json *load(const char *name, const char *content, struct err *e)
{
    static char path[64];
    snprintf(path, sizeof path, "/tmp/sluice-yaml-%ld-%s", (long)getpid(), name);
    FILE *f = fopen(path, "w");
    cr_assert(f != NULL);
    fputs(content, f);
    fclose(f);
    const struct json *root = yaml_load(arena, path, e);
    unlink(path);
    return root;
}

Test(yaml, picks_the_format_by_name_and_then_by_the_first_character)
{
    struct err e = {0};
    cr_assert(load("a.json", "{\"a\": 1}", &e));
    cr_assert(load("a.yaml", "a: 1", &e));
    cr_assert(load("a.yml", "{a: 1}", &e));
    cr_assert(load("b", "\n {\"a\": 1}", &e));
    cr_assert(load("c", "a: 1", &e), "%s", e.msg);
    cr_assert_null(load("d", "{a: 1}", &e));
    cr_assert(strstr(e.msg, "expected a key in double quotes"), "%s", e.msg);
    struct err missing = {0};
    cr_assert_null(yaml_load(arena, "/no/such/scenario.yaml", &missing));
    cr_assert_str_eq(missing.msg, "there is no such file");
}
