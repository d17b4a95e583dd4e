/* zone: reads TZif files (RFC 8536) and the POSIX rule at their end. */
#include "sim/zone.h"

#include <assert.h>
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DAY_S INT64_C(86400)
#define ZONE_FOLDER "/usr/share/zoneinfo/"
#define ZONE_MAX_BYTES (1u << 20)

/* The n-th weekday of a month (week 5: the last), at a second of the local day. */
struct rule {
    int32_t month, week, weekday, at_s;
};

struct zone {
    size_t n; /* transitions; the offset before the first is `first` */
    int64_t *at;
    int32_t *offset; /* from at[i] on */
    int32_t first;
    bool has_tail, has_summer; /* the rule for times from the last transition on */
    int32_t standard, summer;
    struct rule begin, end;
};

static const struct {
    const char *name;
    int32_t offset_s;
} fixed[] = {
    {"UTC", 0},
    {"Etc/UTC", 0},
    {"GMT", 0},
    {"Z", 0},
    {"Asia/Shanghai", 28800},
    {"Asia/Hong_Kong", 28800},
    {"Asia/Singapore", 28800},
    {"Asia/Taipei", 28800},
    {"Asia/Tokyo", 32400},
    {"Asia/Seoul", 32400},
    {"Asia/Kolkata", 19800},
};

static int64_t floor_div(int64_t a, int64_t b)
{
    int64_t q = a / b;
    return q - (a % b != 0 && (a < 0) != (b < 0));
}

/* Days since 1970-01-01, by counting years from 1 March, so that the leap day is the last. */
int64_t zone_days(int64_t year, int64_t month, int64_t day)
{
    int64_t m = month - 3, y = year + floor_div(m, 12);
    m -= floor_div(m, 12) * 12;
    int64_t leaps = floor_div(y, 4) - floor_div(y, 100) + floor_div(y, 400);
    return y * 365 + leaps + (153 * m + 2) / 5 + day - 1 - 719468;
}

bool zone_is_date(const char *s)
{
    static const char form[] = "dddd-dd-dd";
    if (strlen(s) != sizeof form - 1)
        return false;
    for (size_t i = 0; form[i]; i++)
        if (form[i] == 'd' ? s[i] < '0' || s[i] > '9' : s[i] != form[i])
            return false;
    int64_t year = strtol(s, NULL, 10), month = strtol(s + 5, NULL, 10),
            day = strtol(s + 8, NULL, 10);
    return month >= 1 && month <= 12 && day >= 1 &&
           zone_days(year, month, day) < zone_days(year, month + 1, 1);
}

static void date_from_days(int64_t days, struct zone_time *t)
{
    int64_t z = days + 719468, era = floor_div(z, 146097), d = z - era * 146097;
    int64_t y = (d - d / 1460 + d / 36524 - d / 146096) / 365;
    int64_t yd = d - (365 * y + y / 4 - y / 100), m = (5 * yd + 2) / 153;
    t->day = (int32_t)(yd - (153 * m + 2) / 5 + 1);
    t->month = (int32_t)(m < 10 ? m + 3 : m - 9);
    t->year = (int32_t)(y + era * 400 + (t->month <= 2));
    t->weekday = (int32_t)(days + 4 - floor_div(days + 4, 7) * 7);
    t->yearday = (int32_t)(days - zone_days(t->year, 1, 1));
}

/* ---- the POSIX rule, such as CET-1CEST,M3.5.0,M10.5.0/3 ---- */

static const char *skip_name(const char *s)
{
    if (*s == '<') {
        s = strchr(s, '>');
        return s ? s + 1 : NULL;
    }
    const char *begin = s;
    while (isalpha((unsigned char)*s))
        s++;
    return s - begin >= 3 ? s : NULL;
}

/* [+-]h[h][h][:mm[:ss]] in seconds. */
static const char *read_clock(const char *s, int32_t *seconds)
{
    int32_t sign = *s == '-' ? -1 : 1, total = 0, unit = 3600;
    s += *s == '-' || *s == '+';
    for (;;) {
        if (!isdigit((unsigned char)*s))
            return NULL;
        int32_t v = 0, digits = 0;
        while (isdigit((unsigned char)*s) && digits++ < 3)
            v = v * 10 + (*s++ - '0');
        total += v * unit;
        if (*s != ':' || unit == 1)
            break;
        s++;
        unit /= 60;
    }
    *seconds = sign * total;
    return s;
}

