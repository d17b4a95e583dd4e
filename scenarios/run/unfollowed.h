/* unfollowed: what the user's documents ask for and the simulation does not do, and keys that they
 * do not have.
 *
 * Every key of a node pool, and of a Deployment, Job or Pod that the scenario names, is followed,
 * or makes no difference to what is simulated (a volume, an environment), or is told here. So is a
 * setting of the scenario that has no effect beside another one. */
#ifndef SLUICE_SCENARIOS_RUN_UNFOLLOWED_H
#define SLUICE_SCENARIOS_RUN_UNFOLLOWED_H

#include <stddef.h>

struct json;
struct scenario;

#define UNFOLLOWED_MAX 64

struct unfollowed_item {
    const struct json *at; /* the key's value */
    char words[400];
};

/* Open data. */
struct unfollowed {
    struct unfollowed_item items[UNFOLLOWED_MAX];
    size_t n; /* those beyond are dropped */
};

void unfollowed_find(const struct scenario *s, struct unfollowed *out);

#endif
