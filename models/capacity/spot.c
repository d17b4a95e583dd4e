/* spot: the market of preemptible machines. */
#include "models/capacity/spot.h"

#include "models/money/price.h"
#include "models/money/quality.h"

#include <assert.h>

#define AT(member) .offset = offsetof(struct spot_preset, member)

static const struct knob hazard_rows[] = {
    {.key = "fromAge",
     .kind = KNOB_DURATION,
     .offset = offsetof(struct spot_hazard, from_age),
     .doc = "Age from which the rate holds, until the next row.",
     .min = 0,
     .max = 1e9},
    {.key = "perHour",
     .kind = KNOB_NUMBER,
     .offset = offsetof(struct spot_hazard, per_hour),
     .unit = "1/h",
     .doc = "Losses an hour of a machine of that age.",
     .min = 0,
     .max = 1000},
    {0},
};

static const struct knob_table hazard_knobs = {
    .name = "spotHazard",
    .doc = "A loss rate by age.",
    .rows = hazard_rows,
    .size = sizeof(struct spot_hazard),
};

static const struct knob rows[] = {
    {.key = "name", .kind = KNOB_TEXT, AT(name), .doc = "Name by which a pool asks for it."},
    {.key = "hazards",
     .kind = KNOB_LIST,
     AT(hazards),
     .doc = "Loss rates by age, ages rising from 0.",
     .preset = "",
     .table = &hazard_knobs},
    {.key = "lifetime",
     .kind = KNOB_DIST,
     AT(lifetime),
     .doc = "Life of a machine, instead of hazards: exponential, or weibull of shape 1 at most.",
     .preset = ""},
    {.key = "stockUp",
     .kind = KNOB_DIST,
     AT(stock_up),
     .doc = "How long a zone has stock, instead of hazards: exponential or weibull. When it ends "
            "the zone's unprotected machines are taken back.",
     .preset = ""},
    {.key = "stockDown",
     .kind = KNOB_DIST,
     AT(stock_down),
     .doc = "How long a zone then has none: exponential or weibull.",
     .preset = ""},
    {.key = "batchShare",
     .kind = KNOB_SHARE,
     AT(batch_share),
     .doc = "Share of a machine's losses that come as a batch over its zone.",
     .preset = "0",
     .min = 0,
     .max = 1},
    {.key = "batchAll",
     .kind = KNOB_SHARE,
     AT(batch_all),
     .doc = "Share of batches that take every machine of the same hazard.",
     .preset = "0.4",
     .min = 0,
     .max = 1,
     .quality = QUALITY_ASSUMED,
     .source = "36 to 68 % of losses of 16 held machines took all that were left (spot-traces of "
               "SkyPilot, 2023-08-27)"},
    {.key = "batchFew",
     .kind = KNOB_SHARE,
     AT(batch_few),
     .doc = "Chance of a single machine in the other batches.",
     .preset = "0.1",
     .min = 0.001,
     .max = 1,
     .quality = QUALITY_ASSUMED,
     .source = "batches are mostly few or all; one to two of sixteen"},
    {.key = "zoneCorrelation",
     .kind = KNOB_SHARE,
     AT(zone_correlation),
     .doc = "Chance that a batch, or an end of stock, in one zone comes in another zone of the "
            "region at the same moment.",
     .preset = "0",
     .min = 0,
     .max = 1},
    {.key = "checkInterval",
     .kind = KNOB_DURATION,
     AT(check),
     .doc = "Distance of the platform's checks of price and stock.",
     .preset = "5m",
     .min = 1,
     .max = 86400,
     .quality = QUALITY_OFFICIAL,
     .source = "ECS documentation, preemptible instances, 2021-07-19"},
    {.key = "priceShare",
     .kind = KNOB_SHARE,
     AT(price_share),
     .doc = "Market price as a share of the on-demand price, long-run mean.",
     .preset = "0.3",
     .min = 0,
     .max = 1,
     .quality = QUALITY_ASSUMED,
     .source = "between the documented floor of 0.1 and 1; AWS p3.2xlarge stood at 0.3 in 2023-04"},
    {.key = "priceLow",
     .kind = KNOB_SHARE,
     AT(price_low),
     .doc = "Lowest market price.",
     .preset = "0.1",
     .min = 0,
     .max = 1,
     .quality = QUALITY_OFFICIAL,
     .source = "ECS documentation, what is a spot instance, 2025-02-21"},
    {.key = "priceHigh",
     .kind = KNOB_SHARE,
     AT(price_high),
     .doc = "Highest market price.",
     .preset = "1",
     .min = 0,
     .max = 1},
    {.key = "priceStep",
     .kind = KNOB_DURATION,
     AT(price_step),
     .doc = "Distance of two price changes; 0: the price stands still.",
     .preset = "0s",
     .min = 0,
     .max = 1e7},
    {.key = "priceReversion",
     .kind = KNOB_SHARE,
     AT(price_reversion),
     .doc = "Part of the distance to the mean that a step takes back.",
     .preset = "0.1",
     .min = 0,
     .max = 1,
     .quality = QUALITY_ASSUMED,
     .source = "no public series of Alibaba Cloud spot prices for GPU types"},
    {.key = "priceDeviation",
     .kind = KNOB_SHARE,
     AT(price_deviation),
     .doc = "Standard deviation of a step, as a share of the on-demand price.",
     .preset = "0.02",
     .min = 0,
     .max = 1,
     .quality = QUALITY_ASSUMED,
     .source = "no public series of Alibaba Cloud spot prices for GPU types"},
    {.key = "stockOutShare",
     .kind = KNOB_SHARE,
     AT(stock_out_share),
     .doc = "Share of losses after which the zone sells no spot machine for a while.",
     .preset = "0",
     .min = 0,
     .max = 1},
    {.key = "stockOut",
     .kind = KNOB_DIST,
     AT(stock_out),
     .doc = "How long a zone then sells none.",
     .preset = ""},
    {.key = "notice",
     .kind = KNOB_DURATION,
     AT(notice),
     .doc = "Warning of the platform before a machine goes; a pool's spotNotice overrides it.",
     .preset = "300s",
     .min = 0,
     .max = 3600,
     .quality = QUALITY_OFFICIAL,
     .source = "ECS documentation, preemptible instances, 2021-07-19"},
    {.key = "protection",
     .kind = KNOB_DURATION,
     AT(protection),
     .doc = "Longest protection that the platform sells; 0: none, whatever a pool asks for.",
     .preset = "6h",
     .min = 0,
     .max = 604800,
     .quality = QUALITY_OFFICIAL,
     .source = "ECS documentation, DescribeSpotPriceHistory, 2021-07-19"},
    {.key = "quality",
     .kind = KNOB_NAME,
     AT(quality),
     .doc = "How far the figures may be trusted.",
     .names = quality_names},
    {.key = "date", .kind = KNOB_TEXT, AT(date), .doc = "Date of the source."},
    {.key = "source", .kind = KNOB_TEXT, AT(source), .doc = "Where the figures come from."},
    {.key = "note", .kind = KNOB_TEXT, AT(note), .doc = "What to bear in mind.", .preset = ""},
    {0},
};

