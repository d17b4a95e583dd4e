/* fixture_house: a config struct with a field of every knob kind. */
#ifndef SLUICE_TESTS_FIXTURE_HOUSE_H
#define SLUICE_TESTS_FIXTURE_HOUSE_H

#include "sim/dist.h"
#include "sim/knob.h"
#include "sim/money.h"

#include <stdbool.h>
#include <stdint.h>

struct fixed_config {
    int32_t replicas;
};

struct hpa_config {
    int32_t min, max;
    double tolerance;
};

struct room {
    const char *name;
    sim_ns wait;
};

struct corner {
    double x;
};

struct house {
    bool lit;
    int64_t seed;
    int32_t floors;
    double load, share, percent, even;
    sim_ns period;
    int64_t bytes, milli;
    struct money price;
    const char *text;
    int colour;
    struct dist boot;
    struct corner corner;
    struct corner *attic;
    struct knob_list rooms;
    struct knob_texts tags;
    struct knob_map labels;
    struct knob_choice scaler;
};

extern const struct knob_table fixture_house_table;
extern const struct knob_option fixture_house_fixed, fixture_house_hpa, fixture_house_none;

#endif
