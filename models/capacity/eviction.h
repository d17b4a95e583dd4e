/* eviction: pods lose their place: drained, preempted, killed, or gone with their machine. */
#ifndef SLUICE_MODELS_CAPACITY_EVICTION_H
#define SLUICE_MODELS_CAPACITY_EVICTION_H

#include "models/capacity/cluster.h"
#include "sim/clock.h"

#include <stdbool.h>
#include <stdint.h>

struct pod;

/* Its address leaves the endpoints. */
void eviction_unlist(struct cluster *c, sim_ns now, uint32_t slot, enum pod_end why);
/* From now on it is on its way out. */
void eviction_terminate(struct cluster *c, sim_ns now, struct pod *p, enum pod_end why);
/* For a pod of higher priority. The owner drains a pod that runs; another one goes at once. */
void eviction_preempt(struct cluster *c, sim_ns now, uint32_t slot, const char *by);
/* Calls of the fleet, by node. */
void eviction_lost(void *cluster, sim_ns now, uint32_t node);
void eviction_not_ready(void *cluster, sim_ns now, uint32_t node);
void eviction_object_gone(void *cluster, sim_ns now, uint32_t node);
/* Calls of supplies, as supply.h says. */
bool eviction_drain(void *cluster, sim_ns now, uint32_t node, enum pod_end why);
void eviction_kill(void *cluster, sim_ns now, uint32_t node, sim_ns grace);
bool eviction_own(void *cluster, sim_ns now, uint32_t slot, enum pod_end why);
void eviction_lose(void *cluster, sim_ns now, uint32_t slot);
void eviction_gone(void *cluster, sim_ns now, uint32_t slot, enum pod_end why);

#endif
