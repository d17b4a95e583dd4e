/* drill: something that goes wrong on purpose, at a time that the user chose.
 *
 * Written as KIND=VALUE@TIME, where TIME counts from the start of the run:
 *
 *   spot-loss=7/10@10h           the platform takes seven of ten spot nodes back; their notices go
 *                                out at that moment, protected or not
 *   stock-out=2h@9h              no zone sells spot for two hours
 *   metric-frozen=2h@9h          the scalers' metrics repeat their value of 9h for two hours
 *   zone-loss=cn-hangzhou-h@12h  every machine of the zone vanishes without a word, and it sells
 *                                none for the rest of the run; cn-hangzhou-h/2h: for two hours
 *   registry-slow=10x@8h         images come at a tenth of the rate from then on; 10x/2h: for two
 *                                hours
 *
 * Several may overlap, also of one kind: a zone is gone and spot out of stock until the last of
 * them is over, of two slow registries the slower counts, of two frozen metrics the older value
 * stands while both hold and the later one's own from then on.
 *
 * The cluster plays them as SIM_FAULT events and writes each into the decision log; a frozen
 * metric is a fault of the services' metric paths, set while the scenario is loaded. */
#ifndef SLUICE_MODELS_CAPACITY_DRILL_H
#define SLUICE_MODELS_CAPACITY_DRILL_H

#include "sim/clock.h"
#include "sim/err.h"

#include <stdint.h>

struct cluster_config;

enum drill_kind {
    DRILL_SPOT_LOSS,
    DRILL_STOCK_OUT,
    DRILL_METRIC_FROZEN,
    DRILL_ZONE_LOSS,
    DRILL_REGISTRY_SLOW,
};

/* Open data; made by drill_parse. */
struct drill {
    enum drill_kind kind;
    sim_ns at;
    sim_ns lasts;     /* SIM_NEVER: to the end of the run; spot-loss: 0 */
    int64_t lose, of; /* spot-loss: so many of so many, rounded half up */
    double factor;    /* registry-slow: at least 1 */
    char zone[64];    /* zone-loss */
    char text[128];   /* as written */
};

/* ERR_INPUT without a place; the message says what is allowed. */
int drill_parse(const char *text, struct drill *out, struct err *e);
/* Whether it can be played: within the horizon, with what it needs in the cluster. ERR_INPUT
 * without a place. */
int drill_check(const struct drill *d, const struct cluster_config *c, sim_ns horizon,
                struct err *e);
const char *drill_name(enum drill_kind k); /* "spot-loss" */
/* Nodes that a spot-loss takes of so many that there are. */
int64_t drill_share(const struct drill *d, int64_t there);
/* When it is over; SIM_NEVER: not before the end. */
sim_ns drill_end(const struct drill *d);

#endif
