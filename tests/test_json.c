/* test_json: what is JSON and what is not, places, trees, the writer. */
#include "sim/arena.h"
#include "sim/json.h"

#include <criterion/criterion.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

TestSuite(json, .init = set_up, .fini = tear_down);

static const struct json *parse(const char *text)
{
    struct err e = {0};
    const struct json *root = json_parse(arena, "a.json", text, strlen(text), &e);
    cr_assert(root, "%.80s: %s: %s", text, e.where, e.msg);
    return root;
}

static void refuses(const char *text, size_t length, const char *where, const char *msg)
{
    struct err e = {0};
    cr_assert_null(json_parse(arena, "a.json", text, length, &e), "accepted: %.80s", text);
    cr_assert_eq(e.code, ERR_INPUT, "%s", e.msg);
    cr_assert_str_eq(e.where, where, "%.80s: %s: %s", text, e.where, e.msg);
    cr_assert_str_eq(e.msg, msg, "%.80s: %s", text, e.msg);
}

Test(json, gives_every_node_its_place)
{
    const struct json *root =
        parse("{ \"a\": [1, true,\n   {\"\xE4\xB8\xAD\": \"x\", \"b\": null}],\n"
              "\"c\" : -2.5e3 }");
    const struct json *b = json_at(root, "a[2].b");
    const struct json *c = json_get(root, "c");
    char place[64];
    cr_assert_eq(root->count, 2);
    cr_assert_str_eq(json_place(place, sizeof place, json_at(root, "a[1]")), "a.json:1:12");
    /* columns count characters: the Chinese key is one */
    cr_assert_str_eq(json_place(place, sizeof place, b), "a.json:2:20");
    cr_assert_eq(b->key_column, 15);
    cr_assert_eq(b->type, JSON_NULL);
    cr_assert_eq(c->number, -2500.0);
    cr_assert_str_eq(c->string, "-2.5e3");
    cr_assert_eq(c->key_line, 3);
    cr_assert_eq(c->key_column, 1);
    cr_assert_eq(c->column, 7);
    cr_assert(json_at(root, "a[1]")->boolean);
}

Test(json, accepts_bom_crlf_and_blanks)
{
    const struct json *root = parse("\xEF\xBB\xBF \t{\r\n  \"k\": \"v\"\r\n}\r\n");
    cr_assert_str_eq(json_get(root, "k")->string, "v");
    cr_assert_eq(json_get(root, "k")->line, 2);
    cr_assert_eq(json_get(root, "k")->column, 8);
    cr_assert_eq(root->column, 3);
}

Test(json, decodes_escapes)
{
    const struct json *s = parse("\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00\"");
    cr_assert_str_eq(s->string, "a\"\\/\b\f\n\r\t\xC3\xA9\xF0\x9F\x98\x80");
}

Test(json, keeps_the_digits_of_a_number_beyond_a_double)
{
    const struct json *n = parse("9007199254740993");
    cr_assert_str_eq(n->string, "9007199254740993");
    cr_assert_eq(n->number, 9007199254740992.0);
    cr_assert_eq(parse("1e-400")->number, 0.0);
}

Test(json, finds_by_exact_key_only)
{
    const struct json *root = parse("{\"Size\": 1, \"size\": 2}");
    cr_assert_eq(json_get(root, "size")->number, 2.0);
    cr_assert_null(json_get(root, "SIZE"));
    cr_assert_null(json_get(NULL, "size"));
    cr_assert_null(json_get(json_get(root, "size"), "size"));
    cr_assert_null(json_at(root, "size[0]"));
    cr_assert_null(json_at(root, "size.x"));
    cr_assert_null(json_at(root, ".size"));
    cr_assert_eq(json_at(root, ""), root);
}

