/* service_time: the value of `serviceTime`: a duration, a distribution, a calibration, or one of
 * these for each kind of GPU. */
#ifndef SLUICE_SCENARIOS_RUN_SERVICE_TIME_H
#define SLUICE_SCENARIOS_RUN_SERVICE_TIME_H

#include "sim/err.h"
#include "sim/json.h"

#include <stddef.h>

struct arena;
struct calibration;
struct knob_given;
struct result_assumption;
struct service_time;

#define SERVICE_TIME_SHAPE                                                                         \
    "a duration (\"12ms\"), {\"distribution\": ...}, {\"calibration\": \"model/GPU/precision\"} "  \
    "with \"file\" (a profile beside the scenario), \"batch\" (items of one request) and parts "   \
    "of "                                                                                          \
    "the profile's key if need be, "                                                               \
    "or an object of these by kind of GPU"

/* A knob_read_fn: fills a struct knob_list of struct service_time. References to calibrations are
 * kept by name; scenario_load resolves them. */
int service_time_read(const struct knob_given *g, struct err *e);

/* Where profiles are looked for, and what keeps the words; borrowed. */
struct service_time_frame {
    const struct calibration *shipped;
    const char *base_dir; /* of a file that the scenario names */
    struct arena *arena;
};

/* Finds the profile that t refers to and takes its time from it: 1 and what the answer then rests
 * on, 0 when t is no reference. service: number in the scenario. ERR_INPUT when there is no such
 * profile, or it is of another GPU. */
int service_time_resolve(const struct service_time_frame *f, size_t service, struct service_time *t,
                         struct result_assumption *out, struct err *e);

#endif
