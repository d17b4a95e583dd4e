/* cron: a crontab expression, and when it fires in local time.
 *
 * Five fields (minute hour day month weekday) or six with seconds in front, as the CronHPA of
 * Alibaba Cloud writes them: lists, ranges, steps, names, ? for *. When day and weekday are both
 * restricted, either is enough. */
#ifndef SLUICE_MODELS_CONTROL_CRON_H
#define SLUICE_MODELS_CONTROL_CRON_H

#include "sim/err.h"

#include <stdbool.h>
#include <stdint.h>

struct cron {
    uint64_t seconds, minutes; /* bit i: fires at i */
    uint32_t hours, days;      /* days: bits 1..31 */
    uint32_t months, weekdays; /* bits 1..12; 0..6, 0 = Sunday */
    bool any_day, any_weekday;
};

/* A day of the proleptic Gregorian calendar. */
struct cron_date {
    int32_t year, month, day; /* 1..12, 1..31; all 0: only the weekday is known */
    int32_t weekday;
};

/* 0, or -1 and ERR_INPUT that names the field at fault. */
int cron_parse(const char *text, struct cron *out, struct err *e);
bool cron_on(const struct cron *c, const struct cron_date *d);
/* The last second of a day, not after `upto`, at which it fires; -1 for none. Only the time of day
 * counts. */
int32_t cron_last(const struct cron *c, int32_t upto);
/* The day before. */
struct cron_date cron_yesterday(const struct cron_date *d);

#endif
