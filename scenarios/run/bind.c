/* bind: from a tree of values to a config struct, by the rows of a knob table. */
#include "scenarios/run/bind.h"

#include "sim/arena.h"
#include "sim/dist.h"
#include "sim/json.h"
#include "sim/money.h"
#include "sim/text.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define PATH_LONGEST 512
#define ELEMENTS_MOST 100000             /* of a list whose row sets no bound */
#define WHOLE_LARGEST 9007199254740992.0 /* 2^53: from here on a double skips whole numbers */

/* One row at work. */
struct field {
    const struct knob *row;
    const struct json *value;
    const char *path;
    void *at; /* where the value is stored */
};

typedef int field_read(struct bind *b, const struct field *f, struct err *e);

/* ---- messages ---- */

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

/* A value as a message shows it. */
static const char *show(const struct json *v, char *buf, size_t size)
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
static int fail_expected(const struct field *f, const char *hint, struct err *e)
{
    char buf[96];
    struct text t = {0};
    knob_describe(&t, f->row);
    bind_fail(f->value, f->path, e, "found %s, expected %s%s", show(f->value, buf, sizeof buf),
              t.s ? t.s : "another value", hint);
    text_fini(&t);
    return -1;
}

/* Adds path and place to an error that came from a model, which knows neither. */
static int complete(const struct json *at, const char *path, struct err *e)
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
static int check_range(const struct field *f, double v, struct err *e)
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
              show(f->value, buf, sizeof buf), t.s ? t.s : "");
    text_fini(&t);
    return -1;
}

/* ---- numbers ---- */

static int read_bool(struct bind *b, const struct field *f, struct err *e)
{
    (void)b;
    if (f->value->type != JSON_BOOL)
        return fail_expected(f, "", e);
    *(bool *)f->at = f->value->boolean;
    return 0;
}

/* A whole number, written as one or as a string of digits. */
static int whole(const struct field *f, int64_t *out, struct err *e)
{
    const struct json *v = f->value;
    if (v->type == JSON_STRING && text_parse_int64(v->string, out))
        return 0;
    if (v->type != JSON_NUMBER || v->number != floor(v->number))
        return fail_expected(f, "", e);
    if (fabs(v->number) >= WHOLE_LARGEST)
        return bind_fail(v, f->path, e,
                         "%s is beyond 2^53, where JSON numbers lose digits; write it as a "
                         "string: \"%s\"",
                         v->string, v->string);
    *out = (int64_t)v->number;
    return 0;
}

static int read_int(struct bind *b, const struct field *f, struct err *e)
{
    (void)b;
    return whole(f, f->at, e) || check_range(f, (double)*(int64_t *)f->at, e) ? -1 : 0;
}

static int read_int32(struct bind *b, const struct field *f, struct err *e)
{
    int64_t v;
    (void)b;
    if (whole(f, &v, e) || check_range(f, (double)v, e))
        return -1;
    if (v < INT32_MIN || v > INT32_MAX)
        return bind_fail(f->value, f->path, e, "%lld is outside -2147483648..2147483647",
                         (long long)v);
    *(int32_t *)f->at = (int32_t)v;
    return 0;
}

static int read_number(struct bind *b, const struct field *f, struct err *e)
{
    (void)b;
    if (f->value->type != JSON_NUMBER)
        return fail_expected(f, "", e);
    *(double *)f->at = f->value->number;
    return check_range(f, f->value->number, e);
}

static int read_share(struct bind *b, const struct field *f, struct err *e)
{
    const struct json *v = f->value;
    if (v->type == JSON_NUMBER && v->number >= 2 && v->number <= 100 && f->row->max <= 1)
        return bind_fail(v, f->path, e, "%s is outside 0..1; %s %% is written as %g", v->string,
                         v->string, v->number / 100);
    return read_number(b, f, e);
}

