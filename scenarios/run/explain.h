/* explain: the reference of every key, from the knob tables themselves. */
#ifndef SLUICE_SCENARIOS_RUN_EXPLAIN_H
#define SLUICE_SCENARIOS_RUN_EXPLAIN_H

#include "sim/err.h"

struct knob_table;
struct text;

/* Appends what a key means, at most 80 columns wide. query: a path below root with or without
 * brackets ("services[].slo.p99"), the end of one ("slo.p99", "p99"), or the name of a table or of
 * a choice ("hpa"); all places that match are explained. NULL or "" gives root's own keys.
 * ERR_INPUT with the nearest path when nothing matches. */
int explain_key(struct text *t, const struct knob_table *root, const char *query, struct err *e);

/* Appends the whole reference as Markdown: a section a table, a row a key. */
int explain_reference(struct text *t, const struct knob_table *root, struct err *e);

#endif
