/* eci_life: the states of container instances, what they cost, and how they end. */
#ifndef SLUICE_MODELS_CAPACITY_ECI_LIFE_H
#define SLUICE_MODELS_CAPACITY_ECI_LIFE_H

#include "models/capacity/eci.h"
#include "sim/clock.h"

#include <stdint.h>

struct drill;
struct eci_fleet;
struct eci_instance;

/* Enters a state; the time in the one before is counted. */
void eci_life_state(struct eci_fleet *s, struct eci_instance *in, sim_ns now, enum eci_state to);
/* What it takes of the vCPU quota from now on, in thousandths. */
void eci_life_reserve(struct eci_fleet *s, struct eci_instance *in, int64_t cpu);
void eci_life_release(struct eci_fleet *s, struct eci_instance *in);
/* Its image download starts: from here on it is paid for. */
void eci_life_begin(struct eci_fleet *s, sim_ns now, uint32_t slot);
/* Its pod is in another phase. */
void eci_life_changed(struct eci_fleet *s, sim_ns now, uint32_t slot);
/* It is paid for no longer; `to` is one of the states that are not billed. */
void eci_life_end(struct eci_fleet *s, struct eci_instance *in, sim_ns now, enum eci_state to);
/* The platform takes a preemptible one back: its notice goes out now. */
void eci_life_notice(struct eci_fleet *s, sim_ns now, struct eci_instance *in);
/* So long was paid for it, with what its stretches cost. */
void eci_life_paid(struct eci_fleet *s, const struct eci_instance *in, sim_ns ns);
void eci_life_drill(struct eci_fleet *s, sim_ns now, const struct drill *d);

#endif
