/* burst: paying by the second against a machine that stays, for the services and jobs of a
 * scenario.
 *
 * The prices are the catalogue's: of the container instance that the pod would get, of the cheapest
 * machine of the pools that holds it (at the pool's share of on-demand and spot, a machine of
 * several GPUs by the pod's part), of a subscription. The times are the scenario's: what a start
 * takes on the mean, delivery, GPU readiness, and the autoscaler's wait before a node goes. */
#ifndef SLUICE_SCENARIOS_RUN_BURST_H
#define SLUICE_SCENARIOS_RUN_BURST_H

#include "sim/err.h"
#include "sim/result.h"

struct scenario;

/* Fills r->breakevens; nothing for pods without a GPU or a price. -1 and ERR_SYSTEM. */
int burst_table(struct result *r, const struct scenario *s, struct err *e);

#endif
