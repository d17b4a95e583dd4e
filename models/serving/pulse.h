/* pulse: when requests were served, coarsely: enough to bound how long no replica can have been
 * there.
 *
 * Of each stretch in which a request was served only its ends are kept. Let every policy answer
 * within `stay` of arrival, and a machine that is bought serve `start` after it is first paid for
 * at the earliest. When nothing is paid for between u and u + g, nothing is served between u and
 * u + g + start, so no request that is served came between u and u + g + start - stay. Two requests
 * that came x apart, one after another among those looked at, therefore leave a gap of at most
 * x + stay - start. The requests looked at are one of each stretch: it came at most `slowest`
 * before the stretch (the longest latency of the run), and before its end. */
#ifndef SLUICE_MODELS_SERVING_PULSE_H
#define SLUICE_MODELS_SERVING_PULSE_H

#include "sim/clock.h"
#include "sim/hist.h"

#include <stdint.h>

/* {0} has seen nothing. */
struct pulse {
    uint64_t served;
    sim_ns first_end;  /* of the first stretch with a served request; 0: none yet */
    sim_ns last_start; /* of the last one */
    struct hist steps; /* from the start of a stretch to the end of the next */
};

/* served: requests that had been served by `end`, since the beginning. Stretches follow each
 * other. */
void pulse_beat(struct pulse *p, sim_ns start, sim_ns end, uint64_t served);

struct pulse_terms {
    sim_ns stay;    /* SIM_NEVER: a request may wait for ever, and nothing is known */
    sim_ns slowest; /* latency of a served request */
    sim_ns start;
};
/* Time for which at least one replica was paid for, whatever the policy; never negative. */
sim_ns pulse_present(const struct pulse *p, const struct pulse_terms *t);

#endif
