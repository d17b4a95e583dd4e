/* breakeven: when paying by the second beats a machine that stays.
 *
 * A workload is bursts of length L, each on one GPU. A container instance is paid for L and the
 * part of its start that is billed; a machine of a warm pool stays paid for its boot, L, and the
 * time until the autoscaler gives it back; a subscription is paid always. All prices are
 * micro-units an hour, all results exact to a nanosecond by division rounded down. */
#ifndef SLUICE_MODELS_MONEY_BREAKEVEN_H
#define SLUICE_MODELS_MONEY_BREAKEVEN_H

#include "sim/clock.h"

#include <stdint.h>

/* Open data; prices > 0. */
struct breakeven {
    int64_t eci_micro_per_hour, pool_micro_per_hour, subscription_micro_per_hour;
    sim_ns eci_start;  /* billed part of an instance's start */
    sim_ns pool_extra; /* boot and idle tail of a pool's machine */
};

/* Cost of one burst of this length, micro-units. */
int64_t breakeven_eci_burst(const struct breakeven *b, sim_ns length);
int64_t breakeven_pool_burst(const struct breakeven *b, sim_ns length);

/* Bursts shorter than this are cheaper on ECI than in the pool: 0: none are, SIM_NEVER: all are.
 * From (L + eci_start) x eci = (L + pool_extra) x pool. */
sim_ns breakeven_burst_length(const struct breakeven *b);

/* Share of the time, 0..1, that bursts of this length may take before a subscription is cheaper:
 * subscription / eci x L / (L + eci_start), at most 1. */
double breakeven_duty_share(const struct breakeven *b, sim_ns length);
/* The same against a machine of the pool that always stays, warm. */
double breakeven_warm_share(const struct breakeven *b, sim_ns length);

#endif
