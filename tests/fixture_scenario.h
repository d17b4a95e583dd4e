/* fixture_scenario: a scenario of tests/scenarios played with some keys set, and what it said. */
#ifndef SLUICE_TESTS_FIXTURE_SCENARIO_H
#define SLUICE_TESTS_FIXTURE_SCENARIO_H

#include "scenarios/run/run.h"
#include "scenarios/run/scenario.h"
#include "sim/result.h"

#include <stdbool.h>
#include <stddef.h>

struct fixture_scenario {
    struct scenario *scenario;
    struct run *run;
    const struct result *r;
};

/* name: "users-hpa"; sets: as of --set, ends with NULL. Fails the test when it does not run. */
struct fixture_scenario fixture_play(const char *name, const char *const *sets);
#define PLAY(name, ...) fixture_play(name, (const char *const[]){__VA_ARGS__, NULL})
void fixture_stop(struct fixture_scenario *p);

/* Fails the test when there is no such figure. */
double fixture_value(const struct fixture_scenario *p, const char *path);
/* "5 -> 6 -> 8", the sizes that this autoscaler ("hpa bert") decided one after another. "" when it
 * changed nothing. */
const char *fixture_path(const struct fixture_scenario *p, const char *subject, char *out,
                         size_t size);
/* The first line of the log whose subject begins with this and whose `what` and reason hold these
 * texts, from `from` on; NULL stands for any. NULL without one. */
const struct result_entry *fixture_line(const struct fixture_scenario *p, const char *subject,
                                        const char *what, const char *reason, sim_ns from);
/* The finding of this code, or NULL. */
const char *fixture_finding(const struct fixture_scenario *p, const char *code);
/* Mean of the series in the bin of `at`; NaN where nothing is known. */
double fixture_level(const struct fixture_scenario *p, const char *path, sim_ns at);

#endif
