/* eci_life: the states of container instances, what they cost, and how they end. */
#include "models/capacity/eci_life.h"

#include "models/capacity/drill.h"
#include "models/capacity/eci_fleet.h"
#include "models/capacity/eci_spot.h"
#include "models/capacity/pod_shape.h"
#include "models/capacity/virtual_node.h"
#include "models/money/ledger.h"
#include "sim/money.h"

#include <assert.h>
#include <string.h>

/* ---- states ---- */

void eci_life_state(struct eci_fleet *s, struct eci_instance *in, sim_ns now, enum eci_state to)
{
    bool ends = to >= ECI_SUCCEEDED;
    if (in->lives)
        s->state_ns[in->state] += now - in->state_since;
    in->lives = !ends;
    in->state = to;
    in->state_since = now;
}

void eci_life_reserve(struct eci_fleet *s, struct eci_instance *in, int64_t cpu)
{
    s->cpu_milli += cpu - in->reserved;
    in->reserved = cpu;
}

void eci_life_release(struct eci_fleet *s, struct eci_instance *in)
{
    eci_life_reserve(s, in, 0);
}

/* ---- billing ---- */

static void close_stretch(struct eci_instance *in, sim_ns to)
{
    in->micro += money_for(in->price, to - in->from);
    in->from = to;
}

void eci_life_paid(struct eci_fleet *s, const struct eci_instance *in, sim_ns ns)
{
    struct eci_kind *o = &s->kinds[in->shape];
    size_t i = (size_t)(in->offer - o->offers.items);
    assert(i < o->offers.n);
    o->bought[i].n++;
    o->bought[i].ns += ns;
    o->bought[i].micro += in->micro;
    o->billed_ns += ns;
    o->micro += in->micro;
    s->set.paid(s->set.self, in->owner, in->micro);
}

void eci_life_end(struct eci_fleet *s, struct eci_instance *in, sim_ns now, enum eci_state to)
{
    eci_life_state(s, in, now, to);
    eci_life_release(s, in);
    if (!in->billed)
        return;
    assert(!eci_state_billed(to));
    sim_ns step = s->config->billing_step, end = in->since;
    end += (now - in->since + step - 1) / step * step;
    in->billed = false;
    close_stretch(in, end);
    ledger_end(s->set.ledger, s->set.first_account + in->pod.slot, now, false);
    eci_life_paid(s, in, end - in->since);
    s->paid_ns += now - in->since;
    recorder_change(eci_fleet_recorder(s), s->level, now, -1);
    sim_cancel(eci_fleet_clock(s), in->loss);
    sim_cancel(eci_fleet_clock(s), in->step);
}

static void use(struct eci_fleet *s, const struct eci_instance *in, sim_ns now, uint32_t use_now)
{
    const struct pod_shape *pod = s->kinds[in->shape].request.pod;
    memset(s->uses, 0, (LEDGER_USES + s->set.cluster->n_owners) * sizeof *s->uses);
    s->uses[use_now] = in->offer->gpus > 0 ? (uint32_t)pod->gpus : 1;
    s->uses[LEDGER_FRAGMENTATION] = (uint32_t)(in->offer->gpus - pod->gpus);
    ledger_use(s->set.ledger, s->set.first_account + in->pod.slot, now, s->uses);
}

static enum eci_state state_of(const struct eci_instance *in, const struct pod *p)
{
    if (p->phase == POD_TERMINATING)
        return ECI_TERMINATING;
    if (p->phase == POD_LOADING || p->phase == POD_READY)
        return ECI_RUNNING;
    return in->ran ? ECI_RESTARTING : ECI_PENDING;
}

void eci_life_changed(struct eci_fleet *s, sim_ns now, uint32_t slot)
{
    struct eci_instance *in = &s->instances[slot];
    const struct pod *p = pods_view(s->set.pods, slot);
    if (!in->billed)
        return;
    eci_life_state(s, in, now, state_of(in, p));
    in->ran = in->ran || in->state == ECI_RUNNING;
    if (p->phase == POD_READY)
        use(s, in, now, LEDGER_USES + in->owner);
    else
        use(s, in, now, p->phase == POD_TERMINATING ? LEDGER_DRAINING : LEDGER_STARTING);
}

/* ---- preemptible instances ---- */

