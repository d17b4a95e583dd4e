/* scenario: loading, in the order file -> --set -> manifests -> binding -> checks -> what follows
 * from it. */
#include "scenarios/run/scenario.h"
#include "scenarios/run/service_time.h"

#include "models/capacity/catalog.h"
#include "models/capacity/drill.h"
#include "models/capacity/eci.h"
#include "models/capacity/instance.h"
#include "models/capacity/pool.h"
#include "models/capacity/virtual_node.h"
#include "models/control/scaler.h"
#include "scenarios/run/bind.h"
#include "scenarios/run/bind_overlay.h"
#include "scenarios/run/calibration.h"
#include "scenarios/run/catalog_files.h"
#include "scenarios/run/folder.h"
#include "scenarios/run/manifest.h"
#include "scenarios/run/market_files.h"
#include "scenarios/run/owners.h"
#include "scenarios/run/set.h"
#include "scenarios/run/yaml.h"
#include "sim/arena.h"
#include "sim/digest.h"
#include "sim/file.h"
#include "sim/json.h"
#include "sim/zone.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_LONGEST 63 /* of a service, a pool or a job: paths of figures carry it */

/* What loading needs and a run does not. */
struct loading {
    struct scenario *s;
    const struct scenario_source *source;
    struct arena *arena;
    struct bind bind;
    struct json *root;
    struct manifest_set *manifests;
    struct calibration calibration;
    const char *base_dir;
    const struct scenario_change *change; /* NULL: none */
    struct digest files;                  /* over the bytes of traces, catalogue and calibrations */
};

/* ---- file, --set, manifests ---- */

static struct json *child(struct json *object, const char *key);

/* Drills of the command line join those of the file, so that they are read, checked and
 * fingerprinted alike. */
static int add_drills(struct loading *l, struct err *e)
{
    const char *file = l->source->path;
    struct json *list = child(l->root, "drills");
    if (l->source->n_drills == 0 || (list && list->type != JSON_ARRAY))
        return 0;
    if (!list) {
        list = json_new(l->arena, JSON_ARRAY, file, l->root->line, l->root->column, e);
        if (!list)
            return -1;
        list->key = "drills";
        json_append(l->root, list);
    }
    for (size_t i = 0; i < l->source->n_drills; i++) {
        struct json *item = json_new(l->arena, JSON_STRING, "--drill", (uint32_t)i + 1, 1, e);
        if (!item)
            return -1;
        item->string = l->source->drills[i];
        json_append(list, item);
    }
    return 0;
}

static int read_root(struct loading *l, struct err *e)
{
    struct arena *a = l->arena;
    char place[600];
    l->root = yaml_load(a, l->source->path, e);
    if (!l->root)
        return -1;
    if (l->root->type != JSON_OBJECT)
        return err_set(e, ERR_INPUT, json_place(place, sizeof place, l->root),
                       "a scenario is an object; found %s", json_type_name(l->root->type));
    for (size_t i = 0; i < l->source->n_sets; i++) {
        l->root = set_apply(a, l->root, l->source->sets[i], e);
        if (!l->root)
            return -1;
    }
    if (add_drills(l, e))
        return -1;
    l->base_dir = folder_of(a, l->source->path, e);
    return l->base_dir ? 0 : -1;
}

static void replace_child(struct json *parent, struct json *old, struct json *with)
{
    struct json *previous = NULL;
    for (struct json *c = parent->first; c != old; c = c->next)
        previous = c;
    with->key = old->key;
    with->key_line = old->key_line;
    with->key_column = old->key_column;
    with->next = old->next;
    if (previous)
        previous->next = with;
    else
        parent->first = with;
    if (parent->last == old)
        parent->last = with;
}

static struct json *child(struct json *object, const char *key)
{
    for (struct json *c = object->first; c; c = c->next)
        if (c->key && strcmp(c->key, key) == 0)
            return c;
    return NULL;
}

static int unknown_deployment(const struct loading *l, const struct json *asked, struct err *e)
{
    const char *names[256];
    char place[600];
    size_t n = manifest_deployments(l->manifests, names, sizeof names / sizeof names[0]);
    const char *near = text_nearest(asked->string, names, n);
    return err_set(e, ERR_INPUT, json_place(place, sizeof place, asked),
                   "deployment '%s' is in none of the manifests%s%s%s", asked->string,
                   near     ? "; did you mean '"
                   : n == 1 ? "; they hold '"
                            : "",
                   near     ? near
                   : n == 1 ? names[0]
                            : "",
                   near     ? "'?"
                   : n == 1 ? "'"
                            : "");
}

