/* zone: local time of an IANA time zone, without the environment or the C library's own zone. */
#ifndef SLUICE_SIM_ZONE_H
#define SLUICE_SIM_ZONE_H

#include "sim/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Immutable once loaded: any number of threads may read one. */
struct zone;

/* Open data. Gregorian, also before 1582. */
struct zone_time {
    int32_t year, month, day; /* month and day from 1 */
    int32_t hour, minute, second;
    int32_t weekday; /* 0 = Sunday; set by zone_local, ignored by zone_unix */
    int32_t yearday; /* 0 = 1 January; likewise */
};

/* "Asia/Shanghai", "UTC", "+08:00", "UTC-3". Names of zones without daylight saving that are asked
 * for most are built in (exact from 1992 on); others are read from the system's zone files.
 * ERR_INPUT when there is no such zone, ERR_SYSTEM without memory; NULL then. */
struct zone *zone_load(const char *name, struct err *e);
/* The same from the bytes of a zone file. */
struct zone *zone_parse(const void *bytes, size_t length, struct err *e);
/* Accepts NULL. */
void zone_free(struct zone *z);

/* Days from 1970-01-01 to this date; month and day may be out of range, as above. */
int64_t zone_days(int64_t year, int64_t month, int64_t day);
/* Whether this is a day that the calendar has, as "2024-02-29". */
bool zone_is_date(const char *s);
/* Seconds east of UTC at this Unix time. */
int32_t zone_offset_s(const struct zone *z, int64_t unix_s);
struct zone_time zone_local(const struct zone *z, int64_t unix_s);
/* Unix time of a local time (fields may be out of range: day 32 is the next month's first). Of two
 * the earlier one; a time that a clock change skips counts on from before the change. */
int64_t zone_unix(const struct zone *z, const struct zone_time *t);

#endif
