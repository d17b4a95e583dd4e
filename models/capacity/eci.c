/* eci: the rules of elastic container instances. */
#include "models/capacity/eci.h"

#include "models/capacity/catalog.h"
#include "models/capacity/eci_size.h"
#include "models/capacity/instance.h"
#include "models/capacity/pod_shape.h"
#include "models/capacity/virtual_node.h"
#include "sim/text.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* ---- states ---- */

static const struct {
    const char *name, *phase;
    bool billed;
} states[ECI_STATES] = {
    [ECI_SCHEDULING] = {"Scheduling", "Pending", false},
    [ECI_PENDING] = {"Pending", "Pending", true},
    [ECI_RUNNING] = {"Running", "Running", true},
    [ECI_RESTARTING] = {"Restarting", "Pending", true},
    [ECI_UPDATING] = {"Updating", "Pending", true},
    [ECI_TERMINATING] = {"Terminating", "Running", true},
    [ECI_SUCCEEDED] = {"Succeeded", "Succeeded", false},
    [ECI_FAILED] = {"Failed", "Failed", false},
    [ECI_EXPIRED] = {"Expired", "Failed", false},
    [ECI_SCHEDULE_FAILED] = {"ScheduleFailed", "Failed", false},
};

const char *eci_state_name(enum eci_state s)
{
    assert((unsigned)s < ECI_STATES);
    return states[s].name;
}

const char *eci_state_phase(enum eci_state s)
{
    assert((unsigned)s < ECI_STATES);
    return states[s].phase;
}

bool eci_state_billed(enum eci_state s)
{
    assert((unsigned)s < ECI_STATES);
    return states[s].billed;
}

/* ---- the bucket ---- */

struct eci_bucket eci_bucket_make(int64_t burst, double per_second)
{
    assert(burst >= 1 && per_second > 0);
    return (struct eci_bucket){burst, (sim_ns)((double)SIM_SECOND / per_second + 0.5), 0};
}

sim_ns eci_bucket_take(struct eci_bucket *b, sim_ns now)
{
    sim_ns full = b->full_at > now ? b->full_at : now;
    sim_ns at = full - (b->burst - 1) * b->refill;
    b->full_at = full + b->refill;
    return at > now ? at : now;
}

/* ---- annotations ---- */

#define PREFIX "k8s.aliyun.com/"

static const char *annotation(const struct pod_shape *pod, const char *key)
{
    size_t n = strlen(PREFIX);
    for (size_t i = 0; i < pod->annotations.count; i++) {
        const char *k = pod->annotations.items[i].key;
        if (strncmp(k, PREFIX, n) == 0 && strcmp(k + n, key) == 0)
            return pod->annotations.items[i].value;
    }
    return NULL;
}

static int refuse(struct err *e, const char *key, const char *found, const char *allowed)
{
    return err_set(e, ERR_INPUT, NULL, "annotations." PREFIX "%s: '%s'; %s", key, found, allowed);
}

static int read_bool(const struct pod_shape *pod, const char *key, bool *out, struct err *e)
{
    const char *v = annotation(pod, key);
    if (v && strcmp(v, "true") != 0 && strcmp(v, "false") != 0)
        return refuse(e, key, v, "allowed are \"true\" and \"false\"");
    if (v)
        *out = strcmp(v, "true") == 0;
    return 0;
}

/* The list is separated by commas, with or without blanks. */
static int read_specs(const char *key, const char *list, struct eci_request *out, struct err *e)
{
    for (const char *at = list; *at;) {
        at += strspn(at, ", ");
        size_t n = strcspn(at, ", ");
        if (n == 0)
            break;
        if (out->n_specs == ECI_SPECS_MAX)
            return refuse(e, key, list, "at most 5 specs are tried");
        if (n >= sizeof out->specs[0])
            return refuse(e, key, list, "an instance type is expected");
        memcpy(out->specs[out->n_specs], at, n);
        out->specs[out->n_specs++][n] = '\0';
        at += n;
    }
    return out->n_specs ? 0 : refuse(e, key, list, "instance types are expected");
}

