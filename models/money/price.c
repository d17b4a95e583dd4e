/* price: what a machine costs an hour. */
#include "models/money/price.h"

#include "models/money/quality.h"

#include "sim/clock.h"
#include "sim/err.h"

#include <assert.h>

static const struct knob_name billing_names[] = {
    {"onDemand", PRICE_ON_DEMAND, "pay as you go"},
    {"spot", PRICE_SPOT,
     "preemptible: what a pool's spot market asks on the mean, instead of its share of onDemand"},
    {"eciOnDemand", PRICE_ECI_ON_DEMAND,
     "elastic container instance, instead of onDemand of its type"},
    {"eciSpot", PRICE_ECI_SPOT,
     "the same, preemptible: on the mean, instead of the market's share"},
    {"subscription", PRICE_SUBSCRIPTION, "per hour of a month paid ahead (730 h)"},
    {0},
};

const char *price_billing_name(enum price_billing b)
{
    assert((unsigned)b < PRICE_BILLINGS);
    return billing_names[b].name;
}

static const struct knob rows[] = {
    {.key = "type",
     .kind = KNOB_TEXT,
     .offset = offsetof(struct price, type),
     .doc = "Instance type."},
    {.key = "region",
     .kind = KNOB_TEXT,
     .offset = offsetof(struct price, region),
     .doc = "Region the price holds in; absent: any.",
     .preset = ""},
    {.key = "billing",
     .kind = KNOB_NAME,
     .offset = offsetof(struct price, billing),
     .doc = "Billing method.",
     .preset = "onDemand",
     .names = billing_names},
    {.key = "perHour",
     .kind = KNOB_MONEY,
     .offset = offsetof(struct price, per_hour),
     .doc = "Price of an hour, with its currency.",
     .min = 0,
     .max = 1e6},
    {.key = "quality",
     .kind = KNOB_NAME,
     .offset = offsetof(struct price, quality),
     .doc = "How far the figure may be trusted.",
     .names = quality_names},
    {.key = "date",
     .kind = KNOB_TEXT,
     .offset = offsetof(struct price, date),
     .doc = "Date of the source."},
    {.key = "source",
     .kind = KNOB_TEXT,
     .offset = offsetof(struct price, source),
     .doc = "Document the figure comes from."},
    {.key = "derivation",
     .kind = KNOB_TEXT,
     .offset = offsetof(struct price, derivation),
     .doc = "How an assumed figure was made from its source.",
     .preset = ""},
    {0},
};

static int check(const void *config, const char **key, struct err *e)
{
    const struct price *p = config;
    if (p->quality != QUALITY_ASSUMED || p->derivation)
        return 0;
    *key = "derivation";
    return err_set(e, ERR_INPUT, NULL, "an assumed price must say how it was derived");
}

const struct knob_table price_knobs = {
    .name = "price",
    .doc = "A price: one row of `prices` in a catalogue file.",
    .rows = rows,
    .size = sizeof(struct price),
    .check = check,
};

int64_t price_share(int64_t micro_per_hour, int64_t share_millionths)
{
    assert(micro_per_hour >= 0 && share_millionths >= 0 && share_millionths <= 1000000);
    /* A price of a millionth of an hour for share millionths: the same product and rounding. */
    int64_t ns = SIM_HOUR / 1000000 * share_millionths;
    return money_for(micro_per_hour, ns);
}