static int read_percent(struct bind *b, const struct field *f, struct err *e)
{
    const struct json *v = f->value;
    double percent;
    char digits[64];
    (void)b;
    size_t n = v->type == JSON_STRING ? strlen(v->string) : 0;
    if (v->type == JSON_NUMBER) {
        percent = v->number;
    } else if (n >= 2 && n < sizeof digits && v->string[n - 1] == '%') {
        memcpy(digits, v->string, n - 1);
        digits[n - 1] = '\0';
        if (!text_parse_double(digits, &percent))
            return fail_expected(f, "", e);
    } else {
        return fail_expected(f, "", e);
    }
    *(double *)f->at = percent / 100;
    return check_range(f, percent, e);
}

/* ---- notations of the platform ---- */

static int fail_duration(const struct field *f, struct err *e)
{
    const struct json *v = f->value;
    char buf[96];
    double number;
    const char *digits = v->type == JSON_NUMBER || v->type == JSON_STRING ? v->string : "";
    if (text_parse_double(digits, &number) && number >= 0)
        return bind_fail(v, f->path, e,
                         "%s has no unit; write \"%.30ss\", \"%.30sms\" or \"%.30sm\"",
                         show(v, buf, sizeof buf), digits, digits, digits);
    if (*digits == '-')
        return bind_fail(v, f->path, e, "%s is negative; a duration is never below 0",
                         show(v, buf, sizeof buf));
    return fail_expected(f,
                         "; units are ns, us, ms, s, m, h, d and w, larger ones first, at most "
                         "292 years",
                         e);
}

static int duration(const struct field *f, int64_t *ns, struct err *e)
{
    const struct json *v = f->value;
    if (v->type == JSON_NUMBER && v->number == 0)
        *ns = 0;
    else if (v->type != JSON_STRING || !text_parse_duration(v->string, ns))
        return fail_duration(f, e);
    return check_range(f, (double)*ns / 1e9, e);
}

static int read_duration(struct bind *b, const struct field *f, struct err *e)
{
    (void)b;
    return duration(f, f->at, e);
}

static int read_bytes(struct bind *b, const struct field *f, struct err *e)
{
    const struct json *v = f->value;
    int64_t *out = f->at;
    (void)b;
    bool written = v->type == JSON_STRING || v->type == JSON_NUMBER;
    if (!written || !text_parse_bytes(v->string, out)) {
        size_t n = written ? strlen(v->string) : 0;
        bool unit = n && (v->string[n - 1] == 'B' || v->string[n - 1] == 's');
        return fail_expected(f,
                             unit ? "; K, M, G are powers of 1000 and Ki, Mi, Gi of 1024, "
                                    "without B or /s"
                                  : "; at most 8Ei",
                             e);
    }
    return check_range(f, (double)*out, e);
}

static int read_quantity(struct bind *b, const struct field *f, struct err *e)
{
    const struct json *v = f->value;
    int64_t *out = f->at;
    (void)b;
    bool written = v->type == JSON_STRING || v->type == JSON_NUMBER;
    if (!written || !text_parse_quantity(v->string, out))
        return fail_expected(f, "; at most 9.2P", e);
    return check_range(f, (double)*out / 1000, e);
}

