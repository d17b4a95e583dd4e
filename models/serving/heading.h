/* heading: where closing figures of one service go, each behind the service's prefix. */
#ifndef SLUICE_MODELS_SERVING_HEADING_H
#define SLUICE_MODELS_SERVING_HEADING_H

#include "sim/recorder.h"

struct heading {
    struct recorder *recorder;
    const char *prefix; /* "" or "services.bert." */
};

void heading_put(const struct heading *to, const char *path, const char *unit,
                 enum figure_merge merge, double value);

#endif