static void on_gone(void *self, sim_ns now, uint64_t key)
{
    struct eci_fleet *s = self;
    struct eci_instance *in = eci_fleet_find(s, key);
    if (in)
        s->set.gone(s->set.self, now, in->pod.slot, POD_END_NODE_LOST);
}

static void vanish(struct eci_fleet *s, struct eci_instance *in, sim_ns now, enum eci_state to)
{
    uint64_t key = eci_fleet_key(in);
    eci_life_end(s, in, now, to);
    s->set.lose(s->set.self, now, in->pod.slot);
    sim_at(eci_fleet_clock(s), now + s->config->report, SIM_PHASE, on_gone, s, key);
}

static void on_expired(void *self, sim_ns now, uint64_t key)
{
    struct eci_fleet *s = self;
    struct eci_instance *in = eci_fleet_find(s, key);
    if (!in || !in->billed)
        return;
    s->kinds[in->shape].expired++;
    recorder_log(eci_fleet_recorder(s), now, true, pods_view(s->set.pods, in->pod.slot)->name,
                 "Expired", "the preemptible instance was taken back: its pod is Failed");
    in->loss = (struct sim_handle){0};
    eci_spot_lost(s, in, now);
    vanish(s, in, now, ECI_EXPIRED);
}

/* A disruption budget that refused the eviction is asked again (kubectl drain, 5 s). */
#define EVICTION_PAUSE (5 * SIM_SECOND)

static void on_evict(void *self, sim_ns now, uint64_t key)
{
    struct eci_fleet *s = self;
    struct eci_instance *in = eci_fleet_find(s, key);
    if (!in || !in->billed || s->set.evict(s->set.self, now, in->pod.slot, POD_END_SPOT_NOTICE))
        return;
    recorder_log(eci_fleet_recorder(s), now, true, pods_view(s->set.pods, in->pod.slot)->name,
                 "eviction refused", "a disruption budget keeps it; asked again in 5 s");
    sim_at(eci_fleet_clock(s), now + EVICTION_PAUSE, SIM_SCAN, on_evict, s, key);
}

static void on_notice(void *self, sim_ns now, uint64_t key)
{
    struct eci_fleet *s = self;
    struct eci_instance *in = eci_fleet_find(s, key);
    if (!in || !in->billed || in->noticed)
        return;
    bool handled = s->config->on_notice == 1;
    in->noticed = true;
    sim_cancel(eci_fleet_clock(s), in->loss);
    recorder_log(eci_fleet_recorder(s), now, true, pods_view(s->set.pods, in->pod.slot)->name,
                 "SpotToBeReleased", "released in %lld s%s; %s",
                 (long long)(s->config->notice / SIM_SECOND),
                 in->batch ? ", with others of its zone" : "",
                 handled ? "a handler replaces it" : "nobody listens");
    in->loss = sim_at(eci_fleet_clock(s), now + s->config->notice, SIM_LOSS, on_expired, s, key);
    if (handled)
        on_evict(s, now, key);
}

void eci_life_notice(struct eci_fleet *s, sim_ns now, struct eci_instance *in)
{
    on_notice(s, now, eci_fleet_key(in));
}

static void on_price(void *self, sim_ns now, uint64_t key);

/* The purchase price holds through the protection. */
static void plan_price(struct eci_fleet *s, struct eci_instance *in, const struct steps *price,
                       sim_ns now)
{
    sim_ns protected = in->since + s->kinds[in->shape].request.protection;
    sim_ns next = price->n > 1 && now < protected ? protected : steps_next(price, now);
    if (next < s->set.cluster->horizon)
        in->step = sim_at(eci_fleet_clock(s), next, SIM_FAULT, on_price, s, eci_fleet_key(in));
}

static void on_price(void *self, sim_ns now, uint64_t key)
{
    struct eci_fleet *s = self;
    struct eci_instance *in = eci_fleet_find(s, key);
    if (!in || !in->billed)
        return;
    struct spot_bid bid = eci_spot_bid(s, in);
    int64_t price = spot_price_paid(&bid, now);
    if (price != in->price) {
        close_stretch(in, now);
        in->price = price;
        ledger_price(s->set.ledger, s->set.first_account + in->pod.slot, now, price);
    }
    plan_price(s, in, &bid.price, now);
}

