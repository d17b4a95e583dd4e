/* export: a result for programs: JSON (schema "sluice.result/1") and CSV. */
#ifndef SLUICE_REPORTS_EXPORT_H
#define SLUICE_REPORTS_EXPORT_H

#include "sim/text.h"

#include <stdbool.h>

struct result;

/* Appends one JSON document with a final line break. Figures are their dotted paths unfolded into
 * objects ("latency.p99" is latency: {p99}), in the order in which they were recorded; a figure
 * whose path is also the beginning of others stands in their object as "value". Beside them:
 * "intervals" {path: [low, high]}, "units" {path: unit}, "assumptions", "findings", "digest".
 * Seconds, shares of 0..1 and counts are plain numbers. timelines adds "series" (null where nothing
 * is known), "samples" (of measurements), "log", "spans" and "bills" with times in seconds from the
 * start. */
void export_json(const struct result *r, bool timelines, struct text *to);

/* "path,unit,value,low,high", one line a figure, CRLF as in RFC 4180; low and high are empty
 * without an interval. */
void export_csv(const struct result *r, struct text *to);

#endif
