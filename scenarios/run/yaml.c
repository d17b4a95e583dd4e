/* yaml: the one door to libyaml. */
#include "scenarios/run/yaml.h"

#include "sim/arena.h"
#include "sim/file.h"
#include "sim/text.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

struct anchor {
    const char *name;
    const struct json *node; /* NULL while it is still being read */
    size_t weight;           /* values in it, aliases followed */
    int height;              /* levels in it */
    struct anchor *earlier;
};

struct reader {
    yaml_parser_t parser;
    yaml_event_t event; /* the one at hand */
    struct arena *arena;
    const char *file;
    const char *text;
    size_t length;
    struct anchor *anchors; /* of this document, newest first */
    size_t n_anchors;
    size_t nodes, aliased; /* values read, and values that aliases added */
    int depth;
    struct err *e;
};

static int read_node(struct reader *r, struct json **out);

/* ---- errors ---- */

static int fail_at(const struct reader *r, size_t line, size_t column, const char *msg)
{
    char where[sizeof r->e->where];
    snprintf(where, sizeof where, "%s:%zu:%zu", r->file, line, column);
    return err_set(r->e, ERR_INPUT, where, "%s", msg);
}

static int fail_event(const struct reader *r, const char *msg)
{
    return fail_at(r, r->event.start_mark.line + 1, r->event.start_mark.column + 1, msg);
}

/* Line and column, both from 1, of a byte. */
static void locate(const struct reader *r, size_t offset, size_t *line, size_t *column)
{
    *line = *column = 1;
    for (size_t i = 0; i < offset && i < r->length; i++) {
        if (r->text[i] == '\n') {
            ++*line;
            *column = 1;
        } else if (((unsigned char)r->text[i] & 0xC0) != 0x80) {
            ++*column;
        }
    }
}

/* Bytes that are no text at all; libyaml gives their offset and no mark. */
static int fail_reader(const struct reader *r)
{
    size_t line, column;
    char msg[160];
    locate(r, r->parser.problem_offset, &line, &column);
    int value = r->parser.problem_value;
    if (value >= 0)
        snprintf(msg, sizeof msg, "%s: found 0x%02X, expected UTF-8 text", r->parser.problem,
                 (unsigned)value);
    else
        snprintf(msg, sizeof msg, "%s", r->parser.problem);
    return fail_at(r, line, column, msg);
}

static bool line_begins_with_tab(const struct reader *r, size_t line)
{
    const char *p = r->text, *end = r->text + r->length;
    for (; line > 0 && p; line--) {
        p = memchr(p, '\n', (size_t)(end - p));
        p = p ? p + 1 : NULL;
    }
    while (p && p < end && *p == ' ')
        p++;
    return p && p < end && *p == '\t';
}

static int fail_syntax(const struct reader *r)
{
    const yaml_parser_t *p = &r->parser;
    struct text t = {0};
    text_add(&t, p->problem ? p->problem : "this is no YAML");
    if (p->context)
        text_printf(&t, " (%s that begins on line %zu)", p->context, p->context_mark.line + 1);
    if (line_begins_with_tab(r, p->problem_mark.line))
        text_add(&t, "; YAML indents with blanks, never with tabs");
    if (text_end(&t, r->e) == 0)
        fail_at(r, p->problem_mark.line + 1, p->problem_mark.column + 1, t.s);
    text_fini(&t);
    return -1;
}

/* Moves on to the next event. */
static int next(struct reader *r)
{
    yaml_event_delete(&r->event);
    if (yaml_parser_parse(&r->parser, &r->event))
        return 0;
    switch (r->parser.error) {
    case YAML_MEMORY_ERROR:
        return err_set(r->e, ERR_SYSTEM, r->file, "out of memory while reading YAML");
    case YAML_READER_ERROR:
        return fail_reader(r);
    default:
        return fail_syntax(r);
    }
}

/* ---- scalars ---- */

static bool among(const char *s, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(s, *words) == 0)
            return true;
    return false;
}

static bool is_null(const char *s)
{
    static const char *const words[] = {"", "~", "null", "Null", "NULL", NULL};
    return among(s, words);
}

static bool is_true(const char *s)
{
    static const char *const words[] = {"true", "True", "TRUE", "yes", "Yes",
                                        "YES",  "on",   "On",   "ON",  NULL};
    return among(s, words);
}

