/* supply_eci: elastic container instances behind the virtual node: one pod, one instance of its
 * own, paid for by the second from the start of its image download. */
#include "models/capacity/catalog.h"
#include "models/capacity/cluster_config.h"
#include "models/capacity/eci.h"
#include "models/capacity/pod_shape.h"
#include "models/capacity/pods.h"
#include "models/capacity/route.h"
#include "models/capacity/spot.h"
#include "models/capacity/supply.h"
#include "models/capacity/virtual_node.h"
#include "models/money/breakeven.h"
#include "models/money/ledger.h"
#include "sim/chance.h"
#include "sim/digest.h"
#include "sim/money.h"
#include "sim/recorder.h"
#include "sim/sim.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Pods of one shape on ECI. */
struct kind {
    struct route route;
    struct eci_request request;
    struct eci_offers offers;
    char *refusal;   /* why it takes no such pods; NULL: it does */
    uint64_t entity; /* of its draws */
    uint64_t created, failed, expired;
    sim_ns billed_ns;
    int64_t micro;
};

/* The instance of the pod in this slot. */
struct instance {
    struct pod_ref pod; /* generation 0: none */
    uint32_t owner, shape, attempt;
    const struct eci_offer *offer;
    bool billed, spot;
    sim_ns from;          /* of the stretch at this price */
    sim_ns since;         /* start of billing */
    int64_t price, micro; /* micro: of closed stretches */
    struct sim_handle loss, step;
};

struct supply_eci {
    struct supply_setup set;
    const struct virtual_node_config *config;
    struct kind *kinds;         /* [shape] */
    struct instance *instances; /* [pod slot] */
    struct eci_bucket bucket;
    const struct spot_preset *market;
    int64_t *prices; /* of the market by step, millionths of list */
    size_t n_prices;
    int32_t vcpus; /* held now */
    struct sim_handle retry;
    uint32_t *uses; /* of one instance, by use of the ledger */
    rec_id level;
    uint64_t quota_waits, throttled;
    sim_ns longest_throttle;
};

static struct sim *clock_of(const struct supply_eci *s)
{
    return s->set.cluster->sim;
}

static struct recorder *recorder_of(const struct supply_eci *s)
{
    return s->set.cluster->recorder;
}

static struct chance stream(const struct supply_eci *s, const struct instance *in,
                            enum chance_purpose purpose)
{
    const struct cluster_setup *c = s->set.cluster;
    const struct pod *p = pods_view(s->set.pods, in->pod.slot);
    struct chance ch = chance_stream(c->seed, c->replication, purpose, s->kinds[in->shape].entity);
    return chance_sub(chance_sub(ch, p->number), in->attempt);
}

static struct instance *find(struct supply_eci *s, uint64_t key)
{
    struct instance *in = &s->instances[(uint32_t)key];
    bool same = in->pod.generation == (uint32_t)(key >> 32);
    return same && pods_find(s->set.pods, in->pod) ? in : NULL;
}

static uint64_t key_of(const struct instance *in)
{
    return (uint64_t)in->pod.generation << 32 | in->pod.slot;
}

/* ---- billing ---- */

static void close_stretch(struct instance *in, sim_ns to)
{
    in->micro += money_for(in->price, to - in->from);
    in->from = to;
}

static void stop_billing(struct supply_eci *s, struct instance *in, sim_ns now, enum eci_state to)
{
    struct kind *o = &s->kinds[in->shape];
    if (!in->billed)
        return;
    assert(!eci_state_billed(to));
    sim_ns step = s->config->billing_step, end = in->since;
    end += (now - in->since + step - 1) / step * step;
    in->billed = false;
    close_stretch(in, end);
    ledger_end(s->set.ledger, s->set.first_account + in->pod.slot, now, false);
    o->billed_ns += end - in->since;
    o->micro += in->micro;
    s->set.paid(s->set.self, in->owner, in->micro);
    s->vcpus -= in->offer->vcpu;
    recorder_change(recorder_of(s), s->level, now, -1);
    sim_cancel(clock_of(s), in->loss);
    sim_cancel(clock_of(s), in->step);
}

static void use(struct supply_eci *s, const struct instance *in, sim_ns now, uint32_t use_now)
{
    const struct pod_shape *pod = s->kinds[in->shape].request.pod;
    memset(s->uses, 0, (LEDGER_USES + s->set.cluster->n_owners) * sizeof *s->uses);
    s->uses[use_now] = (uint32_t)pod->gpus;
    s->uses[LEDGER_FRAGMENTATION] = (uint32_t)(in->offer->gpus - pod->gpus);
    ledger_use(s->set.ledger, s->set.first_account + in->pod.slot, now, s->uses);
}

