/* request_list: the times of single requests, read from the rows of a file. */
#ifndef SLUICE_WORKLOADS_REQUEST_LIST_H
#define SLUICE_WORKLOADS_REQUEST_LIST_H

#include "sim/clock.h"
#include "workloads/stamp.h"

#include <stddef.h>

struct arena;
struct err;
struct traffic_config;

/* Open data. */
struct request_list {
    const int64_t *times; /* ascending, since the origin */
    size_t count;
    enum stamp_kind kind;
    int64_t origin_ns; /* the stamp of time 0: of the first request, or 0 for offsets */
    size_t out_of_order;
};

/* A table (its time column is found like that of a rate file), or JSON lines whose member
 * timeColumn ("timestamp" when NULL) is a number or a string. ERR_INPUT with file and line. */
int request_list_load(struct request_list *l, struct arena *a, const char *path,
                      const struct traffic_config *c, struct err *e);

#endif
