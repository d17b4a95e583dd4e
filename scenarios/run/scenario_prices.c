/* scenario_prices: prices of another currency, or of another size. */
#include "models/capacity/catalog.h"
#include "scenarios/run/scenario_inside.h"
#include "sim/text.h"

#include <stdio.h>
#include <string.h>

/* The catalogue is this scenario's own until it is loaded. */
void scenario_prices_scale(struct scenario *s, const struct scenario_change *change)
{
    for (size_t p = 0; p < s->catalog->n_parts; p++) {
        struct price *prices = s->catalog->parts[p].prices.items;
        for (size_t i = 0; i < s->catalog->parts[p].prices.count; i++)
            if (strcmp(prices[i].type, change->priced) == 0)
                prices[i].per_hour.micro =
                    (int64_t)((double)prices[i].per_hour.micro * change->factor + 0.5);
    }
}

static void exchange_money(struct money *m, const char *from, const char *to, double rate)
{
    if (strcmp(m->currency, from) != 0)
        return;
    m->micro = (int64_t)((double)m->micro * rate + 0.5);
    snprintf(m->currency, sizeof m->currency, "%s", to);
}

void scenario_prices_exchange(struct scenario *s, const struct knob_pair *rate)
{
    double worth = 0;
    text_parse_double(rate->value, &worth); /* checked when it was bound */
    for (size_t p = 0; p < s->catalog->n_parts; p++) {
        struct price *prices = s->catalog->parts[p].prices.items;
        for (size_t i = 0; i < s->catalog->parts[p].prices.count; i++) {
            struct catalog_price_key own = {prices[i].type, prices[i].region, s->currency,
                                            (enum price_billing)prices[i].billing};
            if (!catalog_price(s->catalog, &own))
                exchange_money(&prices[i].per_hour, rate->key, s->currency, worth);
        }
    }
    exchange_money(&s->budget.per_month, rate->key, s->currency, worth);
    exchange_money(&s->budget.total, rate->key, s->currency, worth);
}
