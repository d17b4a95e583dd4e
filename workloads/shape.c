/* shape: a factor on the rate that follows the calendar. */
#include "workloads/shape.h"

#include "sim/arena.h"
#include "sim/err.h"
#include "workloads/stamp.h"
#include "workloads/traffic_config.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

static int by_day(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

int shape_init(struct shape *s, struct arena *a, const struct traffic_shape *config, struct err *e)
{
    *s = (struct shape){.config = config};
    const struct traffic_holidays *h = config->holidays;
    if (h == NULL) {
        return 0;
    }
    int64_t *days = arena_take(a, h->dates.count, sizeof *days, e);
    if (days == NULL) {
        return -1;
    }
    for (size_t i = 0; i < h->dates.count; i++) {
        struct stamp day;
        if (!stamp_parse(h->dates.items[i], STAMP_UNIT_ISO, &day) || day.kind != STAMP_WALL ||
            day.ns % SIM_DAY != 0) {
            return err_set(e, ERR_INPUT, NULL,
                           "shape.holidays.dates: \"%s\" is no date such as \"2024-10-01\"",
                           h->dates.items[i]);
        }
        days[i] = day.ns / SIM_DAY;
    }
    qsort(days, h->dates.count, sizeof *days, by_day);
    s->holidays = days;
    s->n_holidays = h->dates.count;
    return 0;
}

static bool is_holiday(const struct shape *s, int64_t day)
{
    return s->n_holidays > 0 &&
           bsearch(&day, s->holidays, s->n_holidays, sizeof day, by_day) != NULL;
}

static void cut(sim_ns *left, sim_ns limit)
{
    if (limit > 0 && limit < *left) {
        *left = limit;
    }
}

static double business_factor(const struct traffic_business_hours *h, int weekday, sim_ns in_day,
                              sim_ns *left)
{
    cut(left, h->from - in_day);
    cut(left, h->to - in_day);
    bool inside = weekday < 5 && in_day >= h->from && in_day < h->to;
    return inside ? 1 : h->outside;
}

double shape_factor(const struct shape *s, sim_ns wall, sim_ns *left)
{
    const struct traffic_shape *c = s->config;
    int64_t day = wall / SIM_DAY - (wall % SIM_DAY < 0); /* west of UTC 1970 begins in 1969 */
    sim_ns in_day = wall - day * SIM_DAY;
    int weekday = (int)((day + 10) % 7); /* 0 = Monday: 1970-01-01 was a Thursday */
    assert(weekday >= 0);
    *left = SIM_DAY - in_day;
    double factor = 1;
    if (c->hours.given) {
        cut(left, SIM_HOUR - in_day % SIM_HOUR);
        factor = c->hours.of[in_day / SIM_HOUR];
    }
    if (is_holiday(s, day)) {
        return factor * c->holidays->scale;
    }
    if (c->weekdays.given) {
        factor *= c->weekdays.of[weekday];
    }
    if (c->business_hours != NULL) {
        factor *= business_factor(c->business_hours, weekday, in_day, left);
    }
    return factor;
}