static int read_money(struct bind *b, const struct field *f, struct err *e)
{
    const struct json *v = f->value;
    struct money *out = f->at;
    char amount[64];
    (void)b;
    const char *blank = v->type == JSON_STRING ? strchr(v->string, ' ') : NULL;
    size_t n = blank ? (size_t)(blank - v->string) : 0;
    if (!blank || n >= sizeof amount || strlen(blank + 1) != 3 ||
        strspn(blank + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != 3)
        return fail_expected(f, ": a number, a blank, a currency of three letters", e);
    memcpy(amount, v->string, n);
    amount[n] = '\0';
    if (!text_parse_micro(amount, &out->micro))
        return fail_expected(f, "; at most six decimals and 9.2e12 in all", e);
    if (out->micro < 0 && f->row->min >= 0)
        return bind_fail(v, f->path, e, "\"%s\" is negative", v->string);
    memcpy(out->currency, blank + 1, sizeof out->currency);
    return check_range(f, (double)out->micro / 1e6, e);
}

/* ---- texts and names ---- */

static const char *quotes_help(const struct json *v)
{
    return v->type == JSON_NUMBER || v->type == JSON_BOOL ? " in quotes" : "";
}

static int read_text(struct bind *b, const struct field *f, struct err *e)
{
    const struct json *v = f->value;
    (void)b;
    if (v->type != JSON_STRING)
        return fail_expected(f, quotes_help(v), e);
    *(const char **)f->at = v->string;
    return 0;
}

/* "found "x"; did you mean 'y'? allowed: ..." for a name among n. */
static int fail_name(const struct field *f, const char *found, const char *const *names, size_t n,
                     struct err *e)
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

#define NAMES_MOST 64

static int read_name(struct bind *b, const struct field *f, struct err *e)
{
    const char *names[NAMES_MOST];
    size_t n = 0;
    (void)b;
    if (f->value->type != JSON_STRING)
        return fail_expected(f, "", e);
    for (const struct knob_name *k = f->row->names; k->name; k++) {
        if (strcmp(k->name, f->value->string) == 0) {
            *(int *)f->at = k->value;
            return 0;
        }
        assert(n < NAMES_MOST);
        names[n++] = k->name;
    }
    return fail_name(f, f->value->string, names, n, e);
}

static int check_count(const struct field *f, size_t n, struct err *e)
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

static int read_texts(struct bind *b, const struct field *f, struct err *e)
{
    const struct json *v = f->value;
    struct knob_texts *out = f->at;
    bool one = v->type == JSON_STRING;
    char path[PATH_LONGEST], buf[96];
    if (!one && v->type != JSON_ARRAY)
        return fail_expected(f, "", e);
    size_t n = one ? 1 : v->count;
    if (check_count(f, n, e))
        return -1;
    out->items = arena_take(b->arena, n, sizeof *out->items, e);
    if (!out->items)
        return -1;
    for (const struct json *c = one ? v : v->first; c; c = one ? NULL : c->next) {
        if (c->type != JSON_STRING) {
            snprintf(path, sizeof path, "%s[%zu]", f->path, out->count);
            return bind_fail(c, path, e, "found %s, expected a text%s", show(c, buf, sizeof buf),
                             quotes_help(c));
        }
        out->items[out->count++] = c->string;
    }
    return 0;
}

static int read_map(struct bind *b, const struct field *f, struct err *e)
{
    const struct json *v = f->value;
    struct knob_map *out = f->at;
    char path[PATH_LONGEST], buf[96];
    if (v->type != JSON_OBJECT)
        return fail_expected(f, "", e);
    if (check_count(f, v->count, e))
        return -1;
    out->items = arena_take(b->arena, v->count, sizeof *out->items, e);
    if (!out->items)
        return -1;
    for (const struct json *c = v->first; c; c = c->next) {
        if (c->type != JSON_STRING) {
            snprintf(path, sizeof path, "%s[\"%.*s\"]", f->path, text_cut(c->key, 200), c->key);
            return bind_fail(c, path, e, "found %s, expected a text%s", show(c, buf, sizeof buf),
                             quotes_help(c));
        }
        out->items[out->count++] = (struct knob_pair){c->key, c->string};
    }
    return 0;
}

/* ---- distributions ---- */

/* One pair of figures that makes a distribution of a kind. */
struct dist_form {
    const char *name;
    enum dist_kind kind;
    const char *keys[2]; /* the first is a duration but for "shape" */
};

static const struct dist_form dist_forms[] = {
    {"constant", DIST_CONSTANT, {"mean", NULL}},
    {"constant", DIST_CONSTANT, {"value", NULL}},
    {"exponential", DIST_EXPONENTIAL, {"mean", NULL}},
    {"uniform", DIST_UNIFORM, {"min", "max"}},
    {"uniform", DIST_UNIFORM, {"mean", "cv"}},
    {"normal", DIST_NORMAL, {"mean", "cv"}},
    {"lognormal", DIST_LOGNORMAL, {"mean", "cv"}},
    {"lognormal", DIST_LOGNORMAL, {"median", "sigma"}},
    {"weibull", DIST_WEIBULL, {"mean", "cv"}},
    {"weibull", DIST_WEIBULL, {"shape", "scale"}},
    {"gamma", DIST_GAMMA, {"mean", "cv"}},
    {"gamma", DIST_GAMMA, {"shape", "scale"}},
};
#define DIST_FORMS (sizeof dist_forms / sizeof *dist_forms)

/* What the object's kind can be made from: "mean and cv, or shape and scale". */
static int fail_form(const struct field *f, const char *kind, struct err *e)
{
    struct text t = {0};
    for (size_t i = 0; i < DIST_FORMS; i++) {
        const struct dist_form *form = &dist_forms[i];
        if (strcmp(form->name, kind) == 0)
            text_printf(&t, "%s%s%s%s", t.length ? ", or " : "", form->keys[0],
                        form->keys[1] ? " and " : "", form->keys[1] ? form->keys[1] : "");
    }
    bind_fail(f->value, f->path, e, "%s takes %s (beside \"distribution\")", kind, t.s ? t.s : "");
    text_fini(&t);
    return -1;
}

static int dist_find(const struct field *f, const struct dist_form **out, struct err *e)
{
    const char *names[DIST_FORMS];
    const struct json *kind = json_get(f->value, "distribution");
    bool known = false;
    size_t n = 0;
    if (!kind || kind->type != JSON_STRING)
        return fail_expected(f, "", e);
    for (size_t i = 0; i < DIST_FORMS; i++) {
        const struct dist_form *form = &dist_forms[i];
        if (n == 0 || strcmp(names[n - 1], form->name) != 0)
            names[n++] = form->name;
        if (strcmp(form->name, kind->string) != 0)
            continue;
        known = true;
        bool both = json_get(f->value, form->keys[0]) &&
                    (!form->keys[1] || json_get(f->value, form->keys[1]));
        if (both && f->value->count == (form->keys[1] ? 3u : 2u)) {
            *out = form;
            return 0;
        }
    }
    if (known)
        return fail_form(f, kind->string, e);
    const struct field named = {f->row, kind, f->path, NULL};
    return fail_name(&named, kind->string, names, n, e);
}

/* One figure of a distribution: a duration in nanoseconds, or a plain number. */
static int dist_figure(struct bind *b, const struct field *f, const char *key, double *out,
                       struct err *e)
{
    static const struct knob number_row = {.kind = KNOB_NUMBER};
    static const struct knob duration_row = {.kind = KNOB_DURATION};
    char path[PATH_LONGEST];
    int64_t ns;
    bool plain = strcmp(key, "cv") == 0 || strcmp(key, "sigma") == 0 || strcmp(key, "shape") == 0;
    snprintf(path, sizeof path, "%s.%s", f->path, key);
    struct field figure = {plain ? &number_row : &duration_row, json_get(f->value, key), path, out};
    if (plain)
        return read_number(b, &figure, e);
    if (duration(&figure, &ns, e))
        return -1;
    *out = (double)ns;
    return 0;
}

static int dist_build(const struct field *f, const struct dist_form *form, const double v[2],
                      struct err *e)
{
    const char *key = form->keys[0];
    struct dist *d = f->at;
    if (strcmp(key, "min") == 0) {
        if (v[0] >= v[1])
            return bind_fail(f->value, f->path, e, "min must be below max");
        *d = dist_uniform(v[0], v[1]);
        return 0;
    }
    if (strcmp(key, "median") == 0) {
        if (v[0] <= 0 || v[1] < 0 || v[1] > 10)
            return bind_fail(f->value, f->path, e,
                             "median must be above 0 and sigma (of the logarithm) in 0..10");
        *d = dist_lognormal_median(v[0], v[1]);
        return 0;
    }
    if (strcmp(key, "shape") == 0) {
        if (v[1] <= 0)
            return bind_fail(f->value, f->path, e, "scale must be above 0");
        return dist_shape(d, form->kind, v[0], v[1], e) ? complete(f->value, f->path, e) : 0;
    }
    return dist_make(d, form->kind, v[0], v[1], e) ? complete(f->value, f->path, e) : 0;
}

/* Bounds hold for the mean of a distribution; a file shows it only as figures. */
static int check_mean(const struct field *f, double mean_ns, struct err *e)
{
    struct err range = {0};
    char mean[64];
    struct text t = {0};
    if (check_range(f, mean_ns / 1e9, &range) == 0)
        return 0;
    knob_bounds(&t, f->row);
    text_duration(mean, sizeof mean, mean_ns < 9e18 ? (int64_t)mean_ns : INT64_MAX);
    bind_fail(f->value, f->path, e, "its mean, %s, is outside %s", mean, t.s ? t.s : "its bounds");
    text_fini(&t);
    return -1;
}

static int read_dist(struct bind *b, const struct field *f, struct err *e)
{
    const struct dist_form *form = NULL;
    struct dist *d = f->at;
    double v[2] = {0, 0};
    int64_t ns;
    if (f->value->type != JSON_OBJECT) {
        if (f->value->type != JSON_STRING && f->value->type != JSON_NUMBER)
            return fail_expected(f, "", e);
        if (duration(f, &ns, e))
            return -1;
        *d = dist_constant((double)ns);
        return 0;
    }
    if (dist_find(f, &form, e))
        return -1;
    for (int i = 0; i < 2 && form->keys[i]; i++)
        if (dist_figure(b, f, form->keys[i], &v[i], e))
            return -1;
    if (dist_build(f, form, v, e))
        return -1;
    return check_mean(f, d->mean, e);
}

/* ---- tables in tables ---- */

static int read_object(struct bind *b, const struct field *f, struct err *e)
{
    return bind_object(b, f->value, f->path, f->row->table, f->at, e);
}

static int read_pointer(struct bind *b, const struct field *f, struct err *e)
{
    void *made = arena_take(b->arena, 1, f->row->table->size, e);
    if (!made || bind_object(b, f->value, f->path, f->row->table, made, e))
        return -1;
    *(void **)f->at = made;
    return 0;
}

static int read_list(struct bind *b, const struct field *f, struct err *e)
{
    struct knob_list *out = f->at;
    const size_t size = f->row->table->size;
    char path[PATH_LONGEST];
    if (f->value->type != JSON_ARRAY)
        return fail_expected(f, "", e);
    if (check_count(f, f->value->count, e))
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

static int bind_option(struct bind *b, const struct field *f, const struct knob_option *option,
                       const struct json *settings, struct err *e)
{
    struct knob_choice *out = f->at;
    char path[PATH_LONGEST], buf[96];
    const struct json *object = settings;
    snprintf(path, sizeof path, "%s.%s", f->path, option->name);
    if (settings && settings->type != JSON_OBJECT) {
        if (!option->short_key)
            return bind_fail(settings, path, e, "found %s, expected an object of settings",
                             show(settings, buf, sizeof buf));
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

static int fail_choice(const struct field *f, struct err *e)
{
    struct text t = {0};
    knob_describe(&t, f->row);
    bind_fail(f->value, f->path, e, "found an object of %zu keys, expected exactly one: %s",
              f->value->count, t.s ? t.s : "a name");
    text_fini(&t);
    return -1;
}

static int read_choice(struct bind *b, const struct field *f, struct err *e)
{
    const struct json *v = f->value;
    const char *names[NAMES_MOST];
    size_t n = 0;
    bool named = v->type == JSON_STRING;
    if (!named && v->type != JSON_OBJECT)
        return fail_expected(f, "", e);
    if (!named && v->count != 1)
        return fail_choice(f, e);
    const char *name = named ? v->string : v->first->key;
    for (; f->row->options[n]; n++) {
        if (strcmp(f->row->options[n]->name, name) == 0)
            return bind_option(b, f, f->row->options[n], named ? NULL : v->first, e);
        assert(n < NAMES_MOST);
        names[n] = f->row->options[n]->name;
    }
    return fail_name(f, name, names, n, e);
}

static int read_custom(struct bind *b, const struct field *f, struct err *e)
{
    if (f->row->read(b, f->value, f->path, f->at, e) == 0)
        return 0;
    return complete(f->value, f->path, e);
}

static field_read *const readers[] = {
    [KNOB_BOOL] = read_bool,         [KNOB_INT] = read_int,       [KNOB_INT32] = read_int32,
    [KNOB_NUMBER] = read_number,     [KNOB_SHARE] = read_share,   [KNOB_PERCENT] = read_percent,
    [KNOB_DURATION] = read_duration, [KNOB_BYTES] = read_bytes,   [KNOB_QUANTITY] = read_quantity,
    [KNOB_MONEY] = read_money,       [KNOB_TEXT] = read_text,     [KNOB_NAME] = read_name,
    [KNOB_DIST] = read_dist,         [KNOB_OBJECT] = read_object, [KNOB_POINTER] = read_pointer,
    [KNOB_LIST] = read_list,         [KNOB_TEXTS] = read_texts,   [KNOB_MAP] = read_map,
    [KNOB_CHOICE] = read_choice,     [KNOB_CUSTOM] = read_custom,
};

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

static int note_given(struct bind *b, const struct field *f, struct err *e)
{
    const struct json *v = f->value;
    char from[sizeof e->where];
    if (b->in_default || has_rows_of_its_own(f->row->kind))
        return 0; /* a default was noted as one; rows of its own are noted one by one */
    snprintf(from, sizeof from, v->line ? "%s:%u" : "%s", v->file ? v->file : "",
             (unsigned)v->line);
    struct bind_origin o = {.from = arena_text(b->arena, from, strlen(from), e)};
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
    const struct bind_origin o = {
        .value = row->preset, .quality = row->quality, .source = row->source, .from = "default"};
    return add_origin(b, &o, path, e);
}

/* ---- rows ---- */

int bind_value(struct bind *b, const struct knob *row, const struct json *value, const char *path,
               void *config, struct err *e)
{
    assert(b && b->arena && row && value && path && config && e);
    assert((unsigned)row->kind < sizeof readers / sizeof *readers);
    const struct field f = {row, value, path, (char *)config + row->offset};
    if (value->type == JSON_NULL && row->kind != KNOB_CUSTOM)
        return fail_expected(&f, "; leave the key out for its default", e);
    return readers[row->kind](b, &f, e);
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
    snprintf(out, PATH_LONGEST, "%s%s%s", path, *path && *key != '[' ? "." : "", key);
}

static int bind_row(struct bind *b, const struct json *object, const char *path,
                    const struct knob *row, void *out, struct err *e)
{
    char own[PATH_LONGEST];
    join_path(own, path, row->key);
    const struct json *value = json_get(object, row->key);
    if (!value)
        return bind_default(b, row, own, out, e);
    if (bind_value(b, row, value, own, out, e))
        return -1;
    const struct field f = {row, value, own, NULL};
    return note_given(b, &f, e);
}

/* The model's own check across rows. */
static int check_table(const struct json *object, const char *path, const struct knob_table *table,
                       const void *out, struct err *e)
{
    const char *key = NULL;
    char own[PATH_LONGEST];
    if (!table->check || table->check(out, &key, e) == 0)
        return 0;
    const struct json *at = object && key ? json_at(object, key) : NULL;
    join_path(own, path, key ? key : "");
    return complete(at ? at : object, key ? own : path, e);
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
                         show(object, buf, sizeof buf), table->doc ? table->doc : table->name);
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

/* ---- overlay ---- */

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
