/* blind: the time in which faults of the metric path keep the autoscaler from seeing, and the
 * requests that missed their limit meanwhile. */
#ifndef SLUICE_MODELS_SERVING_BLIND_H
#define SLUICE_MODELS_SERVING_BLIND_H

#include "models/serving/tally.h"
#include "sim/clock.h"
#include "sim/err.h"

struct dispatch;
struct heading;
struct metric_sls_config;
struct sim;

struct blind; /* opaque */

/* Borrowed for the life. */
struct blind_setup {
    const struct metric_sls_config *path;
    struct sim *sim;
    struct dispatch *dispatch;
    sim_ns limit; /* a request that took longer missed; 0: only failures did */
    sim_ns horizon;
};

/* With no fault that blinds, one that does nothing. NULL and ERR_SYSTEM without memory. */
struct blind *blind_create(const struct blind_setup *s, struct err *e);
void blind_destroy(struct blind *b);
/* Schedules the ends and beginnings of faults. */
void blind_start(struct blind *b);
/* metric.blindTime, metric.blindMissed; after everything was played to the horizon. */
void blind_figures(struct blind *b, const struct heading *to);

#endif
