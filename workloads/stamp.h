/* stamp: a time as trace files write it. */
#ifndef SLUICE_WORKLOADS_STAMP_H
#define SLUICE_WORKLOADS_STAMP_H

#include <stdbool.h>
#include <stdint.h>

enum stamp_unit {
    STAMP_UNIT_AUTO, /* ISO 8601, or a number: below 10^8 seconds since the start; above, Unix time
                        in s, ms, us or ns by its size */
    STAMP_UNIT_ISO,
    STAMP_UNIT_S,
    STAMP_UNIT_MS,
    STAMP_UNIT_US,
    STAMP_UNIT_NS,
};

enum stamp_kind {
    STAMP_OFFSET, /* ns since the start of the trace; below 10^8 s */
    STAMP_UNIX,   /* ns since 1970-01-01 00:00 UTC */
    STAMP_WALL,   /* no zone was written: ns since 1970-01-01 00:00 of some wall clock */
};

/* Open data; ns is never negative. */
struct stamp {
    enum stamp_kind kind;
    int64_t ns;
};

/* The whole of s, blanks around it apart. "2023-11-16 18:17:03.9799600",
 * "2024-03-01T02:00:00+08:00", "2024-03-01", "1709258400.781", "600". Digits beyond a nanosecond
 * are cut. False when it is no time, or outside 1970..2261. */
bool stamp_parse(const char *s, enum stamp_unit unit, struct stamp *out);
/* "an offset", "a Unix time", "a time without zone": for messages. */
const char *stamp_kind_name(enum stamp_kind kind);

#endif
