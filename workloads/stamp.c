/* stamp: a time as trace files write it. */
#include "workloads/stamp.h"

#include "sim/clock.h"
#include "sim/text.h"
#include "sim/zone.h"

#include <assert.h>
#include <string.h>

#define LAST_S INT64_C(9214560000)      /* 2262-01-01 */
#define FIRST_UNIX_S INT64_C(100000000) /* 1973; a trace is shorter than three years */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Exactly n digits at *s. */
static bool take_digits(const char **s, int n, int64_t *out)
{
    int64_t v = 0;
    for (int i = 0; i < n; i++, (*s)++) {
        if (!is_digit(**s)) {
            return false;
        }
        v = v * 10 + (**s - '0');
    }
    *out = v;
    return true;
}

static bool take_char(const char **s, char c)
{
    if (**s != c) {
        return false;
    }
    (*s)++;
    return true;
}

/* ".9799600" as a share of `unit`, cut to a whole number; 0 when there is none. */
static bool take_fraction(const char **s, int64_t unit, int64_t *out)
{
    *out = 0;
    if (!take_char(s, '.')) {
        return true;
    }
    if (!is_digit(**s)) {
        return false;
    }
    for (; is_digit(**s); (*s)++) {
        unit /= 10;
        *out += unit * (**s - '0');
    }
    return true;
}

static bool at_end(const char *s)
{
    return s[strspn(s, " \t")] == '\0';
}

/* ---- ISO 8601 ---- */

static bool take_date(const char **s, int64_t *days)
{
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int64_t year, month, day;
    if (!take_digits(s, 4, &year) || !take_char(s, '-') || !take_digits(s, 2, &month) ||
        !take_char(s, '-') || !take_digits(s, 2, &day)) {
        return false;
    }
    if (month < 1 || month > 12 || day < 1) {
        return false;
    }
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    *days = zone_days(year, month, day);
    return day <= lengths[month - 1] + (month == 2 && leap);
}

/* HH:MM[:SS[.fraction]], or HH:MM:SS,fraction is not known. */
static bool take_clock(const char **s, int64_t *ns)
{
    int64_t hour, minute, second = 0, part = 0;
    if (!take_digits(s, 2, &hour) || !take_char(s, ':') || !take_digits(s, 2, &minute)) {
        return false;
    }
    if (take_char(s, ':') &&
        (!take_digits(s, 2, &second) || !take_fraction(s, SIM_SECOND, &part))) {
        return false;
    }
    *ns = hour * SIM_HOUR + minute * SIM_MINUTE + second * SIM_SECOND + part;
    return hour < 24 && minute < 60 && second < 60;
}

/* Z, +08:00, +0800, +08, or nothing (*known stays false). */
static bool take_zone(const char **s, bool *known, int64_t *east_s)
{
    *east_s = 0;
    *known = take_char(s, 'Z');
    if (*known || (**s != '+' && **s != '-')) {
        return true;
    }
    int64_t sign = **s == '-' ? -1 : 1, hours, minutes = 0;
    (*s)++;
    if (!take_digits(s, 2, &hours)) {
        return false;
    }
    bool colon = take_char(s, ':');
    if ((colon || is_digit(**s)) && !take_digits(s, 2, &minutes)) {
        return false;
    }
    *known = true;
    *east_s = sign * (hours * 3600 + minutes * 60);
    return hours < 24 && minutes < 60;
}

static bool parse_iso(const char *s, struct stamp *out)
{
    int64_t days, clock_ns = 0, east_s = 0;
    bool known = false;
    if (!take_date(&s, &days) || days < 0 || days * 86400 >= LAST_S) {
        return false;
    }
    if (*s == 'T' || *s == 't' || (*s == ' ' && is_digit(s[1]))) {
        s++;
        if (!take_clock(&s, &clock_ns)) {
            return false;
        }
        s += *s == ' ' && (s[1] == 'Z' || s[1] == '+' || s[1] == '-');
        if (!take_zone(&s, &known, &east_s)) {
            return false;
        }
    }
    out->kind = known ? STAMP_UNIX : STAMP_WALL;
    out->ns = days * SIM_DAY + clock_ns - east_s * SIM_SECOND;
    return at_end(s) && out->ns >= 0;
}

/* ---- numbers ---- */

static int64_t unit_ns(enum stamp_unit unit)
{
    switch (unit) {
    case STAMP_UNIT_MS:
        return SIM_MS;
    case STAMP_UNIT_US:
        return SIM_US;
    case STAMP_UNIT_NS:
        return 1;
    case STAMP_UNIT_AUTO:
    case STAMP_UNIT_ISO:
    case STAMP_UNIT_S:
        break;
    }
    return SIM_SECOND;
}

static enum stamp_unit unit_by_size(int64_t whole)
{
    static const struct {
        int64_t from;
        enum stamp_unit unit;
    } sizes[] = {{INT64_C(100000000000000000), STAMP_UNIT_NS},
                 {INT64_C(100000000000000), STAMP_UNIT_US},
                 {INT64_C(100000000000), STAMP_UNIT_MS}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (whole >= sizes[i].from) {
            return sizes[i].unit;
        }
    }
    return STAMP_UNIT_S;
}

static bool finish_number(int64_t ns, struct stamp *out)
{
    out->kind = ns >= FIRST_UNIX_S * SIM_SECOND ? STAMP_UNIX : STAMP_OFFSET;
    out->ns = ns;
    return true;
}

/* 1.70926e9, as some spreadsheets write it: exact only as far as a double is. */
static bool parse_exponent(const char *s, enum stamp_unit unit, struct stamp *out)
{
    double v;
    if (!text_parse_double(s, &v) || !(v >= 0 && v < 9.2e18)) {
        return false;
    }
    if (unit == STAMP_UNIT_AUTO) {
        unit = unit_by_size((int64_t)v);
    }
    double ns = v * (double)unit_ns(unit);
    return ns < (double)LAST_S * 1e9 && finish_number((int64_t)(ns + 0.5), out);
}

static bool parse_number(const char *s, enum stamp_unit unit, struct stamp *out)
{
    const char *begin = s;
    int64_t whole = 0, part;
    if (!is_digit(*s)) {
        return false;
    }
    for (; is_digit(*s); s++) {
        if (whole > (INT64_MAX - 9) / 10) {
            return false;
        }
        whole = whole * 10 + (*s - '0');
    }
    if (unit == STAMP_UNIT_AUTO) {
        unit = unit_by_size(whole);
    }
    int64_t one = unit_ns(unit);
    if (!take_fraction(&s, one, &part)) {
        return false;
    }
    if (*s == 'e' || *s == 'E') {
        return parse_exponent(begin, unit, out);
    }
    if (!at_end(s) || whole > LAST_S * SIM_SECOND / one) {
        return false;
    }
    return finish_number(whole * one + part, out);
}

bool stamp_parse(const char *s, enum stamp_unit unit, struct stamp *out)
{
    s += strspn(s, " \t");
    bool dashed =
        is_digit(s[0]) && is_digit(s[1]) && is_digit(s[2]) && is_digit(s[3]) && s[4] == '-';
    if (unit == STAMP_UNIT_ISO || (unit == STAMP_UNIT_AUTO && dashed)) {
        return parse_iso(s, out);
    }
    return parse_number(s, unit, out);
}

const char *stamp_kind_name(enum stamp_kind kind)
{
    static const char *const names[] = {"an offset in seconds", "a Unix time or a time with zone",
                                        "a time without zone"};
    assert((unsigned)kind < 3);
    return names[kind];
}
