/* spot_zone: what a spot market holds in store for one zone. */
#include "models/capacity/spot_zone.h"

#include "models/capacity/spot.h"
#include "models/capacity/stock.h"
#include "sim/chance.h"
#include "sim/digest.h"

/* Sub-streams of a place's chance. */
enum { DRAW_BATCH = 3, DRAW_ZONE };

/* What a zone and its region draw for a market, whoever looks. */
static struct chance place_stream(const struct spot_zone_setup *s, const char *place)
{
    struct digest d = {0};
    digest_text(&d, place);
    digest_text(&d, s->market->name);
    return chance_stream(s->seed, s->replication, CHANCE_SPOT, digest_value(&d));
}

int spot_zone_init(struct spot_zone *z, const struct spot_zone_setup *s, struct err *e)
{
    struct chance zone = place_stream(s, s->zone), region = place_stream(s, s->region);
    *z = (struct spot_zone){.drawn = false};
    if (s->recorded && s->recorded->n > 0) {
        z->stock = *s->recorded;
        return 0;
    }
    if (s->market->stock_up.mean > 0) {
        struct stock_setup stock = {s->market, chance_sub(zone, DRAW_ZONE),
                                    chance_sub(region, DRAW_ZONE), s->horizon};
        z->drawn = true;
        return stock_draw(&z->stock, &stock, e);
    }
    struct batch_setup batch = {s->market, chance_sub(zone, DRAW_BATCH),
                                chance_sub(region, DRAW_BATCH), s->horizon};
    return batch_draw(&z->batches, &batch, e);
}

void spot_zone_fini(struct spot_zone *z)
{
    batch_fini(&z->batches);
    if (z->drawn)
        stock_free(&z->stock);
}

int64_t spot_zone_stock(const struct spot_zone *z, sim_ns at)
{
    return z->stock.n > 0 ? steps_at(&z->stock, at) : INT64_MAX;
}
