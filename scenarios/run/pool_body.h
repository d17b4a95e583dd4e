/* pool_body: ACK's body of a node pool (CreateClusterNodePool), in the words of a scenario. */
#ifndef SLUICE_SCENARIOS_RUN_POOL_BODY_H
#define SLUICE_SCENARIOS_RUN_POOL_BODY_H

#include "sim/err.h"

struct arena;
struct json;

/* Adds to the pool what its body says. */
int pool_body_add(struct arena *a, struct json *pool, const struct json *body, struct err *e);

#endif