static bool is_false(const char *s)
{
    static const char *const words[] = {"false", "False", "FALSE", "no",  "No",
                                        "NO",    "off",   "Off",   "OFF", NULL};
    return among(s, words);
}

static bool is_no_number(const char *s)
{
    static const char *const words[] = {".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN", NULL};
    return among(s + (*s == '-' || *s == '+'), words);
}

/* Decimal, or with a sign, 0x, 0o, 0b, a leading 0 for octal: the digits and their base. */
static const char *integer_digits(const char *s, int *base)
{
    s += *s == '-' || *s == '+';
    *base = 10;
    if (s[0] != '0' || !s[1])
        return s;
    *base = s[1] == 'x' ? 16 : s[1] == 'b' ? 2 : 8;
    return s + (s[1] == 'x' || s[1] == 'b' || s[1] == 'o' ? 2 : 1);
}

/* Numbers that are not written in decimal, as the decimal digits they mean; false when s is none
 * or has more than 64 bits. */
static bool decimal_of(const char *s, char *out, size_t size)
{
    static const char all[] = "0123456789abcdef";
    int base;
    unsigned long long v = 0;
    const char *digits = integer_digits(s, &base);
    if (base == 10 || !*digits)
        return false;
    for (const char *p = digits; *p; p++) {
        char c = *p >= 'A' && *p <= 'F' ? (char)(*p - 'A' + 'a') : *p;
        const char *at = strchr(all, c);
        if (!at || at - all >= base || v > (UINT64_MAX - 15) / (unsigned)base)
            return false;
        v = v * (unsigned)base + (unsigned)(at - all);
    }
    snprintf(out, size, "%s%llu", *s == '-' ? "-" : "", v);
    return true;
}

/* A number's digits without the underscores that YAML 1.1 allows and without a plus sign. */
static bool clean_digits(const char *s, char *out, size_t size)
{
    size_t n = 0;
    if (!strchr("+-.0123456789", *s))
        return false;
    for (const char *p = s + (*s == '+'); *p; p++) {
        if (*p == '_')
            continue;
        if (n + 1 >= size)
            return false;
        out[n++] = *p;
    }
    out[n] = '\0';
    return n > 0;
}

/* Makes node a number when s is one: 1, 0, or -1 with an error. */
static int resolve_number(struct reader *r, struct json *node, const char *s)
{
    char clean[128], decimal[128], msg[192];
    const char *digits = clean;
    if (is_no_number(s)) {
        snprintf(msg, sizeof msg, "found %s, expected a finite number", s);
        return fail_event(r, msg);
    }
    if (!clean_digits(s, clean, sizeof clean))
        return 0;
    if (decimal_of(clean, decimal, sizeof decimal))
        digits = decimal;
    if (!text_is_number(digits))
        return 0;
    if (!text_parse_double(digits, &node->number)) {
        snprintf(msg, sizeof msg, "the number %s is too large for a double", digits);
        return fail_event(r, msg);
    }
    node->type = JSON_NUMBER;
    node->string = arena_text(r->arena, digits, strlen(digits), r->e);
    return node->string ? 1 : -1;
}

/* Gives a plain scalar its type. */
static int resolve_plain(struct reader *r, struct json *node, const char *s)
{
    if (is_null(s)) {
        node->type = JSON_NULL;
        return 0;
    }
    if (is_true(s) || is_false(s)) {
        node->type = JSON_BOOL;
        node->boolean = is_true(s);
        return 0;
    }
    int number = resolve_number(r, node, s);
    if (number)
        return number < 0 ? -1 : 0;
    node->string = s;
    return 0;
}

#define YAML_TAGS "tag:yaml.org,2002:"