static const char *read_rule(const char *s, struct rule *r)
{
    int used = 0;
    if (sscanf(s, ",M%2d.%1d.%1d%n", &r->month, &r->week, &r->weekday, &used) != 3 || !used)
        return NULL;
    if (r->month < 1 || r->month > 12 || r->week < 1 || r->week > 5 || r->weekday > 6)
        return NULL;
    s += used;
    r->at_s = 7200;
    return *s == '/' ? read_clock(s + 1, &r->at_s) : s;
}

/* Rules by day of the year are not in use by any zone of our time: then there is no tail, and the
 * last transition holds on. */
static void read_tail(struct zone *z, const char *s)
{
    int32_t west = 0;
    s = skip_name(s);
    s = s ? read_clock(s, &west) : NULL;
    if (!s)
        return;
    z->standard = -west;
    if (*s == '\0') {
        z->has_tail = true;
        return;
    }
    s = skip_name(s);
    if (!s)
        return;
    z->summer = z->standard + 3600;
    if (*s != ',') {
        s = read_clock(s, &west);
        z->summer = -west;
    }
    s = s ? read_rule(s, &z->begin) : NULL;
    s = s ? read_rule(s, &z->end) : NULL;
    z->has_tail = z->has_summer = s && *s == '\0';
}

/* Local seconds since 1970 at which the rule strikes. */
static int64_t rule_local_s(const struct rule *r, int64_t year)
{
    int64_t first = zone_days(year, r->month, 1);
    int64_t next = zone_days(year, r->month + 1, 1);
    int64_t weekday = first + 4 - floor_div(first + 4, 7) * 7;
    int64_t day = first + (r->weekday - weekday + 7) % 7 + 7 * (r->week - 1);
    while (day >= next)
        day -= 7;
    return day * DAY_S + r->at_s;
}

static int32_t tail_offset(const struct zone *z, int64_t unix_s)
{
    if (!z->has_summer)
        return z->standard;
    struct zone_time t;
    date_from_days(floor_div(unix_s + z->standard, DAY_S), &t);
    int64_t begin = rule_local_s(&z->begin, t.year) - z->standard;
    int64_t end = rule_local_s(&z->end, t.year) - z->summer;
    bool summer = begin < end ? unix_s >= begin && unix_s < end : unix_s >= begin || unix_s < end;
    return summer ? z->summer : z->standard;
}

/* ---- TZif ---- */

static int64_t big_endian(const unsigned char *p, size_t bytes)
{
    uint64_t v = p[0] & 0x80 ? UINT64_MAX : 0;
    for (size_t i = 0; i < bytes; i++)
        v = v << 8 | p[i];
    return (int64_t)v;
}

/* Sizes of one block's parts, and its length behind the 44 bytes of its header. */
struct block {
    size_t transitions, types, length;
};

static bool read_block(const unsigned char *p, size_t left, size_t time_bytes, struct block *b)
{
    if (left < 44 || memcmp(p, "TZif", 4) != 0)
        return false;
    size_t count[6];
    for (size_t i = 0; i < 6; i++) {
        count[i] = (size_t)big_endian(p + 20 + 4 * i, 4);
        if (count[i] > ZONE_MAX_BYTES)
            return false;
    }
    b->transitions = count[3];
    b->types = count[4];
    b->length = count[3] * (time_bytes + 1) + count[4] * 6 + count[5] +
                count[2] * (time_bytes + 4) + count[1] + count[0];
    return b->types > 0 && left - 44 >= b->length;
}

static bool take_transitions(struct zone *z, const unsigned char *body, const struct block *b)
{
    const unsigned char *index = body + 8 * b->transitions, *types = index + b->transitions;
    z->n = b->transitions;
    z->first = (int32_t)big_endian(types, 4);
    for (size_t i = 0; i < z->n; i++) {
        z->at[i] = big_endian(body + 8 * i, 8);
        if (index[i] >= b->types || (i > 0 && z->at[i] <= z->at[i - 1]))
            return false;
        z->offset[i] = (int32_t)big_endian(types + 6 * (size_t)index[i], 4);
    }
    return true;
}

/* False when the file is damaged or memory is short (then *no_memory). */
static bool parse_tzif(struct zone *z, char *file, size_t length, bool *no_memory)
{
    const unsigned char *p = (const unsigned char *)file;
    struct block v1, v2;
    if (!read_block(p, length, 4, &v1) || p[4] < '2')
        return false;
    size_t second = 44 + v1.length;
    if (!read_block(p + second, length - second, 8, &v2))
        return false;
    z->at = calloc(v2.transitions + 1, sizeof *z->at);
    z->offset = calloc(v2.transitions + 1, sizeof *z->offset);
    if (!z->at || !z->offset) {
        *no_memory = true;
        return false;
    }
    if (!take_transitions(z, p + second + 44, &v2))
        return false;
    size_t tail = second + 44 + v2.length;
    if (tail < length && file[tail] == '\n') {
        char *end = memchr(file + tail + 1, '\n', length - tail - 1);
        if (end) {
            *end = '\0';
            read_tail(z, file + tail + 1);
        }
    }
    return true;
}

