/* rests: the catalogue's figures that a run used, among what the answer rests on. */
#include "scenarios/run/rests.h"

#include "models/capacity/catalog.h"
#include "models/capacity/pool.h"
#include "models/capacity/virtual_node.h"
#include "models/money/price.h"
#include "scenarios/run/scenario.h"
#include "sim/arena.h"

#include <stdio.h>
#include <string.h>

#define MOST 256

struct list {
    struct result *r;
    const struct scenario *s;
    struct err *e;
};

static const char *keep(struct list *l, const char *text)
{
    return arena_text(l->r->arena, text, strlen(text), l->e);
}

static void add(struct list *l, const char *path, const char *value, int quality,
                const char *source)
{
    struct result *r = l->r;
    for (size_t i = 0; i < r->n_assumptions; i++)
        if (strcmp(r->assumptions[i].path, path) == 0)
            return;
    if (r->n_assumptions == l->s->n_assumptions + MOST)
        return;
    struct result_assumption a = {keep(l, path), keep(l, value),
                                  knob_quality_name((enum knob_quality)quality), keep(l, source)};
    if (a.path && a.value && a.source)
        r->assumptions[r->n_assumptions++] = a;
}

static void add_price(struct list *l, const char *type, enum price_billing billing)
{
    char path[160], value[64], source[700];
    struct catalog_price_key key = {type, NULL, l->s->currency, billing};
    const struct price *p = catalog_price(l->s->catalog, &key);
    if (!p)
        return;
    snprintf(path, sizeof path, "prices.%.100s.%s", type, price_billing_name(billing));
    snprintf(value, sizeof value, "%.6g %.8s an hour", (double)p->per_hour.micro / 1e6,
             l->s->currency);
    snprintf(source, sizeof source, "%.300s%s%.380s", p->source ? p->source : "",
             p->derivation ? ": " : "", p->derivation ? p->derivation : "");
    add(l, path, value, p->quality, source);
}

static void add_market(struct list *l, const char *name)
{
    char path[160], value[96], source[700];
    const struct spot_preset *m = name ? catalog_spot(l->s->catalog, name) : NULL;
    if (!m)
        return;
    snprintf(path, sizeof path, "spotMarkets.%.100s", m->name);
    snprintf(value, sizeof value, "%.4g of the list price; losses by age", m->price_share);
    snprintf(source, sizeof source, "%.300s%s%.380s", m->source ? m->source : "",
             m->note ? ": " : "", m->note ? m->note : "");
    add(l, path, value, m->quality, source);
}

static void add_delivery(struct list *l, const struct pool_config *c)
{
    char path[160], value[64];
    const struct catalog_delivery *d =
        c->boot.mean > 0 ? NULL : catalog_find_delivery(l->s->catalog, c->delivery);
    if (!d)
        return;
    snprintf(path, sizeof path, "deliveries.%.100s", d->name);
    snprintf(value, sizeof value, "%.4g s", d->time.mean / 1e9);
    add(l, path, value, d->quality, d->source ? d->source : "");
}

int rests_collect(struct result *r, const struct scenario *s, struct err *e)
{
    struct list l = {r, s, e};
    const struct pool_config *pools = s->cluster.pools.items;
    r->assumptions = arena_take(r->arena, s->n_assumptions + MOST, sizeof *r->assumptions, e);
    if (!r->assumptions)
        return -1;
    r->n_assumptions = 0;
    /* A key without a value rests on nothing: another one decides. */
    for (size_t i = 0; i < s->n_assumptions; i++)
        if (s->assumptions[i].value && s->assumptions[i].value[0])
            r->assumptions[r->n_assumptions++] = s->assumptions[i];
    for (size_t i = 0; s->catalog && i < r->n_bills; i++) {
        add_price(&l, r->bills[i].type, PRICE_ON_DEMAND);
        add_price(&l, r->bills[i].type, PRICE_SUBSCRIPTION);
        add_price(&l, r->bills[i].type, PRICE_SPOT);
        add_price(&l, r->bills[i].type, PRICE_ECI_ON_DEMAND);
        add_price(&l, r->bills[i].type, PRICE_ECI_SPOT);
    }
    for (size_t i = 0; s->catalog && i < s->cluster.pools.count; i++) {
        add_market(&l, pool_uses_spot(&pools[i]) ? pools[i].spot_market : NULL);
        add_delivery(&l, &pools[i]);
    }
    if (s->catalog && s->cluster.virtual_node)
        add_market(&l, s->cluster.virtual_node->market);
    return e->code == ERR_NONE ? 0 : -1;
}