/* A tag promises a type: !!str makes a string of anything, the others must hold. */
static int check_tag(const struct reader *r, const char *tag, enum json_type type)
{
    static const struct {
        const char *name;
        enum json_type type;
    } rows[] = {
        {"null", JSON_NULL},  {"bool", JSON_BOOL}, {"int", JSON_NUMBER}, {"float", JSON_NUMBER},
        {"str", JSON_STRING}, {"seq", JSON_ARRAY}, {"map", JSON_OBJECT},
    };
    char msg[256];
    size_t prefix = strlen(YAML_TAGS);
    const char *name = strncmp(tag, YAML_TAGS, prefix) == 0 ? tag + prefix : "";
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(name, rows[i].name) != 0)
            continue;
        if (rows[i].type == type)
            return 0;
        snprintf(msg, sizeof msg, "found %s, expected what its tag !!%s says", json_type_name(type),
                 name);
        return fail_event(r, msg);
    }
    snprintf(msg, sizeof msg,
             "unknown tag '%.*s'; allowed: !!null, !!bool, !!int, !!float, !!str, !!seq, !!map",
             text_cut(tag, 100), tag);
    return fail_event(r, msg);
}

/* The text of the scalar at hand, in the arena. */
static char *scalar_text(struct reader *r)
{
    const char *value = (const char *)r->event.data.scalar.value;
    size_t length = r->event.data.scalar.length;
    if (memchr(value, '\0', length)) {
        fail_event(r, "a NUL character in a text, which must not hold one");
        return NULL;
    }
    return arena_text(r->arena, value, length, r->e);
}

static int read_scalar(struct reader *r, struct json *node)
{
    const char *tag = (const char *)r->event.data.scalar.tag;
    bool plain = r->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    bool string = tag && (strcmp(tag, "!") == 0 || strcmp(tag, YAML_TAGS "str") == 0);
    char *s = scalar_text(r);
    if (!s)
        return -1;
    node->type = JSON_STRING;
    node->string = s;
    if (string)
        return 0;
    if ((plain || tag) && resolve_plain(r, node, s))
        return -1;
    return tag ? check_tag(r, tag, node->type) : 0;
}

/* ---- anchors ---- */

static struct anchor *add_anchor(struct reader *r, const yaml_char_t *name)
{
    char msg[64];
    if (r->n_anchors++ == YAML_MAX_ANCHORS) {
        snprintf(msg, sizeof msg, "more than %d anchors", YAML_MAX_ANCHORS);
        fail_event(r, msg);
        return NULL;
    }
    struct anchor *made = arena_take(r->arena, 1, sizeof *made, r->e);
    if (!made)
        return NULL;
    made->name = arena_text(r->arena, (const char *)name, strlen((const char *)name), r->e);
    made->earlier = r->anchors;
    r->anchors = made;
    return made->name ? made : NULL;
}

static const struct anchor *find_anchor(const struct reader *r, const char *name)
{
    const struct anchor *a = r->anchors;
    while (a && strcmp(a->name, name) != 0)
        a = a->earlier;
    return a;
}

/* A copy that shares what is below it; returns its height. */
static int read_alias(struct reader *r, struct json **out)
{
    const char *name = (const char *)r->event.data.alias.anchor;
    const struct anchor *anchor = find_anchor(r, name);
    char msg[256];
    msg[0] = '\0';
    if (!anchor)
        snprintf(msg, sizeof msg, "unknown alias '*%.*s'; no anchor of this name stands before it",
                 text_cut(name, 100), name);
    else if (!anchor->node)
        snprintf(msg, sizeof msg, "alias '*%.*s' stands inside its own anchor", text_cut(name, 100),
                 name);
    else if (r->aliased + anchor->weight > YAML_MAX_ALIASED)
        snprintf(msg, sizeof msg, "aliases add more than %d values to this document",
                 YAML_MAX_ALIASED);
    else if (r->depth + anchor->height > JSON_MAX_DEPTH)
        snprintf(msg, sizeof msg, "nested deeper than %d levels", JSON_MAX_DEPTH);
    if (msg[0])
        return fail_event(r, msg);
    struct json *copy = arena_take(r->arena, 1, sizeof *copy, r->e);
    if (!copy)
        return -1;
    *copy = *anchor->node;
    copy->next = NULL;
    copy->key = NULL;
    copy->key_line = copy->key_column = 0;
    r->aliased += anchor->weight;
    *out = copy;
    return anchor->height;
}

/* ---- collections ---- */

static int read_sequence(struct reader *r, struct json *node)
{
    int height = 0;
    for (;;) {
        struct json *child = NULL;
        if (next(r))
            return -1;
        if (r->event.type == YAML_SEQUENCE_END_EVENT)
            return height + 1;
        int below = read_node(r, &child);
        if (below < 0)
            return -1;
        height = below > height ? below : height;
        json_append(node, child);
    }
}

