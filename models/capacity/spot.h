/* spot: the market of preemptible machines: what they cost, when they are taken back, when there
 * are none.
 *
 * A loss is drawn when a machine is bought, by walking the market's checks: every check_ns after
 * the protection p = 1 - exp(-h * check) with h from the preset's table by age (memoryless bands
 * have one row) or from its distribution of lives. So a loss depends on the machine's identity
 * alone. Prices are a share of list, constant or mean-reverting in steps. After a loss a zone may
 * have no stock for a drawn time. */
#ifndef SLUICE_MODELS_CAPACITY_SPOT_H
#define SLUICE_MODELS_CAPACITY_SPOT_H

#include "models/capacity/steps.h"
#include "sim/chance.h"
#include "sim/clock.h"
#include "sim/dist.h"
#include "sim/err.h"
#include "sim/knob.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* From this age on, until the next row. */
struct spot_hazard {
    sim_ns from_age;
    double per_hour; /* loss rate of a machine that is there */
};

/* Open data, one row of a catalogue file's `spotMarkets`. */
struct spot_preset {
    const char *name; /* "calm", "medium", ... */
    /* One of the three: */
    struct knob_list hazards;     /* struct spot_hazard, rising ages, the first from 0 */
    struct dist lifetime;         /* of a machine: exponential, or Weibull of shape 1 at most */
    struct dist stock_up;         /* spells in which a zone has stock, see stock.h; at the end of */
    struct dist stock_down;       /* one its machines go; and spells without */
    double batch_share;           /* 0..1: of losses that come as batches, see batch.h */
    double batch_all, batch_few;  /* batches that take all; part that the others take */
    double zone_correlation;      /* of zones of a region, see batch.h and stock.h */
    sim_ns check;                 /* distance of two checks */
    double price_share;           /* of the on-demand price, long-run mean */
    double price_low, price_high; /* shares the price stays between */
    sim_ns price_step;            /* 0: the price never moves */
    double price_reversion;       /* 0..1: part of the distance to the mean gone a step */
    double price_deviation;       /* of a step's shock, as a share of list */
    double stock_out_share;       /* 0..1: losses after which the zone has no stock for a while */
    struct dist stock_out;        /* how long */
    sim_ns notice;                /* of the platform, before a machine goes */
    sim_ns protection;            /* longest that it sells; 0: none */
    int quality;
    const char *date, *source, *note;
};

extern const struct knob_table spot_preset_knobs; /* "spotMarket" */

/* Loss rate of a machine of this age, an hour; of a lifetime its mean over the check interval. */
double spot_hazard_at(const struct spot_preset *p, sim_ns age);
/* The highest at any age. */
double spot_highest_hazard(const struct spot_preset *p);
/* Expected losses of a machine (or ends of a spell) between two ages: the difference of cumulative
 * hazards of an exponential or Weibull distribution. */
double spot_exposure(const struct dist *lifetime, sim_ns from, sim_ns to);

/* The price of one type in one zone, and what the buyer pays at most. */
struct spot_bid {
    struct steps price;
    int64_t list_micro;  /* above 0: the steps are millionths of this price an hour; 0: they are
                            micro-units an hour */
    int64_t limit_micro; /* an hour; 0: as the price goes */
};
/* Whether the market asks for more than that. */
bool spot_too_dear(const struct spot_bid *bid, sim_ns at);
/* Micro-units an hour. */
int64_t spot_price_at(const struct spot_bid *bid, sim_ns at);
/* What is paid an hour: the market's price, and never more than the limit. */
int64_t spot_price_paid(const struct spot_bid *bid, sim_ns at);
/* What a machine costs that is bought for so many hours of protection: where protection is sold,
 * one without is a tenth cheaper (ECS documentation, 2021-07-19). */
int64_t spot_unprotected_price(const struct spot_preset *p, int32_t hours, int64_t micro_per_hour);

/* The list price of which a market's shares are taken. mean_micro: what a price row of the
 * catalogue says that this machine costs as spot, which is then what the market asks on the mean;
 * 0: no row, and list_micro, the price on demand, it is. */
int64_t spot_list_price(const struct spot_preset *p, int64_t mean_micro, int64_t list_micro);

/* One machine's bargain. */
struct spot_terms {
    sim_ns protection;    /* no loss before bought + protection */
    double share;         /* 0..1: of the hazard that counts here; the rest comes as batches or with
                             the zone's stock */
    struct chance chance; /* the machine's own stream */
    struct spot_bid bid;
};
/* When the market decides to take the machine back (the notice goes out then); SIM_NEVER: not
 * before until. */
sim_ns spot_loss_at(const struct spot_preset *p, const struct spot_terms *t, sim_ns bought,
                    sim_ns until);

/* How long the zone has no stock after this loss; 0: it still has. */
sim_ns spot_stock_out(const struct spot_preset *p, struct chance loss);

/* The market's own price process: how many steps it takes up to the horizon, and the share of list
 * at each, in millionths, into out[0..n-1]. */
size_t spot_price_steps(const struct spot_preset *p, sim_ns horizon);
void spot_prices(const struct spot_preset *p, struct chance zone, int64_t *out, size_t n);

#endif