static int overlay_service(struct loading *l, struct json *list, struct json *item, struct err *e)
{
    const struct json *asked = json_get(item, "deployment");
    if (item->type != JSON_OBJECT || !asked || asked->type != JSON_STRING)
        return 0;
    struct json *base = manifest_service(l->manifests, asked->string, e);
    if (!base)
        return e->code != ERR_NONE ? -1 : unknown_deployment(l, asked, e);
    struct json *merged = bind_overlay(&l->bind, base, item, e);
    if (!merged)
        return -1;
    replace_child(list, item, merged);
    return 0;
}

static int overlay_job(struct loading *l, struct json *list, struct json *item, struct err *e)
{
    const struct json *asked = json_get(item, "manifest");
    char place[600];
    if (item->type != JSON_OBJECT || !asked || asked->type != JSON_STRING)
        return 0;
    struct json *base = manifest_job(l->manifests, asked->string, e);
    if (!base && e->code == ERR_NONE)
        err_set(e, ERR_INPUT, json_place(place, sizeof place, asked),
                "no Pod and no Job '%s' is in the manifests", asked->string);
    struct json *merged = base ? bind_overlay(&l->bind, base, item, e) : NULL;
    if (!merged)
        return -1;
    replace_child(list, item, merged);
    return 0;
}

static int overlay_pool(struct loading *l, struct json *list, struct json *item, struct err *e)
{
    const struct json *name = json_get(item, "name");
    if (item->type != JSON_OBJECT || !name || name->type != JSON_STRING)
        return 0;
    struct json *base = manifest_pool(l->manifests, name->string, 0, e);
    if (!base)
        return e->code != ERR_NONE ? -1 : 0;
    struct json *merged = bind_overlay(&l->bind, base, item, e);
    if (!merged)
        return -1;
    replace_child(list, item, merged);
    return 0;
}

static bool names_pool(const struct json *list, const char *name)
{
    for (const struct json *c = list->first; c; c = c->next) {
        const struct json *n = json_get(c, "name");
        if (n && n->type == JSON_STRING && strcmp(n->string, name) == 0)
            return true;
    }
    return false;
}

/* A pool that only a manifest describes is part of the cluster as well. */
static int add_pools(struct loading *l, struct json *list, struct err *e)
{
    for (size_t i = 0;; i++) {
        struct json *pool = manifest_pool(l->manifests, NULL, i, e);
        const struct json *name = json_get(pool, "name");
        if (!pool)
            return e->code != ERR_NONE ? -1 : 0;
        if (name && name->type == JSON_STRING && !names_pool(list, name->string))
            json_append(list, pool);
    }
}

typedef int overlay_fn(struct loading *l, struct json *list, struct json *item, struct err *e);

static int overlay_list(struct loading *l, struct json *list, overlay_fn *fn, struct err *e)
{
    for (struct json *item = list->first, *next; item; item = next) {
        next = item->next;
        if (fn(l, list, item, e))
            return -1;
    }
    return 0;
}

static int apply_manifests(struct loading *l, struct err *e)
{
    struct arena *a = l->arena;
    l->manifests = manifest_read(a, l->base_dir, json_get(l->root, "manifests"), e);
    if (!l->manifests)
        return -1;
    struct json *services = child(l->root, "services"), *pools = child(l->root, "nodePools");
    struct json *jobs = child(l->root, "jobs");
    if (!pools && json_get(l->root, "manifests")) {
        pools = json_new(a, JSON_ARRAY, l->root->file, l->root->line, l->root->column, e);
        if (!pools)
            return -1;
        pools->key = "nodePools";
        json_append(l->root, pools);
    }
    if (services && services->type == JSON_ARRAY && overlay_list(l, services, overlay_service, e))
        return -1;
    if (jobs && jobs->type == JSON_ARRAY && overlay_list(l, jobs, overlay_job, e))
        return -1;
    if (!pools || pools->type != JSON_ARRAY)
        return 0;
    return overlay_list(l, pools, overlay_pool, e) || add_pools(l, pools, e) ? -1 : 0;
}

/* ---- what follows from the bound values ---- */

/* Place of a value by its path, for errors that are found after binding. */
static const char *place_of(const struct loading *l, const char *path, char *buf, size_t size)
{
    const struct json *node = json_at(l->root, path);
    return json_place(buf, size, node ? node : l->root);
}

static bool is_day(const struct zone_time *t)
{
    return t->year >= 1970 && t->year < 2200 && t->month >= 1 && t->month <= 12 && t->day >= 1 &&
           t->day <= zone_days(t->year, t->month + 1, 1) - zone_days(t->year, t->month, 1);
}

