/* trace_traffic: recorded traffic: rates and single requests, as `sluice trace` tells of them. */
#ifndef SLUICE_SCENARIOS_CLI_TRACE_TRAFFIC_H
#define SLUICE_SCENARIOS_CLI_TRACE_TRAFFIC_H

#include "sim/err.h"
#include "sim/text.h"

#include <stdbool.h>

struct arena;

/* A table whose columns are a time alone, a rate or a count of requests, and not one of the
 * recorded formats of workloads/trace.h. */
bool trace_traffic_is(const char *path);
int trace_traffic_info(struct arena *a, const char *path, bool json, struct text *to,
                       struct err *e);
/* "offset_s,qps", or "offset_s" of single requests. `format` NULL or rateCsv, requestCsv. */
int trace_traffic_convert(struct arena *a, const char *path, const char *format, struct text *to,
                          struct err *e);
/* Level, burstiness and a `traffic` block to paste. */
int trace_traffic_fit(struct arena *a, const char *path, bool json, struct text *to, struct err *e);

#endif
