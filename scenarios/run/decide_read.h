/* decide_read: fields of a conformance case, with errors that name them.
 *
 * Errors stick: after the first one these return zero, NULL or the fallback, so a reader takes all
 * its fields and asks once whether e->code is set. A null counts as missing. */
#ifndef SLUICE_SCENARIOS_RUN_DECIDE_READ_H
#define SLUICE_SCENARIOS_RUN_DECIDE_READ_H

#include "sim/clock.h"
#include "sim/err.h"
#include "sim/json.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Most units of a resource in one figure: thousands of such figures add up in an int64_t. */
#define DECIDE_READ_MOST INT64_C(1000000000000000)

/* The field, or NULL when it is missing or null. Complains only when o is no object. */
const struct json *decide_read_field(const struct json *o, const char *key, struct err *e);

/* Required. Whole numbers beyond 2^53 may stand as a string of digits. */
int64_t decide_read_int(const struct json *o, const char *key, int64_t min, int64_t max,
                        struct err *e);
double decide_read_number(const struct json *o, const char *key, struct err *e);
bool decide_read_bool(const struct json *o, const char *key, struct err *e);
const char *decide_read_string(const struct json *o, const char *key, struct err *e);
const struct json *decide_read_array(const struct json *o, const char *key, struct err *e);
const struct json *decide_read_object(const struct json *o, const char *key, struct err *e);
/* Seconds, with fractions, as time; at most 1e9 s either way. */
sim_ns decide_read_seconds(const struct json *o, const char *key, struct err *e);

/* With a fallback for what is missing. */
int64_t decide_read_int_or(const struct json *o, const char *key, int64_t fallback, int64_t min,
                           int64_t max, struct err *e);
double decide_read_number_or(const struct json *o, const char *key, double fallback, struct err *e);
bool decide_read_bool_or(const struct json *o, const char *key, bool fallback, struct err *e);
sim_ns decide_read_seconds_or(const struct json *o, const char *key, sim_ns fallback,
                              struct err *e);

/* ERR_INPUT at a value's place: "key: found, but must be ...". Always -1. */
int decide_read_fail(const struct json *at, const char *key, struct err *e, const char *fmt, ...)
    ERR_PRINTF(4, 5);

/* Room for n elements, zeroed, freed by the caller; one element when n is 0. NULL and ERR_SYSTEM
 * when memory is short. */
void *decide_read_room(size_t n, size_t size, struct err *e);

#endif
