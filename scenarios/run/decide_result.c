/* decide_result: writing and comparing the results of a case. */
#include "scenarios/run/decide_result.h"

#include "scenarios/run/decide.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static struct decide_value *add(struct decide_result *r, const char *key, enum decide_type type)
{
    assert(r->n < DECIDE_RESULT_MOST);
    struct decide_value *v = &r->values[r->n++];
    *v = (struct decide_value){.key = key, .type = type};
    return v;
}

void decide_result_int(struct decide_result *r, const char *key, int64_t v)
{
    add(r, key, DECIDE_INT)->as.integer = v;
}

void decide_result_number(struct decide_result *r, const char *key, double v)
{
    add(r, key, DECIDE_NUMBER)->as.number = v;
}

void decide_result_bool(struct decide_result *r, const char *key, bool v)
{
    add(r, key, DECIDE_BOOL)->as.boolean = v;
}

void decide_result_text(struct decide_result *r, const char *key, const char *v)
{
    add(r, key, DECIDE_TEXT)->as.text = v;
}

void decide_result_ints(struct decide_result *r, const char *key, const int64_t *v, size_t n)
{
    struct decide_value *to = add(r, key, DECIDE_INTS);
    to->as.ints = v;
    to->n = n;
}

void decide_result_numbers(struct decide_result *r, const char *key, const double *v, size_t n)
{
    struct decide_value *to = add(r, key, DECIDE_NUMBERS);
    to->as.numbers = v;
    to->n = n;
}

void decide_result_texts(struct decide_result *r, const char *key, const char *const *v, size_t n)
{
    struct decide_value *to = add(r, key, DECIDE_TEXTS);
    to->as.texts = v;
    to->n = n;
}

void decide_result_changes(struct decide_result *r, const char *key, const struct decide_change *v,
                           size_t n)
{
    struct decide_value *to = add(r, key, DECIDE_CHANGES);
    to->as.changes = v;
    to->n = n;
}

static void write_int(struct json_out *out, int64_t v)
{
    char digits[24];
    const int64_t exact = INT64_C(1) << 53;
    if (v <= exact && v >= -exact) {
        json_out_int(out, v);
        return;
    }
    snprintf(digits, sizeof digits, "%lld", (long long)v);
    json_out_string(out, digits);
}

static void write_element(const struct decide_value *v, size_t i, struct json_out *out)
{
    switch (v->type) {
    case DECIDE_INTS:
        write_int(out, v->as.ints[i]);
        break;
    case DECIDE_NUMBERS:
        json_out_number(out, v->as.numbers[i]);
        break;
    case DECIDE_TEXTS:
        json_out_string(out, v->as.texts[i]);
        break;
    default:
        json_out_open(out, "{");
        json_out_key(out, "change");
        json_out_int(out, v->as.changes[i].change);
        json_out_key(out, "outdated");
        json_out_bool(out, v->as.changes[i].outdated);
        json_out_close(out, "}");
    }
}

static void write_value(const struct decide_value *v, struct json_out *out)
{
    switch (v->type) {
    case DECIDE_INT:
        write_int(out, v->as.integer);
        return;
    case DECIDE_NUMBER:
        json_out_number(out, v->as.number);
        return;
    case DECIDE_BOOL:
        json_out_bool(out, v->as.boolean);
        return;
    case DECIDE_TEXT:
        json_out_string(out, v->as.text);
        return;
    default:
        break;
    }
    json_out_open(out, "[");
    for (size_t i = 0; i < v->n; i++)
        write_element(v, i, out);
    json_out_close(out, "]");
}

void decide_result_write(const struct decide_result *r, struct json_out *out)
{
    json_out_open(out, "{");
    for (size_t i = 0; i < r->n; i++) {
        json_out_key(out, r->values[i].key);
        write_value(&r->values[i], out);
    }
    json_out_close(out, "}");
}

static bool same_int(int64_t v, const struct json *want)
{
    int64_t n;
    if (!want->string || want->type == JSON_BOOL)
        return false;
    if (text_parse_int64(want->string, &n))
        return n == v;
    return want->type == JSON_NUMBER && want->number == (double)v;
}

static bool same_number(double v, const struct json *want)
{
    return want->type == JSON_NUMBER && fabs(v - want->number) <= 1e-9 * fmax(1, fabs(v));
}

static bool same_text(const char *v, const struct json *want)
{
    if (!v)
        return want->type == JSON_NULL;
    return want->type == JSON_STRING && strcmp(v, want->string) == 0;
}

static bool same_change(const struct decide_change *v, const struct json *want)
{
    const struct json *change = json_get(want, "change"), *old = json_get(want, "outdated");
    return change && same_int(v->change, change) &&
           (!old || (old->type == JSON_BOOL && old->boolean == v->outdated));
}

static bool same_element(const struct decide_value *v, size_t i, const struct json *want)
{
    switch (v->type) {
    case DECIDE_INTS:
        return same_int(v->as.ints[i], want);
    case DECIDE_NUMBERS:
        return same_number(v->as.numbers[i], want);
    case DECIDE_TEXTS:
        return same_text(v->as.texts[i], want);
    default:
        return same_change(&v->as.changes[i], want);
    }
}

static bool same_list(const struct decide_value *v, const struct json *want)
{
    size_t i = 0;
    if (want->type == JSON_NULL)
        return true;
    if (want->type != JSON_ARRAY || want->count != v->n)
        return false;
    for (const struct json *c = want->first; c; c = c->next)
        if (!same_element(v, i++, c))
            return false;
    return true;
}

/* "error": true asks for any error by name. */
static bool same(const struct decide_value *v, const struct json *want)
{
    switch (v->type) {
    case DECIDE_INT:
        return same_int(v->as.integer, want);
    case DECIDE_NUMBER:
        return same_number(v->as.number, want);
    case DECIDE_BOOL:
        return want->type == JSON_BOOL && want->boolean == v->as.boolean;
    case DECIDE_TEXT:
        if (strcmp(v->key, "error") == 0 && want->type == JSON_BOOL)
            return want->boolean == (v->as.text != NULL);
        return same_text(v->as.text, want);
    default:
        return same_list(v, want);
    }
}

bool decide_result_matches(const struct decide_result *r, const struct json *expect,
                           struct text *reason)
{
    for (const struct json *want = expect->first; want; want = want->next) {
        const struct decide_value *v = NULL;
        for (size_t i = 0; i < r->n; i++)
            if (strcmp(r->values[i].key, want->key) == 0)
                v = &r->values[i];
        if (v && same(v, want))
            continue;
        text_printf(reason, "; %s is %s", want->key, v ? "not as expected" : "no result here");
        return false;
    }
    return true;
}

int decide_result_finish(const struct decide_result *r, struct decide_trial *trial)
{
    decide_result_write(r, trial->result);
    if (trial->expect)
        trial->pass = decide_result_matches(r, trial->expect, trial->reason);
    return 0;
}
