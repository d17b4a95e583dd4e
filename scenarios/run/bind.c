/* bind: from a tree of values to a config struct, by the rows of a knob table. */
#include "scenarios/run/bind.h"

#include "scenarios/run/bind_dist.h"
#include "scenarios/run/bind_scalar.h"
#include "sim/arena.h"
#include "sim/json.h"
#include "sim/text.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int bind_fail(const struct json *at, const char *path, struct err *e, const char *fmt, ...)
{
    char msg[sizeof e->msg], where[sizeof e->where];
    va_list args;
    va_start(args, fmt);
    vsnprintf(msg, sizeof msg, fmt, args);
    va_end(args);
    return err_set(e, ERR_INPUT, json_place(where, sizeof where, at), "%s%s%s", path,
                   *path ? ": " : "", msg);
}

#define BIND_NAMES_MOST 64

/* ---- tables in tables ---- */

static int read_object(struct bind *b, const struct bind_field *f, struct err *e)
{
    return bind_object(b, f->value, f->path, f->row->table, f->at, e);
}

static int read_pointer(struct bind *b, const struct bind_field *f, struct err *e)
{
    void *made = arena_take(b->arena, 1, f->row->table->size, e);
    if (!made || bind_object(b, f->value, f->path, f->row->table, made, e))
        return -1;
    *(void **)f->at = made;
    return 0;
}

static int read_list(struct bind *b, const struct bind_field *f, struct err *e)
{
    struct knob_list *out = f->at;
    const size_t size = f->row->table->size;
    char path[BIND_PATH_LONGEST];
    if (f->value->type != JSON_ARRAY)
        return bind_field_expected(f, "", e);
    if (bind_field_check_count(f, f->value->count, e))
        return -1;
    out->items = arena_take(b->arena, f->value->count, size, e);
    if (!out->items)
        return -1;
    for (const struct json *c = f->value->first; c; c = c->next, out->count++) {
        snprintf(path, sizeof path, "%s[%zu]", f->path, out->count);
        char *at = (char *)out->items + out->count * size;
        if (bind_object(b, c, path, f->row->table, at, e))
            return -1;
    }
    return 0;
}

/* {"fixed": 8} stands for {"fixed": {"replicas": 8}}. */
static const struct json *lengthen(struct bind *b, const char *short_key, const struct json *value,
                                   struct err *e)
{
    struct json *object =
        json_new(b->arena, JSON_OBJECT, value->file, value->line, value->column, e);
    struct json *only = arena_take(b->arena, 1, sizeof *only, e);
    if (!object || !only)
        return NULL;
    *only = *value;
    only->next = NULL;
    only->key = short_key;
    json_append(object, only);
    return object;
}

static int bind_option(struct bind *b, const struct bind_field *f, const struct knob_option *option,
                       const struct json *settings, struct err *e)
{
    struct knob_choice *out = f->at;
    char path[BIND_PATH_LONGEST], buf[96];
    const struct json *object = settings;
    snprintf(path, sizeof path, "%s.%s", f->path, option->name);
    if (settings && settings->type != JSON_OBJECT) {
        if (!option->short_key)
            return bind_fail(settings, path, e, "found %s, expected an object of settings",
                             bind_field_show(settings, buf, sizeof buf));
        object = lengthen(b, option->short_key, settings, e);
        if (!object)
            return -1;
    }
    out->option = option;
    if (!option->table)
        return object && object->count ? bind_fail(object, path, e, "has no settings; expected {}")
                                       : 0;
    out->config = arena_take(b->arena, 1, option->table->size, e);
    return out->config ? bind_object(b, object, path, option->table, out->config, e) : -1;
}

static int fail_choice(const struct bind_field *f, struct err *e)
{
    struct text t = {0};
    knob_describe(&t, f->row);
    bind_fail(f->value, f->path, e, "found an object of %zu keys, expected exactly one: %s",
              f->value->count, t.s ? t.s : "a name");
    text_fini(&t);
    return -1;
}

static int read_choice(struct bind *b, const struct bind_field *f, struct err *e)
{
    const struct json *v = f->value;
    const char *names[BIND_NAMES_MOST];
    size_t n = 0;
    bool named = v->type == JSON_STRING;
    if (!named && v->type != JSON_OBJECT)
        return bind_field_expected(f, "", e);
    if (!named && v->count != 1)
        return fail_choice(f, e);
    const char *name = named ? v->string : v->first->key;
    for (; f->row->options[n]; n++) {
        if (strcmp(f->row->options[n]->name, name) == 0)
            return bind_option(b, f, f->row->options[n], named ? NULL : v->first, e);
        assert(n < BIND_NAMES_MOST);
        names[n] = f->row->options[n]->name;
    }
    return bind_field_unknown_name(f, name, names, n, e);
}