static bool parse_start(const char *text, struct zone_time *t)
{
    int used = 0;
    *t = (struct zone_time){0};
    if (sscanf(text, "%4d-%2d-%2d%n", &t->year, &t->month, &t->day, &used) != 3)
        return false;
    const char *rest = text + used;
    if (*rest == 'T' || *rest == ' ') {
        int fields =
            sscanf(rest + 1, "%2d:%2d%n:%2d%n", &t->hour, &t->minute, &used, &t->second, &used);
        if (fields < 2)
            return false;
        rest += 1 + used;
    }
    return *rest == '\0' && is_day(t) && t->hour >= 0 && t->hour < 24 && t->minute >= 0 &&
           t->minute < 60 && t->second >= 0 && t->second < 60;
}

static int find_epoch(struct loading *l, struct err *e)
{
    struct scenario *s = l->s;
    struct zone_time t;
    struct err cause = {0};
    char place[600];
    struct zone *zone = zone_load(s->time_zone, &cause);
    if (!zone)
        return err_set(e, cause.code, place_of(l, "timeZone", place, sizeof place), "timeZone: %s",
                       cause.msg);
    s->zone = zone;
    if (!parse_start(s->start, &t))
        return err_set(e, ERR_INPUT, place_of(l, "start", place, sizeof place),
                       "start: '%s' is no date; allowed is 2024-01-31 or 2024-01-31T08:00:00",
                       s->start);
    s->epoch_s = zone_unix(zone, &t);
    return 0;
}

/* Results and --set know services and pools by name. */
static int check_names(struct loading *l, const char *list, struct err *e)
{
    const struct json *items = json_get(l->root, list);
    char place[600];
    size_t i = 0;
    for (const struct json *c = items ? items->first : NULL; c; c = c->next, i++) {
        const struct json *name = json_get(c, "name");
        size_t j = 0;
        if (strlen(name->string) > NAME_LONGEST)
            return err_set(e, ERR_INPUT, json_place(place, sizeof place, name),
                           "%s[%zu].name: %zu characters, at most %d, as a label of DNS", list, i,
                           strlen(name->string), NAME_LONGEST);
        for (const struct json *other = items->first; other != c; other = other->next, j++)
            if (strcmp(name->string, json_get(other, "name")->string) == 0)
                return err_set(e, ERR_INPUT, json_place(place, sizeof place, name),
                               "%s[%zu].name: '%s' is the name of %s[%zu] too", list, i,
                               name->string, list, j);
    }
    return 0;
}

/* Adds to the fault of a trace which service asks for it. */
static int name_traffic(const struct loading *l, size_t i, struct err *e)
{
    char place[600], path[96], msg[sizeof e->msg];
    if (e->code != ERR_INPUT)
        return -1;
    snprintf(path, sizeof path, "services[%zu].traffic", i);
    place_of(l, path, place, sizeof place);
    if (strcmp(place, e->where) == 0)
        return -1;
    snprintf(msg, sizeof msg, "%s", e->msg);
    struct err whole = {0};
    err_set(&whole, ERR_INPUT, e->where, "%s (%s at %s)", msg, path, place);
    *e = whole;
    return -1;
}

static int fail_clients(const struct loading *l, size_t i, int64_t clients, struct err *e)
{
    char place[600], path[96];
    snprintf(path, sizeof path, "services[%zu].traffic.clients", i);
    return err_set(e, ERR_INPUT, place_of(l, path, place, sizeof place),
                   "%s: %lld is above limits.inFlight, %lld; raise it", path, (long long)clients,
                   (long long)l->s->limits.in_flight);
}

static int load_traffic(struct loading *l, struct err *e)
{
    struct scenario *s = l->s;
    const struct service_config *c = s->services.items;
    struct traffic_frame frame = {s->horizon, s->epoch_s, s->time_zone, l->base_dir};
    s->traffic = arena_take(l->arena, s->services.count, sizeof *s->traffic, e);
    if (!s->traffic)
        return -1;
    for (size_t i = 0; i < s->services.count; i++) {
        s->traffic[i] = traffic_load(l->arena, &c[i].traffic, &frame, e);
        if (!s->traffic[i])
            return name_traffic(l, i, e);
        if (s->limits.in_flight > 0 && c[i].traffic.clients > s->limits.in_flight)
            return fail_clients(l, i, c[i].traffic.clients, e);
    }
    return 0;
}

/* One item to the list of what the answer rests on. */
static void assume(struct scenario *s, struct result_assumption item)
{
    s->assumptions[s->n_assumptions++] = item;
}

static int resolve_time(struct loading *l, size_t service, struct service_time *t, struct err *e)
{
    struct service_time_frame f = {&l->calibration, l->base_dir, l->arena};
    struct result_assumption item;
    int found = service_time_resolve(&f, service, t, &item, e);
    if (found > 0)
        assume(l->s, item);
    return found < 0 ? -1 : 0;
}

