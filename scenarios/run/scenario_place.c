/* scenario_place: from the path of a value to its file, line and column. */
#include "scenarios/run/scenario_inside.h"
#include "sim/json.h"
#include "sim/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- while loading ---- */

const char *scenario_place_of(const struct scenario_loading *l, const char *path, char *buf,
                              size_t size)
{
    const struct json *node = json_at(l->root, path);
    return json_place(buf, size, node ? node : l->root);
}

int scenario_place_fail(const struct scenario_loading *l, struct scenario_item at, struct err *e,
                        const char *fmt, ...)
{
    char path[160] = "", place[sizeof e->where], msg[sizeof e->msg];
    va_list args;
    va_start(args, fmt);
    vsnprintf(msg, sizeof msg, fmt, args);
    va_end(args);
    if (at.list)
        snprintf(path, sizeof path, "%s[%zu]%s%s", at.list, at.i, at.key ? "." : "",
                 at.key ? at.key : "");
    else
        snprintf(path, sizeof path, "%s", at.key);
    return err_set(e, ERR_INPUT, scenario_place_of(l, path, place, sizeof place), "%s: %s", path,
                   msg);
}

/* ---- of a loaded scenario ---- */

/* One step of a path: a key of an object, or a name or number of an element. NULL: no such. */
static const struct json *step(const struct json *node, const char *name, size_t length)
{
    char text[128];
    if (length >= sizeof text)
        return NULL;
    memcpy(text, name, length);
    text[length] = '\0';
    if (node->type == JSON_OBJECT)
        return json_get(node, text);
    int64_t index = -1;
    bool number = text_parse_int64(text, &index);
    const struct json *c = node->first;
    for (int64_t i = 0; c; c = c->next, i++) {
        const struct json *own = json_get(c, "name");
        if (number ? i == index : own && own->type == JSON_STRING && strcmp(own->string, text) == 0)
            return c;
    }
    return NULL;
}

/* The deepest value that the path leads to; the root for a path that leads nowhere. */
static const struct json *follow(const struct json *root, const char *path, size_t length)
{
    const struct json *node = root;
    for (size_t at = 0; at < length;) {
        size_t n = strcspn(path + at, ".[]: ");
        if (at + n > length)
            n = length - at;
        const struct json *next = n > 0 ? step(node, path + at, n) : node;
        if (!next)
            break;
        node = next;
        at += n + 1;
    }
    return node;
}

void scenario_place(const struct scenario *s, struct err *e)
{
    char place[sizeof e->where], msg[sizeof e->msg];
    bool in_where = e->where[0] != '\0';
    const char *path = in_where ? e->where : e->msg;
    size_t length = strcspn(path, ": ");
    const struct json *node = follow(s->root, path, length);
    if (e->code != ERR_INPUT || (in_where && strcmp(e->where, s->path) == 0) || node == s->root)
        return;
    json_place(place, sizeof place, node);
    snprintf(msg, sizeof msg, "%.200s%s%.800s", in_where ? e->where : "", in_where ? ": " : "",
             e->msg);
    memcpy(e->where, place, sizeof place);
    memcpy(e->msg, msg, sizeof msg);
}
