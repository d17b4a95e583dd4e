/* drill_effect: how many ready replicas were missing after a drill. */
#ifndef SLUICE_SCENARIOS_RUN_DRILL_EFFECT_H
#define SLUICE_SCENARIOS_RUN_DRILL_EFFECT_H

#include "models/capacity/drill.h"
#include "sim/result.h"

#include <stdbool.h>

/* By the series of the shown replication, so to the width of a bin. */
struct drill_effect {
    bool known;           /* the series reach over the drill's beginning */
    bool short_of, back;  /* fewer were ready than wanted; later, within the run, no longer */
    double ready, wanted; /* where most were missing, means over a bin */
    sim_ns after;         /* from the drill to the first bin in which none is missing again */
    sim_ns bin;
};

/* prefix: "" or "services.bert.", of the series replicas.ready and replicas.want. A shortage that
 * begins over an hour after the drill, and after its end, is not its effect. */
struct drill_effect drill_effect_of(const struct result *r, const char *prefix,
                                    const struct drill *d);

#endif
