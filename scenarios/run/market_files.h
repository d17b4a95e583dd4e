/* market_files: recorded spot prices and stock that pools and the virtual node name. */
#ifndef SLUICE_SCENARIOS_RUN_MARKET_FILES_H
#define SLUICE_SCENARIOS_RUN_MARKET_FILES_H

#include "sim/err.h"

struct digest;
struct scenario;

/* Fills s->cluster.traces and eci_traces (in s->arena). Needs the bound scenario, its catalogue and
 * epoch; names are relative to base_dir. The bytes of each file go into *files. ERR_INPUT at the
 * file, or with the knob's path as e->where. */
int market_files_load(struct scenario *s, const char *base_dir, struct digest *files,
                      struct err *e);

#endif
