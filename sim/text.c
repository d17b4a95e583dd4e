/* text: a growing string, and numbers that print and parse the same everywhere.
 *
 * The program never calls setlocale, so that printf and strtod work in the C locale: a point and
 * no grouping. strtod and %.17g of glibc and musl are correctly rounded. */
#include "sim/text.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

void text_fini(struct text *t)
{
    free(t->s);
    *t = (struct text){0};
}

/* Room for `more` bytes and the final NUL. */
static bool text_reserve(struct text *t, size_t more)
{
    if (t->failed)
        return false;
    if (more < t->capacity - t->length)
        return true;
    size_t capacity = t->capacity ? t->capacity : 64;
    while (capacity - t->length <= more && capacity <= SIZE_MAX / 2)
        capacity *= 2;
    char *s = capacity - t->length > more ? realloc(t->s, capacity) : NULL;
    if (!s) {
        t->failed = true;
        return false;
    }
    t->s = s;
    t->capacity = capacity;
    return true;
}

void text_add_bytes(struct text *t, const char *s, size_t length)
{
    if (!text_reserve(t, length))
        return;
    if (length)
        memcpy(t->s + t->length, s, length);
    t->length += length;
    t->s[t->length] = '\0';
}

void text_add(struct text *t, const char *s)
{
    text_add_bytes(t, s, strlen(s));
}

void text_printf(struct text *t, const char *fmt, ...)
{
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    assert(length >= 0);
    if (text_reserve(t, (size_t)length)) {
        vsnprintf(t->s + t->length, (size_t)length + 1, fmt, again);
        t->length += (size_t)length;
    }
    va_end(again);
}

void text_number(struct text *t, double v)
{
    assert(isfinite(v));
    char buf[40];
    if (v == 0.0) {
        text_add(t, "0");
        return;
    }
    if (v > -1e15 && v < 1e15 && v == (double)(int64_t)v) { /* what %.15g writes as well */
        snprintf(buf, sizeof buf, "%" PRId64, (int64_t)v);
        text_add(t, buf);
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(buf, sizeof buf, "%.*g", digits, v);
        if (strtod(buf, NULL) == v)
            break;
    }
    text_add(t, buf);
}

