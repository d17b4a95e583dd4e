/* eci_spot: the market of preemptible container instances: prices, stock, and who goes when a zone
 * has less stock than there are instances. */
#ifndef SLUICE_MODELS_CAPACITY_ECI_SPOT_H
#define SLUICE_MODELS_CAPACITY_ECI_SPOT_H

#include "models/capacity/spot.h"
#include "sim/clock.h"
#include "sim/err.h"

#include <stdbool.h>
#include <stdint.h>

struct eci_fleet;
struct eci_instance;

/* Nothing without a market. ERR_INPUT when the catalogue lacks it. */
int eci_spot_init(struct eci_fleet *s, struct err *e);
void eci_spot_fini(struct eci_fleet *s);
void eci_spot_start(struct eci_fleet *s, sim_ns now);
/* What the market asks for the instance's offer in its zone, and its limit. */
struct spot_bid eci_spot_bid(const struct eci_fleet *s, const struct eci_instance *in);
/* The zone of the instance holds as many preemptible ones as it can. */
bool eci_spot_full(const struct eci_fleet *s, const struct eci_instance *in, sim_ns now);
/* When the platform decides to take it back; SIM_NEVER: not before the horizon. Sets its batch. */
sim_ns eci_spot_loss(const struct eci_fleet *s, struct eci_instance *in, sim_ns now);
/* It was taken back: its zone may have none for a while. */
void eci_spot_lost(struct eci_fleet *s, const struct eci_instance *in, sim_ns now);

#endif
