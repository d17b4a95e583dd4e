/* seat: waiting pods get nodes or places of their own, hold them, and give them back. */
#ifndef SLUICE_MODELS_CAPACITY_SEAT_H
#define SLUICE_MODELS_CAPACITY_SEAT_H

#include "sim/clock.h"

#include <stdint.h>

struct cluster;
struct pod;
struct supply_place;

/* A pass of the scheduler at this time, if a pod waits. */
void seat_want(struct cluster *c, sim_ns now);
/* The same as an event of the cluster. */
void seat_due(void *cluster, sim_ns now, uint64_t arg);
/* The pass before the clock starts: event of the cluster. */
void seat_settle(void *cluster, sim_ns now, uint64_t arg);
/* Calls of supplies and of the startup. */
void seat_on_node(void *cluster, sim_ns now, uint32_t slot, uint32_t node);
void seat_own(void *cluster, sim_ns now, uint32_t slot, const struct supply_place *place);
void seat_pulling(void *cluster, sim_ns now, uint32_t slot);
void seat_ready(void *cluster, sim_ns now, uint32_t slot);
/* A pod changed its phase: who bills it looks again. */
void seat_account(struct cluster *c, sim_ns now, const struct pod *p);
/* What the pod cost as a share of its node, micro-units. */
int64_t seat_cost(const struct cluster *c, const struct pod *p, sim_ns until);
/* Its place has been held up to now. */
void seat_held(struct cluster *c, sim_ns now, const struct pod *p);
/* The pod object goes, with whatever it holds. */
void seat_remove(struct cluster *c, sim_ns now, uint32_t slot);

#endif
