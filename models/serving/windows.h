/* windows: the SLO's windows of one service, judged as they close, and their series. */
#ifndef SLUICE_MODELS_SERVING_WINDOWS_H
#define SLUICE_MODELS_SERVING_WINDOWS_H

#include "models/serving/slo.h"
#include "sim/clock.h"
#include "sim/err.h"

#include <stdbool.h>

struct autoscaler;
struct dispatch;
struct heading;
struct service_frame; /* models/serving/service.h */
struct traffic;

struct windows; /* opaque */

/* Borrowed for the life. */
struct windows_setup {
    const char *name; /* of the service */
    const struct slo_config *slo;
    const struct service_frame *frame;
    const struct traffic *traffic;
    struct dispatch *dispatch;
    const struct autoscaler *autoscaler;
};

struct windows *windows_create(const struct windows_setup *s, struct err *e);
void windows_destroy(struct windows *w);
void windows_start(struct windows *w);
/* Judges the last window; everything was played to the horizon. */
void windows_close(struct windows *w);
/* The SLO's objective was met. */
bool windows_hold(const struct windows *w);
/* slo.*, when an SLO is set. */
void windows_figures(const struct windows *w, const struct heading *to);

#endif