/* The service times of a service and the GPU kinds its pods may run on are one list, in one order:
 * the index that the cluster hands over is the index of the time. */
static int match_gpus(struct loading *l, size_t i, struct service_config *c, struct err *e)
{
    struct service_time *times = c->serving.times.items;
    size_t n = c->serving.times.count;
    char place[600], path[96];
    if (times[0].gpu[0] == '\0') {
        if (c->pod.gpu_types.count <= 1)
            return 0;
        snprintf(path, sizeof path, "services[%zu].serving.serviceTime", i);
        return err_set(e, ERR_INPUT, place_of(l, path, place, sizeof place),
                       "%s: pod.gpuTypes names %zu kinds of GPU; give a time for each, by kind",
                       path, c->pod.gpu_types.count);
    }
    if (c->pod.gpu_types.count == 0) {
        const char **kinds = arena_take(l->arena, n, sizeof *kinds, e);
        for (size_t k = 0; kinds && k < n; k++)
            kinds[k] = times[k].gpu;
        c->pod.gpu_types = (struct knob_texts){kinds, kinds ? n : 0};
        return kinds ? 0 : -1;
    }
    for (size_t k = 0; k < c->pod.gpu_types.count; k++) {
        size_t at = k;
        while (at < n && strcmp(times[at].gpu, c->pod.gpu_types.items[k]) != 0)
            at++;
        if (at == n) {
            snprintf(path, sizeof path, "services[%zu].serving.serviceTime", i);
            return err_set(e, ERR_INPUT, place_of(l, path, place, sizeof place),
                           "%s: no time for a %s, which pod.gpuTypes allows", path,
                           c->pod.gpu_types.items[k]);
        }
        struct service_time swap = times[k];
        times[k] = times[at];
        times[at] = swap;
    }
    return 0;
}

/* A job and a service are owners of pods alike. */
static int check_job_names(struct loading *l, struct err *e)
{
    const struct service_config *c = l->s->services.items;
    const struct job_config *jobs = l->s->jobs.items;
    char place[600], path[64];
    for (size_t i = 0; i < l->s->jobs.count; i++)
        for (size_t j = 0; j < l->s->services.count; j++)
            if (strcmp(jobs[i].name, c[j].name) == 0) {
                snprintf(path, sizeof path, "jobs[%zu].name", i);
                return err_set(e, ERR_INPUT, place_of(l, path, place, sizeof place),
                               "%s: '%s' is the name of services[%zu] too", path, c[j].name, j);
            }
    return 0;
}

/* Whether a pool can buy this kind of GPU; also true when the catalogue does not know a type, which
 * the cluster reports by its name. The last kind that is for sale goes to *other. */
static bool is_for_sale(const struct scenario *s, const char *gpu, const char **other)
{
    const struct pool_config *pools = s->cluster.pools.items;
    for (size_t i = 0; i < s->cluster.pools.count; i++)
        for (size_t k = 0; k < pools[i].instance_types.count; k++) {
            const struct instance_type *t =
                catalog_instance(s->catalog, pools[i].instance_types.items[k]);
            if (!t || (t->gpu && strcmp(t->gpu, gpu) == 0))
                return true;
            *other = t->gpu ? t->gpu : *other;
        }
    return false;
}

/* With a time for none of the GPUs that can be bought, no pod would ever be placed. */
static int check_gpus(struct loading *l, size_t i, const struct service_config *c, struct err *e)
{
    const char *other = "none";
    char place[600], path[96];
    if (l->s->cluster.pools.count == 0 || l->s->cluster.virtual_node || l->s->cluster.node_list ||
        c->pod.gpu_types.count == 0)
        return 0;
    for (size_t k = 0; k < c->pod.gpu_types.count; k++)
        if (is_for_sale(l->s, c->pod.gpu_types.items[k], &other))
            return 0;
    snprintf(path, sizeof path, "services[%zu].serving.serviceTime", i);
    return err_set(e, ERR_INPUT, place_of(l, path, place, sizeof place),
                   "%s: the pods need a %s, but the node pools buy: %s", path,
                   c->pod.gpu_types.items[0], other);
}

/* Replicas are simply there. */
static bool nothing_is_sold(const struct scenario *s)
{
    return s->cluster.pools.count == 0 && !s->cluster.node_list && !s->cluster.virtual_node;
}

/* Requests that a server runs side by side; source: the knob. */
#define SERVER_THREADS 32

