/* service_time: the value of `serviceTime`: a duration, a distribution, a calibration, or one of
 * these for each kind of GPU. */
#ifndef SLUICE_SCENARIOS_RUN_SERVICE_TIME_H
#define SLUICE_SCENARIOS_RUN_SERVICE_TIME_H

#include "sim/err.h"
#include "sim/json.h"

struct bind;

#define SERVICE_TIME_SHAPE                                                                         \
    "a duration (\"12ms\"), {\"distribution\": ...}, {\"calibration\": \"model/GPU/precision\"}, " \
    "or an object of these by kind of GPU"

/* A knob_read_fn: fills a struct knob_list of struct service_time. References to calibrations are
 * kept by name; scenario_load resolves them. */
int service_time_read(struct bind *b, const struct json *value, const char *path, void *out,
                      struct err *e);

#endif