static int read_custom(struct bind *b, const struct bind_field *f, struct err *e)
{
    struct knob_given given = {b, f->value, f->path, f->at};
    if (f->row->read(&given, e) == 0)
        return 0;
    return bind_field_complete(f->value, f->path, e);
}

/* The reader of a row's kind. */
static bind_field_reader *reader_of(enum knob_kind kind)
{
    static bind_field_reader *const readers[] = {
        [KNOB_DIST] = bind_dist_read, [KNOB_OBJECT] = read_object, [KNOB_POINTER] = read_pointer,
        [KNOB_LIST] = read_list,      [KNOB_CHOICE] = read_choice, [KNOB_CUSTOM] = read_custom,
    };
    bind_field_reader *scalar = bind_scalar_reader(kind);
    if (scalar)
        return scalar;
    assert((size_t)kind < sizeof readers / sizeof *readers && readers[kind]);
    return readers[kind];
}

/* ---- origins ---- */

static const char *value_text(struct bind *b, const struct json *v, struct err *e)
{
    if (v->type == JSON_STRING || v->type == JSON_NUMBER)
        return v->string;
    struct text t = {0};
    struct json_out o;
    char *kept = NULL;
    json_out_init(&o, &t, true);
    json_out_value(&o, v);
    if (text_end(&t, e) == 0)
        kept = arena_text(b->arena, t.s, t.length, e);
    text_fini(&t);
    return kept;
}

static int add_origin(struct bind *b, const struct bind_origin *o, const char *path, struct err *e)
{
    if (b->n_origins == b->capacity) {
        size_t capacity = b->capacity ? 2 * b->capacity : 64;
        struct bind_origin *more = arena_take(b->arena, capacity, sizeof *more, e);
        if (!more)
            return -1;
        if (b->n_origins)
            memcpy(more, b->origins, b->n_origins * sizeof *more);
        b->origins = more;
        b->capacity = capacity;
    }
    struct bind_origin *kept = &b->origins[b->n_origins];
    *kept = *o;
    kept->path = arena_text(b->arena, path, strlen(path), e);
    if (!kept->path || !kept->value || !kept->from)
        return -1;
    b->n_origins++;
    return 0;
}

static bool has_rows_of_its_own(enum knob_kind kind)
{
    return kind == KNOB_OBJECT || kind == KNOB_POINTER || kind == KNOB_LIST;
}

static int note_given(struct bind *b, const struct bind_field *f, struct err *e)
{
    const struct json *v = f->value;
    char from[sizeof e->where];
    if (b->in_default || has_rows_of_its_own(f->row->kind))
        return 0; /* a default was noted as one; rows of its own are noted one by one */
    snprintf(from, sizeof from, v->line ? "%s:%u" : "%s", v->file ? v->file : "",
             (unsigned)v->line);
    struct bind_origin o = {.row = f->row, .from = arena_text(b->arena, from, strlen(from), e)};
    if (f->row->kind == KNOB_CHOICE && v->type == JSON_OBJECT)
        o.value = v->first->key; /* its settings are noted one by one */
    else
        o.value = value_text(b, v, e);
    return add_origin(b, &o, f->path, e);
}

static int note_default(struct bind *b, const struct knob *row, const char *path, struct err *e)
{
    if (row->quality == QUALITY_NONE)
        return 0;
    const struct bind_origin o = {.row = row,
                                  .value = row->preset,
                                  .quality = row->quality,
                                  .source = row->source,
                                  .from = "default"};
    return add_origin(b, &o, path, e);
}

/* ---- rows ---- */

int bind_value(struct bind *b, const struct knob *row, const struct json *value, const char *path,
               void *config, struct err *e)
{
    assert(b && b->arena && row && value && path && config && e);
    const struct bind_field f = {row, value, path, (char *)config + row->offset};
    if (value->type == JSON_NULL && row->kind != KNOB_CUSTOM)
        return bind_field_expected(&f, "; leave the key out for its default", e);
    return reader_of(row->kind)(b, &f, e);
}

/* Kinds whose value is a string in the file, whatever it looks like. */
static bool is_textual(enum knob_kind kind)
{
    return kind == KNOB_TEXT || kind == KNOB_NAME || kind == KNOB_MONEY || kind == KNOB_DURATION ||
           kind == KNOB_BYTES || kind == KNOB_QUANTITY;
}

