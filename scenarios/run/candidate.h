/* candidate: one figure or preset that a scenario could have had otherwise. */
#ifndef SLUICE_SCENARIOS_RUN_CANDIDATE_H
#define SLUICE_SCENARIOS_RUN_CANDIDATE_H

#include "sim/err.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct bind_origin;
struct result;
struct scenario;
struct scenario_change;

/* Open data; texts live in the arena. */
struct candidate {
    const char *path;    /* for people: "nodePools.elastic.spotMarket", "price of ecs..." */
    const char *now;     /* value in the scenario */
    const char *quality; /* "preset", "assumed", "third-party" */
    /* A choice between names. */
    const char *name; /* the other value; NULL: a figure that moves */
    /* A figure: by a factor from 1 / reach to reach. */
    double reach;
    /* What it is put into: a row (path with indices), the price of a type, or a service's
     * calibrated times. */
    const char *key;
    const struct bind_origin *figure;
    const char *priced, *service;
};

/* How far a figure may plausibly be off, as a factor: assumed 3 (of the right order of magnitude),
 * third-party 1.5; official and measured ones are not moved, factor 1. */
double candidate_reach(int quality);

/* All of them: presets first, in the order of the catalogue; then calibrated times and the prices
 * of the machines that r, which is merged, has bills of; then the other figures, in the order of
 * the scenario's assumptions. Returns how many, or -1 with ERR_SYSTEM. */
int candidate_list(const struct scenario *s, const struct result *r, struct arena *a,
                   struct candidate **out, struct err *e);

/* The change that puts it to its other name, or to `factor` times what it is: fills *c, whose texts
 * live in a, and *then with the value for people. False when that is no other value. */
bool candidate_change(const struct candidate *what, double factor, struct arena *a,
                      struct scenario_change *c, const char **then, struct err *e);

#endif
