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
/* What a scenario says of the profile that it means. where: place of the reference. */
struct calibration_reference {
    const char *name, *where;
    struct profile_key key;
};
/* NULL with ERR_INPUT when there is none, with the nearest name or the keys of that name; or when
 * there are several, with all of their keys. */
const struct profile *calibration_find(const struct calibration *c,
                                       const struct calibration_reference *r, struct err *e);

#endif