static void eci_changed(void *self, sim_ns now, uint32_t slot)
{
    struct supply_eci *s = self;
    struct instance *in = &s->instances[slot];
    const struct pod *p = pods_view(s->set.pods, slot);
    if (!in->billed)
        return;
    if (p->phase == POD_READY)
        use(s, in, now, LEDGER_USES + in->owner);
    else
        use(s, in, now, p->phase == POD_TERMINATING ? LEDGER_DRAINING : LEDGER_STARTING);
}

static void eci_left(void *self, sim_ns now, uint32_t slot)
{
    struct supply_eci *s = self;
    struct instance *in = &s->instances[slot];
    stop_billing(s, in, now, ECI_SUCCEEDED);
    in->pod.generation = 0;
}

/* ---- preemptible instances ---- */

static struct spot_bid bid_of(const struct supply_eci *s, const struct instance *in)
{
    struct steps price = {s->prices, s->n_prices, NULL, s->market->price_step};
    return (struct spot_bid){price, in->offer->micro_per_hour,
                             s->kinds[in->shape].request.limit_micro};
}

static void on_gone(void *self, sim_ns now, uint64_t key)
{
    struct supply_eci *s = self;
    struct instance *in = find(s, key);
    if (in)
        s->set.gone(s->set.self, now, in->pod.slot, POD_END_NODE_LOST);
}

static void on_expired(void *self, sim_ns now, uint64_t key)
{
    struct supply_eci *s = self;
    struct instance *in = find(s, key);
    if (!in || !in->billed)
        return;
    s->kinds[in->shape].expired++;
    recorder_log(recorder_of(s), now, true, pods_view(s->set.pods, in->pod.slot)->name, "Expired",
                 "the preemptible instance was taken back: its pod is Failed");
    in->loss = (struct sim_handle){0};
    stop_billing(s, in, now, ECI_EXPIRED);
    s->set.lose(s->set.self, now, in->pod.slot);
    sim_at(clock_of(s), now + s->config->report, SIM_PHASE, on_gone, s, key);
}

/* A disruption budget that refused the eviction is asked again (kubectl drain, 5 s). */
#define EVICTION_PAUSE (5 * SIM_SECOND)

static void on_evict(void *self, sim_ns now, uint64_t key)
{
    struct supply_eci *s = self;
    struct instance *in = find(s, key);
    if (!in || !in->billed || s->set.evict(s->set.self, now, in->pod.slot, POD_END_SPOT_NOTICE))
        return;
    recorder_log(recorder_of(s), now, true, pods_view(s->set.pods, in->pod.slot)->name,
                 "eviction refused", "a disruption budget keeps it; asked again in 5 s");
    sim_at(clock_of(s), now + EVICTION_PAUSE, SIM_SCAN, on_evict, s, key);
}

static void on_notice(void *self, sim_ns now, uint64_t key)
{
    struct supply_eci *s = self;
    struct instance *in = find(s, key);
    if (!in || !in->billed)
        return;
    bool handled = s->config->on_notice == 1;
    recorder_log(recorder_of(s), now, true, pods_view(s->set.pods, in->pod.slot)->name,
                 "SpotToBeReleased", "released in %lld s; %s",
                 (long long)(s->config->notice / SIM_SECOND),
                 handled ? "a handler replaces it" : "nobody listens");
    in->loss = sim_at(clock_of(s), now + s->config->notice, SIM_LOSS, on_expired, s, key);
    if (handled)
        on_evict(s, now, key);
}

static void on_price(void *self, sim_ns now, uint64_t key)
{
    struct supply_eci *s = self;
    struct instance *in = find(s, key);
    if (!in || !in->billed)
        return;
    struct spot_bid bid = bid_of(s, in);
    int64_t price = spot_price_paid(&bid, now);
    if (price != in->price) {
        close_stretch(in, now);
        in->price = price;
        ledger_price(s->set.ledger, s->set.first_account + in->pod.slot, now, price);
    }
    sim_ns step = s->market->price_step;
    in->step = sim_at(clock_of(s), (now / step + 1) * step, SIM_FAULT, on_price, s, key);
}

