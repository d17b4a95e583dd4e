/* market_fit: the parameters of a spot market from recorded prices, stock and lives. */
#ifndef SLUICE_SCENARIOS_RUN_MARKET_FIT_H
#define SLUICE_SCENARIOS_RUN_MARKET_FIT_H

#include "sim/err.h"
#include "sim/life_fit.h"
#include "sim/money.h"
#include "sim/reversion_fit.h"
#include "sim/text.h"
#include "workloads/trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

/* What of the files counts, and how it is called. */
struct market_fit_setup {
    const struct trace *traces;
    size_t n;
    const char *type, *zone, *product; /* NULL: any */
    struct money on_demand;            /* list price of the traced machine; 0: as the file says */
    const char *name, *date, *files;   /* of the catalogue entry; date NULL: of the last row */
};

#define MARKET_FIT_AGES 10

/* Lives of a kind with their fits. */
struct market_fit_lives {
    struct life *items; /* sorted */
    size_t n;
    bool fitted; /* else `why` says what stood against it */
    char why[160];
    struct life_fit fit;
    struct life_rate rates[MARKET_FIT_AGES];
    double rates_distance, rates_p;
};

/* Losses of several machines that were held or wanted at once. */
struct market_fit_bulk {
    int64_t most;             /* machines */
    size_t events, lost, all; /* losses; machines in them; losses that left none */
    double machine_hours;
    struct life_figure per_hour; /* losses of a machine */
    double batch_share, batch_all, batch_few;
};

/* Open data; in the arena of market_fit. */
struct market_fit {
    char label[200];                     /* of the priced series */
    size_t n_priced, n_stocked, n_lived; /* series of each kind */
    struct reversion_fit price;          /* of shares of list; n 0: no prices */
    double *course;                      /* shares each five minutes, for a chart */
    size_t n_course;
    int64_t epoch_s;   /* of its first; 0 where the file has no dates */
    double above_list; /* share of the time in which the price was above list */
    struct market_fit_lives lives, up, down; /* lives of machines; spells with and without stock */
    struct market_fit_bulk bulk;
    size_t falls, falls_together; /* ends of stock in a zone while another had some */
    struct life_figure tie;       /* zoneCorrelation; value below 0: a lone zone */
    char date[16];
};

#define MARKET_FIT_STEP (5 * SIM_MINUTE) /* the platform's check: distance of price steps */

/* ERR_INPUT when nothing in the files can be fitted, or what is missing. */
int market_fit(struct market_fit *f, struct arena *a, const struct market_fit_setup *s,
               struct err *e);
/* A catalogue file with the market: put it under `catalog` and name the market in a pool. */
void market_fit_catalog(const struct market_fit *f, const struct market_fit_setup *s,
                        struct text *to);

#endif