static int check_kind(const struct spot_preset *p, const char **key, struct err *e)
{
    int kinds = (p->hazards.count > 0) + (p->lifetime.mean > 0) + (p->stock_up.mean > 0);
    *key = "hazards";
    if (kinds != 1)
        return err_set(e, ERR_INPUT, NULL,
                       "a market is described by one of hazards, lifetime and stockUp; here are %d",
                       kinds);
    *key = "stockDown";
    if ((p->stock_up.mean > 0) != (p->stock_down.mean > 0))
        return err_set(e, ERR_INPUT, NULL, "stockUp and stockDown go together");
    *key = "batchShare";
    if (p->stock_up.mean > 0 && p->batch_share > 0)
        return err_set(e, ERR_INPUT, NULL,
                       "with stockUp every loss is one of the whole zone; leave batchShare out");
    return 0;
}

static bool has_exposure(const struct dist *d)
{
    return d->mean == 0 || d->kind == DIST_EXPONENTIAL || d->kind == DIST_WEIBULL;
}

static int check_spells(const struct spot_preset *p, const char **key, struct err *e)
{
    *key = !has_exposure(&p->lifetime)     ? "lifetime"
           : !has_exposure(&p->stock_up)   ? "stockUp"
           : !has_exposure(&p->stock_down) ? "stockDown"
                                           : NULL;
    if (*key)
        return err_set(e, ERR_INPUT, NULL, "its distribution must be exponential or weibull");
    *key = "lifetime";
    if (p->lifetime.kind == DIST_WEIBULL && p->lifetime.a > 1)
        return err_set(e, ERR_INPUT, NULL,
                       "its shape is %g; above 1 old machines die ever faster, describe them by "
                       "hazards",
                       p->lifetime.a);
    return 0;
}

static int check_price(const struct spot_preset *p, const char **key, struct err *e)
{
    *key = "priceShare";
    if (p->price_share < p->price_low || p->price_share > p->price_high)
        return err_set(e, ERR_INPUT, NULL, "%g lies outside priceLow..priceHigh, %g..%g",
                       p->price_share, p->price_low, p->price_high);
    return 0;
}

static int check(const void *config, const char **key, struct err *e)
{
    const struct spot_preset *p = config;
    const struct spot_hazard *h = p->hazards.items;
    if (check_kind(p, key, e) || check_spells(p, key, e) || check_price(p, key, e))
        return -1;
    *key = "hazards";
    if (p->hazards.count > 0 && h[0].from_age != 0)
        return err_set(e, ERR_INPUT, NULL, "the first row must start at age 0");
    for (size_t i = 1; i < p->hazards.count; i++)
        if (h[i].from_age <= h[i - 1].from_age)
            return err_set(e, ERR_INPUT, NULL, "ages must rise from row to row");
    return 0;
}

