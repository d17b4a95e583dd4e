/* stock: whether a zone has spot machines, as a process of its own. */
#include "models/capacity/stock.h"

#include "models/capacity/spot.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* Sub-streams of a zone's or region's chance. */
enum { DRAW_NUMBER = 16, DRAW_CHOICE, DRAW_BEGIN };

/* Spells before the run's start, so that it does not begin with a new one. */
#define BURN_IN 50
#define BURN_IN_MOST 200000 /* checks */

struct walk {
    const struct stock_setup *s;
    double tied; /* chance that a zone takes the region's number */
    bool up;
    int64_t age; /* of the spell, in checks */
};

static double number(const struct walk *w, uint64_t check)
{
    bool regional =
        w->tied > 0 && chance_uniform(chance_sub(w->s->zone, DRAW_CHOICE), check) < w->tied;
    return chance_uniform(chance_sub(regional ? w->s->region : w->s->zone, DRAW_NUMBER), check);
}

/* One check; true when the spell ends with it. */
static bool ends(struct walk *w, uint64_t check)
{
    const struct spot_preset *m = w->s->market;
    const struct dist *spell = w->up ? &m->stock_up : &m->stock_down;
    double h = spot_exposure(spell, w->age * m->check, (w->age + 1) * m->check);
    double p = 1 - chance_exp(-h), u = number(w, check);
    w->age++;
    if (w->up ? u >= p : u < 1 - p)
        return false;
    w->up = !w->up;
    w->age = 0;
    return true;
}

static uint64_t burn_in(const struct spot_preset *m)
{
    double checks = BURN_IN * (m->stock_up.mean + m->stock_down.mean) / (double)m->check;
    return checks < BURN_IN_MOST ? (uint64_t)checks : BURN_IN_MOST;
}

static int grow(sim_ns **at, int64_t **value, size_t *capacity, struct err *e)
{
    size_t more = *capacity ? 2 * *capacity : 64;
    sim_ns *a = realloc(*at, more * sizeof *a);
    *at = a ? a : *at;
    int64_t *v = realloc(*value, more * sizeof *v);
    *value = v ? v : *value;
    if (!a || !v)
        return err_set(e, ERR_SYSTEM, NULL, "out of memory for %zu spells", more);
    *capacity = more;
    return 0;
}

int stock_draw(struct steps *out, const struct stock_setup *s, struct err *e)
{
    const struct spot_preset *m = s->market;
    double mean_up = m->stock_up.mean, share = mean_up / (mean_up + m->stock_down.mean);
    struct walk w = {.s = s, .tied = sqrt(m->zone_correlation)};
    uint64_t check = 0, before = burn_in(m);
    sim_ns *at = NULL;
    int64_t *value = NULL;
    size_t n = 0, capacity = 0;
    int rc = 0;
    assert(m->check > 0 && mean_up > 0);
    w.up = chance_uniform(chance_sub(s->zone, DRAW_BEGIN), 0) < share;
    while (check < before)
        ends(&w, check++);
    for (sim_ns now = 0; now < s->horizon && rc == 0; now += m->check, check++) {
        if (now > 0 && !ends(&w, check))
            continue;
        if (n == capacity && (rc = grow(&at, &value, &capacity, e)) != 0)
            continue;
        at[n] = now;
        value[n++] = w.up ? INT64_MAX : 0;
    }
    *out = (struct steps){.value = value, .at = at, .n = n};
    return rc;
}

void stock_free(struct steps *s)
{
    free((void *)(uintptr_t)s->at);
    free((void *)(uintptr_t)s->value);
    *s = (struct steps){0};
}
