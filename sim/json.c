/* json: a tree of values that know their place: made, searched, checked and named. */
#include "sim/json.h"

#include "sim/arena.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    const struct json *node;
    size_t at;
};

static int entry_order(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int by_key = strcmp(x->node->key, y->node->key);
    return by_key ? by_key : (x->at > y->at) - (x->at < y->at);
}

static int fail_repeated(const struct json *again, const struct json *first, struct err *e)
{
    char where[512];
    snprintf(where, sizeof where, "%s:%u:%u", again->file, (unsigned)again->key_line,
             (unsigned)again->key_column);
    return err_set(e, ERR_INPUT, where,
                   "key '%.200s' is repeated; it stands first at line %u, column %u", again->key,
                   (unsigned)first->key_line, (unsigned)first->key_column);
}

/* Keys that differ mostly do so in their first letter. */
static bool same_key(const char *a, const char *b)
{
    return *a == *b && strcmp(a, b) == 0;
}

/* For the usual object of a few keys. */
static int check_few_keys(const struct json *object, struct err *e)
{
    for (const struct json *again = object->first; again; again = again->next)
        for (const struct json *first = object->first; first != again; first = first->next)
            if (same_key(first->key, again->key))
                return fail_repeated(again, first, e);
    return 0;
}

int json_check_keys(const struct json *object, struct err *e)
{
    assert(object && object->type == JSON_OBJECT);
    if (object->count <= 16)
        return check_few_keys(object, e);
    struct entry *entries = malloc(object->count * sizeof *entries);
    if (!entries)
        return err_set(e, ERR_SYSTEM, object->file, "out of memory while checking keys");
    size_t n = 0, repeated = 0;
    for (const struct json *c = object->first; c; c = c->next, n++)
        entries[n] = (struct entry){c, n};
    qsort(entries, n, sizeof *entries, entry_order);
    for (size_t i = 1; i < n; i++)
        if (strcmp(entries[i - 1].node->key, entries[i].node->key) == 0 &&
            (repeated == 0 || entries[i].at < entries[repeated].at))
            repeated = i;
    int failed =
        repeated ? fail_repeated(entries[repeated].node, entries[repeated - 1].node, e) : 0;
    free(entries);
    return failed;
}

const struct json *json_get(const struct json *o, const char *key)
{
    if (!o || o->type != JSON_OBJECT)
        return NULL;
    for (const struct json *c = o->first; c; c = c->next)
        if (same_key(c->key, key))
            return c;
    return NULL;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Element "[i]" at *path, which moves behind it. */
static const struct json *step_index(const struct json *array, const char **path)
{
    size_t i = 0;
    const char *p = *path + 1;
    if (!is_digit(*p))
        return NULL;
    for (; is_digit(*p) && i < array->count; p++)
        i = i * 10 + (size_t)(*p - '0');
    if (*p != ']' || array->type != JSON_ARRAY || i >= array->count)
        return NULL;
    *path = p + 1;
    const struct json *c = array->first;
    while (i--)
        c = c->next;
    return c;
}

static const struct json *step_key(const struct json *object, const char **path)
{
    size_t n = strcspn(*path, ".[");
    if (object->type != JSON_OBJECT || n == 0)
        return NULL;
    for (const struct json *c = object->first; c; c = c->next) {
        if (strncmp(c->key, *path, n) == 0 && c->key[n] == '\0') {
            *path += n;
            return c;
        }
    }
    return NULL;
}

const struct json *json_at(const struct json *root, const char *path)
{
    const struct json *at = root;
    while (at && *path) {
        if (*path == '[') {
            at = step_index(at, &path);
            continue;
        }
        if (*path == '.' && at != root)
            path++;
        at = step_key(at, &path);
    }
    return at;
}

const char *json_text_at(const struct json *root, const char *path, const char *otherwise)
{
    const struct json *at = json_at(root, path);
    return at && at->type == JSON_STRING ? at->string : otherwise;
}

struct json *json_new(struct arena *a, enum json_type type, const char *file, uint32_t line,
                      uint32_t column, struct err *e)
{
    struct json *node = arena_take(a, 1, sizeof *node, e);
    if (node) {
        node->type = type;
        node->file = file;
        node->line = line;
        node->column = column;
    }
    return node;
}

void json_append(struct json *parent, struct json *child)
{
    assert(parent->type == JSON_ARRAY || parent->type == JSON_OBJECT);
    assert(child && !child->next);
    if (parent->last)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
    parent->count++;
}

char *json_place(char *buf, size_t size, const struct json *node)
{
    const char *file = node && node->file ? node->file : "";
    if (node && node->line)
        snprintf(buf, size, "%s:%u:%u", file, (unsigned)node->line, (unsigned)node->column);
    else
        snprintf(buf, size, "%s", file);
    return buf;
}

const char *json_type_name(enum json_type type)
{
    switch (type) {
    case JSON_NULL:
        return "null";
    case JSON_BOOL:
        return "true or false";
    case JSON_NUMBER:
        return "a number";
    case JSON_STRING:
        return "a string";
    case JSON_ARRAY:
        return "a list";
    case JSON_OBJECT:
        return "an object";
    }
    return "nothing";
}
