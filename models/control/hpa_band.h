/* hpa_band: between which values of a metric an HPA keeps a size. */
#ifndef SLUICE_MODELS_CONTROL_HPA_BAND_H
#define SLUICE_MODELS_CONTROL_HPA_BAND_H

#include "models/control/hpa.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hpa_band {
    int64_t low, high; /* milli, as the metric is written; both ends hold */
    bool from_zero;    /* nothing is too low */
    bool open;         /* nothing is too high */
};

/* The band of `replicas` that are all there and ready, by one metric of the spec alone. Empty (high
 * below low) when no value holds the size. */
struct hpa_band hpa_band_of(const struct hpa_spec *spec, size_t metric, int32_t replicas);

#endif
