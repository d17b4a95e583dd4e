/* supply_eci: elastic container instances behind the virtual node: one pod, one instance of its
 * own, paid for by the second from the start of its image download. */
#include "models/capacity/catalog.h"
#include "models/capacity/cluster_config.h"
#include "models/capacity/eci.h"
#include "models/capacity/eci_fleet.h"
#include "models/capacity/eci_life.h"
#include "models/capacity/eci_report.h"
#include "models/capacity/eci_spot.h"
#include "models/capacity/pod_shape.h"
#include "models/capacity/pods.h"
#include "models/capacity/route.h"
#include "models/capacity/spot.h"
#include "models/capacity/supply.h"
#include "models/capacity/virtual_node.h"
#include "models/money/ledger.h"
#include "sim/digest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- creation ---- */

static void on_retry(void *self, sim_ns now, uint64_t arg);
static bool eci_takes(void *self, sim_ns now, uint32_t slot);

static void want_retry(struct eci_fleet *s, sim_ns now)
{
    if (!sim_pending(eci_fleet_clock(s), s->retry) &&
        now + s->config->retry < s->set.cluster->horizon)
        s->retry = sim_at(eci_fleet_clock(s), now + s->config->retry, SIM_SCAN, on_retry, s, 0);
}

/* Zones in the order in which they are tried. */
static void order_zones(const struct eci_request *r, struct chance c, uint32_t *zones)
{
    for (size_t i = 0; i < r->n_zones; i++) {
        size_t j = r->random_zones ? (size_t)chance_below(c, i, i + 1) : i;
        zones[i] = zones[j];
        zones[j] = r->zones[i];
    }
}

/* The first spec of the list that a zone sells: each in every zone before the next. */
static enum eci_lack find_stock(struct eci_fleet *s, struct eci_instance *in, sim_ns now)
{
    const struct eci_kind *o = &s->kinds[in->shape];
    struct chance c = eci_fleet_chance(s, in, CHANCE_FAULT);
    uint32_t zones[ECI_ZONES_MAX];
    size_t n = o->request.n_zones;
    enum eci_lack first = ECI_LACK_NOTHING;
    order_zones(&o->request, chance_sub(c, 1), zones);
    for (size_t i = 0; i < o->offers.n * n; i++) {
        in->offer = &o->offers.items[i / n];
        in->zone = zones[i % n];
        enum eci_lack lack = eci_wait_lack(s, in, now);
        if (lack == ECI_LACK_NOTHING && chance_uniform(c, i) < s->config->no_stock)
            lack = ECI_LACK_STOCK;
        if (lack == ECI_LACK_NOTHING)
            return lack;
        first = first == ECI_LACK_NOTHING ? lack : first;
    }
    return first;
}

static void on_again(void *self, sim_ns now, uint64_t key)
{
    struct eci_fleet *s = self;
    struct eci_instance *in = eci_fleet_find(s, key);
    if (!in)
        return;
    in->again = (struct sim_handle){0};
    eci_takes(s, now, in->pod.slot);
}

static void on_schedule_failed(void *self, sim_ns now, uint64_t key)
{
    struct eci_fleet *s = self;
    struct eci_instance *in = eci_fleet_find(s, key);
    if (!in)
        return;
    in->pod.generation = 0;
    s->set.gone(s->set.self, now, (uint32_t)key, POD_END_UNCREATED);
}

/* The pod stays Pending and another call is made later, or it is Failed as soon as its owner sees
 * it. */
static void no_stock(struct eci_fleet *s, struct eci_instance *in, sim_ns now, enum eci_lack lack)
{
    sim_ns next = eci_wait_failed(s, in, now, lack);
    in->attempt++;
    in->offer = NULL;
    eci_life_release(s, in);
    in->next_call = next;
    if (next < s->set.cluster->horizon)
        in->again = sim_at(eci_fleet_clock(s), next, SIM_SCAN, on_again, s, eci_fleet_key(in));
    if (next != SIM_NEVER)
        return;
    eci_life_state(s, in, now, ECI_SCHEDULE_FAILED);
    eci_wait_over(s, in, now);
    s->kinds[in->shape].failed++;
    sim_at(eci_fleet_clock(s), now + s->config->report, SIM_PHASE, on_schedule_failed, s,
           eci_fleet_key(in));
}

