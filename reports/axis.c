/* axis: round numbers and round times. */
#include "reports/axis.h"

#include "sim/chance.h"
#include "sim/zone.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* libm's pow and log10 differ with the CPU in the last bit, and a chart's bytes may not. */
static double power_of_ten(int exponent)
{
    double v = 1;
    for (int i = exponent < 0 ? -exponent : exponent; i > 0; i--)
        v *= 10;
    return exponent < 0 ? 1 / v : v;
}

/* Largest n with 10^n <= v, for v > 0. */
static int decade(double v)
{
    int n = 0;
    while (n < 300 && power_of_ten(n + 1) <= v)
        n++;
    while (n > -300 && power_of_ten(n) > v)
        n--;
    return n;
}

/* All labels of an axis have the suffix that its largest one needs. */
static void label_number(char *to, size_t size, const struct axis_tick *t, double step, double high)
{
    static const struct {
        double from, unit;
        const char *suffix;
    } units[] = {{1e9, 1e9, "G"}, {1e6, 1e6, "M"}, {1e4, 1e3, "k"}};
    for (size_t i = 0; i < 3 && t->at != 0; i++) {
        if (high >= units[i].from) {
            snprintf(to, size, "%.4g%s", t->at / units[i].unit, units[i].suffix);
            return;
        }
    }
    int decimals = step >= 1 ? 0 : -decade(step * 1.0000001);
    snprintf(to, size, "%.*f", decimals > 12 ? 12 : decimals, t->at);
}

static void add_tick(struct axis *a, double at, double step)
{
    if (a->n == AXIS_TICKS)
        return;
    struct axis_tick *t = &a->tick[a->n++];
    t->at = at;
    label_number(t->label, sizeof t->label, t, step, a->log ? at : a->high);
}

void axis_linear(struct axis *a, double high, size_t most, bool whole)
{
    assert(a && most >= 1 && most < AXIS_TICKS);
    *a = (struct axis){0};
    if (!isfinite(high) || high <= 0)
        high = 1;
    double power = power_of_ten(decade(high / (double)most));
    static const double steps[] = {1, 2, 5, 10};
    double step = 0;
    for (size_t i = 0; i < 4; i++) {
        step = steps[i] * power;
        if (whole && step < 1)
            continue;
        if (ceil(high / step - 1e-9) <= (double)most)
            break;
    }
    if (whole && step < 1)
        step = 1;
    double n = ceil(high / step - 1e-9);
    a->high = n * step;
    for (double i = 0; i <= n; i++)
        add_tick(a, i * step, step);
}

/* The largest 1, 2 or 5 times a power of ten that is at most v. */
static double round_down(double v)
{
    double one = power_of_ten(decade(v));
    return v >= 5 * one ? 5 * one : v >= 2 * one ? 2 * one : one;
}

void axis_log(struct axis *a, double low, double high)
{
    assert(a && low > 0 && high >= low && isfinite(high));
    *a = (struct axis){.log = true, .low = round_down(low * 1.0000001)};
    a->high = round_down(high * 0.9999999);
    a->high *= fabs(a->high / power_of_ten(decade(a->high)) - 2) < 0.5 ? 2.5 : 2;
    int from = decade(a->low), to = decade(a->high);
    bool fine = to - from < 3;
    if (!fine && a->low > 1.5 * power_of_ten(from))
        add_tick(a, a->low, a->low);
    for (int d = from; d <= to; d++) {
        for (int i = 0; i < (fine ? 3 : 1); i++) {
            double v = power_of_ten(d) * (i == 2 ? 5 : i + 1);
            if (v >= a->low * 0.999 && v <= a->high * 1.001)
                add_tick(a, v, v);
        }
    }
    if (!fine && a->high > 1.5 * power_of_ten(to))
        add_tick(a, a->high, a->high);
}

