/* calibration: finding a service time profile by name in the calibration files. */
#ifndef SLUICE_SCENARIOS_RUN_CALIBRATION_H
#define SLUICE_SCENARIOS_RUN_CALIBRATION_H

#include "models/serving/profile.h"
#include "sim/err.h"

#include <stddef.h>

struct arena;

struct calibration {
    const struct profile_file *files;
    size_t n;
    const char *only; /* the one file that was named; NULL: the folder's */
};

/* Every *.json of the folder, sorted by name. */
int calibration_load(struct calibration *c, struct arena *a, const char *dir, struct err *e);
/* One file, which a scenario names. */
int calibration_load_file(struct calibration *c, struct arena *a, const char *path, struct err *e);
/* NULL with ERR_INPUT that lists the nearest name. where: place of the reference. */
const struct profile *calibration_find(const struct calibration *c, const char *name,
                                       const char *where, struct err *e);

#endif