static const struct json *preset_node(struct bind *b, const struct knob *row, struct err *e)
{
    struct err no_json = {0};
    if (!is_textual(row->kind)) {
        const struct json *v =
            json_parse(b->arena, "default", row->preset, strlen(row->preset), &no_json);
        if (v || no_json.code == ERR_SYSTEM) {
            if (!v)
                *e = no_json;
            return v;
        }
    }
    struct json *v = json_new(b->arena, JSON_STRING, "default", 0, 0, e);
    if (v)
        v->string = row->preset;
    return v;
}

/* A row that the file leaves out. */
static int bind_default(struct bind *b, const struct knob *row, const char *path, void *config,
                        struct err *e)
{
    if (row->kind == KNOB_OBJECT && (!row->preset || strcmp(row->preset, "{}") == 0))
        return bind_object(b, NULL, path, row->table, (char *)config + row->offset, e);
    if (!row->preset) {
        struct text t = {0};
        knob_describe(&t, row);
        bind_fail(b->near, path, e, "must be given (%s); expected %s", row->doc ? row->doc : "",
                  t.s ? t.s : "a value");
        text_fini(&t);
        return -1;
    }
    if (note_default(b, row, path, e))
        return -1;
    if (!*row->preset)
        return 0;
    const struct json *v = preset_node(b, row, e);
    if (!v)
        return -1;
    b->in_default++;
    int failed = bind_value(b, row, v, path, config, e);
    b->in_default--;
    return failed;
}

static int fail_unknown(const struct json *member, const char *path, const struct knob_table *table,
                        struct err *e)
{
    const char *names[256];
    size_t n = 0;
    struct text t = {0};
    for (const struct knob *row = table->rows; row->key && n < 256; row++) {
        text_printf(&t, "%s%s", n ? ", " : "", row->key);
        names[n++] = row->key;
    }
    const char *nearest = text_nearest(member->key, names, n);
    struct json at = *member;
    at.line = member->key_line;
    at.column = member->key_column;
    bind_fail(&at, path, e, "unknown key '%.*s'%s%s%sallowed: %s", text_cut(member->key, 100),
              member->key, nearest ? "; did you mean '" : "", nearest ? nearest : "",
              nearest ? "'? " : "; ", t.s ? t.s : "none");
    text_fini(&t);
    return -1;
}

static const struct knob *find_row(const struct knob_table *table, const char *key)
{
    for (const struct knob *row = table->rows; row->key; row++)
        if (strcmp(row->key, key) == 0)
            return row;
    return NULL;
}

static void join_path(char *out, const char *path, const char *key)
{
    snprintf(out, BIND_PATH_LONGEST, "%s%s%s", path, *path && *key != '[' ? "." : "", key);
}

static int bind_row(struct bind *b, const struct json *object, const char *path,
                    const struct knob *row, void *out, struct err *e)
{
    char own[BIND_PATH_LONGEST];
    join_path(own, path, row->key);
    const struct json *value = json_get(object, row->key);
    if (!value)
        return bind_default(b, row, own, out, e);
    if (bind_value(b, row, value, own, out, e))
        return -1;
    const struct bind_field f = {row, value, own, NULL};
    return note_given(b, &f, e);
}

/* The model's own check across rows. */
static int check_table(const struct json *object, const char *path, const struct knob_table *table,
                       const void *out, struct err *e)
{
    const char *key = NULL;
    char own[BIND_PATH_LONGEST];
    if (!table->check || table->check(out, &key, e) == 0)
        return 0;
    const struct json *at = object && key ? json_at(object, key) : NULL;
    join_path(own, path, key ? key : "");
    return bind_field_complete(at ? at : object, key ? own : path, e);
}

static int bind_rows(struct bind *b, const struct json *object, const char *path,
                     const struct knob_table *table, void *out, struct err *e)
{
    for (const struct json *c = object ? object->first : NULL; c; c = c->next)
        if (!find_row(table, c->key))
            return fail_unknown(c, path, table, e);
    for (const struct knob *row = table->rows; row->key; row++)
        if (bind_row(b, object, path, row, out, e))
            return -1;
    return check_table(object ? object : b->near, path, table, out, e);
}

int bind_object(struct bind *b, const struct json *object, const char *path,
                const struct knob_table *table, void *out, struct err *e)
{
    assert(b && b->arena && path && table && out && e);
    char buf[96];
    if (object && object->type != JSON_OBJECT)
        return bind_fail(object, path, e, "found %s, expected an object: %s",
                         bind_field_show(object, buf, sizeof buf),
                         table->doc ? table->doc : table->name);
    const struct json *outer = b->near;
    if (object)
        b->near = object;
    memset(out, 0, table->size);
    int failed = bind_rows(b, object, path, table, out, e);
    b->near = outer;
    return failed;
}

const struct bind_origin *bind_origins(const struct bind *b, size_t *n)
{
    *n = b->n_origins;
    return b->origins;
}