static const char *html_entity(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void text_html(struct text *t, const char *s)
{
    while (*s) {
        size_t plain = strcspn(s, "&<>\"'");
        text_add_bytes(t, s, plain);
        s += plain;
        if (*s)
            text_add(t, html_entity(*s++));
    }
}

int text_end(const struct text *t, struct err *e)
{
    return t->failed ? err_set(e, ERR_SYSTEM, NULL, "out of memory while writing text") : 0;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool text_is_number(const char *s)
{
    const char *p = s;
    size_t digits = 0;
    if (*p == '-' || *p == '+')
        p++;
    for (; is_digit(*p); p++)
        digits++;
    if (*p == '.')
        p++;
    for (; is_digit(*p); p++)
        digits++;
    if (digits == 0)
        return false;
    if (*p == 'e' || *p == 'E') {
        p++;
        if (*p == '-' || *p == '+')
            p++;
        if (!is_digit(*p))
            return false;
        while (is_digit(*p))
            p++;
    }
    return *p == '\0';
}

bool text_parse_double(const char *s, double *out)
{
    if (!text_is_number(s))
        return false;
    double v = strtod(s, NULL); /* ERANGE of an underflow is harmless: the nearest is returned */
    if (!isfinite(v))
        return false;
    *out = v;
    return true;
}

bool text_parse_int64(const char *s, int64_t *out)
{
    const char *digits = s + (*s == '-');
    if (!*digits || digits[strspn(digits, "0123456789")])
        return false;
    errno = 0;
    intmax_t v = strtoimax(s, NULL, 10);
    if (errno || v < INT64_MIN || v > INT64_MAX)
        return false;
    *out = (int64_t)v;
    return true;
}

/* An unsigned decimal number, mantissa * 10^exponent; exact up to 19 significant digits, which is
 * all that a 63-bit result can show. */
struct decimal {
    uint64_t mantissa;
    int exponent;
    bool cut; /* later digits other than 0 were dropped */
};

static void decimal_digit(struct decimal *d, char c, bool fraction)
{
    if (d->mantissa <= (UINT64_MAX - 9) / 10) {
        d->mantissa = d->mantissa * 10 + (uint64_t)(c - '0');
        d->exponent -= fraction;
        return;
    }
    d->cut = d->cut || c != '0';
    d->exponent += !fraction;
}

/* Reads digits with at most one point; returns what follows, NULL without a digit. */
static const char *decimal_read(const char *s, struct decimal *d)
{
    *d = (struct decimal){0};
    bool fraction = false, any = false;
    for (;; s++) {
        if (is_digit(*s)) {
            any = true;
            if (d->exponent < 1000 && d->exponent > -1000)
                decimal_digit(d, *s, fraction);
            else
                return NULL;
        } else if (*s == '.' && !fraction) {
            fraction = true;
        } else {
            return any ? s : NULL;
        }
    }
}

/* d * factor * 10^extra as a whole number; what is left over is told in *rest (compared with half
 * a unit): 0 none, 1 below half, 2 half or more. False when it does not fit in 63 bits. */
static bool decimal_whole(const struct decimal *d, uint64_t factor, int extra, uint64_t *whole,
                          int *rest)
{
    wide v = (wide)d->mantissa;
    int exponent = d->exponent + extra;
    *rest = d->cut;
    *whole = 0;
    if (v == 0)
        return true;
    if (exponent < -40) { /* below 2^64 * 2^60 * 10^-40 */
        *rest = 1;
        return true;
    }
    v *= factor; /* below 2^64 * 2^60 */
    for (; exponent > 0; exponent--) {
        if (v > INT64_MAX)
            return false;
        v *= 10;
    }
    wide divisor = 1;
    for (; exponent < 0 && exponent >= -38; exponent++)
        divisor *= 10;
    wide left = v % divisor;
    v /= divisor;
    if (left)
        *rest = left >= divisor - left ? 2 : 1;
    if (v > INT64_MAX)
        return false;
    *whole = (uint64_t)v;
    return true;
}

struct unit {
    const char *name;
    uint64_t factor;
    int exponent; /* of ten */
};

static const struct unit duration_units[] = {
    {"w", 604800, 9}, {"d", 86400, 9}, {"h", 3600, 9},      {"m", 60, 9},        {"s", 1, 9},
    {"ms", 1, 6},     {"us", 1, 3},    {"\xC2\xB5s", 1, 3}, {"\xCE\xBCs", 1, 3}, {"ns", 1, 0},
};

static const struct unit *unit_find(const struct unit *units, size_t n, const char *s,
                                    size_t length)
{
    for (size_t i = 0; i < n; i++)
        if (strlen(units[i].name) == length && memcmp(units[i].name, s, length) == 0)
            return &units[i];
    return NULL;
}

bool text_parse_duration(const char *s, int64_t *ns)
{
    const size_t n_units = sizeof duration_units / sizeof *duration_units;
    uint64_t sum = 0;
    const struct unit *last = NULL;
    if (strcmp(s, "0") == 0) {
        *ns = 0;
        return true;
    }
    do {
        struct decimal d;
        const char *name = decimal_read(s, &d);
        if (!name)
            return false;
        size_t length = strcspn(name, "0123456789.");
        const struct unit *u = unit_find(duration_units, n_units, name, length);
        /* Larger units come first, each at most once: "30m1h" is a slip rather than a duration. */
        if (!u || (last && u <= last))
            return false;
        uint64_t part;
        int rest;
        if (!decimal_whole(&d, u->factor, u->exponent, &part, &rest))
            return false;
        part += rest == 2;
        if (part > INT64_MAX || sum > (uint64_t)INT64_MAX - part)
            return false;
        sum += part;
        last = u;
        s = name + length;
    } while (*s);
    *ns = (int64_t)sum;
    return true;
}

static const struct unit quantity_units[] = {
    {"n", 1, -9},
    {"u", 1, -6},
    {"m", 1, -3},
    {"", 1, 0},
    {"k", 1, 3},
    {"M", 1, 6},
    {"G", 1, 9},
    {"T", 1, 12},
    {"P", 1, 15},
    {"E", 1, 18},
    {"Ki", UINT64_C(1) << 10, 0},
    {"Mi", UINT64_C(1) << 20, 0},
    {"Gi", UINT64_C(1) << 30, 0},
    {"Ti", UINT64_C(1) << 40, 0},
    {"Pi", UINT64_C(1) << 50, 0},
    {"Ei", UINT64_C(1) << 60, 0},
};

/* The suffix of a quantity, also as "e3" or "E-3". */
static bool quantity_suffix(const char *s, struct unit *out)
{
    if ((*s == 'e' || *s == 'E') && s[1] && s[1] != 'i') {
        int64_t exponent;
        if (!text_parse_int64(s + 1 + (s[1] == '+'), &exponent) || exponent < -60 || exponent > 60)
            return false;
        *out = (struct unit){"", 1, (int)exponent};
        return true;
    }
    const struct unit *u =
        unit_find(quantity_units, sizeof quantity_units / sizeof *quantity_units, s, strlen(s));
    if (u)
        *out = *u;
    return u != NULL;
}

bool text_parse_quantity(const char *s, int64_t *milli)
{
    bool negative = *s == '-';
    struct decimal d;
    struct unit u;
    uint64_t whole;
    int rest;
    const char *suffix = decimal_read(s + (*s == '-' || *s == '+'), &d);
    if (!suffix || !quantity_suffix(suffix, &u))
        return false;
    if (!decimal_whole(&d, u.factor, u.exponent + 3, &whole, &rest))
        return false;
    /* Kubernetes takes the ceiling (apimachinery resource.Quantity, MilliValue). */
    if (rest && !negative && whole++ == INT64_MAX)
        return false;
    *milli = negative ? -(int64_t)whole : (int64_t)whole;
    return true;
}

bool text_parse_bytes(const char *s, int64_t *bytes)
{
    struct decimal d;
    struct unit u;
    uint64_t whole;
    int rest;
    const char *suffix = decimal_read(s, &d);
    if (!suffix || !quantity_suffix(suffix, &u) || strchr("num", *u.name ? *u.name : '-'))
        return false;
    if (!decimal_whole(&d, u.factor, u.exponent, &whole, &rest) || (rest && whole++ == INT64_MAX))
        return false;
    *bytes = (int64_t)whole;
    return true;
}

bool text_parse_micro(const char *s, int64_t *micro)
{
    struct decimal d;
    uint64_t whole;
    int rest;
    const char *end = decimal_read(s + (*s == '-'), &d);
    if (!end || *end || !decimal_whole(&d, 1, 6, &whole, &rest) || rest)
        return false;
    *micro = *s == '-' ? -(int64_t)whole : (int64_t)whole;
    return true;
}

/* value / unit with its exact decimal fraction, where unit is a power of ten. */
static int put_fraction(char *buf, size_t size, uint64_t value, uint64_t unit, const char *name)
{
    char digits[24];
    int width = 0;
    for (uint64_t u = unit; u > 1; u /= 10)
        width++;
    int n = snprintf(digits, sizeof digits, ".%0*" PRIu64, width, value % unit);
    while (n > 1 && digits[n - 1] == '0')
        n--;
    if (n == 1 || unit == 1)
        n = 0;
    return snprintf(buf, size, "%" PRIu64 "%.*s%s", value / unit, n, digits, name);
}

char *text_duration(char *buf, size_t size, int64_t ns)
{
    static const struct unit large[] = {{"d", 86400, 9}, {"h", 3600, 9}, {"m", 60, 9}};
    char whole[80];
    size_t n = 0;
    uint64_t left = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    if (ns < 0)
        whole[n++] = '-';
    size_t start = n;
    for (size_t i = 0; i < 3; i++) {
        uint64_t unit = large[i].factor * UINT64_C(1000000000);
        if (left >= unit)
            n += (size_t)snprintf(whole + n, sizeof whole - n, "%" PRIu64 "%s", left / unit,
                                  large[i].name);
        left %= unit;
    }
    if (left >= 1000000000)
        n += (size_t)put_fraction(whole + n, sizeof whole - n, left, 1000000000, "s");
    else if (left >= 1000000)
        n += (size_t)put_fraction(whole + n, sizeof whole - n, left, 1000000, "ms");
    else if (left >= 1000)
        n += (size_t)put_fraction(whole + n, sizeof whole - n, left, 1000, "us");
    else if (left || n == start)
        n +=
            (size_t)snprintf(whole + n, sizeof whole - n, "%" PRIu64 "%s", left, left ? "ns" : "s");
    snprintf(buf, size, "%.*s", (int)n, whole);
    return buf;
}

/* RFC 3629: no overlong forms, no surrogates, nothing beyond U+10FFFF. */
size_t text_character(const char *s, const char *end)
{
    const unsigned char *u = (const unsigned char *)s;
    size_t left = (size_t)(end - s);
    size_t n = u[0] < 0x80   ? 1
               : u[0] < 0xC2 ? 0
               : u[0] < 0xE0 ? 2
               : u[0] < 0xF0 ? 3
               : u[0] < 0xF5 ? 4
                             : 0;
    if (n == 0 || n > left)
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((u[i] & 0xC0) != 0x80)
            return 0;
    if ((u[0] == 0xE0 && u[1] < 0xA0) || (u[0] == 0xED && u[1] > 0x9F) ||
        (u[0] == 0xF0 && u[1] < 0x90) || (u[0] == 0xF4 && u[1] > 0x8F))
        return 0;
    return n;
}

int text_cut(const char *s, int most)
{
    int n = 0;
    while (n < most && s[n])
        n++;
    if (s[n])
        while (n > 0 && ((unsigned char)s[n] & 0xC0) == 0x80)
            n--;
    return n;
}

#define NEAREST_LONGEST 64

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Edits (insert, delete, replace, swap of neighbours) between a and b, letter case aside; SIZE_MAX
 * when one is too long. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    size_t rows[3][NEAREST_LONGEST + 1];
    if (n > NEAREST_LONGEST || m > NEAREST_LONGEST)
        return SIZE_MAX;
    for (size_t j = 0; j <= m; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t *now = rows[i % 3], *before = rows[(i + 2) % 3], *earlier = rows[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= m; j++) {
            char x = lower(a[i - 1]), y = lower(b[j - 1]);
            size_t best = before[j - 1] + (x != y);
            if (before[j] + 1 < best)
                best = before[j] + 1;
            if (now[j - 1] + 1 < best)
                best = now[j - 1] + 1;
            if (i > 1 && j > 1 && x == lower(b[j - 2]) && y == lower(a[i - 2]) &&
                earlier[j - 2] + 1 < best)
                best = earlier[j - 2] + 1;
            now[j] = best;
        }
    }
    return rows[n % 3][m];
}

const char *text_nearest(const char *s, const char *const *names, size_t n)
{
    const char *best = NULL;
    size_t least = strlen(s) / 3;
    if (least == 0)
        least = 1;
    least++;
    for (size_t i = 0; i < n; i++) {
        size_t d = names[i] ? edit_distance(s, names[i]) : SIZE_MAX;
        /* One edit of one letter would make anything near anything. */
        if (d < least && d < strlen(s)) {
            least = d;
            best = names[i];
        }
    }
    return best;
}

const char *text_plural(uint64_t n, const char *one, const char *many)
{
    return n == 1 ? one : many;
}
