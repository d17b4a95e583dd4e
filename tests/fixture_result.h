/* fixture_result: a made-up but plausible result of the BERT case, for tests of the reports. */
#ifndef SLUICE_TESTS_FIXTURE_RESULT_H
#define SLUICE_TESTS_FIXTURE_RESULT_H

#include "sim/result.h"

/* Seven days, twenty replications. Two calls give equal results. Lives in the arena. */
struct result *fixture_bert(struct arena *a);
/* The same run of two services, with hostile names and texts in every place that takes one. */
struct result *fixture_hostile(struct arena *a);
/* A run that recorded nothing but its name. */
struct result *fixture_empty(struct arena *a);

#endif
