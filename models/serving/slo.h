/* slo: was a window of requests good enough? */
#ifndef SLUICE_MODELS_SERVING_SLO_H
#define SLUICE_MODELS_SERVING_SLO_H

#include "models/serving/dispatch.h"
#include "sim/clock.h"
#include "sim/knob.h"

/* A limit is 0 where the user set none. */
struct slo_config {
    sim_ns p50, p90, p95, p99, p999;
    sim_ns window;
    double objective; /* share of the windows with requests that must hold, 0..1 */
};

extern const struct knob_table slo_knobs;

/* What happened between two marks. */
struct slo_window {
    uint64_t served, failed;
    sim_ns p50, p95, p99; /* of the served ones; 0 when there were none */
    bool holds;
    double worst; /* largest quantile / its limit; a failed quantile counts as 1000 */
};

/* before and after are marks of one dispatcher; scratch is overwritten. A failed request counts
 * as slower than every limit. A window without requests holds. */
void slo_judge(const struct slo_config *c, const struct tally *before, const struct tally *after,
               struct hist *scratch, struct slo_window *out);
/* Is any limit set? */
bool slo_asked(const struct slo_config *c);

#endif
