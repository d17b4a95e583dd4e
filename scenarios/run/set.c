/* set: one `path=value` of the command line, laid into a scenario's tree. */
#include "scenarios/run/set.h"

#include "sim/arena.h"
#include "sim/json.h"
#include "sim/text.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define STEPS_MOST 32
#define NAMES_MOST 64

struct step {
    const char *name; /* as written: "bert", "0" */
    int end;          /* of the step, in the assignment */
};

struct assignment {
    struct arena *arena;
    const char *text;
    struct step steps[STEPS_MOST];
    int n;
    struct json *value; /* NULL removes */
    struct err *e;
};

static int fail(const struct assignment *s, const char *fmt, ...) ERR_PRINTF(2, 3);

static int fail(const struct assignment *s, const char *fmt, ...)
{
    char msg[sizeof s->e->msg];
    va_list args;
    va_start(args, fmt);
    vsnprintf(msg, sizeof msg, fmt, args);
    va_end(args);
    return err_set(s->e, ERR_INPUT, "--set", "%.*s: %s", text_cut(s->text, 200), s->text, msg);
}

/* ---- the path ---- */

static int fail_path(const struct assignment *s)
{
    return fail(s, "expected path=value, such as services.bert.slo.p99=100ms or "
                   "nodePools[0].maxSize=20");
}

static int add_step(struct assignment *s, const char *from, size_t length, const char *end)
{
    if (length == 0)
        return fail_path(s);
    if (s->n == STEPS_MOST)
        return fail(s, "more than %d steps", STEPS_MOST);
    const char *name = arena_text(s->arena, from, length, s->e);
    if (!name)
        return -1;
    s->steps[s->n++] = (struct step){name, (int)(end - s->text)};
    return 0;
}

/* "[0]" or "[\"a.b\"]" at p; returns what follows, NULL on errors. */
static const char *read_bracket(struct assignment *s, const char *p)
{
    bool quoted = p[1] == '"';
    const char *from = p + 1 + quoted;
    size_t length = strcspn(from, quoted ? "\"" : "]=");
    const char *close = from + length + (quoted && from[length] ? 1 : 0);
    if (*close != ']') {
        fail_path(s);
        return NULL;
    }
    return add_step(s, from, length, close + 1) ? NULL : close + 1;
}

/* Reads the steps; returns the value after "=", NULL on errors. */
static const char *read_path(struct assignment *s)
{
    const char *p = s->text;
    while (*p != '=') {
        if (*p == '[') {
            p = read_bracket(s, p);
            if (!p)
                return NULL;
            continue;
        }
        if (*p == '.' && p > s->text)
            p++;
        size_t length = strcspn(p, ".[=");
        if (!p[length]) {
            fail_path(s);
            return NULL;
        }
        if (add_step(s, p, length, p + length))
            return NULL;
        p += length;
    }
    if (s->n == 0) {
        fail_path(s);
        return NULL;
    }
    return p + 1;
}

/* ---- the value ---- */

/* Takes the places inside the argument away, which nobody counts; returns the levels. */
static int strip_places(struct json *node)
{
    int deepest = 0;
    node->line = node->column = node->key_line = node->key_column = 0;
    for (struct json *c = node->first; c; c = c->next) {
        int levels = strip_places(c);
        deepest = levels > deepest ? levels : deepest;
    }
    return deepest + (node->type == JSON_ARRAY || node->type == JSON_OBJECT);
}

static int read_value(struct assignment *s, const char *text)
{
    struct err e = {0};
    struct json *value = json_parse(s->arena, "--set", text, strlen(text), &e);
    if (!value && e.code == ERR_SYSTEM) {
        *s->e = e;
        return -1;
    }
    if (!value && *text && strchr("{[\"", *text))
        return fail(s, "the value is no JSON: %s at character %s", e.msg,
                    strrchr(e.where, ':') + 1);
    if (!value) {
        value = json_new(s->arena, JSON_STRING, "--set", 0, 0, s->e);
        if (!value)
            return -1;
        value->string = arena_text(s->arena, text, strlen(text), s->e);
        if (!value->string)
            return -1;
    }
    if (strip_places(value) + s->n > JSON_MAX_DEPTH)
        return fail(s, "nested deeper than %d levels", JSON_MAX_DEPTH);
    s->value = value->type == JSON_NULL ? NULL : value;
    return 0;
}

/* ---- the tree ---- */

static struct json *assign(struct assignment *s, const struct json *node, int i);

static struct json *copy_node(struct assignment *s, const struct json *node)
{
    struct json *copy = arena_take(s->arena, 1, sizeof *copy, s->e);
    if (!copy)
        return NULL;
    *copy = *node;
    copy->next = NULL;
    return copy;
}

static const char *element_name(const struct json *element)
{
    const struct json *name = json_get(element, "name");
    return name && name->type == JSON_STRING ? name->string : NULL;
}