static void place(struct eci_fleet *s, struct eci_instance *in, sim_ns now, bool warm)
{
    struct eci_kind *o = &s->kinds[in->shape];
    char words[160], size[64];
    const struct eci_offer *offer = in->offer;
    snprintf(words, sizeof words, "ECI %s, %s: %s; by %s", offer->type,
             eci_offer_words(offer, size, sizeof size),
             o->request.n_specs       ? "first of its list with stock"
             : o->offers.matching > 1 ? "the smallest that fits"
                                      : "the only size that fits",
             o->route.why);
    struct supply_place at = {
        .supply = s,
        .gpu = eci_offer_item(offer, o->request.pod),
        .words = words,
        .create =
            warm ? 0 : dist_draw_ns(&s->config->create, eci_fleet_chance(s, in, CHANCE_STARTUP), 0),
        .image = o->request.image_cache ? s->config->cached_image : 0,
    };
    o->created++;
    s->set.place_own(s->set.self, now, in->pod.slot, &at);
}

static void on_create(void *self, sim_ns now, uint64_t key)
{
    struct eci_fleet *s = self;
    struct eci_instance *in = eci_fleet_find(s, key);
    struct eci_instance *raw = &s->instances[(uint32_t)key];
    if (!in && raw->pod.generation == (uint32_t)(key >> 32))
        eci_life_release(s, raw); /* its pod went before it was created */
    if (!in || pods_view(s->set.pods, in->pod.slot)->placed)
        return;
    enum eci_lack lack = find_stock(s, in, now);
    if (lack != ECI_LACK_NOTHING) {
        no_stock(s, in, now, lack);
        return;
    }
    eci_wait_over(s, in, now);
    in->got = true;
    eci_life_reserve(s, in, in->offer->cpu_milli);
    place(s, in, now, false);
}

static void call_create(struct eci_fleet *s, struct eci_instance *in, sim_ns now)
{
    sim_ns at = eci_bucket_take(&s->bucket, now);
    s->throttled += at > now;
    s->longest_throttle = at - now > s->longest_throttle ? at - now : s->longest_throttle;
    sim_at(eci_fleet_clock(s), at, SIM_PHASE, on_create, s, eci_fleet_key(in));
}

static bool nodes_will_do(struct eci_fleet *s, sim_ns now, const struct eci_kind *o, uint32_t slot)
{
    if (o->route.to == ROUTE_ECI || s->config->when == VIRTUAL_NODE_NO_NODE)
        return false;
    return s->set.coming(s->set.self, now, slot);
}

static bool eci_takes(void *self, sim_ns now, uint32_t slot)
{
    struct eci_fleet *s = self;
    struct pod *p = pods_at(s->set.pods, slot);
    struct eci_kind *o = &s->kinds[p->shape];
    struct eci_instance *in = &s->instances[slot];
    struct pod_ref ref = pods_ref(s->set.pods, slot);
    bool known = in->pod.generation == ref.generation;
    if (o->route.to == ROUTE_NODES || (known && (in->offer || now < in->next_call)))
        return false;
    if (nodes_will_do(s, now, o, slot)) {
        want_retry(s, now);
        return false;
    }
    if (!known) {
        eci_life_release(s, in); /* of a pod that went before it was created */
        sim_cancel(eci_fleet_clock(s), in->again);
        *in = (struct eci_instance){.pod = ref, .owner = p->owner, .shape = p->shape};
        eci_life_state(s, in, now, ECI_SCHEDULING);
    }
    in->spot = o->request.spot;
    if (!eci_wait_within_quota(s, in, &o->offers.items[0])) {
        eci_wait_quota(s, in, now);
        want_retry(s, now);
        return false;
    }
    in->offer = &o->offers.items[0];
    in->zone = o->request.zones[0];
    eci_life_reserve(s, in, in->offer->cpu_milli);
    p->off_nodes = true;
    if (s->set.warm(s->set.self)) {
        in->got = true;
        place(s, in, now, true);
        return true;
    }
    call_create(s, in, now);
    return false;
}

