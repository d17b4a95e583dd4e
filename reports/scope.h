/* scope: one service's part of a result.
 *
 * Figures of a service have the prefix "services.<name>.", where the name may itself contain dots;
 * figures without it are of the whole run. A run of one service may have both; then they mean the
 * same, and its series have no prefix. */
#ifndef SLUICE_REPORTS_SCOPE_H
#define SLUICE_REPORTS_SCOPE_H

#include "sim/result.h"

/* Latency quantiles as paths name them: "p999" is 99.9 %. */
#define SCOPE_QUANTILES 5
extern const char *const scope_quantiles[SCOPE_QUANTILES];       /* "p50" ... "p999" */
extern const char *const scope_quantile_labels[SCOPE_QUANTILES]; /* "p50" ... "p99.9" */

/* Borrows from the result. Start with {.result = r}. */
struct scope {
    const struct result *result;
    const char *prefix; /* "services.bert.", not terminated; "" for the whole result */
    size_t prefix_length;
    const char *also; /* prefix to try next; NULL for none */
    size_t also_length;
    const char *name; /* "bert", not terminated; "" for the whole result */
    size_t name_length;
    size_t next; /* where the search goes on */
};

/* Moves on to the next service. A result with one service, or none, gives the whole once. */
bool scope_next(struct scope *s);
/* Bytes of "services.<name>." at the start of a path; 0 when it is of the whole run. */
size_t scope_prefix(const char *path);
/* The whole result: cost, nodes, totals. */
struct scope scope_whole(const struct result *r);

const struct figure *scope_figure(const struct scope *s, const char *path);
double scope_value(const struct scope *s, const char *path, double otherwise);
double scope_number(const struct scope *s, const char *path); /* NaN when absent */
const struct result_series *scope_series(const struct scope *s, const char *path);
/* The rest of f's path behind this scope's prefix and `head` ("cost.byClass."), or NULL; never by
 * the second prefix, so that nothing is listed twice. */
const char *scope_below(const struct scope *s, const struct figure *f, const char *head);

#endif