static void plan_spot_life(struct supply_eci *s, struct instance *in, sim_ns now)
{
    sim_ns horizon = s->set.cluster->horizon, step = s->market->price_step;
    struct spot_terms terms = {
        .protection = s->config->protection,
        .share = 1, /* instances of one pod each: batches are counted as single losses */
        .chance = stream(s, in, CHANCE_SPOT),
        .bid = bid_of(s, in),
    };
    sim_ns notice = spot_loss_at(s->market, &terms, now, horizon);
    if (notice < horizon)
        in->loss = sim_at(clock_of(s), notice, SIM_LOSS, on_notice, s, key_of(in));
    /* The purchase price holds through the protection. */
    sim_ns first = s->config->protection > 0 ? now + s->config->protection
                   : step > 0                ? (now / step + 1) * step
                                             : 0;
    if (step > 0 && first < horizon)
        in->step = sim_at(clock_of(s), first, SIM_FAULT, on_price, s, key_of(in));
}

/* The image download starts: from here on it is paid for. */
static void eci_pulling(void *self, sim_ns now, uint32_t slot)
{
    struct supply_eci *s = self;
    struct instance *in = &s->instances[slot];
    in->billed = true;
    in->since = in->from = now;
    in->price = in->offer->micro_per_hour;
    if (in->spot) {
        struct spot_bid bid = bid_of(s, in);
        in->price = spot_price_paid(&bid, now);
    }
    struct ledger_item item = {
        .resource = pods_view(s->set.pods, slot)->name,
        .type = in->offer->type,
        .zone = "",
        .group = s->set.group,
        .billing = in->spot ? PRICE_ECI_SPOT : PRICE_ECI_ON_DEMAND,
        .units = (uint32_t)in->offer->gpus,
        .micro_per_hour = in->price,
        .billing_step = s->config->billing_step,
    };
    ledger_open(s->set.ledger, s->set.first_account + slot, now, &item);
    use(s, in, now, LEDGER_STARTING);
    s->vcpus += in->offer->vcpu;
    recorder_change(recorder_of(s), s->level, now, 1);
    if (in->spot)
        plan_spot_life(s, in, now);
}

/* ---- creation ---- */

static void on_retry(void *self, sim_ns now, uint64_t arg);

static void want_retry(struct supply_eci *s, sim_ns now)
{
    if (!sim_pending(clock_of(s), s->retry) && now + s->config->retry < s->set.cluster->horizon)
        s->retry = sim_at(clock_of(s), now + s->config->retry, SIM_SCAN, on_retry, s, 0);
}

static bool within_quota(struct supply_eci *s, const struct eci_offer *offer)
{
    if (s->config->vcpu_quota == 0 || s->vcpus + offer->vcpu <= s->config->vcpu_quota)
        return true;
    s->quota_waits++;
    return false;
}

/* The first spec of the list that has stock; NULL: none. */
static const struct eci_offer *in_stock(struct supply_eci *s, const struct instance *in)
{
    const struct kind *o = &s->kinds[in->shape];
    struct chance c = stream(s, in, CHANCE_FAULT);
    for (size_t i = 0; i < o->offers.n; i++)
        if (chance_uniform(c, i) >= s->config->no_stock)
            return &o->offers.items[i];
    return NULL;
}

static void no_stock(struct supply_eci *s, struct instance *in, sim_ns now)
{
    struct kind *o = &s->kinds[in->shape];
    const char *name = pods_view(s->set.pods, in->pod.slot)->name;
    recorder_log(recorder_of(s), now, true, name, "NoStock", "of %zu specs none; %s", o->offers.n,
                 o->request.reschedule ? "it is tried again" : "ScheduleFailed");
    in->attempt++;
    if (o->request.reschedule) {
        in->offer = NULL;
        want_retry(s, now);
        return;
    }
    o->failed++;
    in->pod.generation = 0;
    s->set.gone(s->set.self, now, in->pod.slot, POD_END_NODE_LOST);
}

static void place(struct supply_eci *s, struct instance *in, sim_ns now, bool warm)
{
    struct kind *o = &s->kinds[in->shape];
    char words[160];
    const struct eci_offer *offer = in->offer;
    snprintf(words, sizeof words, "ECI %s, %d x %s, %d vCPU: %s; by %s", offer->type,
             (int)offer->gpus, offer->gpu, (int)offer->vcpu,
             o->request.n_specs       ? "first of its list with stock"
             : o->offers.matching > 1 ? "the smallest that fits"
                                      : "the only size that fits",
             o->route.why);
    struct supply_place at = {
        .supply = s,
        .gpu = offer->gpu,
        .words = words,
        .create = warm ? 0 : dist_draw_ns(&s->config->create, stream(s, in, CHANCE_STARTUP), 0),
        .image = o->request.image_cache ? s->config->cached_image : 0,
    };
    o->created++;
    s->set.place_own(s->set.self, now, in->pod.slot, &at);
}