static int finish_service(struct loading *l, size_t i, struct service_config *c, struct err *e)
{
    struct service_time *times = c->serving.times.items;
    char place[600], path[96];
    for (size_t k = 0; k < c->serving.times.count; k++)
        if (resolve_time(l, i, &times[k], e))
            return -1;
    if (match_gpus(l, i, c, e) || check_gpus(l, i, c, e))
        return -1;
    if (c->serving.concurrency == 0)
        c->serving.concurrency = c->serving.discipline == DISCIPLINE_FIFO ? 1 : SERVER_THREADS;
    snprintf(path, sizeof path, "services[%zu].serving.discipline", i);
    if (c->serving.balance == BALANCE_CENTRAL && c->serving.discipline == DISCIPLINE_SHARED)
        return err_set(e, ERR_INPUT, place_of(l, path, place, sizeof place),
                       "%s: central_fifo hands out one request at a time; use fifo", path);
    if (c->initial_replicas > l->s->limits.replicas) {
        snprintf(path, sizeof path, "services[%zu].initialReplicas", i);
        return err_set(e, ERR_INPUT, place_of(l, path, place, sizeof place),
                       "%s: %lld is above limits.replicas, %lld; raise it", path,
                       (long long)c->initial_replicas, (long long)l->s->limits.replicas);
    }
    c->pod.name = c->name;
    c->startup.instant = nothing_is_sold(l->s);
    return 0;
}

static void finish_job(const struct scenario *s, struct job_config *c)
{
    c->pod.name = c->name;
    c->startup.instant = nothing_is_sold(s);
    /* Nobody asks a job for its health before it runs. */
    c->startup.readiness = c->startup.liveness = NULL;
}

static int finish_services(struct loading *l, struct err *e)
{
    struct scenario *s = l->s;
    struct service_config *c = s->services.items;
    struct job_config *jobs = s->jobs.items;
    for (size_t i = 0; i < s->services.count; i++)
        if (finish_service(l, i, &c[i], e))
            return -1;
    for (size_t i = 0; i < s->jobs.count; i++)
        finish_job(s, &jobs[i]);
    struct err cause = {0};
    if (owners_make(s, l->base_dir, &cause) == 0)
        return 0;
    s->root = l->root;
    s->path = l->source->path;
    scenario_place(s, &cause);
    return err_set(e, cause.code, cause.where[0] ? cause.where : NULL, "%s", cause.msg);
}

/* ---- drills ---- */

static int freeze_metrics(struct loading *l, const struct drill *d, struct err *e)
{
    struct service_config *c = l->s->services.items;
    for (size_t i = 0; i < l->s->services.count; i++) {
        struct knob_list *list = &c[i].metric.faults;
        struct metric_fault *faults = arena_take(l->arena, list->count + 1, sizeof *faults, e);
        if (!faults)
            return -1;
        if (list->count)
            memcpy(faults, list->items, list->count * sizeof *faults);
        faults[list->count] =
            (struct metric_fault){.kind = METRIC_FROZEN, .at = d->at, .lasts = d->lasts};
        *list = (struct knob_list){faults, list->count + 1};
    }
    return 0;
}

static int load_drills(struct loading *l, struct err *e)
{
    struct scenario *s = l->s;
    char path[32], place[600];
    struct drill *drills = arena_take(l->arena, s->drills.count + 1, sizeof *drills, e);
    if (!drills)
        return -1;
    for (size_t i = 0; i < s->drills.count; i++) {
        struct err cause = {0};
        snprintf(path, sizeof path, "drills[%zu]", i);
        if (drill_parse(s->drills.items[i], &drills[i], &cause) ||
            drill_check(&drills[i], &s->cluster, s->horizon, &cause))
            return err_set(e, ERR_INPUT, place_of(l, path, place, sizeof place), "%s: %s", path,
                           cause.msg);
        if (drills[i].kind == DRILL_METRIC_FROZEN && freeze_metrics(l, &drills[i], e))
            return -1;
    }
    s->cluster.drills = drills;
    s->cluster.n_drills = s->drills.count;
    return 0;
}

/* Figures that no event of the run depends on need not be trusted. */
static bool rests_on(const struct scenario *s, const struct bind_origin *o)
{
    if (o->quality == QUALITY_NONE)
        return false;
    return !nothing_is_sold(s) || !strstr(o->path, "].startup.");
}

static int note_origins(struct loading *l, struct err *e)
{
    size_t n;
    const struct bind_origin *origins = bind_origins(&l->bind, &n);
    struct scenario *s = l->s;
    struct bind_origin *figures = arena_take(l->arena, n + 1, sizeof *figures, e);
    s->assumptions = arena_take(l->arena, n + 1024, sizeof *s->assumptions, e);
    if (!s->assumptions || !figures)
        return -1;
    s->figures = figures;
    for (size_t i = 0; i < n; i++)
        if (rests_on(s, &origins[i])) {
            figures[s->n_figures++] = origins[i];
            assume(s, (struct result_assumption){origins[i].path, origins[i].value,
                                                 knob_quality_name(origins[i].quality),
                                                 origins[i].source});
        }
    return 0;
}

