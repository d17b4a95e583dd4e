/* bind_field: one row at work and what is wrong with its value. */
#include "scenarios/run/bind_field.h"

#include "scenarios/run/bind.h"
#include "sim/err.h"
#include "sim/json.h"
#include "sim/knob.h"
#include "sim/text.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define ELEMENTS_MOST 100000 /* of a list whose row sets no bound */

/* A value as a message shows it. */
const char *bind_field_show(const struct json *v, char *buf, size_t size)
{
    switch (v->type) {
    case JSON_STRING:
        snprintf(buf, size, "\"%.*s%s\"", text_cut(v->string, 60), v->string,
                 strlen(v->string) > 60 ? "..." : "");
        return buf;
    case JSON_NUMBER:
        snprintf(buf, size, "%.60s", v->string);
        return buf;
    case JSON_BOOL:
        return v->boolean ? "true" : "false";
    default:
        return json_type_name(v->type);
    }
}

/* "found X, expected ...": for a value of the wrong type or notation. */
int bind_field_expected(const struct bind_field *f, const char *hint, struct err *e)
{
    char buf[96];
    struct text t = {0};
    knob_describe(&t, f->row);
    bind_fail(f->value, f->path, e, "found %s, expected %s%s",
              bind_field_show(f->value, buf, sizeof buf), t.s ? t.s : "another value", hint);
    text_fini(&t);
    return -1;
}

/* Adds path and place to an error that came from a model, which knows neither. */
int bind_field_complete(const struct json *at, const char *path, struct err *e)
{
    size_t n = strlen(path);
    char msg[sizeof e->msg];
    assert(e->code != ERR_NONE);
    if (e->code != ERR_INPUT)
        return -1;
    if (!e->where[0])
        json_place(e->where, sizeof e->where, at);
    if (n == 0 || strncmp(e->msg, path, n) == 0)
        return -1;
    snprintf(msg, sizeof msg, "%.*s", (int)(sizeof msg - 1), e->msg);
    struct err whole = {0};
    err_set(&whole, ERR_INPUT, e->where, "%s: %s", path, msg);
    *e = whole;
    return -1;
}

/* The bounds of a number in the unit of the file. */
int bind_field_check_range(const struct bind_field *f, double v, struct err *e)
{
    const struct knob *row = f->row;
    double min = row->min, max = row->max;
    bool bounded = min != 0 || max != 0;
    if (!bounded && (row->kind == KNOB_SHARE || row->kind == KNOB_PERCENT)) {
        max = row->kind == KNOB_SHARE ? 1 : 100;
        bounded = true;
    }
    bool low = v < min, high = max >= min && v > max;
    if (!bounded || (!low && !high))
        return 0;
    char buf[96];
    struct text t = {0};
    knob_bounds(&t, row);
    bool range = max >= min && isfinite(min);
    bind_fail(f->value, f->path, e, range ? "%s is outside %s" : "%s is out of bounds: %s",
              bind_field_show(f->value, buf, sizeof buf), t.s ? t.s : "");
    text_fini(&t);
    return -1;
}

int bind_field_check_count(const struct bind_field *f, size_t n, struct err *e)
{
    const struct knob *row = f->row;
    if (n > ELEMENTS_MOST && (row->max <= 0 || row->max < row->min))
        return bind_fail(f->value, f->path, e, "%zu elements, at most %d", n, ELEMENTS_MOST);
    if ((row->min == 0 && row->max == 0) ||
        ((double)n >= row->min && (row->max < row->min || (double)n <= row->max)))
        return 0;
    struct text t = {0};
    knob_bounds(&t, row);
    bind_fail(f->value, f->path, e, "%zu elements, expected %s", n, t.s ? t.s : "");
    text_fini(&t);
    return -1;
}

/* "found "x"; did you mean 'y'? allowed: ..." for a name among n. */
int bind_field_unknown_name(const struct bind_field *f, const char *found, const char *const *names,
                            size_t n, struct err *e)
{
    struct text t = {0};
    const char *nearest = text_nearest(found, names, n);
    for (size_t i = 0; i < n; i++)
        text_printf(&t, "%s%s", i ? ", " : "", names[i]);
    bind_fail(f->value, f->path, e, "unknown name '%.*s'%s%s%sallowed: %s", text_cut(found, 60),
              found, nearest ? "; did you mean '" : "", nearest ? nearest : "",
              nearest ? "'? " : "; ", t.s ? t.s : "none");
    text_fini(&t);
    return -1;
}
