/* decide_herd: the pods of a case and what they report, in the form that a policy sees. */
#ifndef SLUICE_SCENARIOS_RUN_DECIDE_HERD_H
#define SLUICE_SCENARIOS_RUN_DECIDE_HERD_H

#include "models/control/scaler.h"
#include "sim/err.h"
#include "sim/json.h"

/* Times count from "now", which is 0: an age of 60 s is -60 s. */
struct decide_herd {
    struct scaler_pod *pods;
    const char **names;
    const struct json **requests; /* object a pod, or NULL */
    size_t n;
    bool given; /* the case has a list of pods, be it empty */
};

/* Reads input.pods. Errors stick. Always to be freed. */
void decide_herd_read(struct decide_herd *h, const struct json *input, struct err *e);
void decide_herd_free(struct decide_herd *h);

/* One metric's samples and requests; container NULL: all containers. */
struct decide_reports {
    struct scaler_sample *samples;
    size_t n;
    int64_t *requests;
};
void decide_herd_reports(const struct decide_herd *h, const struct json *metric,
                         const char *container, struct decide_reports *out, struct err *e);
void decide_herd_reports_free(struct decide_reports *r);

#endif