/* ---- fingerprint ---- */

/* Objects in key order and numbers by value, so that layout, order of keys and notation do not
 * count. */
static void digest_tree(struct digest *d, const struct json *node)
{
    digest_u64(d, (uint64_t)node->type);
    switch (node->type) {
    case JSON_NULL:
        break;
    case JSON_BOOL:
        digest_u64(d, node->boolean);
        break;
    case JSON_NUMBER:
        digest_bytes(d, &node->number, sizeof node->number);
        break;
    case JSON_STRING:
        digest_text(d, node->string);
        break;
    case JSON_ARRAY:
        for (const struct json *c = node->first; c; c = c->next)
            digest_tree(d, c);
        break;
    case JSON_OBJECT: {
        /* Order-free: each member has a digest of its own, and these are added up. */
        uint64_t sum = 0;
        for (const struct json *c = node->first; c; c = c->next) {
            struct digest member = {0};
            digest_text(&member, c->key);
            digest_tree(&member, c);
            sum += digest_value(&member);
        }
        digest_u64(d, sum);
        break;
    }
    }
    digest_u64(d, node->count);
}

static int digest_file(struct loading *l, const char *path, struct err *e)
{
    size_t length;
    char *text = path ? file_read(l->arena, path, JSON_MAX_BYTES, &length, e) : NULL;
    if (!text)
        return -1;
    digest_bytes(&l->files, text, length);
    return 0;
}

/* Traces and calibrations by content, as the catalogue's files: two runs with one key read the
 * same bytes. */
static int digest_files(struct loading *l, struct err *e)
{
    const struct service_config *c = l->s->services.items;
    for (size_t i = 0; i < l->s->services.count; i++) {
        const struct traffic_config *t = &c[i].traffic;
        const char *file = t->requests ? t->requests : t->qps.file;
        if (file && digest_file(l, folder_join(l->arena, l->base_dir, file, e), e))
            return -1;
        const struct service_time *times = c[i].serving.times.items;
        for (size_t k = 0; k < c[i].serving.times.count; k++)
            if (times[k].file &&
                digest_file(l, folder_join(l->arena, l->base_dir, times[k].file, e), e))
                return -1;
    }
    const struct job_config *jobs = l->s->jobs.items;
    const char *nodes = l->s->cluster.node_list;
    for (size_t i = 0; i < l->s->jobs.count; i++)
        if (jobs[i].pod_list &&
            digest_file(l, folder_join(l->arena, l->base_dir, jobs[i].pod_list, e), e))
            return -1;
    if (nodes && digest_file(l, folder_join(l->arena, l->base_dir, nodes, e), e))
        return -1;
    for (size_t i = 0; i < l->calibration.n; i++)
        if (digest_file(l, l->calibration.files[i].file, e))
            return -1;
    return 0;
}

static void fingerprint(struct loading *l)
{
    for (uint64_t half = 0; half < 2; half++) {
        struct digest d = {0};
        digest_u64(&d, half);
        digest_u64(&d, SCENARIO_MODEL_VERSION);
        digest_tree(&d, l->root);
        digest_u64(&d, digest_value(&l->files));
        digest_u64(&d, (uint64_t)l->s->seed);
        digest_u64(&d, (uint64_t)l->s->replications);
        for (size_t i = 0; i < l->s->n_assumptions; i++)
            digest_text(&d, l->s->assumptions[i].value);
        l->s->content[half] = digest_value(&d);
    }
}

char *scenario_run_key(const struct scenario *s, char *buf)
{
    snprintf(buf, 33, "%016llx%016llx", (unsigned long long)s->content[0],
             (unsigned long long)s->content[1]);
    return buf;
}

/* ---- places of later errors ---- */

/* One step of a path: a key of an object, or a name or number of an element. NULL: no such. */
static const struct json *step(const struct json *node, const char *name, size_t length)
{
    char text[128];
    if (length >= sizeof text)
        return NULL;
    memcpy(text, name, length);
    text[length] = '\0';
    if (node->type == JSON_OBJECT)
        return json_get(node, text);
    int64_t index = -1;
    bool number = text_parse_int64(text, &index);
    const struct json *c = node->first;
    for (int64_t i = 0; c; c = c->next, i++) {
        const struct json *own = json_get(c, "name");
        if (number ? i == index : own && own->type == JSON_STRING && strcmp(own->string, text) == 0)
            return c;
    }
    return NULL;
}