Test(json, refuses_with_place_found_and_expected)
{
    static const struct {
        const char *text, *where, *msg;
    } rows[] = {
        {"", "a.json:1:1", "the document is empty, expected a value"},
        {" \n ", "a.json:2:2", "the document is empty, expected a value"},
        {"\xEF\xBB\xBF", "a.json:1:1", "the document is empty, expected a value"},
        {"{", "a.json:1:2", "found the end of the text, expected a key in double quotes"},
        {"{\n\"a\": 1", "a.json:2:7",
         "found the end of the text, expected ',' or '}' to close what begins on line 1"},
        {"[1 2]", "a.json:1:4", "found '2', expected ',' or ']'"},
        {"[1,]", "a.json:1:4", "found ']', expected another value after the comma"},
        {"{\"a\":1,}", "a.json:1:8", "found '}', expected another key after the comma"},
        {"{\"a\" 1}", "a.json:1:6", "found '1', expected ':' after the key"},
        {"{a: 1}", "a.json:1:2", "found 'a', expected a key in double quotes"},
        {"{'a': 1}", "a.json:1:2",
         "found ''', expected a key in double quotes; JSON takes double quotes"},
        {"{\"a\": NaN}", "a.json:1:7", "found 'NaN', expected a value; JSON has no NaN"},
        {"[Infinity]", "a.json:1:2", "found 'Infinity', expected a value; JSON has no infinity"},
        {"[-Infinity]", "a.json:1:3", "found 'Infinity', expected a digit; JSON has no infinity"},
        {"[nan]", "a.json:1:2", "found 'nan', expected a value; JSON has no NaN"},
        {"True", "a.json:1:1", "found 'True', expected a value; JSON writes true in small letters"},
        {"nullx", "a.json:1:1", "found 'nullx', expected a value"},
        {"[01]", "a.json:1:2", "a number must not begin with 0 and a further digit"},
        {"[-01]", "a.json:1:2", "a number must not begin with 0 and a further digit"},
        {"[1.]", "a.json:1:4", "found ']', expected a digit"},
        {"[1e+]", "a.json:1:5", "found ']', expected a digit"},
        {"[.5]", "a.json:1:2",
         "found '.', expected a value; a JSON number needs a digit before the point"},
        {"[+5]", "a.json:1:2", "found '+', expected a value; a JSON number has no plus sign"},
        {"[0x10]", "a.json:1:3", "found 'x10', expected ',' or ']'"},
        {"[1e999]", "a.json:1:2", "the number 1e999 is too large for a double"},
        {"[-1e999]", "a.json:1:2", "the number -1e999 is too large for a double"},
        {"{\"a\":1} x", "a.json:1:9", "found 'x', expected nothing after the document's end"},
        {"{} {}", "a.json:1:4", "found '{', expected nothing after the document's end"},
        {"[1] // no", "a.json:1:5",
         "found '/', expected nothing after the document's end; JSON has no comments"},
        {"{ # no\n}", "a.json:1:3",
         "found '#', expected a key in double quotes; JSON has no comments"},
        {"{\"a\":1,\n \"b\":2,\n \"a\":3}", "a.json:3:2",
         "key 'a' is repeated; it stands first at line 1, column 2"},
        {"{\"a\":1, \"\\u0061\":3}", "a.json:1:9",
         "key 'a' is repeated; it stands first at line 1, column 2"},
        {"[\"ab\ncd\"]", "a.json:1:5", "the line ends inside a string, expected '\"' (or \\n)"},
        {"[\"ab", "a.json:1:2", "the string that begins here is never closed, expected '\"'"},
        {"[\"a\tb\"]", "a.json:1:4", "found byte 0x09, expected it as \\u00XX inside a string"},
        {"[\"\\x\"]", "a.json:1:3", "a backslash must be followed by one of \" \\ / b f n r t u"},
        {"[\"\\u00g0\"]", "a.json:1:3", "\\u needs four hexadecimal digits"},
        {"[\"a\\u0000b\"]", "a.json:1:4",
         "\\u0000 in a string; a text must not hold a NUL character"},
        {"[\"\\ud800\"]", "a.json:1:9",
         "expected the second half of a surrogate pair, \\uDC00 to \\uDFFF"},
        {"[\"\\udc00\"]", "a.json:1:3",
         "\\u names the second half of a surrogate pair without its first"},
        {"[\"\xE4\xB8\xAD\xFF\"]", "a.json:1:4",
         "found byte 0xFF, which is not UTF-8, expected UTF-8 text"},
        {"[\"\xC0\x80\"]", "a.json:1:3",
         "found byte 0xC0, which is not UTF-8, expected UTF-8 text"},
        {"[\"\xED\xA0\x80\"]", "a.json:1:3",
         "found byte 0xED, which is not UTF-8, expected UTF-8 text"},
        {"[\xFF]", "a.json:1:2", "found byte 0xFF, which is not UTF-8, expected a value"},
        {"[1,\x0B 2]", "a.json:1:4", "found byte 0x0B, expected a value"},
        {"\xFF\xFE{", "a.json:1:1", "the text is UTF-16, expected UTF-8"},
        {"[0.123456789012345678901234567890123456789012345678901234567890123]", "a.json:1:2",
         "a number of 65 characters; at most 63 are read"},
    };
    for (size_t i = 0; i < ROWS(rows); i++)
        refuses(rows[i].text, strlen(rows[i].text), rows[i].where, rows[i].msg);
}

