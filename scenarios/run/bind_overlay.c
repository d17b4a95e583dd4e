/* bind_overlay: one tree laid over another. */
#include "scenarios/run/bind_overlay.h"

#include "scenarios/run/bind.h"
#include "sim/arena.h"
#include "sim/err.h"
#include "sim/json.h"

#include <assert.h>

static struct json *copy_node(struct bind *b, const struct json *node, struct err *e)
{
    struct json *copy = arena_take(b->arena, 1, sizeof *copy, e);
    if (!copy)
        return NULL;
    *copy = *node;
    copy->next = NULL;
    return copy;
}

static struct json *copy_tree(struct bind *b, const struct json *node, struct err *e)
{
    struct json *copy = copy_node(b, node, e);
    if (!copy)
        return NULL;
    copy->first = copy->last = NULL;
    copy->count = 0;
    bool object = node->type == JSON_OBJECT;
    for (const struct json *c = node->first; c; c = c->next) {
        if (object && c->type == JSON_NULL)
            continue; /* removes what the base does not have */
        struct json *child = copy_tree(b, c, e);
        if (!child)
            return NULL;
        json_append(copy, child);
    }
    return copy;
}

static int append_merged(struct bind *b, struct json *into, const struct json *base,
                         const struct json *over, struct err *e)
{
    if (over && over->type == JSON_NULL)
        return 0;
    struct json *child = bind_overlay(b, base, over, e);
    if (!child)
        return -1;
    json_append(into, child);
    return 0;
}

struct json *bind_overlay(struct bind *b, const struct json *base, const struct json *over,
                          struct err *e)
{
    assert(base || over);
    if (!over || !base || over->type != JSON_OBJECT || base->type != JSON_OBJECT)
        return copy_tree(b, over ? over : base, e);
    struct json *merged = copy_node(b, over, e);
    if (!merged)
        return NULL;
    merged->first = merged->last = NULL;
    merged->count = 0;
    for (const struct json *c = base->first; c; c = c->next)
        if (append_merged(b, merged, c, json_get(over, c->key), e))
            return NULL;
    for (const struct json *c = over->first; c; c = c->next)
        if (!json_get(base, c->key) && append_merged(b, merged, NULL, c, e))
            return NULL;
    return merged;
}
