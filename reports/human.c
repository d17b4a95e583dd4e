/* human: formatting. Locale-free: the program never calls setlocale. */
#include "reports/human.h"

#include "sim/result.h"
#include "sim/zone.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A number and its unit stay on one line. */
#define NBSP "\xC2\xA0"

/* Commas between groups of three digits before the point. */
static struct human grouped(double v, int decimals)
{
    struct human out = {""};
    char plain[400];
    snprintf(plain, sizeof plain, "%.*f", decimals, v);
    if (strlen(plain) > 40) {
        snprintf(out.s, sizeof out.s, "%.4g", v);
        return out;
    }
    size_t whole = strcspn(plain, "."), n = 0;
    for (size_t i = 0; plain[i]; i++) {
        if (i > 0 && i < whole && (whole - i) % 3 == 0 && plain[i - 1] != '-')
            out.s[n++] = ',';
        out.s[n++] = plain[i];
    }
    return out;
}

static struct human unknown(void)
{
    return (struct human){"unknown"};
}

struct human human_count(double v)
{
    if (!isfinite(v))
        return unknown();
    return grouped(v, v == floor(v) || fabs(v) >= 1000 ? 0 : fabs(v) >= 10 ? 1 : 2);
}

struct human human_number(double v)
{
    if (!isfinite(v))
        return unknown();
    double a = fabs(v);
    if (a >= 1000 || a == 0)
        return grouped(v, 0);
    struct human out;
    snprintf(out.s, sizeof out.s, "%.*g", a >= 1 ? 4 : 3, v);
    return out;
}

/* "3h05m", and "3h" when the small part is 0. */
static struct human two_parts(const char *sign, long long big, long long small,
                              const char *const unit[2])
{
    struct human out;
    if (small == 0)
        snprintf(out.s, sizeof out.s, "%s%lld%s", sign, big, unit[0]);
    else
        snprintf(out.s, sizeof out.s, "%s%lld%s%02lld%s", sign, big, unit[0], small, unit[1]);
    return out;
}

struct human human_seconds(double v)
{
    if (!isfinite(v))
        return unknown();
    struct human out;
    double a = fabs(v);
    long long whole = a < 9e15 ? (long long)(a + 0.5) : 0;
    const char *sign = v < 0 ? "-" : "";
    if (a == 0)
        snprintf(out.s, sizeof out.s, "0" NBSP "s");
    else if (a < 0.0009995)
        snprintf(out.s, sizeof out.s, "%.*f" NBSP "\xC2\xB5s",
                 a < 0.00000995  ? 2
                 : a < 0.0000995 ? 1
                                 : 0,
                 v * 1e6);
    else if (a < 0.9995)
        snprintf(out.s, sizeof out.s, "%.*f" NBSP "ms",
                 a < 0.00995  ? 2
                 : a < 0.0995 ? 1
                              : 0,
                 v * 1e3);
    else if (a < 99.95)
        snprintf(out.s, sizeof out.s, "%.*f" NBSP "s", a < 9.995 ? 2 : a == floor(a) ? 0 : 1, v);
    else if (whole < 3600)
        return two_parts(sign, whole / 60, whole % 60, (const char *[]){"m", "s"});
    else if (whole < 86400)
        return two_parts(sign, whole / 3600, whole / 60 % 60, (const char *[]){"h", "m"});
    else
        return two_parts(sign, whole / 86400, whole / 3600 % 24, (const char *[]){"d", "h"});
    return out;
}

struct human human_share(double v)
{
    if (!isfinite(v))
        return unknown();
    struct human out;
    double percent = v * 100, gap = fabs(100 - percent);
    /* 99.9996 must not read as 100, nor 99.9 as 99.900. */
    int decimals = percent == 100 ? 0 : gap < 1 ? 2 : 1;
    for (double least = 0.1; gap > 0 && gap < least && decimals < 6; least /= 10)
        decimals++;
    int n = snprintf(out.s, 40, "%.*f", decimals, percent);
    while (decimals-- > 1 && n > 0 && out.s[n - 1] == '0')
        out.s[--n] = '\0';
    snprintf(out.s + n, sizeof out.s - (size_t)n, NBSP "%%");
    return out;
}

struct human human_money(double v, const char *currency)
{
    if (!isfinite(v))
        return unknown();
    double a = fabs(v);
    struct human n = a >= 100 ? grouped(v, 0) : a >= 1 || a == 0 ? grouped(v, 2) : human_number(v);
    struct human out;
    snprintf(out.s, sizeof out.s, "%.50s%s%.12s", n.s, currency && *currency ? NBSP : "",
             currency ? currency : "");
    return out;
}

