/* decide_hpa_pass: whole passes of the HPA from a case, and the readers that smaller kinds share.
 */
#ifndef SLUICE_SCENARIOS_RUN_DECIDE_HPA_PASS_H
#define SLUICE_SCENARIOS_RUN_DECIDE_HPA_PASS_H

#include "models/control/hpa.h"
#include "scenarios/run/decide.h"
#include "scenarios/run/decide_herd.h"

decide_fn decide_hpa_pass_reconcile;
decide_fn decide_hpa_pass_trajectory;

/* What a pass is shown, read from a case; owns its lists. */
struct decide_view {
    struct scaler_view view;
    struct decide_herd herd;
    size_t n;
    struct hpa_metric *metrics;
    struct scaler_metric *values;
    struct scaler_pod_metric *pod_metrics;
    struct decide_reports *reports;
};

/* A case about one metric of this type ("resource", "external_average", ...). Errors stick; always
 * to be freed. */
void decide_hpa_pass_read_one(struct decide_view *v, const char *type, const struct json *input,
                              struct hpa_spec *spec, struct err *e);
void decide_hpa_pass_free(struct decide_view *v);

struct decide_rules {
    struct hpa_rules rules;
    struct hpa_policy *own; /* freed by the caller; NULL: the defaults' */
    bool has_tolerance;
    double tolerance;
};
/* given NULL: the defaults. What the object leaves out is filled from them. */
void decide_hpa_pass_rules(struct decide_rules *r, const struct json *given,
                           struct hpa_rules defaults, struct err *e);

struct decide_events {
    struct hpa_events list; /* items freed by the caller */
};
/* list NULL: empty. Room for `more` further entries. */
void decide_hpa_pass_events(struct decide_events *ev, const struct json *list, size_t more,
                            struct err *e);
void decide_hpa_pass_history(struct hpa_history *h, const struct json *list, size_t more,
                             struct err *e);

#endif
