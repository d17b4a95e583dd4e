/* phrase: appending text and numbers to a bounded string. */
#include "models/control/phrase.h"

#include <assert.h>
#include <string.h>

void phrase_init(struct phrase *p, char *s, size_t size)
{
    assert(s && size > 0);
    *p = (struct phrase){.s = s, .size = size};
    s[0] = '\0';
}

static void put(struct phrase *p, const char *text, size_t n)
{
    size_t room = p->size - 1 - p->length;
    if (n > room)
        n = room;
    memcpy(p->s + p->length, text, n);
    p->length += n;
    p->s[p->length] = '\0';
}

void phrase_text(struct phrase *p, const char *text)
{
    put(p, text, strlen(text));
}

static void put_unsigned(struct phrase *p, uint64_t v)
{
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + v % 10);
        v /= 10;
    } while (v);
    put(p, digits + at, sizeof digits - at);
}

static uint64_t magnitude(int64_t v)
{
    return v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
}

void phrase_int(struct phrase *p, int64_t v)
{
    if (v < 0)
        put(p, "-", 1);
    put_unsigned(p, magnitude(v));
}

void phrase_milli(struct phrase *p, int64_t milli)
{
    uint64_t m = magnitude(milli);
    unsigned rest = (unsigned)(m % 1000);
    if (milli < 0)
        put(p, "-", 1);
    put_unsigned(p, m / 1000);
    if (rest == 0)
        return;
    char tail[4] = {'.', (char)('0' + rest / 100), (char)('0' + rest / 10 % 10),
                    (char)('0' + rest % 10)};
    size_t n = rest % 10 ? 4 : rest % 100 ? 3 : 2;
    put(p, tail, n);
}

void phrase_ratio(struct phrase *p, double v)
{
    if (v != v)
        phrase_text(p, "nan");
    else if (v > 9e15 || v < -9e15)
        phrase_text(p, v > 0 ? "inf" : "-inf");
    else
        phrase_milli(p, (int64_t)(v * 1000 + (v < 0 ? -0.5 : 0.5)));
}

void phrase_span(struct phrase *p, sim_ns span)
{
    phrase_milli(p, span / SIM_MS);
    put(p, "s", 1);
}