Test(json, refuses_a_nul_byte_anywhere)
{
    refuses("{\"a\": 1}\0", 9, "a.json:1:9",
            "found byte 0x00, expected nothing after the document's end");
    refuses("[\"a\0b\"]", 7, "a.json:1:4",
            "byte 0x00 in a string; a text must not hold a NUL character");
    refuses("[\0]", 3, "a.json:1:2", "found byte 0x00, expected a value");
}

static void nest(char *text, int depth)
{
    memset(text, '[', (size_t)depth);
    memset(text + depth, ']', (size_t)depth);
    text[2 * depth] = '\0';
}

Test(json, nests_to_the_limit_and_no_deeper)
{
    char text[256];
    nest(text, JSON_MAX_DEPTH);
    parse(text);
    nest(text, JSON_MAX_DEPTH + 1);
    refuses(text, strlen(text), "a.json:1:65", "nested deeper than 64 levels");
}

Test(json, refuses_a_hundred_megabytes_of_brackets)
{
    size_t length = 100u << 20;
    char *text = malloc(length);
    memset(text, '[', length);
    refuses(text, length, "a.json:1:65", "nested deeper than 64 levels");
    free(text);
}

/* A quadratic check would take minutes here. */
Test(json, finds_the_first_repeated_key_among_very_many)
{
    struct text t = {0};
    struct err e = {0};
    text_add(&t, "{");
    for (int i = 0; i < 200000; i++)
        text_printf(&t, "\"k%d\":0,\n", i == 150000 ? 7 : i == 190000 ? 3 : i);
    text_add(&t, "\"end\":0}");
    cr_assert_null(json_parse(arena, "a.json", t.s, t.length, &e));
    cr_assert_str_eq(e.where, "a.json:150001:1");
    cr_assert_str_eq(e.msg, "key 'k7' is repeated; it stands first at line 8, column 1");
    text_fini(&t);
}

static void write_sample(struct json_out *o)
{
    json_out_open(o, "{");
    json_out_key(o, "a \"b\"");
    json_out_open(o, "[");
    json_out_number(o, 1.5);
    json_out_int(o, INT64_MIN);
    json_out_number(o, (double)NAN);
    json_out_string(o, "x\n\x01\x7F\xC3\xA9\xFF");
    json_out_string(o, NULL);
    json_out_open(o, "{");
    json_out_close(o, "}");
    json_out_close(o, "]");
    json_out_key(o, "c");
    json_out_bool(o, true);
    json_out_key(o, "d");
    json_out_null(o);
    json_out_close(o, "}");
    json_out_end(o);
}

Test(json, writes_indented_and_compact)
{
    struct text t = {0};
    struct json_out o;
    json_out_init(&o, &t, false);
    write_sample(&o);
    cr_assert_str_eq(t.s,
                     "{\n  \"a \\\"b\\\"\": [\n    1.5,\n    -9223372036854775808,\n    null,\n"
                     "    \"x\\n\\u0001\\u007f\xC3\xA9\xEF\xBF\xBD\",\n    null,\n    {}\n  ],\n"
                     "  \"c\": true,\n  \"d\": null\n}\n");
    parse(t.s);
    text_fini(&t);
    json_out_init(&o, &t, true);
    write_sample(&o);
    cr_assert_str_eq(
        t.s, "{\"a \\\"b\\\"\":[1.5,-9223372036854775808,null,"
             "\"x\\n\\u0001\\u007f\xC3\xA9\xEF\xBF\xBD\",null,{}],\"c\":true,\"d\":null}\n");
    text_fini(&t);
}

Test(json, stops_a_writer_that_puts_a_key_into_a_list, .signal = SIGABRT)
{
    struct text t = {0};
    struct json_out o;
    json_out_init(&o, &t, true);
    json_out_open(&o, "[");
    json_out_key(&o, "k");
}

Test(json, stops_a_writer_that_leaves_an_object_open, .signal = SIGABRT)
{
    struct text t = {0};
    struct json_out o;
    json_out_init(&o, &t, true);
    json_out_open(&o, "{");
    json_out_end(&o);
}
