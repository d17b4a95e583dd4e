/* eci_report: closing figures of container instances: what each kind of pod bought and cost, and
 * the time that instances spent in each state. */
#ifndef SLUICE_MODELS_CAPACITY_ECI_REPORT_H
#define SLUICE_MODELS_CAPACITY_ECI_REPORT_H

#include "sim/clock.h"

struct eci_fleet;

/* Ends what still runs at `now`, the horizon, without rounding up, as the ledger does. */
void eci_report_write(struct eci_fleet *s, sim_ns now);

#endif
