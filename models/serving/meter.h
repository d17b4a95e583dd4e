/* meter: what the autoscaler of one service is shown of it.
 *
 * Each metric is the difference of two marks, at the edges of the window that its path reads, so
 * counts and time averages are exact. Marks are control events: both edges of a pass are known
 * ahead, and what was marked waits in a ring until its pass comes. */
#ifndef SLUICE_MODELS_SERVING_METER_H
#define SLUICE_MODELS_SERVING_METER_H

#include "models/control/scaler.h"
#include "sim/clock.h"
#include "sim/err.h"

#include <stddef.h>
#include <stdint.h>

struct dispatch;
struct metric_sls_config;
struct replicas;
struct sim;

/* More metrics than an autoscaler reads in earnest; more is refused when the service is made. */
#define METER_MAX_METRICS 16

struct meter; /* opaque: rings and wishes must agree */

/* Borrowed for the life of the meter. */
struct meter_setup {
    const char *name; /* of the service */
    const struct scaler_policy *policy;
    const void *policy_config;
    const struct metric_sls_config *path;
    struct sim *sim;
    struct dispatch *dispatch;
    struct replicas *replicas;
    sim_ns first_pass, period; /* SIM_NEVER: one pass, and no metric */
    sim_ns horizon;
    size_t max_replicas;
    uint64_t seed, replication, number;
};

struct meter *meter_create(const struct meter_setup *s, struct err *e);
void meter_destroy(struct meter *m);
/* Schedules the first marks. */
void meter_start(struct meter *m);

/* Fills in the view's metrics, pods and samples for pass `number`, which is now; valid until the
 * next call. */
void meter_read(struct meter *m, uint64_t number, struct scaler_view *view);
/* For a pass out of turn, as the activator reports at once: one request at the door. */
void meter_read_first(struct meter *m, struct scaler_view *view);

/* The value in `view` that charts call the metric: requests a second at the ingress. NAN without
 * one. */
double meter_qps(const struct meter *m, const struct scaler_view *view);

#endif
