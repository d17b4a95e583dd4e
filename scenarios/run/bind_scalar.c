/* bind_scalar: the readers of numbers, notations of the platform, texts and names. */
#include "scenarios/run/bind_scalar.h"

#include "scenarios/run/bind.h"
#include "sim/arena.h"
#include "sim/err.h"
#include "sim/json.h"
#include "sim/money.h"
#include "sim/text.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define WHOLE_LARGEST 9007199254740992.0 /* 2^53: from here on a double skips whole numbers */

static int read_bool(struct bind *b, const struct bind_field *f, struct err *e)
{
    (void)b;
    if (f->value->type != JSON_BOOL)
        return bind_field_expected(f, "", e);
    *(bool *)f->at = f->value->boolean;
    return 0;
}

/* A whole number, written as one or as a string of digits. */
static int whole(const struct bind_field *f, int64_t *out, struct err *e)
{
    const struct json *v = f->value;
    if (v->type == JSON_STRING && text_parse_int64(v->string, out))
        return 0;
    if (v->type != JSON_NUMBER || v->number != floor(v->number))
        return bind_field_expected(f, "", e);
    if (fabs(v->number) >= WHOLE_LARGEST)
        return bind_fail(v, f->path, e,
                         "%s is beyond 2^53, where JSON numbers lose digits; write it as a "
                         "string: \"%s\"",
                         v->string, v->string);
    *out = (int64_t)v->number;
    return 0;
}

static int read_int(struct bind *b, const struct bind_field *f, struct err *e)
{
    (void)b;
    return whole(f, f->at, e) || bind_field_check_range(f, (double)*(int64_t *)f->at, e) ? -1 : 0;
}

static int read_int32(struct bind *b, const struct bind_field *f, struct err *e)
{
    int64_t v;
    (void)b;
    if (whole(f, &v, e) || bind_field_check_range(f, (double)v, e))
        return -1;
    if (v < INT32_MIN || v > INT32_MAX)
        return bind_fail(f->value, f->path, e, "%lld is outside -2147483648..2147483647",
                         (long long)v);
    *(int32_t *)f->at = (int32_t)v;
    return 0;
}

int bind_scalar_number(struct bind *b, const struct bind_field *f, struct err *e)
{
    (void)b;
    if (f->value->type != JSON_NUMBER)
        return bind_field_expected(f, "", e);
    *(double *)f->at = f->value->number;
    return bind_field_check_range(f, f->value->number, e);
}

static int read_share(struct bind *b, const struct bind_field *f, struct err *e)
{
    const struct json *v = f->value;
    if (v->type == JSON_NUMBER && v->number >= 2 && v->number <= 100 && f->row->max <= 1)
        return bind_fail(v, f->path, e, "%s is outside 0..1; %s %% is written as %g", v->string,
                         v->string, v->number / 100);
    return bind_scalar_number(b, f, e);
}

static int read_percent(struct bind *b, const struct bind_field *f, struct err *e)
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
            return bind_field_expected(f, "", e);
    } else {
        return bind_field_expected(f, "", e);
    }
    *(double *)f->at = percent / 100;
    return bind_field_check_range(f, percent, e);
}

static int fail_duration(const struct bind_field *f, struct err *e)
{
    const struct json *v = f->value;
    char buf[96];
    double number;
    const char *digits = v->type == JSON_NUMBER || v->type == JSON_STRING ? v->string : "";
    if (text_parse_double(digits, &number) && number >= 0)
        return bind_fail(v, f->path, e,
                         "%s has no unit; write \"%.30ss\", \"%.30sms\" or \"%.30sm\"",
                         bind_field_show(v, buf, sizeof buf), digits, digits, digits);
    if (*digits == '-')
        return bind_fail(v, f->path, e, "%s is negative; a duration is never below 0",
                         bind_field_show(v, buf, sizeof buf));
    return bind_field_expected(
        f,
        "; units are ns, us, ms, s, m, h, d and w, larger ones first, at most "
        "292 years",
        e);
}

int bind_scalar_duration(const struct bind_field *f, int64_t *ns, struct err *e)
{
    const struct json *v = f->value;
    if (v->type == JSON_NUMBER && v->number == 0)
        *ns = 0;
    else if (v->type != JSON_STRING || !text_parse_duration(v->string, ns))
        return fail_duration(f, e);
    return bind_field_check_range(f, (double)*ns / 1e9, e);
}

static int read_duration(struct bind *b, const struct bind_field *f, struct err *e)
{
    (void)b;
    return bind_scalar_duration(f, f->at, e);
}

static int read_bytes(struct bind *b, const struct bind_field *f, struct err *e)
{
    const struct json *v = f->value;
    int64_t *out = f->at;
    (void)b;
    bool written = v->type == JSON_STRING || v->type == JSON_NUMBER;
    if (!written || !text_parse_bytes(v->string, out)) {
        size_t n = written ? strlen(v->string) : 0;
        bool unit = n && (v->string[n - 1] == 'B' || v->string[n - 1] == 's');
        return bind_field_expected(f,
                                   unit ? "; K, M, G are powers of 1000 and Ki, Mi, Gi of 1024, "
                                          "without B or /s"
                                        : "; at most 8Ei",
                                   e);
    }
    return bind_field_check_range(f, (double)*out, e);
}