/* Members of `from` that the mapping does not have itself. */
static int merge_one(struct reader *r, struct json *node, const struct json *from)
{
    char where[512];
    json_place(where, sizeof where, from);
    if (from->type != JSON_OBJECT)
        return err_set(r->e, ERR_INPUT, where,
                       "found %s, expected a mapping after the merge key <<",
                       json_type_name(from->type));
    if (from->count > YAML_MAX_MERGED || node->count > YAML_MAX_MERGED)
        return err_set(r->e, ERR_INPUT, where, "a merge of more than %d keys", YAML_MAX_MERGED);
    for (const struct json *c = from->first; c; c = c->next) {
        if (json_get(node, c->key))
            continue;
        struct json *copy = arena_take(r->arena, 1, sizeof *copy, r->e);
        if (!copy)
            return -1;
        *copy = *c;
        copy->next = NULL;
        json_append(node, copy);
    }
    return 0;
}

static int merge_all(struct reader *r, struct json *node, const struct json *sources)
{
    for (const struct json *s = sources->first; s; s = s->next) {
        bool list = s->type == JSON_ARRAY;
        for (const struct json *one = list ? s->first : s; one; one = list ? one->next : NULL)
            if (merge_one(r, node, one))
                return -1;
    }
    return 0;
}

/* Reads "key: value" at its key; *height grows to the value's. */
static int read_member(struct reader *r, struct json *node, struct json *merges, int *height)
{
    struct json *child = NULL;
    if (r->event.type != YAML_SCALAR_EVENT)
        return fail_event(r, "found a list, mapping or alias as a key, expected a text");
    uint32_t line = (uint32_t)r->event.start_mark.line + 1;
    uint32_t column = (uint32_t)r->event.start_mark.column + 1;
    bool merge = r->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
                 strcmp((const char *)r->event.data.scalar.value, "<<") == 0;
    const char *key = scalar_text(r);
    if (!key || next(r))
        return -1;
    int below = read_node(r, &child);
    if (below < 0)
        return -1;
    *height = below > *height ? below : *height;
    child->key = key;
    child->key_line = line;
    child->key_column = column;
    json_append(merge ? merges : node, child);
    return 0;
}

static int read_mapping(struct reader *r, struct json *node)
{
    struct json merges = {.type = JSON_ARRAY};
    int height = 0;
    for (;;) {
        if (next(r))
            return -1;
        if (r->event.type == YAML_MAPPING_END_EVENT)
            break;
        if (read_member(r, node, &merges, &height))
            return -1;
    }
    if (json_check_keys(node, r->e) || merge_all(r, node, &merges))
        return -1;
    return height + 1;
}

/* ---- nodes ---- */

static const yaml_char_t *event_anchor(const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return event->data.scalar.anchor;
    case YAML_SEQUENCE_START_EVENT:
        return event->data.sequence_start.anchor;
    case YAML_MAPPING_START_EVENT:
        return event->data.mapping_start.anchor;
    default:
        return NULL;
    }
}

static int read_collection(struct reader *r, struct json *node)
{
    bool mapping = r->event.type == YAML_MAPPING_START_EVENT;
    const yaml_char_t *tag =
        mapping ? r->event.data.mapping_start.tag : r->event.data.sequence_start.tag;
    char msg[64];
    node->type = mapping ? JSON_OBJECT : JSON_ARRAY;
    if (tag && strcmp((const char *)tag, "!") != 0 && check_tag(r, (const char *)tag, node->type))
        return -1;
    if (r->depth == JSON_MAX_DEPTH) {
        snprintf(msg, sizeof msg, "nested deeper than %d levels", JSON_MAX_DEPTH);
        return fail_event(r, msg);
    }
    r->depth++;
    int height = mapping ? read_mapping(r, node) : read_sequence(r, node);
    r->depth--;
    return height;
}

/* The node that begins with the event at hand, up to and with its last event. Returns its height
 * in levels (0 for a scalar), -1 on errors. */