static int read_spot(const struct virtual_node_config *v, struct eci_request *out, struct err *e)
{
    static const char *const keys[] = {"eci-spot-strategy", "eci-spot-price-limit"};
    const char *strategy = annotation(out->pod, keys[0]), *limit = annotation(out->pod, keys[1]);
    bool limited = strategy && strcmp(strategy, "SpotWithPriceLimit") == 0;
    if (strategy) {
        bool as_price = strcmp(strategy, "SpotAsPriceGo") == 0;
        if (!as_price && !limited && strcmp(strategy, "NoSpot") != 0)
            return refuse(e, keys[0], strategy,
                          "allowed are NoSpot, SpotAsPriceGo and SpotWithPriceLimit");
        out->spot = as_price || limited;
        out->limit_micro = 0;
    }
    if (limited != (limit != NULL))
        return refuse(e, keys[1], limit ? limit : "",
                      "a limit goes with SpotWithPriceLimit, and that with a limit");
    if (limit) {
        if (!text_parse_micro(limit, &out->limit_micro) || out->limit_micro <= 0 ||
            out->limit_micro % 1000)
            return refuse(e, keys[1], limit,
                          "a price an hour with at most three decimals is expected, like 0.250");
    }
    if (out->spot && !v->market)
        return refuse(e, keys[0], strategy ? strategy : "",
                      "virtualNode.spotMarket must name a market preset");
    return 0;
}

/* ---- zones ---- */

const char *eci_zone_name(const struct virtual_node_config *v, uint32_t zone)
{
    return zone < v->zones.count ? v->zones.items[zone] : "";
}

static int add_vswitch(const struct virtual_node_config *v, const char *name,
                       struct eci_request *out, struct err *e)
{
    const char *zone = NULL;
    for (size_t i = 0; i < v->vswitches.count; i++)
        if (strcmp(v->vswitches.items[i].key, name) == 0)
            zone = v->vswitches.items[i].value;
    for (uint32_t z = 0; zone && z < v->zones.count; z++)
        if (strcmp(v->zones.items[z], zone) == 0) {
            if (out->n_zones < ECI_ZONES_MAX)
                out->zones[out->n_zones++] = z;
            return 0;
        }
    return refuse(e, "eci-vswitch", name,
                  zone ? "its zone is not among virtualNode.zones"
                       : "virtualNode.vSwitches must say in which zone it is");
}

static int read_zones(const struct virtual_node_config *v, struct eci_request *out, struct err *e)
{
    const char *list = annotation(out->pod, "eci-vswitch");
    const char *order = annotation(out->pod, "eci-schedule-strategy");
    char name[128];
    out->random_zones = v->random_zones;
    if (order && strcmp(order, "VSwitchOrdered") != 0 && strcmp(order, "VSwitchRandom") != 0)
        return refuse(e, "eci-schedule-strategy", order,
                      "allowed are VSwitchOrdered and VSwitchRandom");
    if (order)
        out->random_zones = strcmp(order, "VSwitchRandom") == 0;
    for (const char *at = list ? list : ""; *at;) {
        size_t n = strcspn(at, ", ");
        if (n > 0) {
            snprintf(name, sizeof name, "%.*s", (int)(n < 127 ? n : 127), at);
            if (add_vswitch(v, name, out, e))
                return -1;
        }
        at += n + strspn(at + n, ", ");
    }
    for (uint32_t z = 0; !list && z < v->zones.count && z < ECI_ZONES_MAX; z++)
        out->zones[out->n_zones++] = z;
    out->n_zones += out->n_zones == 0; /* the one without a name */
    return 0;
}

/* ---- the others ---- */

static int read_others(struct eci_request *out, struct err *e)
{
    const char *storage = annotation(out->pod, "eci-extra-ephemeral-storage");
    const char *hours = annotation(out->pod, "eci-spot-duration");
    if (storage && !text_parse_bytes(storage, &out->extra_storage))
        return refuse(e, "eci-extra-ephemeral-storage", storage, "an amount like 50Gi is expected");
    if (hours && strcmp(hours, "0") != 0 && strcmp(hours, "1") != 0)
        return refuse(e, "eci-spot-duration", hours, "allowed are 0 and 1 (hours of protection)");
    if (hours)
        out->protection = hours[0] == '1' ? SIM_HOUR : 0;
    /* A named cache is one that fits. */
    if (annotation(out->pod, "eci-image-snapshot-id") || annotation(out->pod, "eci-imc-id"))
        out->image_cache = true;
    return 0;
}

