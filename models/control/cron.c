/* cron: crontab expressions as bit sets. */
#include "models/control/cron.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

struct field {
    const char *name;
    int32_t low, high;
    const char *const *words; /* for low, low + 1, ... */
};

static const char *const months[] = {"jan", "feb", "mar", "apr", "may", "jun", "jul",
                                     "aug", "sep", "oct", "nov", "dec", NULL};
static const char *const weekdays[] = {"sun", "mon", "tue", "wed", "thu", "fri", "sat", NULL};

static const struct field fields[] = {
    {"second", 0, 59, NULL}, {"minute", 0, 59, NULL},  {"hour", 0, 23, NULL},
    {"day", 1, 31, NULL},    {"month", 1, 12, months}, {"weekday", 0, 7, weekdays},
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* A number or a name at *s; moves *s behind it. */
static bool read_value(const struct field *f, const char **s, int32_t *out)
{
    const char *c = *s;
    if (is_digit(*c)) {
        int32_t v = 0;
        for (; is_digit(*c) && v < 1000; c++)
            v = v * 10 + (*c - '0');
        *s = c;
        *out = v;
        return v >= f->low && v <= f->high;
    }
    for (int32_t i = 0; f->words && f->words[i]; i++)
        if (lower(c[0]) == f->words[i][0] && lower(c[1]) == f->words[i][1] &&
            lower(c[2]) == f->words[i][2]) {
            *s = c + 3;
            *out = f->low + i;
            return true;
        }
    return false;
}

static bool read_step(const char **s, int32_t *step)
{
    *step = 1;
    if (**s != '/')
        return true;
    ++*s;
    int32_t v = 0;
    if (!is_digit(**s))
        return false;
    for (; is_digit(**s) && v < 1000; ++*s)
        v = v * 10 + (**s - '0');
    *step = v;
    return v > 0;
}

/* One part of a list: *, a value, a range, each with a step. */
static bool read_part(const struct field *f, const char **s, uint64_t *bits, bool *any)
{
    int32_t from = f->low, to = f->high, step;
    bool star = **s == '*' || **s == '?';
    if (star) {
        ++*s;
    } else {
        if (!read_value(f, s, &from))
            return false;
        to = from;
        if (**s == '-') {
            ++*s;
            if (!read_value(f, s, &to) || to < from)
                return false;
        } else if (**s == '/') {
            to = f->high;
        }
    }
    if (!read_step(s, &step))
        return false;
    *any = star && step == 1;
    for (int32_t v = from; v <= to; v += step)
        *bits |= UINT64_C(1) << v;
    return true;
}

static int read_field(const struct field *f, const char *s, uint64_t *bits, bool *any,
                      struct err *e)
{
    const char *c = s;
    bool part_any = false, ok = true;
    *bits = 0;
    *any = false;
    do {
        ok = read_part(f, &c, bits, &part_any);
        *any |= part_any;
    } while (ok && *c == ',' && c++);
    if (ok && (*c == '\0' || *c == ' '))
        return 0;
    return err_set(e, ERR_INPUT, NULL,
                   "cron field %s '%.*s': allowed are %d..%d%s, lists, ranges, "
                   "steps and *",
                   f->name, (int)strcspn(s, " "), s, (int)f->low, (int)f->high,
                   f->words ? ", names" : "");
}

static size_t count_fields(const char *s, const char *starts[6])
{
    size_t n = 0;
    while (*s) {
        while (*s == ' ')
            s++;
        if (!*s)
            break;
        if (n < 6)
            starts[n] = s;
        n++;
        s += strcspn(s, " ");
    }
    return n;
}

int cron_parse(const char *text, struct cron *out, struct err *e)
{
    const char *starts[6];
    uint64_t bits[6] = {1};
    bool any[6] = {false};
    size_t n = count_fields(text, starts);
    if (n != 5 && n != 6)
        return err_set(e, ERR_INPUT, NULL,
                       "cron '%s' has %zu fields; allowed are five (minute hour day month weekday) "
                       "or six with seconds in front",
                       text, n);
    for (size_t i = 0; i < n; i++) {
        size_t which = i + 6 - n;
        if (read_field(&fields[which], starts[i], &bits[which], &any[which], e))
            return -1;
    }
    bits[5] |= bits[5] >> 7 & 1; /* 7 is Sunday too */
    *out = (struct cron){bits[0],
                         bits[1],
                         (uint32_t)bits[2],
                         (uint32_t)bits[3],
                         (uint32_t)bits[4],
                         (uint32_t)bits[5] & 0x7f,
                         any[3],
                         any[5]};
    return 0;
}

bool cron_on(const struct cron *c, const struct cron_date *d)
{
    bool weekday = c->weekdays >> d->weekday & 1;
    if (d->month == 0)
        return weekday && c->any_day;
    bool day = c->days >> d->day & 1;
    if (!(c->months >> d->month & 1))
        return false;
    return c->any_day || c->any_weekday ? day && weekday : day || weekday;
}

static int32_t highest(uint64_t bits, int32_t upto)
{
    for (int32_t i = upto; i >= 0; i--)
        if (bits >> i & 1)
            return i;
    return -1;
}

int32_t cron_last(const struct cron *c, int32_t upto)
{
    assert(upto >= 0 && upto < 86400);
    for (int32_t h = upto / 3600; h >= 0; h--) {
        if (!(c->hours >> h & 1))
            continue;
        int32_t rest = h == upto / 3600 ? upto % 3600 : 3599;
        for (int32_t m = rest / 60; m >= 0; m--) {
            if (!(c->minutes >> m & 1))
                continue;
            int32_t s = highest(c->seconds, m == rest / 60 ? rest % 60 : 59);
            if (s >= 0)
                return h * 3600 + m * 60 + s;
        }
    }
    return -1;
}

static int32_t length_of(int32_t year, int32_t month)
{
    static const int8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return days[month - 1] + (month == 2 && leap);
}

struct cron_date cron_yesterday(const struct cron_date *d)
{
    struct cron_date y = *d;
    y.weekday = (d->weekday + 6) % 7;
    if (d->month == 0)
        return y;
    if (--y.day >= 1)
        return y;
    if (--y.month < 1) {
        y.month = 12;
        y.year--;
    }
    y.day = length_of(y.year, y.month);
    return y;
}
