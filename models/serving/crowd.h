/* crowd: how many requests a service must have room for, taken before the clock starts. */
#ifndef SLUICE_MODELS_SERVING_CROWD_H
#define SLUICE_MODELS_SERVING_CROWD_H

#include "sim/clock.h"

#include <stdbool.h>
#include <stddef.h>

struct ingress_config;
struct service_config;
struct traffic;

/* Bounds of what is taken unasked. The lower one leaves ordinary traffic room for a queue whatever
 * its time-outs; the upper one keeps an overload without them below about 1 GB, of which only what
 * is used is touched. */
#define CROWD_LEAST 65536
#define CROWD_MOST 4194304

/* From a request's arrival to its end at the latest: held for want of an endpoint, then tries that
 * do not connect, then one that does; or until its client gives up. SIM_NEVER without a time-out.
 */
sim_ns crowd_stay(const struct ingress_config *g, bool holds);

/* Requests inside at once, when limits.inFlight does not say. However overloaded, a service holds
 * no more than what arrives during the longest stay. Twice that at the highest rate of the horizon:
 * a fast dispatcher lets go of what has timed out at the next control event, and arrivals come in
 * bursts. Never more than arrive at all; a client of a closed loop may leave work behind, one
 * request's. */
size_t crowd_room(const struct service_config *c, const struct traffic *t);

#endif
