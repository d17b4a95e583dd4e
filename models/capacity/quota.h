/* quota: how many machines of a type a zone sells, where the scenario says so: quotas by type and
 * zone, and stock-outs at known times. */
#ifndef SLUICE_MODELS_CAPACITY_QUOTA_H
#define SLUICE_MODELS_CAPACITY_QUOTA_H

#include "sim/clock.h"
#include "sim/knob.h"

#include <stdbool.h>
#include <stdint.h>

enum quota_billing { QUOTA_ANY, QUOTA_ON_DEMAND, QUOTA_SPOT };

/* Open data, one item of `stockLimits`. */
struct quota {
    const char *type, *zone; /* NULL: all of them together */
    int billing;             /* enum quota_billing */
    int32_t most;            /* machines held at once */
    sim_ns from, lasts;      /* lasts 0: to the end */
};
extern const struct knob_table quota_knobs; /* "stockLimit" */

/* One machine. */
struct quota_machine {
    const char *type, *zone;
    bool spot;
};
bool quota_counts(const struct quota *l, const struct quota_machine *m);
/* The first limit that forbids another such machine at `now`; NULL: none. held: machines that count
 * against a limit. */
typedef int64_t quota_held(const void *self, const struct quota *l);
const struct quota *quota_met(const struct knob_list *limits, const struct quota_machine *m,
                              sim_ns now, quota_held *held, const void *self);

#endif