struct human human_value(double v, const char *unit)
{
    if (!unit || !*unit)
        return human_number(v);
    if (strcmp(unit, "s") == 0)
        return human_seconds(v);
    if (strcmp(unit, "1") == 0)
        return human_share(v);
    if (strlen(unit) == 3 && isupper((unsigned char)unit[0]) && isupper((unsigned char)unit[1]) &&
        isupper((unsigned char)unit[2]) && strcmp(unit, "QPS") != 0)
        return human_money(v, unit);
    struct human out, n = human_count(v);
    snprintf(out.s, sizeof out.s, "%.50s" NBSP "%.24s", n.s, unit);
    return out;
}

struct human human_interval(const struct figure *f)
{
    struct human out = {""};
    if (!f || !f->has_interval)
        return out;
    struct human low = human_value(f->low, f->unit), high = human_value(f->high, f->unit);
    if (f->low == 0 && f->high > 0) {
        snprintf(out.s, sizeof out.s, "up to %.36s", high.s);
        return out;
    }
    const char *unit = strstr(low.s, NBSP), *same = strstr(high.s, NBSP);
    if (unit && same && strcmp(unit, same) == 0) /* the unit once is enough */
        low.s[unit - low.s] = '\0';
    snprintf(out.s, sizeof out.s, "%.30s to %.36s", low.s, high.s);
    return out;
}

struct human human_words(const char *name)
{
    static const struct {
        const char *name, *words;
    } known[] = {
        {"onDemand", "on demand"},
        {"spot", "spot"},
        {"eciOnDemand", "ECI on demand"},
        {"eciSpot", "ECI spot"},
        {"onDemandPremium", "on-demand premium"},
        {"duplicateScaleUp", "duplicate scale-up"},
        {"onDemandPeak", "on demand for the peak"},
        {"onDemandForPeak", "on demand for the peak"},
        {"subscriptionPeak", "subscription for the peak"},
        {"subscriptionForPeak", "subscription for the peak"},
        {"eciOnly", "ECI only"},
        {"waitNode", "wait for a node"},
        {"warmUp", "warm-up"},
        {"gpuReady", "GPU ready"},
        {"perfectSpot", "HPA with perfect spot"},
        {"lowerBound", "clairvoyant lower bound"},
        {"clairvoyant", "clairvoyant lower bound"},
    };
    struct human out = {""};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(name, known[i].name) == 0) {
            snprintf(out.s, sizeof out.s, "%s", known[i].words);
            return out;
        }
    }
    size_t n = 0;
    for (const char *c = name; *c && n + 2 < sizeof out.s; c++) {
        if (c > name && isupper((unsigned char)*c) && islower((unsigned char)c[-1]))
            out.s[n++] = ' ';
        out.s[n++] = (char)tolower((unsigned char)*c);
    }
    out.s[human_fit(out.s, sizeof out.s)] = '\0';
    return out;
}

struct human human_time(const struct zone *z, int64_t unix_s)
{
    struct zone_time t = zone_local(z, unix_s);
    struct human out;
    snprintf(out.s, sizeof out.s, "%04d-%02d-%02d %02d:%02d", t.year, t.month, t.day, t.hour,
             t.minute);
    return out;
}

/* Bytes of the character at s; 1 for a byte that is no UTF-8. */
static size_t character_bytes(const char *s)
{
    const unsigned char *u = (const unsigned char *)s;
    size_t n = u[0] < 0xC2 ? 1 : u[0] >= 0xF0 ? 4 : u[0] >= 0xE0 ? 3 : 2;
    for (size_t i = 1; i < n; i++) {
        if ((u[i] & 0xC0) != 0x80)
            return 1;
    }
    return n;
}

static size_t character_columns(const char *s, size_t bytes)
{
    const unsigned char *u = (const unsigned char *)s;
    uint32_t c = bytes == 1   ? u[0]
                 : bytes == 2 ? (u[0] & 0x1Fu) << 6 | (u[1] & 0x3Fu)
                 : bytes == 3 ? (u[0] & 0x0Fu) << 12 | (u[1] & 0x3Fu) << 6 | (u[2] & 0x3Fu)
                              : 0x20000;
    if ((c >= 0x300 && c < 0x370) || (c >= 0x200B && c <= 0x200F) || c == 0xFEFF)
        return 0;
    return (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0xA4CF) ||
                   (c >= 0xAC00 && c <= 0xD7A3) || (c >= 0xF900 && c <= 0xFAFF) ||
                   (c >= 0xFE30 && c <= 0xFE6F) || (c >= 0xFF00 && c <= 0xFF60) || c >= 0x1F000
               ? 2
               : 1;
}

size_t human_columns(const char *s)
{
    assert(s);
    size_t columns = 0;
    for (size_t n; *s; s += n) {
        n = character_bytes(s);
        columns += character_columns(s, n);
    }
    return columns;
}

size_t human_fit(const char *s, size_t columns)
{
    assert(s);
    size_t bytes = 0, used = 0;
    while (s[bytes]) {
        size_t n = character_bytes(s + bytes), w = character_columns(s + bytes, n);
        if (used + w > columns && bytes > 0)
            break;
        bytes += n;
        used += w;
    }
    return bytes;
}