static bool name_is_plain(const char *s)
{
    if (!isalpha((unsigned char)*s))
        return false;
    for (; *s; s++) {
        if (!isalnum((unsigned char)*s) && !strchr("_+-/", *s))
            return false;
    }
    return true;
}

static int load_file(struct zone *z, const char *name, struct err *e)
{
    char path[256];
    int n = snprintf(path, sizeof path, ZONE_FOLDER "%s", name);
    FILE *f = name_is_plain(name) && n < (int)sizeof path ? fopen(path, "rb") : NULL;
    if (!f)
        return err_set(e, ERR_INPUT, NULL,
                       "\"%s\" is no time zone known here: an IANA name such as \"Asia/Shanghai\" "
                       "(most need the system's tzdata) or an offset such as \"+08:00\"",
                       name);
    char *file = malloc(ZONE_MAX_BYTES);
    size_t length = file ? fread(file, 1, ZONE_MAX_BYTES, f) : 0;
    fclose(f);
    bool no_memory = !file;
    bool ok = file && parse_tzif(z, file, length, &no_memory);
    free(file);
    if (no_memory)
        return err_set(e, ERR_SYSTEM, NULL, "out of memory for time zone \"%s\"", name);
    return ok ? 0 : err_set(e, ERR_INPUT, path, "is no time zone file (TZif version 2 or later)");
}

static bool parse_offset(const char *s, int32_t *offset_s)
{
    if (strncmp(s, "UTC", 3) == 0)
        s += 3;
    if (*s != '+' && *s != '-')
        return false;
    const char *end = read_clock(s, offset_s);
    return end && *end == '\0' && *offset_s >= -DAY_S && *offset_s <= DAY_S;
}

struct zone *zone_load(const char *name, struct err *e)
{
    assert(name && e);
    struct zone *z = calloc(1, sizeof *z);
    if (!z) {
        err_set(e, ERR_SYSTEM, NULL, "out of memory");
        return NULL;
    }
    if (parse_offset(name, &z->first))
        return z;
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
        if (strcmp(name, fixed[i].name) == 0) {
            z->first = fixed[i].offset_s;
            return z;
        }
    }
    if (load_file(z, name, e) != 0) {
        zone_free(z);
        return NULL;
    }
    return z;
}

struct zone *zone_parse(const void *bytes, size_t length, struct err *e)
{
    struct zone *z = calloc(1, sizeof *z);
    char *copy = malloc(length + 1); /* the rule at the end is read in place */
    bool no_memory = !z || !copy;
    bool ok = false;
    if (!no_memory) {
        memcpy(copy, bytes, length);
        ok = parse_tzif(z, copy, length, &no_memory);
    }
    free(copy);
    if (ok)
        return z;
    err_set(e, no_memory ? ERR_SYSTEM : ERR_INPUT, NULL,
            no_memory ? "out of memory" : "no time zone file (TZif version 2 or later)");
    zone_free(z);
    return NULL;
}

void zone_free(struct zone *z)
{
    if (!z)
        return;
    free(z->at);
    free(z->offset);
    free(z);
}

int32_t zone_offset_s(const struct zone *z, int64_t unix_s)
{
    assert(z);
    size_t low = 0, high = z->n; /* transitions at or before unix_s */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (z->at[middle] <= unix_s)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == z->n && z->has_tail)
        return tail_offset(z, unix_s);
    return low ? z->offset[low - 1] : z->first;
}

struct zone_time zone_local(const struct zone *z, int64_t unix_s)
{
    struct zone_time t = {0};
    int64_t local = unix_s + zone_offset_s(z, unix_s), days = floor_div(local, DAY_S);
    int32_t second = (int32_t)(local - days * DAY_S);
    date_from_days(days, &t);
    t.hour = second / 3600;
    t.minute = second / 60 % 60;
    t.second = second % 60;
    return t;
}

int64_t zone_unix(const struct zone *z, const struct zone_time *t)
{
    assert(z && t);
    int64_t local = zone_days(t->year, t->month, t->day) * DAY_S + t->hour * INT64_C(3600) +
                    t->minute * INT64_C(60) + t->second;
    int32_t before = zone_offset_s(z, local - DAY_S), after = zone_offset_s(z, local + DAY_S);
    if (zone_offset_s(z, local - before) != before && zone_offset_s(z, local - after) == after)
        return local - after;
    return local - before;
}