/* The deepest value that the path leads to; the root for a path that leads nowhere. */
static const struct json *follow(const struct json *root, const char *path, size_t length)
{
    const struct json *node = root;
    for (size_t at = 0; at < length;) {
        size_t n = strcspn(path + at, ".[]: ");
        if (at + n > length)
            n = length - at;
        const struct json *next = n > 0 ? step(node, path + at, n) : node;
        if (!next)
            break;
        node = next;
        at += n + 1;
    }
    return node;
}

void scenario_place(const struct scenario *s, struct err *e)
{
    char place[sizeof e->where], msg[sizeof e->msg];
    bool in_where = e->where[0] != '\0';
    const char *path = in_where ? e->where : e->msg;
    size_t length = strcspn(path, ": ");
    const struct json *node = follow(s->root, path, length);
    if (e->code != ERR_INPUT || (in_where && strcmp(e->where, s->path) == 0) || node == s->root)
        return;
    json_place(place, sizeof place, node);
    snprintf(msg, sizeof msg, "%.200s%s%.800s", in_where ? e->where : "", in_where ? ": " : "",
             e->msg);
    memcpy(e->where, place, sizeof place);
    memcpy(e->msg, msg, sizeof msg);
}

/* ---- all of it ---- */

/* The catalogue is this scenario's own until it is loaded. */
static void scale_prices(const struct loading *l)
{
    const struct catalog *c = l->s->catalog;
    for (size_t p = 0; p < c->n_parts; p++) {
        struct price *prices = c->parts[p].prices.items;
        for (size_t i = 0; i < c->parts[p].prices.count; i++)
            if (strcmp(prices[i].type, l->change->priced) == 0)
                prices[i].per_hour.micro =
                    (int64_t)((double)prices[i].per_hour.micro * l->change->factor + 0.5);
    }
}

static void scale_times(struct service_config *c, double factor)
{
    struct service_time *times = c->serving.times.items;
    for (size_t k = 0; k < c->serving.times.count; k++)
        if (times[k].profile)
            dist_scale(&times[k].time, factor);
}

static void exchange_money(struct money *m, const char *from, const char *to, double rate)
{
    if (strcmp(m->currency, from) != 0)
        return;
    m->micro = (int64_t)((double)m->micro * rate + 0.5);
    snprintf(m->currency, sizeof m->currency, "%s", to);
}

/* Prices and budgets in another currency become ones in the scenario's; a price of its own goes
 * before them. */
static void exchange(struct scenario *s, const struct knob_pair *rate)
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

static int load_data(struct loading *l, struct err *e)
{
    const struct knob_texts *own = &l->s->catalog_files;
    const char **files = arena_take(l->arena, own->count, sizeof *files, e);
    char *calibration = folder_join(l->arena, l->source->data_dir, "calibration", e);
    char *catalog = folder_join(l->arena, l->source->data_dir, "catalog", e);
    if (!files || !calibration || !catalog ||
        calibration_load(&l->calibration, l->arena, calibration, e))
        return -1;
    for (size_t i = 0; i < own->count; i++) {
        files[i] = folder_join(l->arena, l->base_dir, own->items[i], e);
        if (!files[i])
            return -1;
    }
    struct catalog_source source = {catalog, files, own->count, &l->files};
    l->s->catalog = catalog_files_load(l->arena, &source, e);
    if (l->s->catalog && l->change && l->change->priced)
        scale_prices(l);
    for (size_t i = 0; l->s->catalog && i < l->s->exchange_rates.count; i++)
        exchange(l->s, &l->s->exchange_rates.items[i]);
    return l->s->catalog ? 0 : -1;
}

static int load_market(struct loading *l, struct err *e)
{
    l->s->path = l->source->path;
    l->s->root = l->root;
    if (market_files_load(l->s, l->base_dir, &l->files, e) == 0)
        return 0;
    scenario_place(l->s, e);
    return -1;
}

/* A share of a GPU; NULL: pod.gpus is whole, or wrong in a way that the binder tells. */
static const struct json *share_of(const struct json *owner)
{
    const struct json *gpus = json_at(owner, "pod.gpus");
    int64_t milli;
    if (!gpus || (gpus->type != JSON_NUMBER && gpus->type != JSON_STRING) || !gpus->string)
        return NULL;
    return text_parse_quantity(gpus->string, &milli) && milli > 0 && milli % 1000 ? gpus : NULL;
}

static const char *text_of(const struct json *node)
{
    return node && node->type == JSON_STRING ? node->string : NULL;
}