static void note_unknown(struct eci_request *out)
{
    static const char *const known[] = {
        "eci-gpu-type",      "eci-instance-type",     "eci-use-specs",
        "eci-instance-spec", "eci-spot-strategy",     "eci-spot-price-limit",
        "eci-vswitch",       "eci-schedule-strategy", "eci-image-cache",
        "eci-auto-imc",      "eci-image-snapshot-id", "eci-imc-id",
        "eci-spot-duration", "eci-reschedule-enable", "eci-extra-ephemeral-storage"};
    for (size_t i = 0; i < out->pod->annotations.count; i++) {
        const char *key = out->pod->annotations.items[i].key;
        bool ours = strncmp(key, PREFIX "eci-", strlen(PREFIX "eci-")) == 0;
        for (size_t k = 0; ours && k < sizeof known / sizeof known[0]; k++)
            ours = strcmp(key + strlen(PREFIX), known[k]) != 0;
        if (ours)
            out->unknown = key;
    }
}

int eci_request_read(const struct virtual_node_config *v, const struct pod_shape *pod,
                     struct eci_request *out, struct err *e)
{
    const char *specs = annotation(pod, "eci-use-specs");
    const char *type = annotation(pod, "eci-instance-type");
    *out = (struct eci_request){
        .gpu = annotation(pod, "eci-gpu-type"),
        .pod = pod,
        .spot = v->strategy != VIRTUAL_NODE_NO_SPOT,
        .limit_micro = v->strategy == VIRTUAL_NODE_LIMIT ? v->price_limit.micro : 0,
        .image_cache = v->image_cache,
        .reschedule = v->reschedule,
        .protection = v->protection,
    };
    if (specs && type)
        return refuse(e, "eci-instance-type", type, "eci-use-specs stands there too; keep one");
    if ((specs && read_specs("eci-use-specs", specs, out, e)) ||
        (type && read_specs("eci-instance-type", type, out, e)))
        return -1;
    if (read_bool(pod, "eci-image-cache", &out->image_cache, e) ||
        read_bool(pod, "eci-auto-imc", &out->image_cache, e) ||
        read_bool(pod, "eci-reschedule-enable", &out->reschedule, e))
        return -1;
    note_unknown(out);
    return read_spot(v, out, e) || read_zones(v, out, e) || read_others(out, e) ? -1 : 0;
}

/* ---- offers ---- */

static struct eci_offer offer_of_spec(const struct eci_market *m, const struct catalog_eci_spec *s)
{
    const struct instance_type *t = catalog_instance(m->catalog, s->type);
    return (struct eci_offer){
        .type = s->type,
        .gpu = s->gpu,
        .gpus = m->node && m->node->counts == VIRTUAL_NODE_ECS_COUNTS ? s->catalogue_gpus : s->gpus,
        .cpu_milli = s->vcpu * INT64_C(1000),
        .memory = s->memory,
        .gpu_variants = t ? t->gpu_variants : (struct knob_texts){0},
    };
}

static struct instance_type machine_of(const struct eci_offer *o)
{
    return (struct instance_type){.gpu = o->gpu, .gpu_variants = o->gpu_variants};
}

const char *eci_offer_item(const struct eci_offer *o, const struct pod_shape *pod)
{
    struct instance_type t = machine_of(o);
    return pod_shape_gpu_item(pod, &t);
}

static bool kind_allowed(const struct eci_request *r, const struct eci_offer *o)
{
    struct instance_type t = machine_of(o);
    return (!r->gpu || instance_has_gpu(&t, r->gpu)) && pod_shape_takes_gpu(r->pod, &t);
}

