/* spot_trace: recorded prices and stock of a spot market, put on the simulated clock.
 *
 * A pool names files; each gives the prices of some of its instance types in some of its zones, or
 * the number of machines that a zone could have. What no file speaks of follows the pool's
 * spotMarket. */
#ifndef SLUICE_MODELS_CAPACITY_SPOT_TRACE_H
#define SLUICE_MODELS_CAPACITY_SPOT_TRACE_H

#include "models/capacity/steps.h"
#include "sim/clock.h"
#include "sim/err.h"
#include "sim/knob.h"
#include "sim/money.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct catalog;
struct pool_config;

enum spot_trace_align { SPOT_TRACE_START, SPOT_TRACE_CLOCK };
enum spot_trace_after { SPOT_TRACE_WHOLE, SPOT_TRACE_HOLD, SPOT_TRACE_LOOP };

/* Open data, one item of `spotPriceTraces` or `spotAvailabilityTraces`. */
struct spot_trace_config {
    const char *file;
    const char *type, *zone;             /* of the pool; NULL: each by its own name */
    const char *trace_type, *trace_zone; /* in the file; NULL: the same name */
    const char *product;                 /* NULL: Linux/UNIX, or the only one */
    const char *currency;                /* of prices, when the file names none */
    struct money on_demand;              /* 0: as the file says; list price that the file's
                                            prices are shares of */
    int align;                           /* enum spot_trace_align */
    sim_ns start;                        /* position in the file at simulated time 0 */
    int after;                           /* enum spot_trace_after */
    double scale;                        /* machines for each of the file's */
};

extern const struct knob_table spot_trace_price_knobs, spot_trace_stock_knobs;

/* Whose files they are: a pool, or the virtual node. Borrowed while they are loaded; its names live
 * as long as what is loaded. */
struct spot_trace_buyer {
    const char *path; /* in the scenario: "nodePools.elastic" */
    const char *what; /* in messages: "pool" */
    const char *region;
    struct knob_texts zones, types;
    const struct knob_list *price_traces, *stock_traces;
};
struct spot_trace_buyer spot_trace_pool(const struct pool_config *pool, char *path, size_t size);

/* What the files of one buyer say; n 0 where they say nothing. */
struct spot_traces {
    struct knob_texts types;
    const struct steps *prices; /* [zone * n_types + type]: micro-units an hour */
    const struct steps *stock;  /* [zone]: machines of the pool that can be held; INT64_MAX: as many
                                   as it likes */
};

struct spot_trace_frame {
    const char *base_dir; /* of relative names; "" or NULL: as they are */
    const struct catalog *catalog;
    const char *currency; /* of the run */
    sim_ns horizon;
    int64_t epoch_s;
    const struct knob_map *rates; /* other currency -> its worth in the run's, as checked; NULL:
                                     none */
};

/* ERR_INPUT at the file's place, or with the knob's path in e->where
 * ("nodePools.elastic.spotPriceTraces[0].instanceType"). NULL then. */
const struct spot_traces *spot_trace_load(struct arena *a, const struct spot_trace_buyer *buyer,
                                          const struct spot_trace_frame *frame, struct err *e);

#endif