static void label_latency(struct axis_tick *t)
{
    double v = t->at;
    if (v == 0)
        snprintf(t->label, sizeof t->label, "0");
    else if (v < 0.9999e-3)
        snprintf(t->label, sizeof t->label, "%.4g us", v * 1e6);
    else if (v < 0.9999)
        snprintf(t->label, sizeof t->label, "%.4g ms", v * 1e3);
    else
        snprintf(t->label, sizeof t->label, "%.6g s", v);
}

void axis_label_latency(struct axis *a)
{
    assert(a);
    for (size_t i = 0; i < a->n; i++)
        label_latency(&a->tick[i]);
}

static void label_seconds(char *to, size_t size, double v, double step)
{
    if (v == 0)
        snprintf(to, size, "0");
    else if (step < 1)
        snprintf(to, size, "%g s", v);
    else if (step < 60)
        snprintf(to, size, v < 60 || step < 15 ? "%.0f s" : "%.3g m",
                 v < 60 || step < 15 ? v : v / 60);
    else if (step < 3600)
        snprintf(to, size, "%.0f m", v / 60);
    else
        snprintf(to, size, "%.4g h", v / 3600);
}

void axis_seconds(struct axis *a, double high, size_t most)
{
    static const double steps[] = {1,   2,   5,    10,   15,   30,    60,    120,   300,
                                   600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400};
    axis_linear(a, high, most, false);
    if (a->high < 5)
        return;
    double step = steps[0];
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        step = steps[i];
        if (ceil(high / step - 1e-9) <= (double)most)
            break;
    }
    double n = ceil(high / step - 1e-9);
    if (n > (double)most)
        return; /* months of startup: numbers in seconds will do */
    *a = (struct axis){.high = n * step};
    for (double i = 0; i <= n; i++) {
        add_tick(a, i * step, step);
        label_seconds(a->tick[a->n - 1].label, sizeof a->tick[0].label, i * step, step);
    }
}

/* ---- local time ---- */

/* Steps of seconds below a day, then of days, then of months. */
static const int32_t second_steps[] = {1,   2,   5,    10,   15,   30,    60,    120,  300,
                                       600, 900, 1800, 3600, 7200, 10800, 21600, 43200};
static const int32_t day_steps[] = {1, 2, 7, 14};
static const int32_t month_steps[] = {1, 2, 3, 6, 12, 24, 60, 120};