static bool holds(const struct eci_offer *o, const struct pod_shape *pod)
{
    return o->gpus >= pod->gpus && o->cpu_milli >= pod->cpu_milli && o->memory >= pod->memory_bytes;
}

/* Fewer GPUs, then less CPU, then less memory. */
static bool smaller(const struct eci_offer *a, const struct eci_offer *b)
{
    if (a->gpus != b->gpus)
        return a->gpus < b->gpus;
    if (a->cpu_milli != b->cpu_milli)
        return a->cpu_milli < b->cpu_milli;
    return a->memory < b->memory;
}

static const struct price *price_of(const struct eci_market *m, const char *type,
                                    enum price_billing billing)
{
    const char *region = m->node ? m->node->region : NULL;
    struct catalog_price_key key = {type, region, m->currency, billing};
    return catalog_price(m->catalog, &key);
}

/* An instance costs what the machine of its size does, unless a row says otherwise. */
static int find_price(const struct eci_market *m, struct eci_offer *o, struct err *e)
{
    const struct price *own = price_of(m, o->type, PRICE_ECI_ON_DEMAND);
    const struct price *p = own ? own : price_of(m, o->type, PRICE_ON_DEMAND);
    if (!p)
        return err_set(e, ERR_INPUT, NULL, "the catalogue has no price in %s for %s; add one",
                       m->currency, o->type);
    o->micro_per_hour = p->per_hour.micro;
    p = price_of(m, o->type, PRICE_SUBSCRIPTION);
    o->subscription_micro_per_hour = p ? p->per_hour.micro : 0;
    p = price_of(m, o->type, PRICE_ECI_SPOT);
    o->spot_micro_per_hour = p ? p->per_hour.micro : 0;
    return 0;
}

static struct eci_offer machine_offer(const struct instance_type *t)
{
    return (struct eci_offer){
        .type = t->name,
        .gpu = t->gpu,
        .gpus = t->gpus,
        .cpu_milli = t->vcpu * INT64_C(1000),
        .memory = t->memory,
        .gpu_variants = t->gpu_variants,
    };
}

char *eci_offer_words(const struct eci_offer *o, char *buf, size_t size)
{
    double vcpu = (double)o->cpu_milli / 1000;
    if (o->gpus > 0)
        snprintf(buf, size, "%d x %s, %.4g vCPU", (int)o->gpus, o->gpu, vcpu);
    else
        snprintf(buf, size, "%.4g vCPU, %.4g GiB", vcpu, (double)o->memory / (1 << 30));
    return buf;
}

/* Any GPU type of ECS can be named; the table of ECI sizes tells its count first. */
static bool offer_of_type(const struct eci_market *m, const char *type, struct eci_offer *out)
{
    for (size_t p = 0; p < m->catalog->n_parts; p++) {
        const struct catalog_eci_spec *specs = m->catalog->parts[p].eci_specs.items;
        for (size_t i = 0; i < m->catalog->parts[p].eci_specs.count; i++)
            if (strcmp(specs[i].type, type) == 0) {
                *out = offer_of_spec(m, &specs[i]);
                return true;
            }
    }
    const struct instance_type *t = catalog_instance(m->catalog, type);
    if (!t || !t->gpu)
        return false;
    *out = machine_offer(t);
    return true;
}

static int offers_by_type(const struct eci_market *m, const struct eci_request *r,
                          struct eci_offers *out, struct err *e)
{
    for (size_t i = 0; i < r->n_specs; i++) {
        struct eci_offer o;
        const char *type = r->specs[i];
        if (!offer_of_type(m, type, &o))
            return err_set(e, ERR_INPUT, NULL,
                           "annotations: '%s' is no instance type with GPUs of the catalogue; a "
                           "list for a GPU pod holds GPU types only",
                           type);
        if (!holds(&o, r->pod) || !kind_allowed(r, &o))
            return err_set(e, ERR_INPUT, NULL,
                           "annotations: %s has %d %s, %d vCPU and %lld GiB; the pod asks for more "
                           "or for another GPU",
                           type, (int)o.gpus, o.gpu, (int)(o.cpu_milli / 1000),
                           (long long)(o.memory >> 30));
        if (find_price(m, &o, e))
            return -1;
        out->items[out->n++] = o;
    }
    out->matching = out->n;
    return 0;
}

