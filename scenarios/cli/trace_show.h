/* trace_show: what a recorded file holds and what was fitted to it, for people and for programs. */
#ifndef SLUICE_SCENARIOS_CLI_TRACE_SHOW_H
#define SLUICE_SCENARIOS_CLI_TRACE_SHOW_H

#include "scenarios/run/market_fit.h"
#include "sim/err.h"
#include "sim/text.h"
#include "workloads/trace.h"

#include <stdbool.h>

void trace_show_info(const struct trace *t, bool json, struct text *to);
/* Ends with the catalogue entry, unless json: then it is the member "catalog". */
void trace_show_fit(const struct market_fit *f, const struct market_fit_setup *s, bool json,
                    struct text *to);
/* The price over time, or the rates by age as measured and as fitted: .svg or .png by the name. */
int trace_show_chart(const struct market_fit *f, const char *file, struct err *e);

#endif