static void on_create(void *self, sim_ns now, uint64_t key)
{
    struct supply_eci *s = self;
    struct instance *in = find(s, key);
    if (!in || pods_view(s->set.pods, in->pod.slot)->placed)
        return;
    in->offer = in_stock(s, in);
    if (!in->offer)
        no_stock(s, in, now);
    else
        place(s, in, now, false);
}

static void call_create(struct supply_eci *s, struct instance *in, sim_ns now)
{
    sim_ns at = eci_bucket_take(&s->bucket, now);
    s->throttled += at > now;
    s->longest_throttle = at - now > s->longest_throttle ? at - now : s->longest_throttle;
    sim_at(clock_of(s), at, SIM_PHASE, on_create, s, key_of(in));
}

static bool nodes_will_do(struct supply_eci *s, sim_ns now, const struct kind *o, uint32_t slot)
{
    if (o->route.to == ROUTE_ECI || s->config->when == VIRTUAL_NODE_NO_NODE)
        return false;
    return s->set.coming(s->set.self, now, slot);
}

static bool eci_takes(void *self, sim_ns now, uint32_t slot)
{
    struct supply_eci *s = self;
    struct pod *p = pods_at(s->set.pods, slot);
    struct kind *o = &s->kinds[p->shape];
    struct instance *in = &s->instances[slot];
    struct pod_ref ref = pods_ref(s->set.pods, slot);
    bool known = in->pod.generation == ref.generation;
    if (o->route.to == ROUTE_NODES || (known && in->offer))
        return false;
    if (nodes_will_do(s, now, o, slot) || !within_quota(s, &o->offers.items[0])) {
        want_retry(s, now);
        return false;
    }
    uint32_t attempt = known ? in->attempt : 0;
    *in = (struct instance){.pod = ref, .owner = p->owner, .shape = p->shape, .attempt = attempt};
    in->offer = &o->offers.items[0];
    in->spot = o->request.spot;
    p->off_nodes = true;
    if (s->set.warm(s->set.self)) {
        place(s, in, now, true);
        return true;
    }
    call_create(s, in, now);
    return false;
}

static void on_retry(void *self, sim_ns now, uint64_t arg)
{
    struct supply_eci *s = self;
    (void)arg;
    s->retry = (struct sim_handle){0};
    for (uint32_t i = pods_first_pending(s->set.pods); i != PODS_NONE;
         i = pods_view(s->set.pods, i)->pending_next)
        eci_takes(s, now, i);
}

static const char *eci_refusal(void *self, uint32_t shape)
{
    const struct supply_eci *s = self;
    return s->kinds[shape].refusal;
}

static bool eci_claims(void *self, uint32_t shape)
{
    const struct supply_eci *s = self;
    return s->kinds[shape].route.to == ROUTE_ECI;
}

/* ---- set-up ---- */

static bool eci_wanted(const struct cluster_config *c)
{
    return c->virtual_node != NULL;
}

static int make_market(struct supply_eci *s, struct err *e)
{
    const struct cluster_setup *c = s->set.cluster;
    if (!s->config->market)
        return 0;
    s->market = catalog_spot(c->catalog, s->config->market);
    if (!s->market)
        return catalog_missing(c->catalog, CATALOG_SPOT, s->config->market,
                               "virtualNode.spotMarket", e);
    if (!spot_has_hazards(s->market))
        return err_set(e, ERR_INPUT, "virtualNode.spotMarket",
                       "'%.80s' describes the stock of zones; a virtual node needs a market with "
                       "hazards or a lifetime",
                       s->market->name);
    s->n_prices = spot_price_steps(s->market, c->horizon) + 1;
    s->prices = calloc(s->n_prices, sizeof *s->prices);
    if (!s->prices)
        return err_set(e, ERR_SYSTEM, NULL, "out of memory for %zu prices", s->n_prices);
    struct chance zone = chance_stream(c->seed, c->replication, CHANCE_SPOT, UINT64_MAX);
    spot_prices(s->market, zone, s->prices, s->n_prices);
    return 0;
}

static int place_error(const struct pod_shape *pod, struct err *e)
{
    char msg[sizeof e->msg];
    snprintf(msg, sizeof msg, "%.700s", e->msg);
    return err_set(e, e->code, NULL, "%s.pod.%s", pod->name ? pod->name : "pod", msg);
}

