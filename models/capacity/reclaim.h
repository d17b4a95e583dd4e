/* reclaim: machines that their platform takes back, on its own account or in a drill. */
#ifndef SLUICE_MODELS_CAPACITY_RECLAIM_H
#define SLUICE_MODELS_CAPACITY_RECLAIM_H

#include "sim/clock.h"

#include <stdint.h>

struct drill;
struct group;
struct pools;

/* A spot machine was bought: plans its price steps and its end. */
void reclaim_plan(struct pools *s, const struct group *g, uint32_t node);
/* Asks the pods of a node to leave, again and again where a disruption budget refuses. */
void reclaim_drain(struct pools *s, sim_ns now, uint32_t node);
/* The platform announces that it takes the machine back; nothing when it has done so before. */
void reclaim_notice(struct pools *s, sim_ns now, uint32_t node);
void reclaim_drill(struct pools *s, sim_ns now, const struct drill *d);
/* Says how often reclaims broke disruption budgets. */
void reclaim_close(const struct pools *s);

#endif
