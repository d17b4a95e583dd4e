/* price: what a machine costs an hour, under which billing, and who says so. */
#ifndef SLUICE_MODELS_MONEY_PRICE_H
#define SLUICE_MODELS_MONEY_PRICE_H

#include "sim/knob.h"
#include "sim/money.h"

enum price_billing {
    PRICE_ON_DEMAND,
    PRICE_SPOT,
    PRICE_ECI_ON_DEMAND,
    PRICE_ECI_SPOT,
    PRICE_SUBSCRIPTION, /* per hour of a paid month */
    PRICE_BILLINGS
};
const char *price_billing_name(enum price_billing b); /* "onDemand", ... */

/* Open data, one row of a catalogue file's `prices`. */
struct price {
    const char *type;   /* instance type */
    const char *region; /* NULL: any */
    int billing;        /* enum price_billing */
    struct money per_hour;
    int quality; /* enum knob_quality */
    const char *date, *source;
    const char *derivation; /* how an assumed figure was made; NULL: as the source has it */
};

extern const struct knob_table price_knobs; /* "price" */

/* per_hour x share in micro-units, rounded half up; share in millionths. */
int64_t price_share(int64_t micro_per_hour, int64_t share_millionths);

#endif