const struct knob_table spot_preset_knobs = {
    .name = "spotMarket",
    .doc = "A spot market: one row of `spotMarkets` in a catalogue file.",
    .rows = rows,
    .size = sizeof(struct spot_preset),
    .check = check,
};

/* H(t) of a Weibull is (t / scale)^shape, by exp and log of our own: the same bits everywhere. */
static double cumulative(const struct dist *d, sim_ns age)
{
    double t = (double)age;
    if (age == 0)
        return 0;
    return d->kind == DIST_WEIBULL ? chance_exp(d->a * chance_log(t / d->b)) : t / d->mean;
}

double spot_exposure(const struct dist *lifetime, sim_ns from, sim_ns to)
{
    assert(has_exposure(lifetime) && lifetime->mean > 0 && 0 <= from && from <= to);
    return cumulative(lifetime, to) - cumulative(lifetime, from);
}

static double hours(sim_ns ns)
{
    return (double)ns / (double)SIM_HOUR;
}

double spot_highest_hazard(const struct spot_preset *p)
{
    const struct spot_hazard *h = p->hazards.items;
    double highest = p->lifetime.mean > 0 ? spot_hazard_at(p, 0) : 0; /* it falls with age */
    for (size_t i = 0; i < p->hazards.count; i++)
        highest = h[i].per_hour > highest ? h[i].per_hour : highest;
    return highest;
}

double spot_hazard_at(const struct spot_preset *p, sim_ns age)
{
    const struct spot_hazard *h = p->hazards.items;
    if (p->lifetime.mean > 0) {
        sim_ns from = age / p->check * p->check;
        return spot_exposure(&p->lifetime, from, from + p->check) / hours(p->check);
    }
    size_t i = p->hazards.count;
    assert(i > 0 && age >= 0);
    while (i > 1 && h[i - 1].from_age > age)
        i--;
    return h[i - 1].per_hour;
}

int64_t spot_price_at(const struct spot_bid *bid, sim_ns at)
{
    int64_t v = steps_at(&bid->price, at);
    return bid->list_micro > 0 ? price_share(bid->list_micro, v) : v;
}

bool spot_too_dear(const struct spot_bid *bid, sim_ns at)
{
    return bid->limit_micro > 0 && bid->price.n > 0 && spot_price_at(bid, at) > bid->limit_micro;
}

int64_t spot_price_paid(const struct spot_bid *bid, sim_ns at)
{
    int64_t price = spot_price_at(bid, at);
    return bid->limit_micro > 0 && price > bid->limit_micro ? bid->limit_micro : price;
}

sim_ns spot_loss_at(const struct spot_preset *p, const struct spot_terms *t, sim_ns bought,
                    sim_ns until)
{
    assert(p->check > 0 && t->protection >= 0);
    double check_hours = hours(p->check) * t->share;
    uint64_t k = 0;
    for (sim_ns at = bought + t->protection + p->check; at < until; at += p->check, k++) {
        if (spot_too_dear(&t->bid, at))
            return at;
        /* The rate at the middle of the interval that the check closes. */
        double h = t->share > 0 ? spot_hazard_at(p, at - p->check / 2 - bought) : 0;
        if (chance_uniform(t->chance, k) < 1 - chance_exp(-h * check_hours))
            return at;
    }
    return SIM_NEVER;
}

sim_ns spot_stock_out(const struct spot_preset *p, struct chance loss)
{
    if (chance_uniform(loss, 0) >= p->stock_out_share)
        return 0;
    return dist_draw_ns(&p->stock_out, chance_sub(loss, 1), 0);
}

static double clamp(double v, double low, double high)
{
    return v < low ? low : v > high ? high : v;
}

size_t spot_price_steps(const struct spot_preset *p, sim_ns horizon)
{
    return p->price_step > 0 ? (size_t)(horizon / p->price_step) + 1 : 1;
}

void spot_prices(const struct spot_preset *p, struct chance zone, int64_t *out, size_t n)
{
    double x = p->price_share;
    for (size_t i = 0; i < n; i++) {
        out[i] = (int64_t)(x * 1e6 + 0.5);
        double shock = p->price_deviation * chance_normal(zone, i);
        x = clamp(x + p->price_reversion * (p->price_share - x) + shock, p->price_low,
                  p->price_high);
    }
}

int64_t spot_list_price(const struct spot_preset *p, int64_t mean_micro, int64_t list_micro)
{
    if (mean_micro <= 0 || p->price_share <= 0)
        return list_micro;
    return (int64_t)((double)mean_micro / p->price_share + 0.5);
}

int64_t spot_unprotected_price(const struct spot_preset *p, int32_t hours, int64_t micro_per_hour)
{
    return hours > 0 || p->protection == 0 ? micro_per_hour : price_share(micro_per_hour, 900000);
}
