/* metric_name: the metrics that a simulation can show, by the names that clusters give them. */
#ifndef SLUICE_MODELS_CONTROL_METRIC_NAME_H
#define SLUICE_MODELS_CONTROL_METRIC_NAME_H

#include <stdbool.h>
#include <stdint.h>

struct scaler_wants;

/* What must be shown for the name, and the factor of the shown milli-value: a utilization of 1 is
 * 100 % in some metrics. False when no metric of a simulation has this name. */
bool metric_name_find(const char *name, struct scaler_wants *out, int32_t *scale);
/* The known name that a user probably meant, or NULL. */
const char *metric_name_nearest(const char *name);

#endif