static int read_node(struct reader *r, struct json **out)
{
    if (r->event.type == YAML_ALIAS_EVENT)
        return read_alias(r, out);
    if (r->nodes++ == JSON_MAX_NODES)
        return fail_event(r, "too many values in one file");
    struct json *node =
        json_new(r->arena, JSON_NULL, r->file, (uint32_t)r->event.start_mark.line + 1,
                 (uint32_t)r->event.start_mark.column + 1, r->e);
    if (!node)
        return -1;
    const yaml_char_t *name = event_anchor(&r->event);
    struct anchor *anchor = name ? add_anchor(r, name) : NULL;
    if (name && !anchor)
        return -1;
    size_t before = r->nodes + r->aliased - 1;
    int height =
        r->event.type == YAML_SCALAR_EVENT ? read_scalar(r, node) : read_collection(r, node);
    if (anchor && height >= 0) {
        anchor->node = node;
        anchor->weight = r->nodes + r->aliased - before;
        anchor->height = height;
    }
    *out = node;
    return height;
}

/* ---- documents ---- */

/* Reads the documents that follow, at most `most`, into the list. */
static int read_documents(struct reader *r, struct json *list, size_t most)
{
    if (next(r)) /* the stream's start */
        return -1;
    for (;;) {
        struct json *root = NULL;
        if (next(r))
            return -1;
        if (r->event.type == YAML_STREAM_END_EVENT)
            return 0;
        assert(r->event.type == YAML_DOCUMENT_START_EVENT);
        if (list->count == most)
            return fail_event(r, "a second document begins here, expected one only");
        r->anchors = NULL;
        r->n_anchors = 0;
        if (next(r) || read_node(r, &root) < 0 || next(r))
            return -1;
        assert(r->event.type == YAML_DOCUMENT_END_EVENT);
        json_append(list, root);
    }
}

static struct json *read_file(struct arena *a, const char *file, const char *text, size_t length,
                              size_t most, struct err *e)
{
    assert(a && file && (text || length == 0) && e);
    char *name = arena_text(a, file, strlen(file), e);
    struct json *list = name ? json_new(a, JSON_ARRAY, name, 1, 1, e) : NULL;
    if (!list)
        return NULL;
    if (length > JSON_MAX_BYTES) {
        err_set(e, ERR_INPUT, name, "longer than %u MiB", JSON_MAX_BYTES >> 20);
        return NULL;
    }
    if (length >= 3 &&
        memcmp(text, "\xEF\xBB\xBF", 3) == 0) { /* libyaml skips it only when it guesses */
        text += 3;
        length -= 3;
    }
    struct reader r = {.arena = a, .file = name, .text = text, .length = length, .e = e};
    if (!yaml_parser_initialize(&r.parser)) {
        err_set(e, ERR_SYSTEM, name, "out of memory while reading YAML");
        return NULL;
    }
    yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)(text ? text : ""), length);
    int failed = read_documents(&r, list, most);
    yaml_event_delete(&r.event);
    yaml_parser_delete(&r.parser);
    return failed ? NULL : list;
}

struct json *yaml_parse_all(struct arena *a, const char *file, const char *text, size_t length,
                            struct err *e)
{
    return read_file(a, file, text, length, SIZE_MAX, e);
}

struct json *yaml_parse(struct arena *a, const char *file, const char *text, size_t length,
                        struct err *e)
{
    struct json *list = read_file(a, file, text, length, 1, e);
    char where[512];
    if (!list)
        return NULL;
    if (list->count == 0 || list->first->type == JSON_NULL) {
        err_set(e, ERR_INPUT, json_place(where, sizeof where, list),
                "the document is empty, expected a value");
        return NULL;
    }
    return list->first;
}

static bool ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n >= m && strcmp(s + n - m, end) == 0;
}

static bool looks_like_json(const char *text, size_t length)
{
    size_t i = length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    while (i < length && memchr(" \t\r\n", text[i], 4))
        i++;
    return i < length && (text[i] == '{' || text[i] == '[');
}

struct json *yaml_load(struct arena *a, const char *path, struct err *e)
{
    size_t length;
    char *text = file_read(a, path, JSON_MAX_BYTES, &length, e);
    if (!text)
        return NULL;
    bool yaml = ends_with(path, ".yaml") || ends_with(path, ".yml");
    if (ends_with(path, ".json") || (!yaml && looks_like_json(text, length)))
        return json_parse(a, path, text, length, e);
    return yaml_parse(a, path, text, length, e);
}