/* The kinds of GPU that ECI has sizes with; at most KINDS_TOLD. */
#define KINDS_TOLD 16
static size_t kinds_of(const struct catalog *c, const char *kinds[KINDS_TOLD])
{
    size_t n = 0;
    for (size_t p = 0; p < c->n_parts; p++) {
        const struct catalog_eci_spec *specs = c->parts[p].eci_specs.items;
        for (size_t i = 0; i < c->parts[p].eci_specs.count && n < KINDS_TOLD; i++) {
            size_t k = 0;
            while (k < n && strcmp(kinds[k], specs[i].gpu) != 0)
                k++;
            kinds[k] = specs[i].gpu;
            n += k == n;
        }
    }
    return n;
}

/* Of a kind without sizes, an instance type can still be named. */
static int unknown_kind(const struct eci_market *m, const char *gpu, struct err *e)
{
    const char *kinds[KINDS_TOLD];
    char known[160] = "";
    size_t n = kinds_of(m->catalog, kinds), used = 0;
    for (size_t i = 0; i < n && used < sizeof known; i++)
        used +=
            (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", kinds[i]);
    const char *near = text_nearest(gpu, kinds, n);
    return err_set(e, ERR_INPUT, NULL,
                   "annotations." PREFIX "eci-gpu-type: no ECI size has a '%.60s'; known: %s%s%s%s "
                   "(an instance type with another GPU is named by " PREFIX "eci-use-specs)",
                   gpu, known, near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

static bool kind_known(const struct eci_market *m, const struct eci_request *r)
{
    for (size_t p = 0; p < m->catalog->n_parts; p++) {
        const struct catalog_eci_spec *specs = m->catalog->parts[p].eci_specs.items;
        for (size_t i = 0; i < m->catalog->parts[p].eci_specs.count; i++) {
            struct eci_offer o = offer_of_spec(m, &specs[i]);
            if (kind_allowed(r, &o))
                return true;
        }
    }
    return false;
}

static int nothing_fits(const struct eci_market *m, const struct eci_request *r, struct err *e)
{
    if (r->gpu && !kind_known(m, r))
        return unknown_kind(m, r->gpu, e);
    return err_set(e, ERR_INPUT, NULL,
                   "no ECI size holds %d GPU%s%s%s, %.4g vCPU and %.4g GiB in one pod",
                   (int)r->pod->gpus, text_plural((uint64_t)r->pod->gpus, "", "s"),
                   r->gpu ? " " : "", r->gpu ? r->gpu : "", (double)r->pod->cpu_milli / 1e3,
                   (double)r->pod->memory_bytes / (double)(1 << 30));
}

static int offer_by_size(const struct eci_market *m, const struct eci_request *r,
                         struct eci_offers *out, struct err *e)
{
    struct eci_offer *best = &out->items[0];
    for (size_t p = 0; p < m->catalog->n_parts; p++) {
        const struct catalog_eci_spec *specs = m->catalog->parts[p].eci_specs.items;
        for (size_t i = 0; i < m->catalog->parts[p].eci_specs.count; i++) {
            struct eci_offer o = offer_of_spec(m, &specs[i]);
            if (!kind_allowed(r, &o) || !holds(&o, r->pod))
                continue;
            if (out->matching++ == 0 || smaller(&o, best))
                *best = o;
        }
    }
    if (out->matching == 0)
        return nothing_fits(m, r, e);
    out->n = 1;
    return find_price(m, best, e);
}

/* ---- without GPUs ---- */

/* The smallest size that holds so much, as the next offer. */
static int add_size(const struct eci_market *m, const struct eci_request *r,
                    const struct eci_size *asked, struct eci_offers *out, struct err *e)
{
    struct eci_size_wish wish = {asked->cpu_milli, asked->memory, m->node ? m->node->region : NULL,
                                 r->spot};
    struct eci_size got;
    size_t matching;
    if (!eci_size_find(m->catalog, &wish, &got, &matching))
        return err_set(e, ERR_INPUT, NULL,
                       "no ECI size without a GPU holds %.4g vCPU and %.4g GiB%s",
                       (double)asked->cpu_milli / 1e3, (double)asked->memory / (1 << 30),
                       r->spot ? ", preemptible" : "");
    struct eci_offer *o = &out->items[out->n];
    *o = (struct eci_offer){.cpu_milli = got.cpu_milli, .memory = got.memory};
    o->type = eci_size_name(out->names[out->n++], sizeof out->names[0], &got);
    out->matching += matching;
    return eci_size_price(m, &got, &o->micro_per_hour, e);
}

static int size_of_pod(const struct eci_market *m, const struct eci_request *r,
                       struct eci_offers *out, struct err *e)
{
    struct eci_size asked = {r->pod->cpu_milli, r->pod->memory_bytes};
    if (r->spot && asked.cpu_milli > 0 && asked.cpu_milli < 2000)
        return err_set(e, ERR_INPUT, NULL,
                       "cpu: %.4g; preemptible instances without GPUs have 2 vCPU at least",
                       (double)asked.cpu_milli / 1e3);
    return add_size(m, r, &asked, out, e);
}

static int sizes_by_list(const struct eci_market *m, const struct eci_request *r,
                         struct eci_offers *out, struct err *e)
{
    for (size_t i = 0; i < r->n_specs; i++) {
        struct eci_size asked;
        const struct instance_type *t = catalog_instance(m->catalog, r->specs[i]);
        if (t && t->gpus == 0) {
            out->items[out->n] = machine_offer(t);
            if (find_price(m, &out->items[out->n++], e))
                return -1;
        } else if (!t && eci_size_parse(r->specs[i], &asked)) {
            if (add_size(m, r, &asked, out, e))
                return -1;
        } else {
            return err_set(e, ERR_INPUT, NULL,
                           "annotations: '%s' is neither a size like 2-4Gi nor an instance type "
                           "without GPUs of the catalogue; the pod asks for no GPU",
                           r->specs[i]);
        }
        if (!holds(&out->items[out->n - 1], r->pod))
            return err_set(e, ERR_INPUT, NULL, "annotations: %s is less than the pod asks for",
                           r->specs[i]);
    }
    out->matching = out->n;
    return 0;
}

int eci_offers_find(const struct eci_market *m, const struct eci_request *r, struct eci_offers *out,
                    struct err *e)
{
    *out = (struct eci_offers){.n = 0};
    if (!m->catalog)
        return err_set(e, ERR_INPUT, NULL, "a virtual node needs a catalogue");
    if (r->pod->gpus == 0 && r->gpu)
        return err_set(e, ERR_INPUT, NULL,
                       "annotations." PREFIX "eci-gpu-type: '%s'; the pod has no limit "
                       "nvidia.com/gpu",
                       r->gpu);
    if (r->pod->gpus == 0)
        return r->n_specs ? sizes_by_list(m, r, out, e) : size_of_pod(m, r, out, e);
    return r->n_specs ? offers_by_type(m, r, out, e) : offer_by_size(m, r, out, e);
}

int eci_share_refused(const struct eci_market *m, const char *gpu, const char *asked, struct err *e)
{
    struct pod_shape whole = {.gpus = 1};
    struct eci_request r = {.gpu = gpu, .pod = &whole};
    struct eci_offers offers;
    struct err cause = {0};
    if (eci_offers_find(m, &r, &offers, &cause))
        return err_set(e, ERR_INPUT, NULL,
                       "a share of a GPU (%s) cannot be had: a pod owns whole GPUs; ask for 1",
                       asked);
    const struct eci_offer *o = &offers.items[0];
    return err_set(e, ERR_INPUT, NULL,
                   "a share of a GPU (%s) cannot be had: a pod owns whole GPUs; ask for 1. A whole "
                   "%s, %s with %d vCPU, costs %.2f %s an hour",
                   asked, o->gpu, o->type, (int)(o->cpu_milli / 1000),
                   (double)o->micro_per_hour / 1e6, m->currency);
}