/* Refused by name, with what a whole GPU costs, as far as the shipped catalogue knows. */
static int refuse_share(struct loading *l, const struct json *owner, const struct json *gpus,
                        struct err *e)
{
    char asked[96], place[600];
    const struct json *annotations = json_at(owner, "pod.annotations");
    const char *gpu = text_of(json_get(annotations, "k8s.aliyun.com/eci-gpu-type"));
    const char *currency = text_of(json_get(l->root, "currency"));
    char *folder = folder_join(l->arena, l->source->data_dir, "catalog", e);
    struct catalog_source source = {folder, NULL, 0, &l->files};
    struct eci_market m = {NULL, currency ? currency : "CNY", NULL, VIRTUAL_NODE_ECI_COUNTS};
    m.catalog = folder ? catalog_files_load(l->arena, &source, e) : NULL;
    if (!m.catalog)
        return -1;
    snprintf(asked, sizeof asked, "nvidia.com/gpu: %.60s", gpus->string);
    eci_share_refused(&m, gpu, asked, e);
    return err_set(e, ERR_INPUT, json_place(place, sizeof place, gpus), "pod.gpus: %s",
                   arena_text(l->arena, e->msg, strlen(e->msg), &(struct err){0}));
}

static int check_shares(struct loading *l, struct err *e)
{
    static const char *const lists[] = {"services", "jobs"};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        const struct json *list = json_get(l->root, lists[i]);
        for (const struct json *c = list ? list->first : NULL; c; c = c->next) {
            const struct json *gpus = c->type == JSON_OBJECT ? share_of(c) : NULL;
            if (gpus)
                return refuse_share(l, c, gpus, e);
        }
    }
    return 0;
}

/* The tree of a scenario that is there already, with the changes laid over it. */
static int take_tree(struct loading *l, const struct scenario *from, struct err *e)
{
    l->base_dir = folder_of(l->arena, from->path, e);
    /* A variation has no variations of its own. */
    l->root = set_apply(l->arena, from->root, "robustness=0", e);
    for (size_t i = 0; l->root && i < l->change->n_sets; i++)
        l->root = set_apply(l->arena, l->root, l->change->sets[i], e);
    return l->root && l->base_dir ? 0 : -1;
}

static int bind_tree(struct loading *l, struct err *e)
{
    struct scenario *s = l->s;
    if (check_shares(l, e) || bind_object(&l->bind, l->root, "", &scenario_knobs, s, e))
        return -1;
    s->arena = l->arena;
    if (check_names(l, "services", e) || check_names(l, "nodePools", e) ||
        check_names(l, "jobs", e) || check_job_names(l, e) || note_origins(l, e) ||
        find_epoch(l, e) || load_data(l, e) || load_market(l, e) || load_traffic(l, e) ||
        finish_services(l, e) || load_drills(l, e))
        return -1;
    s->cluster.currency = s->currency;
    s->cluster.max_pods = s->limits.pods;
    s->cluster.max_nodes = s->limits.nodes;
    s->data_dir = arena_text(l->arena, l->source->data_dir, strlen(l->source->data_dir), e);
    if (!s->data_dir)
        return -1;
    if (digest_files(l, e))
        return -1;
    fingerprint(l);
    return 0;
}

static struct scenario *load(const struct scenario_source *source,
                             const struct scenario_change *change, const struct scenario *from,
                             struct err *e)
{
    struct arena *a = arena_create(e);
    struct scenario *s = a ? arena_take(a, 1, sizeof *s, e) : NULL;
    if (!s) {
        arena_destroy(a);
        return NULL;
    }
    struct loading l = {
        .s = s, .source = source, .arena = a, .bind = {.arena = a}, .change = change};
    int rc = from ? take_tree(&l, from, e) : read_root(&l, e) || apply_manifests(&l, e);
    if (rc || bind_tree(&l, e)) {
        zone_free(s->zone);
        arena_destroy(a);
        return NULL;
    }
    s->files = from ? from->files : l.manifests;
    return s;
}

struct scenario *scenario_load(const struct scenario_source *source, struct err *e)
{
    assert(source && source->path && source->data_dir);
    return load(source, NULL, NULL, e);
}

struct scenario *scenario_vary(const struct scenario *s, const struct scenario_change *c,
                               struct err *e)
{
    struct scenario_source source = {.path = s->path, .data_dir = s->data_dir};
    struct service_config *services;
    struct scenario *v = load(&source, c, s, e);
    services = v ? v->services.items : NULL;
    for (size_t i = 0; v && c->service && i < v->services.count; i++)
        if (strcmp(services[i].name, c->service) == 0)
            scale_times(&services[i], c->factor);
    return v;
}

void scenario_free(struct scenario *s)
{
    if (!s)
        return;
    zone_free(s->zone);
    arena_destroy(s->arena);
}
