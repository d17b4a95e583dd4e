/* autoscaler: the policy of one service at work: its passes, its memory, its log and its counts. */
#ifndef SLUICE_MODELS_SERVING_AUTOSCALER_H
#define SLUICE_MODELS_SERVING_AUTOSCALER_H

#include "sim/clock.h"
#include "sim/err.h"

#include <stdbool.h>
#include <stdint.h>

struct dispatch;
struct heading;
struct replicas;
struct service_config; /* models/serving/service.h */
struct service_frame;
struct traffic;

struct autoscaler; /* opaque */

/* Borrowed for the life. */
struct autoscaler_setup {
    const struct service_config *config;
    const struct service_frame *frame;
    const struct traffic *traffic;
    struct dispatch *dispatch;
    struct replicas *replicas;
    uint32_t number; /* the service's */
};

/* Does its platform put an activator in front of the pods? */
bool autoscaler_activates(const struct service_config *c);

struct autoscaler *autoscaler_create(const struct autoscaler_setup *s, struct err *e);
void autoscaler_destroy(struct autoscaler *a);
/* Schedules the first pass and the marks that it reads. */
void autoscaler_start(struct autoscaler *a);
/* A request has come to a service of size zero at `at`, not before the simulated now: an activator
 * has the policy decide then, out of turn. */
void autoscaler_wake(struct autoscaler *a, sim_ns at);
/* Did the last pass want more than its maximum? */
bool autoscaler_capped(const struct autoscaler *a);
/* scaler.*, replicas.reversals; after everything was played to the horizon. */
void autoscaler_figures(const struct autoscaler *a, const struct heading *to);

#endif