static const char *const month_names[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
static const char *const day_names[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};

struct frame {
    struct axis *a;
    const struct axis_time *t;
    const struct zone *zone;
    int64_t first_s, last_s;
};

/* NULL when the time is not on the axis, or is there already: a clock change makes 2:00 be 3:00. */
static struct axis_tick *add_time(struct frame *f, int64_t unix_s)
{
    double at = (double)(unix_s - f->first_s) * 1e9;
    if (f->a->n == AXIS_TICKS || unix_s < f->first_s || unix_s > f->last_s ||
        (f->a->n > 0 && f->a->tick[f->a->n - 1].at >= at))
        return NULL;
    struct axis_tick *t = &f->a->tick[f->a->n++];
    *t = (struct axis_tick){.at = at};
    return t;
}

static void clock_ticks(struct frame *f, int32_t step)
{
    struct zone_time day = zone_local(f->zone, f->first_s);
    day.hour = day.minute = day.second = 0;
    for (int64_t midnight = zone_unix(f->zone, &day); midnight <= f->last_s;
         day.day++, midnight = zone_unix(f->zone, &day)) {
        /* Two hours early, since the clocks may change on the way. */
        int64_t begin = f->first_s - midnight - 7200;
        for (int32_t s = begin > 0 ? (int32_t)(begin / step) * step : 0; s < 86400; s += step) {
            struct zone_time at = day;
            at.second = s;
            int64_t unix_s = zone_unix(f->zone, &at);
            if (unix_s > f->last_s)
                return;
            struct axis_tick *t = add_time(f, unix_s);
            if (!t)
                continue;
            struct zone_time l = zone_local(f->zone, unix_s);
            snprintf(t->label, sizeof t->label, step < 60 ? "%02d:%02d:%02d" : "%02d:%02d", l.hour,
                     l.minute, l.second);
            if (f->a->n == 1 || s == 0)
                snprintf(t->below, sizeof t->below, "%s %d %s", day_names[l.weekday], l.day,
                         month_names[l.month - 1]);
        }
    }
}

static void day_ticks(struct frame *f, int32_t step)
{
    struct zone_time day = zone_local(f->zone, f->first_s);
    day.hour = day.minute = day.second = 0;
    if (step >= 7) /* weeks begin on Monday */
        day.day -= (day.weekday + 6) % 7;
    for (int64_t s = zone_unix(f->zone, &day); s <= f->last_s;
         day.day += step, s = zone_unix(f->zone, &day)) {
        struct axis_tick *t = add_time(f, s);
        if (!t)
            continue;
        struct zone_time l = zone_local(f->zone, s);
        snprintf(t->label, sizeof t->label, "%d %s", l.day, month_names[l.month - 1]);
        if (step < 7)
            snprintf(t->below, sizeof t->below, "%s", day_names[l.weekday]);
        else if (f->a->n == 1)
            snprintf(t->below, sizeof t->below, "%d", l.year);
    }
}

static void month_ticks(struct frame *f, int32_t step)
{
    struct zone_time month = zone_local(f->zone, f->first_s);
    month.hour = month.minute = month.second = 0;
    month.day = 1;
    month.month = step >= 12 ? 1 : (month.month - 1) / step * step + 1;
    if (step > 12)
        month.year -= month.year % (step / 12);
    for (int64_t s = zone_unix(f->zone, &month); s <= f->last_s;
         month.month += step, s = zone_unix(f->zone, &month)) {
        struct axis_tick *t = add_time(f, s);
        if (!t)
            continue;
        struct zone_time l = zone_local(f->zone, s);
        if (step >= 12)
            snprintf(t->label, sizeof t->label, "%d", l.year);
        else
            snprintf(t->label, sizeof t->label, "%s", month_names[l.month - 1]);
        if (step < 12 && (f->a->n == 1 || l.month <= step))
            snprintf(t->below, sizeof t->below, "%d", l.year);
    }
}

void axis_local_time(struct axis *a, const struct axis_time *t)
{
    assert(a && t && t->horizon > 0 && t->most >= 2);
    *a = (struct axis){.high = (double)t->horizon};
    struct err ignored = {0};
    struct zone *utc = t->zone ? NULL : zone_load("UTC", &ignored);
    struct frame f = {a, t, t->zone ? t->zone : utc, t->epoch_s,
                      t->epoch_s + t->horizon / SIM_SECOND};
    size_t most = t->most < AXIS_TICKS ? t->most : AXIS_TICKS - 1;
    double seconds = (double)t->horizon / 1e9, wanted = seconds / (double)most;
    if (!f.zone)
        return; /* out of memory: an axis without labels */
    if (wanted <= 43200) {
        size_t i = 0;
        while (second_steps[i] < wanted)
            i++;
        clock_ticks(&f, second_steps[i]);
    } else if (wanted <= 14 * 86400) {
        size_t i = 0;
        while (day_steps[i] * 86400.0 < wanted)
            i++;
        day_ticks(&f, day_steps[i]);
    } else {
        size_t i = 0;
        while (i + 1 < sizeof month_steps / sizeof *month_steps &&
               month_steps[i] * 2629746.0 < wanted)
            i++;
        month_ticks(&f, month_steps[i]);
    }
    zone_free(utc);
}

double axis_place(const struct axis *a, double v)
{
    double low = a->low, high = a->high;
    if (a->log) {
        v = chance_log(v > low ? v : low);
        low = chance_log(low);
        high = chance_log(high);
    }
    double x = (v - low) / (high - low);
    return x < 0 ? 0 : x > 1 ? 1 : x;
}