static int make_kind(struct supply_eci *s, size_t i, struct err *e)
{
    const struct cluster_setup *c = s->set.cluster;
    struct kind *o = &s->kinds[i];
    const struct pod_shape *pod = &c->shapes[i];
    struct eci_market m = {c->catalog, c->config->currency ? c->config->currency : "CNY",
                           s->config->region, s->config->counts};
    struct digest d = {0};
    digest_text(&d, pod->name ? pod->name : "pod");
    o->entity = digest_value(&d);
    if (route_of(s->config, pod, &o->route, e))
        return place_error(pod, e);
    o->request.pod = pod;
    if (o->route.to == ROUTE_NODES)
        return 0;
    struct err cause = {0};
    if (eci_request_read(s->config, pod, &o->request, &cause) == 0 &&
        eci_offers_find(&m, &o->request, &o->offers, &cause) == 0)
        return 0;
    *e = cause;
    if (!pod->of_trace || cause.code != ERR_INPUT)
        return place_error(pod, e);
    *e = (struct err){0};
    o->route.to = ROUTE_NODES; /* one of thousands: it waits, and the result says why */
    o->offers.n = 0;
    o->refusal = malloc(strlen(cause.msg) + 1);
    if (!o->refusal)
        return err_set(e, ERR_SYSTEM, NULL, "out of memory");
    strcpy(o->refusal, cause.msg);
    return 0;
}

static void eci_destroy(void *self)
{
    struct supply_eci *s = self;
    if (!s)
        return;
    for (size_t i = 0; s->kinds && i < s->set.cluster->n_shapes; i++)
        free(s->kinds[i].refusal);
    free(s->kinds);
    free(s->instances);
    free(s->prices);
    free(s->uses);
    free(s);
}

static void *eci_create(const struct supply_setup *set, struct err *e)
{
    struct supply_eci *s = calloc(1, sizeof *s);
    size_t owners = set->cluster->n_owners, shapes = set->cluster->n_shapes;
    size_t pods = pods_capacity(set->pods);
    int rc = -1;
    if (s) {
        s->set = *set;
        s->config = set->cluster->config->virtual_node;
        s->kinds = calloc(shapes + 1, sizeof *s->kinds);
        s->instances = calloc(pods, sizeof *s->instances);
        s->uses = calloc(LEDGER_USES + owners, sizeof *s->uses);
        s->bucket = eci_bucket_make(s->config->create_burst, s->config->create_rate);
    }
    if (!s || !s->kinds || !s->instances || !s->uses)
        err_set(e, ERR_SYSTEM, NULL, "out of memory for %zu pods", pods);
    else
        rc = make_market(s, e);
    for (size_t i = 0; rc == 0 && i < shapes; i++)
        rc = make_kind(s, i, e);
    if (rc == 0)
        return s;
    eci_destroy(s);
    return NULL;
}

static void eci_start(void *self, sim_ns now)
{
    struct supply_eci *s = self;
    (void)now;
    s->level = recorder_level(recorder_of(s), "eci.instances", "instances", 0);
}

/* ---- closing figures ---- */

static void say_offer(const struct supply_eci *s, const struct kind *o)
{
    const struct eci_offer *f = &o->offers.items[0];
    const char *name = o->request.pod->name;
    if (o->created == 0)
        return;
    recorder_finding(
        recorder_of(s), "note", "eci-spec",
        "%s: %zu ECI size%s match%s; %s (%d vCPU, %lld GiB, %d x %s) at %.2f %s an hour "
        "is bought%s. It goes there by %s.",
        name, o->offers.matching, o->offers.matching == 1 ? "" : "s",
        o->offers.matching == 1 ? "es" : "", f->type, (int)f->vcpu, (long long)(f->memory >> 30),
        (int)f->gpus, f->gpu, (double)f->micro_per_hour / 1e6,
        s->set.cluster->config->currency ? s->set.cluster->config->currency : "CNY",
        o->request.n_specs       ? ", the first of its list"
        : o->offers.matching > 1 ? ", the smallest that fits"
                                 : "",
        o->route.why);
}

/* By the price of a subscription: the share of the time up to which paying by the second is
 * cheaper, for bursts as long as an instance was paid for on the average. */
