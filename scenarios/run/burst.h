/* burst: paying by the second against a machine that stays, for the services and jobs of a
 * scenario.
 *
 * One kind of GPU is compared: that which was paid for the most time. The prices are what was paid:
 * the mean of the bills of container instances of that kind, or else their price in the catalogue;
 * of the cheapest machine of that kind in the pools that holds the pod, the mean at the pool's
 * share of on-demand and spot, by recorded prices where there are some (a machine of several GPUs
 * by the pod's part); of a subscription. The times are the scenario's: what a start takes on the
 * mean, delivery, GPU readiness, and the autoscaler's wait before a node goes. */
#ifndef SLUICE_SCENARIOS_RUN_BURST_H
#define SLUICE_SCENARIOS_RUN_BURST_H

#include "sim/err.h"
#include "sim/result.h"

struct scenario;

/* Fills r->breakevens; nothing for pods without a GPU or a price. -1 and ERR_SYSTEM. */
int burst_table(struct result *r, const struct scenario *s, struct err *e);

#endif
