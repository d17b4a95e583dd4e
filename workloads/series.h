/* series: a rate over time, read from the rows of a file. */
#ifndef SLUICE_WORKLOADS_SERIES_H
#define SLUICE_WORKLOADS_SERIES_H

#include "workloads/rate.h"
#include "workloads/stamp.h"

struct arena;
struct err;
struct traffic_config;

/* Open data. Each row holds from its time for one bin, or up to the next row when that comes
 * sooner, or when it comes less than half a bin later (timing jitter); the rest are gaps. A count
 * is divided by the time that its row holds, so that the counts add up to the expected requests. */
struct series {
    const struct rate_point *points; /* `at` since the origin; the last one is a gap */
    size_t count;
    enum stamp_kind kind;
    int64_t origin_ns; /* the stamp of position 0: of the first row, or 0 for offsets */
    sim_ns span, bin;  /* from the origin to the end of the last bin */
    size_t rows;
    size_t gaps;                     /* stretches without a value, between rows */
    sim_ns gap_total;                /* their length in all */
    size_t jittered;                 /* rows that hold for longer than a bin */
    size_t out_of_order, duplicates; /* rows repaired as the config allows */
    bool counts;
};

/* ERR_INPUT with file and line on what the config does not allow to repair. */
int series_load(struct series *s, struct arena *a, const char *path, const struct traffic_config *c,
                struct err *e);

#endif
