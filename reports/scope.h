/* scope: one service's part of a result, or the whole of it when there is one service.
 *
 * With several services the figures and series of each have the prefix "services.<name>."; a name
 * may itself contain dots. */
#ifndef SLUICE_REPORTS_SCOPE_H
#define SLUICE_REPORTS_SCOPE_H

#include "sim/result.h"

/* Borrows from the result. Start with {.result = r}. */
struct scope {
    const struct result *result;
    const char *prefix; /* "services.bert.", not terminated; "" for the whole result */
    size_t prefix_length;
    const char *name; /* "bert", not terminated; "" for the whole result */
    size_t name_length;
    size_t next; /* where the search goes on */
};

/* Moves on to the next service; the first call of a result without services gives the whole. */
bool scope_next(struct scope *s);
/* The whole result: cost, nodes, totals. */
struct scope scope_whole(const struct result *r);

const struct figure *scope_figure(const struct scope *s, const char *path);
double scope_value(const struct scope *s, const char *path, double otherwise);
const struct result_series *scope_series(const struct scope *s, const char *path);
/* The rest of f's path behind this scope's prefix and `head` ("cost.byClass."), or NULL. */
const char *scope_below(const struct scope *s, const struct figure *f, const char *head);

#endif
