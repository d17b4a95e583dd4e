/* world: one replication of a scenario, from the first event to the horizon. */
#ifndef SLUICE_SCENARIOS_RUN_WORLD_H
#define SLUICE_SCENARIOS_RUN_WORLD_H

#include "sim/err.h"
#include "sim/recorder.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct scenario;

/* What one replication left behind. */
struct world_outcome {
    struct recorder *recorder; /* the caller destroys it; result borrows from it */
    struct result result;      /* of this replication alone */
    uint64_t control_digest, request_digest;
    const char *engine;
    bool holds;
};

struct world_watch {
    const volatile sig_atomic_t
        *stop; /* the run ends with ERR_INTERRUPTED when it is not 0; may be NULL */
    void (*progress)(void *self, double share); /* now and then, 0..1; may be NULL */
    void *self;
    bool use_events; /* the event engine instead of the fast dispatchers */
};

/* Takes the memory of one replication and gives it back: finds what only the models can find wrong,
 * such as a market that the catalogue lacks, before the clock starts. */
int world_check(const struct scenario *s, const struct world_watch *watch, struct err *e);

/* Plays replication `number`. All memory is taken before the first event; a limit that is met on
 * the way is ERR_INPUT and names its knob. The laws (requests, tries, money, GPUs) are asserted. */
int world_run(const struct scenario *s, uint64_t number, const struct world_watch *watch,
              struct world_outcome *out, struct err *e);

#endif