static void plan_spot_life(struct eci_fleet *s, struct eci_instance *in, sim_ns now)
{
    struct spot_bid bid = eci_spot_bid(s, in);
    sim_ns notice = eci_spot_loss(s, in, now);
    if (notice < s->set.cluster->horizon)
        in->loss = sim_at(eci_fleet_clock(s), notice, SIM_LOSS, on_notice, s, eci_fleet_key(in));
    plan_price(s, in, &bid.price, now);
}

/* The image download starts: from here on it is paid for. */
void eci_life_begin(struct eci_fleet *s, sim_ns now, uint32_t slot)
{
    struct eci_instance *in = &s->instances[slot];
    in->billed = true;
    eci_life_state(s, in, now, ECI_PENDING);
    in->since = in->from = now;
    in->price = in->offer->micro_per_hour;
    if (in->spot) {
        struct spot_bid bid = eci_spot_bid(s, in);
        in->price = spot_price_paid(&bid, now);
    }
    struct ledger_item item = {
        .resource = pods_view(s->set.pods, slot)->name,
        .type = in->offer->type,
        .zone = eci_zone_name(s->config, in->zone),
        .group = s->set.group,
        .billing = in->spot ? PRICE_ECI_SPOT : PRICE_ECI_ON_DEMAND,
        .units = in->offer->gpus > 0 ? (uint32_t)in->offer->gpus : 1,
        .micro_per_hour = in->price,
        .billing_step = s->config->billing_step,
    };
    ledger_open(s->set.ledger, s->set.first_account + slot, now, &item);
    use(s, in, now, LEDGER_STARTING);
    recorder_change(eci_fleet_recorder(s), s->level, now, 1);
    if (in->spot)
        plan_spot_life(s, in, now);
}

/* ---- drills ---- */

static void lose_zone(struct eci_fleet *s, sim_ns now, const struct drill *d)
{
    for (uint32_t z = 0; z < s->config->zones.count; z++)
        if (strcmp(s->config->zones.items[z], d->zone) == 0 && drill_end(d) > s->zone_from[z])
            s->zone_from[z] = drill_end(d);
    for (uint32_t i = 0; i < pods_capacity(s->set.pods); i++) {
        struct eci_instance *in = &s->instances[i];
        if (!in->billed || strcmp(eci_zone_name(s->config, in->zone), d->zone) != 0)
            continue;
        recorder_log(eci_fleet_recorder(s), now, true, eci_fleet_name(s, in), "lost",
                     "zone %s is gone, and the instance with it", d->zone);
        vanish(s, in, now, ECI_FAILED);
    }
}

static bool reclaimable(const struct eci_instance *in)
{
    return in->billed && in->spot && !in->noticed;
}

/* Any of them, by the dice of the drill. */
static struct eci_instance *next_victim(struct eci_fleet *s, struct chance dice)
{
    struct eci_instance *best = NULL;
    for (uint32_t i = 0; i < pods_capacity(s->set.pods); i++) {
        struct eci_instance *in = &s->instances[i];
        if (reclaimable(in) && (!best || chance_bits(dice, eci_fleet_key(in)) <
                                             chance_bits(dice, eci_fleet_key(best))))
            best = in;
    }
    return best;
}

static void reclaim(struct eci_fleet *s, sim_ns now, const struct drill *d)
{
    const struct cluster_setup *c = s->set.cluster;
    struct chance dice =
        chance_sub(chance_stream(c->seed, c->replication, CHANCE_FAULT, (uint64_t)d->at), 1);
    int64_t there = 0;
    for (uint32_t i = 0; i < pods_capacity(s->set.pods); i++)
        there += reclaimable(&s->instances[i]);
    for (int64_t lose = drill_share(d, there); lose > 0; lose--)
        on_notice(s, now, eci_fleet_key(next_victim(s, dice)));
}

void eci_life_drill(struct eci_fleet *s, sim_ns now, const struct drill *d)
{
    if (d->kind == DRILL_ZONE_LOSS)
        lose_zone(s, now, d);
    if (d->kind == DRILL_SPOT_LOSS)
        reclaim(s, now, d);
    for (uint32_t z = 0; d->kind == DRILL_STOCK_OUT && z < ECI_ZONES_MAX; z++)
        s->stock_from[z] = drill_end(d) > s->stock_from[z] ? drill_end(d) : s->stock_from[z];
}
