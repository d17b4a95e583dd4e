/* timings_log: what both logs of an MLPerf run say of a batch's time. */
#ifndef SLUICE_KERNELS_TIMINGS_LOG_H
#define SLUICE_KERNELS_TIMINGS_LOG_H

#include "sim/err.h"

#include <stdbool.h>
#include <stddef.h>

struct timings;
struct timings_source;

enum timings_log_figure {
    TIMINGS_LOG_RATE,
    TIMINGS_LOG_SAMPLES,
    TIMINGS_LOG_MEAN,
    TIMINGS_LOG_P50,
    TIMINGS_LOG_P99,
    /* The same of a query of several samples: a sample's own latency may end before its query. */
    TIMINGS_LOG_QUERY_MEAN,
    TIMINGS_LOG_QUERY_P50,
    TIMINGS_LOG_QUERY_P99,
    TIMINGS_LOG_FIGURES
};

struct timings_log {
    char scenario[32]; /* "SingleStream", ... */
    bool invalid;      /* the run did not meet LoadGen's own conditions */
    double v[TIMINGS_LOG_FIGURES];
};

void timings_log_scenario(struct timings_log *l, const char *name);
int timings_log_put(struct timings_log *l, enum timings_log_figure figure,
                    const struct timings_source *s, size_t line, const char *value, struct err *e);
/* The run's one point. */
int timings_log_point(const struct timings_log *l, const struct timings_source *s,
                      struct timings *out, struct err *e);

#endif
