/* decide_read: typed access to a case's fields. */
#include "scenarios/run/decide_read.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

int decide_read_fail(const struct json *at, const char *key, struct err *e, const char *fmt, ...)
{
    char place[512] = "", msg[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(msg, sizeof msg, fmt, args);
    va_end(args);
    if (at)
        json_place(place, sizeof place, at);
    return err_set(e, ERR_INPUT, place, "%s: %s", key, msg);
}

const struct json *decide_read_field(const struct json *o, const char *key, struct err *e)
{
    if (!o || o->type != JSON_OBJECT) {
        if (o)
            decide_read_fail(o, key, e, "looked for in %s, which is no object",
                             json_type_name(o->type));
        return NULL;
    }
    const struct json *v = json_get(o, key);
    return v && v->type != JSON_NULL ? v : NULL;
}

static const struct json *required(const struct json *o, const char *key, struct err *e)
{
    const struct json *v = decide_read_field(o, key, e);
    if (!v)
        decide_read_fail(o, key, e, "is missing");
    return v;
}

static const struct json *of_type(const struct json *o, const char *key, enum json_type type,
                                  struct err *e)
{
    const struct json *v = required(o, key, e);
    if (v && v->type != type) {
        decide_read_fail(v, key, e, "%s, but must be %s", json_type_name(v->type),
                         json_type_name(type));
        return NULL;
    }
    return v;
}

/* The digits of a number or of a string, or NULL. */
static const char *digits(const struct json *v)
{
    return v->type == JSON_NUMBER || v->type == JSON_STRING ? v->string : NULL;
}

/* Numbers such as 10.0 and 1e3 are whole, too. */
static bool whole(const struct json *v, int64_t *out)
{
    const char *s = digits(v);
    if (s && text_parse_int64(s, out))
        return true;
    if (v->type != JSON_NUMBER || v->number < -9007199254740992.0 || v->number > 9007199254740992.0)
        return false;
    *out = (int64_t)v->number;
    return (double)*out == v->number;
}

static int64_t int_of(const struct json *v, const char *key, int64_t min, int64_t max,
                      struct err *e)
{
    int64_t n = 0;
    const char *found = digits(v);
    if (!whole(v, &n)) {
        decide_read_fail(v, key, e, "%s, but must be a whole number",
                         found ? found : json_type_name(v->type));
        return 0;
    }
    if (n < min || n > max) {
        decide_read_fail(v, key, e, "%lld is outside %lld..%lld", (long long)n, (long long)min,
                         (long long)max);
        return 0;
    }
    return n;
}

int64_t decide_read_int(const struct json *o, const char *key, int64_t min, int64_t max,
                        struct err *e)
{
    const struct json *v = required(o, key, e);
    return v ? int_of(v, key, min, max, e) : 0;
}

int64_t decide_read_int_or(const struct json *o, const char *key, int64_t fallback, int64_t min,
                           int64_t max, struct err *e)
{
    const struct json *v = decide_read_field(o, key, e);
    return v ? int_of(v, key, min, max, e) : fallback;
}

double decide_read_number(const struct json *o, const char *key, struct err *e)
{
    const struct json *v = of_type(o, key, JSON_NUMBER, e);
    return v ? v->number : 0;
}

double decide_read_number_or(const struct json *o, const char *key, double fallback, struct err *e)
{
    return decide_read_field(o, key, e) ? decide_read_number(o, key, e) : fallback;
}

bool decide_read_bool(const struct json *o, const char *key, struct err *e)
{
    const struct json *v = of_type(o, key, JSON_BOOL, e);
    return v && v->boolean;
}

bool decide_read_bool_or(const struct json *o, const char *key, bool fallback, struct err *e)
{
    return decide_read_field(o, key, e) ? decide_read_bool(o, key, e) : fallback;
}

const char *decide_read_string(const struct json *o, const char *key, struct err *e)
{
    const struct json *v = of_type(o, key, JSON_STRING, e);
    return v ? v->string : NULL;
}

const struct json *decide_read_array(const struct json *o, const char *key, struct err *e)
{
    return of_type(o, key, JSON_ARRAY, e);
}

const struct json *decide_read_object(const struct json *o, const char *key, struct err *e)
{
    return of_type(o, key, JSON_OBJECT, e);
}

sim_ns decide_read_seconds(const struct json *o, const char *key, struct err *e)
{
    double s = decide_read_number(o, key, e);
    if (!(s >= -1e9 && s <= 1e9)) {
        decide_read_fail(decide_read_field(o, key, e), key, e, "is outside -1e9..1e9 seconds");
        return 0;
    }
    double ns = s * 1e9;
    return (sim_ns)(ns < 0 ? ns - 0.5 : ns + 0.5);
}

sim_ns decide_read_seconds_or(const struct json *o, const char *key, sim_ns fallback, struct err *e)
{
    return decide_read_field(o, key, e) ? decide_read_seconds(o, key, e) : fallback;
}

void *decide_read_room(size_t n, size_t size, struct err *e)
{
    void *p = calloc(n > 0 ? n : 1, size);
    if (!p)
        err_set(e, ERR_SYSTEM, "", "no memory for %zu elements of a case", n);
    return p;
}
