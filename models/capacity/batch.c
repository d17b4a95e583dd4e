/* batch: spot machines of a zone that are taken back together. */
#include "models/capacity/batch.h"

#include "models/capacity/spot.h"

#include <assert.h>
#include <stdlib.h>

/* Sub-streams of a zone's or region's chance. */
enum { DRAW_GAP, DRAW_LEVEL, DRAW_WHOLE, DRAW_AFTER };

/* One of the two sources of shocks. */
struct source {
    struct chance chance;
    double per_hour;
    bool regional;
    uint64_t number; /* of the next one */
    double hours;    /* when it comes */
};

static void step(struct source *s)
{
    s->hours += chance_exponential(chance_sub(s->chance, DRAW_GAP), s->number) / s->per_hour;
}

static sim_ns time_of(const struct source *s, sim_ns horizon)
{
    double ns = s->hours * (double)SIM_HOUR;
    return s->per_hour <= 0 || ns >= (double)horizon ? SIM_NEVER : (sim_ns)ns;
}

static int add(struct batch_list *b, size_t *capacity, const struct batch *item, struct err *e)
{
    if (b->n == *capacity) {
        size_t more = *capacity ? 2 * *capacity : 64;
        struct batch *items = realloc(b->items, more * sizeof *items);
        if (!items)
            return err_set(e, ERR_SYSTEM, NULL, "out of memory for %zu batches", more);
        b->items = items;
        *capacity = more;
    }
    b->items[b->n++] = *item;
    return 0;
}

static int take(struct batch_list *b, size_t *capacity, const struct spot_preset *m,
                struct source *s, sim_ns at, struct err *e)
{
    double whole = chance_uniform(chance_sub(s->chance, DRAW_WHOLE), s->number);
    struct batch item = {
        .at = at,
        .level = chance_uniform(chance_sub(s->chance, DRAW_LEVEL), s->number),
        .whole = whole < m->batch_all,
        .regional = s->regional,
        .number = s->number,
    };
    s->number++;
    step(s);
    return add(b, capacity, &item, e);
}

int batch_draw(struct batch_list *b, const struct batch_setup *s, struct err *e)
{
    const struct spot_preset *m = s->market;
    double part = m->batch_all + (1 - m->batch_all) * m->batch_few; /* of the machines, mean */
    double per_hour = part > 0 ? m->batch_share * spot_highest_hazard(m) / part : 0;
    size_t capacity = 0;
    struct source own = {.chance = s->zone, .per_hour = per_hour * (1 - m->zone_correlation)};
    struct source shared = {
        .chance = s->region, .per_hour = per_hour * m->zone_correlation, .regional = true};
    *b = (struct batch_list){.zone = s->zone, .region = s->region};
    if (own.per_hour > 0)
        step(&own);
    if (shared.per_hour > 0)
        step(&shared);
    for (;;) {
        sim_ns a = time_of(&own, s->horizon), r = time_of(&shared, s->horizon);
        if (a == SIM_NEVER && r == SIM_NEVER)
            return 0;
        if (take(b, &capacity, m, a <= r ? &own : &shared, a <= r ? a : r, e))
            return -1;
    }
}

void batch_fini(struct batch_list *b)
{
    free(b->items);
    *b = (struct batch_list){0};
}

static size_t first_from(const struct batch_list *b, sim_ns at)
{
    size_t low = 0, high = b->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (b->items[middle].at < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t batch_taking(const struct batch_list *b, const struct spot_preset *market, sim_ns bought,
                    sim_ns from, struct chance machine)
{
    double highest = b->n ? spot_highest_hazard(market) : 1;
    for (size_t i = first_from(b, from); i < b->n; i++) {
        const struct batch *item = &b->items[i];
        if (item->level * highest >= spot_hazard_at(market, item->at - bought))
            continue;
        if (item->whole || chance_uniform(machine, i) < market->batch_few)
            return i;
    }
    return b->n;
}

struct chance batch_chance(const struct batch_list *b, size_t i)
{
    const struct batch *item = &b->items[i];
    assert(i < b->n);
    /* A regional shock leaves each zone its own time without stock. */
    struct chance c = chance_sub(b->zone, DRAW_AFTER + item->regional);
    return chance_sub(c, item->number);
}