static void say_breakeven(const struct supply_eci *s, const struct kind *o)
{
    const struct eci_offer *f = &o->offers.items[0];
    struct breakeven b = {.eci_micro_per_hour = f->micro_per_hour,
                          .subscription_micro_per_hour = f->subscription_micro_per_hour};
    if (o->created == 0 || o->billed_ns == 0 || b.subscription_micro_per_hour <= 0)
        return;
    sim_ns each = o->billed_ns / (sim_ns)o->created;
    double share = breakeven_duty_share(&b, each > 0 ? each : 1);
    recorder_finding(recorder_of(s), "note", "eci-break-even",
                     "%s: paying by the second is cheaper than a subscription while a GPU is paid "
                     "for less than %.3g %% of the time: %.0f instances a day of %.0f s each.",
                     o->request.pod->name, 100 * share,
                     share * 24 * (double)SIM_HOUR / (double)(each > 0 ? each : 1),
                     (double)each / 1e9);
}

static void kind_figures(const struct supply_eci *s, const struct kind *o)
{
    struct recorder *r = recorder_of(s);
    const char *currency =
        s->set.cluster->config->currency ? s->set.cluster->config->currency : "CNY";
    char path[128];
    if (o->route.to == ROUTE_NODES || o->request.pod->of_trace) /* too many to tell apart */
        return;
    snprintf(path, sizeof path, "eci.%.60s.cost", o->request.pod->name);
    recorder_figure(r, path, currency, FIGURE_MEAN, (double)o->micro / 1e6);
    snprintf(path, sizeof path, "eci.%.60s.billedSeconds", o->request.pod->name);
    recorder_figure(r, path, "s", FIGURE_MEAN, (double)o->billed_ns / (double)SIM_SECOND);
    snprintf(path, sizeof path, "eci.%.60s.perHour", o->request.pod->name);
    recorder_figure(r, path, currency, FIGURE_MEAN,
                    (double)o->offers.items[0].micro_per_hour / 1e6);
    int64_t month = 730 * SIM_HOUR, subscription = o->offers.items[0].subscription_micro_per_hour;
    snprintf(path, sizeof path, "eci.%.60s.month.onDemand", o->request.pod->name);
    recorder_figure(r, path, currency, FIGURE_MEAN,
                    (double)money_for(o->offers.items[0].micro_per_hour, month) / 1e6);
    snprintf(path, sizeof path, "eci.%.60s.month.subscription", o->request.pod->name);
    if (subscription > 0)
        recorder_figure(r, path, currency, FIGURE_MEAN,
                        (double)money_for(subscription, month) / 1e6);
    say_offer(s, o);
    say_breakeven(s, o);
}

static void eci_close(void *self, sim_ns now)
{
    struct supply_eci *s = self;
    struct recorder *r = recorder_of(s);
    uint64_t created = 0, failed = 0, expired = 0;
    for (uint32_t i = 0; i < pods_capacity(s->set.pods); i++) {
        struct instance *in = &s->instances[i];
        if (!in->billed)
            continue;
        /* At the horizon no step is rounded up, as in the ledger, which ends the account itself. */
        in->billed = false;
        close_stretch(in, now);
        s->kinds[in->shape].micro += in->micro;
        s->kinds[in->shape].billed_ns += now - in->since;
        s->set.paid(s->set.self, in->owner, in->micro);
    }
    for (size_t i = 0; i < s->set.cluster->n_shapes; i++) {
        created += s->kinds[i].created;
        failed += s->kinds[i].failed;
        expired += s->kinds[i].expired;
        kind_figures(s, &s->kinds[i]);
    }
    recorder_figure(r, "eci.created", "instances", FIGURE_SUM, (double)created);
    recorder_figure(r, "eci.scheduleFailed", "instances", FIGURE_SUM, (double)failed);
    recorder_figure(r, "eci.expired", "instances", FIGURE_SUM, (double)expired);
    recorder_figure(r, "eci.quotaWaits", "looks", FIGURE_SUM, (double)s->quota_waits);
    recorder_figure(r, "eci.throttled", "calls", FIGURE_SUM, (double)s->throttled);
    recorder_figure(r, "eci.longestThrottle", "s", FIGURE_MAX,
                    (double)s->longest_throttle / (double)SIM_SECOND);
}

const struct supply_kind supply_eci = {
    .name = "eci",
    .wanted = eci_wanted,
    .create = eci_create,
    .destroy = eci_destroy,
    .start = eci_start,
    .claims = eci_claims,
    .refusal = eci_refusal,
    .takes = eci_takes,
    .pulling = eci_pulling,
    .changed = eci_changed,
    .left = eci_left,
    .close = eci_close,
};