static void on_retry(void *self, sim_ns now, uint64_t arg)
{
    struct eci_fleet *s = self;
    (void)arg;
    s->retry = (struct sim_handle){0};
    for (uint32_t i = pods_first_pending(s->set.pods); i != PODS_NONE;
         i = pods_view(s->set.pods, i)->pending_next)
        eci_takes(s, now, i);
}

static const char *eci_refusal(void *self, uint32_t shape)
{
    const struct eci_fleet *s = self;
    return s->kinds[shape].refusal;
}

static const char *eci_waits(void *self, uint32_t shape)
{
    const struct eci_fleet *s = self;
    return s->kinds[shape].waiting > 0 ? s->kinds[shape].words : NULL;
}

static bool eci_claims(void *self, uint32_t shape)
{
    const struct eci_fleet *s = self;
    return s->kinds[shape].route.to == ROUTE_ECI;
}

/* ---- set-up ---- */

static bool eci_wanted(const struct cluster_config *c)
{
    return c->virtual_node != NULL;
}

/* "annotations: ..." becomes "jobs[0].pod.annotations: ...": from the path the line is found. */
static int place_error(const struct pod_shape *pod, struct err *e)
{
    char msg[sizeof e->msg];
    size_t key = strcspn(e->msg, ".: ");
    bool has_key = e->msg[key] == '.' || e->msg[key] == ':';
    if (e->code != ERR_INPUT || !pod->path)
        return -1;
    snprintf(msg, sizeof msg, "%.60s%s%.900s", pod->path, has_key ? "." : ": ", e->msg);
    memcpy(e->msg, msg, sizeof msg);
    return -1;
}

static int make_kind(struct eci_fleet *s, size_t i, struct err *e)
{
    const struct cluster_setup *c = s->set.cluster;
    struct eci_kind *o = &s->kinds[i];
    const struct pod_shape *pod = &c->shapes[i];
    struct eci_market m = {c->catalog, c->config->currency ? c->config->currency : "CNY",
                           s->config};
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
    struct eci_fleet *s = self;
    if (!s)
        return;
    for (size_t i = 0; s->kinds && i < s->set.cluster->n_shapes; i++)
        free(s->kinds[i].refusal);
    free(s->kinds);
    free(s->instances);
    eci_spot_fini(s);
    free(s->uses);
    free(s);
}

static void *eci_create(const struct supply_setup *set, struct err *e)
{
    struct eci_fleet *s = calloc(1, sizeof *s);
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
        rc = eci_spot_init(s, e);
    for (size_t i = 0; rc == 0 && i < shapes; i++)
        rc = make_kind(s, i, e);
    if (rc == 0)
        return s;
    eci_destroy(s);
    return NULL;
}

static void eci_start(void *self, sim_ns now)
{
    struct eci_fleet *s = self;
    s->level = recorder_level(eci_fleet_recorder(s), "eci.instances", "instances", 0);
    eci_spot_start(s, now);
}

/* ---- the cluster's calls ---- */

static void eci_pulling(void *self, sim_ns now, uint32_t slot)
{
    eci_life_begin(self, now, slot);
}

static void eci_changed(void *self, sim_ns now, uint32_t slot)
{
    eci_life_changed(self, now, slot);
}

static void eci_left(void *self, sim_ns now, uint32_t slot)
{
    struct eci_fleet *s = self;
    struct eci_instance *in = &s->instances[slot];
    eci_life_end(s, in, now, ECI_SUCCEEDED);
    in->pod.generation = 0;
}

static void eci_drill(void *self, sim_ns now, const struct drill *d)
{
    eci_life_drill(self, now, d);
}

static void eci_close(void *self, sim_ns now)
{
    eci_report_write(self, now);
}

const struct supply_kind supply_eci = {
    .name = "eci",
    .wanted = eci_wanted,
    .create = eci_create,
    .destroy = eci_destroy,
    .start = eci_start,
    .claims = eci_claims,
    .refusal = eci_refusal,
    .waits = eci_waits,
    .takes = eci_takes,
    .pulling = eci_pulling,
    .changed = eci_changed,
    .left = eci_left,
    .drill = eci_drill,
    .close = eci_close,
};
