/* summary: the answer as text for a terminal or a log. */
#ifndef SLUICE_REPORTS_SUMMARY_H
#define SLUICE_REPORTS_SUMMARY_H

#include "sim/text.h"

#include <stdbool.h>

struct result;

/* Appends lines of at most 80 columns: verdict, SLO, requests, latency, replicas, nodes, startup,
 * cost, baselines, findings, assumptions, how to reproduce. colour adds ANSI codes; the caller
 * knows whether a terminal reads it. Texts from the user's files lose their control characters. */
void summary_text(const struct result *r, bool colour, struct text *to);

#endif