static int fail_element(const struct assignment *s, const struct json *list, int i)
{
    const char *names[NAMES_MOST];
    size_t n = 0;
    struct text t = {0};
    for (const struct json *c = list->first; c && n < NAMES_MOST; c = c->next) {
        const char *name = element_name(c);
        if (!name)
            continue;
        text_printf(&t, "%s%.*s", n ? ", " : "", text_cut(name, 60), name);
        names[n++] = name;
    }
    const char *nearest = text_nearest(s->steps[i].name, names, n);
    fail(s, "%.*s has %zu element%s, none is '%.*s'%s%.*s%s%s", i ? s->steps[i - 1].end : 5,
         i ? s->text : "(top)", list->count, text_plural(list->count, "", "s"),
         text_cut(s->steps[i].name, 60), s->steps[i].name,
         nearest ? "; did you mean '"
         : n     ? "; named: "
                 : "",
         nearest ? text_cut(nearest, 60) : 0, nearest ? nearest : "", nearest ? "'? named: " : "",
         t.s ? t.s : "");
    text_fini(&t);
    return -1;
}

/* The element that a step means: by name first, then by index. */
static const struct json *find_element(const struct assignment *s, const struct json *list, int i)
{
    const char *name = s->steps[i].name;
    int64_t index;
    for (const struct json *c = list->first; c; c = c->next) {
        const char *own = element_name(c);
        if (own && strcmp(own, name) == 0)
            return c;
    }
    if (text_parse_int64(name, &index) && index >= 0 && (uint64_t)index < list->count) {
        const struct json *c = list->first;
        while (index--)
            c = c->next;
        return c;
    }
    fail_element(s, list, i);
    return NULL;
}

/* A copy of an object or list with `child` in place of `old`; old NULL appends, child NULL
 * removes. */
static struct json *rebuild(struct assignment *s, const struct json *node, const struct json *old,
                            struct json *child)
{
    struct json *made = copy_node(s, node);
    if (!made)
        return NULL;
    made->first = made->last = NULL;
    made->count = 0;
    for (const struct json *c = node->first; c; c = c->next) {
        struct json *kept = c == old ? child : copy_node(s, c);
        if (kept)
            json_append(made, kept);
        else if (c != old)
            return NULL;
    }
    if (!old && child)
        json_append(made, child);
    return made;
}

/* An object for a member that is missing, or for a choice that stood as a plain name. */
static struct json *empty_object(struct assignment *s, const struct json *like)
{
    struct json *made = json_new(s->arena, JSON_OBJECT, "--set", 0, 0, s->e);
    if (made && like)
        made->key = like->key;
    return made;
}

/* What node, which stands before step i, becomes. */
static struct json *step_into(struct assignment *s, const struct json *node, int i)
{
    bool last = i + 1 == s->n;
    const char *name = s->steps[i].name;
    const struct json *old =
        node->type == JSON_ARRAY ? find_element(s, node, i) : json_get(node, name);
    if (node->type == JSON_ARRAY && !old)
        return NULL;
    if (last && !s->value)
        return rebuild(s, node, old, NULL);
    struct json *child = assign(s, old, i + 1);
    if (!child)
        return NULL;
    child->key = node->type == JSON_OBJECT ? name : NULL;
    child->key_line = old ? old->key_line : 0;
    child->key_column = old ? old->key_column : 0;
    return rebuild(s, node, old, child);
}

static struct json *assign(struct assignment *s, const struct json *node, int i)
{
    if (i == s->n)
        return copy_node(s, s->value);
    bool named = node && node->type == JSON_STRING && strcmp(node->string, s->steps[i].name) == 0;
    if (!node || node->type == JSON_NULL || named)
        node = empty_object(s, node);
    if (!node)
        return NULL;
    if (node->type == JSON_OBJECT || node->type == JSON_ARRAY)
        return step_into(s, node, i);
    fail(s, "%.*s is %s, which has no '%.*s'", i ? s->steps[i - 1].end : 5, i ? s->text : "(top)",
         json_type_name(node->type), text_cut(s->steps[i].name, 60), s->steps[i].name);
    return NULL;
}

static int check_utf8(const char *s, struct err *e)
{
    const char *end = s + strlen(s);
    for (size_t n = 0; s < end; s += n) {
        n = text_character(s, end);
        if (n == 0)
            return err_set(e, ERR_INPUT, "--set", "the assignment is not UTF-8");
    }
    return 0;
}

struct json *set_apply(struct arena *a, const struct json *root, const char *assignment,
                       struct err *e)
{
    assert(a && root && assignment && e);
    if (check_utf8(assignment, e))
        return NULL;
    struct assignment s = {.arena = a, .text = assignment, .e = e};
    const char *value = read_path(&s);
    if (!value || read_value(&s, value))
        return NULL;
    return assign(&s, root, 0);
}