static int read_quantity(struct bind *b, const struct bind_field *f, struct err *e)
{
    const struct json *v = f->value;
    int64_t *out = f->at;
    (void)b;
    bool written = v->type == JSON_STRING || v->type == JSON_NUMBER;
    if (!written || !text_parse_quantity(v->string, out))
        return bind_field_expected(f, "; at most 9.2P", e);
    return bind_field_check_range(f, (double)*out / 1000, e);
}

static int read_money(struct bind *b, const struct bind_field *f, struct err *e)
{
    const struct json *v = f->value;
    struct money *out = f->at;
    char amount[64];
    (void)b;
    const char *blank = v->type == JSON_STRING ? strchr(v->string, ' ') : NULL;
    size_t n = blank ? (size_t)(blank - v->string) : 0;
    if (!blank || n >= sizeof amount || strlen(blank + 1) != 3 ||
        strspn(blank + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != 3)
        return bind_field_expected(f, ": a number, a blank, a currency of three letters", e);
    memcpy(amount, v->string, n);
    amount[n] = '\0';
    if (!text_parse_micro(amount, &out->micro))
        return bind_field_expected(f, "; at most six decimals and 9.2e12 in all", e);
    if (out->micro < 0 && f->row->min >= 0)
        return bind_fail(v, f->path, e, "\"%s\" is negative", v->string);
    memcpy(out->currency, blank + 1, sizeof out->currency);
    return bind_field_check_range(f, (double)out->micro / 1e6, e);
}

static const char *quotes_help(const struct json *v)
{
    return v->type == JSON_NUMBER || v->type == JSON_BOOL ? " in quotes" : "";
}

static int read_text(struct bind *b, const struct bind_field *f, struct err *e)
{
    const struct json *v = f->value;
    (void)b;
    if (v->type != JSON_STRING)
        return bind_field_expected(f, quotes_help(v), e);
    *(const char **)f->at = v->string;
    return 0;
}

static int read_name(struct bind *b, const struct bind_field *f, struct err *e)
{
    const char *names[BIND_NAMES_MOST];
    size_t n = 0;
    (void)b;
    if (f->value->type != JSON_STRING)
        return bind_field_expected(f, "", e);
    for (const struct knob_name *k = f->row->names; k->name; k++) {
        if (strcmp(k->name, f->value->string) == 0) {
            *(int *)f->at = k->value;
            return 0;
        }
        assert(n < BIND_NAMES_MOST);
        names[n++] = k->name;
    }
    return bind_field_unknown_name(f, f->value->string, names, n, e);
}

static int read_texts(struct bind *b, const struct bind_field *f, struct err *e)
{
    const struct json *v = f->value;
    struct knob_texts *out = f->at;
    bool one = v->type == JSON_STRING;
    char path[BIND_PATH_LONGEST], buf[96];
    if (!one && v->type != JSON_ARRAY)
        return bind_field_expected(f, "", e);
    size_t n = one ? 1 : v->count;
    if (bind_field_check_count(f, n, e))
        return -1;
    out->items = arena_take(b->arena, n, sizeof *out->items, e);
    if (!out->items)
        return -1;
    for (const struct json *c = one ? v : v->first; c; c = one ? NULL : c->next) {
        if (c->type != JSON_STRING) {
            snprintf(path, sizeof path, "%s[%zu]", f->path, out->count);
            return bind_fail(c, path, e, "found %s, expected a text%s",
                             bind_field_show(c, buf, sizeof buf), quotes_help(c));
        }
        out->items[out->count++] = c->string;
    }
    return 0;
}

static int read_map(struct bind *b, const struct bind_field *f, struct err *e)
{
    const struct json *v = f->value;
    struct knob_map *out = f->at;
    char path[BIND_PATH_LONGEST], buf[96];
    if (v->type != JSON_OBJECT)
        return bind_field_expected(f, "", e);
    if (bind_field_check_count(f, v->count, e))
        return -1;
    out->items = arena_take(b->arena, v->count, sizeof *out->items, e);
    if (!out->items)
        return -1;
    for (const struct json *c = v->first; c; c = c->next) {
        if (c->type != JSON_STRING) {
            snprintf(path, sizeof path, "%s[\"%.*s\"]", f->path, text_cut(c->key, 200), c->key);
            return bind_fail(c, path, e, "found %s, expected a text%s",
                             bind_field_show(c, buf, sizeof buf), quotes_help(c));
        }
        out->items[out->count++] = (struct knob_pair){c->key, c->string};
    }
    return 0;
}

bind_field_reader *bind_scalar_reader(enum knob_kind kind)
{
    static bind_field_reader *const readers[] = {
        [KNOB_BOOL] = read_bool,         [KNOB_INT] = read_int,
        [KNOB_INT32] = read_int32,       [KNOB_NUMBER] = bind_scalar_number,
        [KNOB_SHARE] = read_share,       [KNOB_PERCENT] = read_percent,
        [KNOB_DURATION] = read_duration, [KNOB_BYTES] = read_bytes,
        [KNOB_QUANTITY] = read_quantity, [KNOB_MONEY] = read_money,
        [KNOB_TEXT] = read_text,         [KNOB_NAME] = read_name,
        [KNOB_TEXTS] = read_texts,       [KNOB_MAP] = read_map,
    };
    return (size_t)kind < sizeof readers / sizeof *readers ? readers[kind] : NULL;
}
