/* mean_price: what a preemptible machine costs an hour on the mean of a run. */
#ifndef SLUICE_MODELS_CAPACITY_MEAN_PRICE_H
#define SLUICE_MODELS_CAPACITY_MEAN_PRICE_H

#include "sim/clock.h"

#include <stddef.h>
#include <stdint.h>

struct catalog;
struct cluster_config;

/* Borrowed. */
struct mean_price {
    const struct cluster_config *config;
    const struct catalog *catalog;
    const char *currency;
    sim_ns horizon;
};

/* Of a type of a pool that buys spot: the mean of its recorded prices in the cheapest zone, or else
 * the market's long-run share of list; without the protection that the pool does not buy. -1: the
 * pool buys no spot, or the catalogue has no price. Micro-units an hour. */
int64_t mean_price_spot(const struct mean_price *m, size_t pool, size_t type);
/* On demand; -1: no price. */
int64_t mean_price_list(const struct mean_price *m, size_t pool, size_t type);

#endif
