/* carry: builds scenario keys out of the user's own documents. */
#include "scenarios/run/carry.h"

#include "sim/arena.h"

#include <stdio.h>
#include <string.h>

struct json *carry_child(struct json *object, const char *key)
{
    for (struct json *c = object->first; c; c = c->next)
        if (c->key && strcmp(c->key, key) == 0)
            return c;
    return NULL;
}

struct json *carry_copy(struct arena *a, const struct json *node, const char *key, struct err *e)
{
    struct json *c = arena_take(a, 1, sizeof *c, e);
    if (!c)
        return NULL;
    *c = *node;
    c->key = key;
    c->next = NULL;
    return c;
}

struct json *carry_object(struct arena *a, const char *key, const struct json *place, struct err *e)
{
    struct json *o = json_new(a, JSON_OBJECT, place->file, place->line, place->column, e);
    if (o) {
        o->key = key;
        o->key_line = place->line;
        o->key_column = place->column;
    }
    return o;
}

struct json *carry_list(struct arena *a, const char *key, const struct json *place, struct err *e)
{
    struct json *l = json_new(a, JSON_ARRAY, place->file, place->line, place->column, e);
    if (l)
        l->key = key;
    return l;
}

struct json *carry_text(struct arena *a, const char *key, const char *value,
                        const struct json *place, struct err *e)
{
    struct json *t = json_new(a, JSON_STRING, place->file, place->line, place->column, e);
    if (t) {
        t->key = key;
        t->string = value;
    }
    return t;
}

static struct json *labels_object(struct arena *a, const struct json *list, const char *key,
                                  struct err *e)
{
    struct json *o = carry_object(a, key, list, e);
    for (const struct json *item = list->first; o && item; item = item->next) {
        const char *k = json_text_at(item, "key", NULL);
        const struct json *v = json_get(item, "value");
        if (!k || !v)
            continue;
        struct json *c = carry_copy(a, v, k, e);
        if (!c)
            return NULL;
        json_append(o, c);
    }
    return o;
}

static struct json *seconds_text(struct arena *a, const struct json *node, const char *key,
                                 struct err *e)
{
    char value[64];
    if (node->type != JSON_NUMBER)
        return carry_copy(a, node, key, e);
    snprintf(value, sizeof value, "%ss", node->string);
    char *kept = arena_text(a, value, strlen(value), e);
    return kept ? carry_text(a, key, kept, node, e) : NULL;
}

static int carry_one(struct arena *a, struct json *into, const struct json *root,
                     const struct carry_row *row, struct err *e)
{
    const struct json *node = json_at(root, row->from);
    struct json *made = NULL;
    if (!node || node->type == JSON_NULL)
        return 0;
    switch (row->how) {
    case CARRY_AS_IS:
        made = carry_copy(a, node, row->to, e);
        break;
    case CARRY_SECONDS:
        made = seconds_text(a, node, row->to, e);
        break;
    case CARRY_LABELS:
        made = labels_object(a, node, row->to, e);
        break;
    }
    if (!made)
        return -1;
    json_append(into, made);
    return 0;
}

int carry_rows(struct arena *a, struct json *into, const struct json *root,
               const struct carry_row *rows, struct err *e)
{
    for (; rows->from; rows++)
        if (carry_one(a, into, root, rows, e))
            return -1;
    return 0;
}
