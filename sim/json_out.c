/* json_out: writing JSON, key by key. */
#include "sim/json.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* ASCII that stands for itself in a string. */
static bool is_plain(char c)
{
    return c >= 0x20 && c < 0x7F && c != '"' && c != '\\';
}

void json_out_init(struct json_out *o, struct text *to, bool compact)
{
    *o = (struct json_out){.to = to, .compact = compact};
}

static void out_break(struct json_out *o)
{
    if (o->compact)
        return;
    text_add(o->to, "\n");
    for (int i = 0; i < o->depth; i++)
        text_add(o->to, "  ");
}

/* Before a key, or before a value that has none. */
static void out_separate(struct json_out *o)
{
    if (o->depth == 0)
        return;
    if (!o->empty[o->depth - 1])
        text_add(o->to, ",");
    o->empty[o->depth - 1] = false;
    out_break(o);
}

static void out_value(struct json_out *o)
{
    assert(o->after_key || o->depth == 0 || o->array[o->depth - 1]);
    assert(o->after_key || o->depth > 0 || !o->written);
    if (!o->after_key)
        out_separate(o);
    o->after_key = false;
    o->written = true;
}

void json_out_open(struct json_out *o, const char *brace)
{
    assert(strcmp(brace, "{") == 0 || strcmp(brace, "[") == 0);
    assert(o->depth < JSON_MAX_DEPTH);
    out_value(o);
    text_add(o->to, brace);
    o->empty[o->depth] = true;
    o->array[o->depth] = *brace == '[';
    o->depth++;
}

void json_out_close(struct json_out *o, const char *brace)
{
    assert(o->depth > 0 && !o->after_key);
    assert(strcmp(brace, o->array[o->depth - 1] ? "]" : "}") == 0);
    o->depth--;
    if (!o->empty[o->depth])
        out_break(o);
    text_add(o->to, brace);
}

static void out_escaped(struct text *t, const char *s)
{
    const char *end = s + strlen(s);
    text_add_bytes(t, "\"", 1);
    while (s < end) {
        const char *from = s;
        while (s < end && is_plain(*s))
            s++;
        text_add_bytes(t, from, (size_t)(s - from));
        if (s == end)
            break;
        unsigned char c = (unsigned char)*s;
        size_t n = text_character(s, end);
        if (c == '"' || c == '\\')
            text_printf(t, "\\%c", c);
        else if (c == '\n')
            text_add(t, "\\n");
        else if (c == '\t')
            text_add(t, "\\t");
        else if (c == '\r')
            text_add(t, "\\r");
        else if (c < 0x20 || c == 0x7F)
            text_printf(t, "\\u%04x", c);
        else if (n == 0)
            text_add(t, "\xEF\xBF\xBD"); /* U+FFFD: the document stays UTF-8 */
        else
            text_add_bytes(t, s, n);
        s += n ? n : 1;
    }
    text_add_bytes(t, "\"", 1);
}

void json_out_key(struct json_out *o, const char *key)
{
    assert(o->depth > 0 && !o->array[o->depth - 1] && !o->after_key);
    out_separate(o);
    out_escaped(o->to, key);
    text_add(o->to, o->compact ? ":" : ": ");
    o->after_key = true;
}

void json_out_number(struct json_out *o, double v)
{
    out_value(o);
    if (isfinite(v))
        text_number(o->to, v);
    else
        text_add(o->to, "null");
}

void json_out_int(struct json_out *o, int64_t v)
{
    char digits[24];
    size_t at = sizeof digits;
    uint64_t rest = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    out_value(o);
    do {
        digits[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest);
    if (v < 0)
        digits[--at] = '-';
    text_add_bytes(o->to, digits + at, sizeof digits - at);
}

void json_out_bool(struct json_out *o, bool v)
{
    out_value(o);
    text_add(o->to, v ? "true" : "false");
}

void json_out_string(struct json_out *o, const char *s)
{
    out_value(o);
    if (s)
        out_escaped(o->to, s);
    else
        text_add(o->to, "null");
}

void json_out_null(struct json_out *o)
{
    out_value(o);
    text_add(o->to, "null");
}

void json_out_value(struct json_out *o, const struct json *v)
{
    bool list = v->type == JSON_ARRAY;
    switch (v->type) {
    case JSON_NULL:
        json_out_null(o);
        return;
    case JSON_BOOL:
        json_out_bool(o, v->boolean);
        return;
    case JSON_NUMBER:
        json_out_number(o, v->number);
        return;
    case JSON_STRING:
        json_out_string(o, v->string);
        return;
    case JSON_ARRAY:
    case JSON_OBJECT:
        break;
    }
    json_out_open(o, list ? "[" : "{");
    for (const struct json *c = v->first; c; c = c->next) {
        if (!list)
            json_out_key(o, c->key);
        json_out_value(o, c);
    }
    json_out_close(o, list ? "]" : "}");
}

void json_out_end(struct json_out *o)
{
    assert(o->depth == 0 && o->written);
    text_add(o->to, "\n");
    o->written = false;
}
