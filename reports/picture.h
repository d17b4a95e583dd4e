/* picture: the charts of a result. */
#ifndef SLUICE_REPORTS_PICTURE_H
#define SLUICE_REPORTS_PICTURE_H

#include "reports/chart.h"
#include "reports/scope.h"

enum picture {
    PICTURE_TRAFFIC, /* requests and the metric as the scaler saw it; replicas wanted and ready */
    PICTURE_LATENCY, /* percentiles a window, with the SLO */
    PICTURE_NODES,   /* by billing kind */
    PICTURE_COST,    /* by class, beside the baselines */
    PICTURE_STARTUP, /* phases: the mean, and the slowest pods */
    PICTURES
};

const char *picture_name(enum picture what);  /* "traffic": for file names and ids */
const char *picture_title(enum picture what); /* for people */
/* Did the run record what this picture shows? */
bool picture_is_there(const struct scope *s, enum picture what);
/* frame->title and ->desc are filled in here; the rest is the caller's. PICTURE_NODES, _COST and
 * _STARTUP are of the whole run. Only for pictures that are there. */
int picture_draw(const struct scope *s, enum picture what, const struct chart_frame *frame,
                 struct text *to, struct err *e);
/* What the picture shows, in a sentence with numbers: for those who cannot see it. */
void picture_describe(const struct scope *s, enum picture what, struct text *to);

#endif
