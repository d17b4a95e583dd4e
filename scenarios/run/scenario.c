/* scenario: loading, in the order file -> --set -> manifests -> binding -> checks -> what follows
 * from it. */
#include "scenarios/run/scenario.h"

#include "models/capacity/drill.h"
#include "scenarios/run/catalog_files.h"
#include "scenarios/run/folder.h"
#include "scenarios/run/market_files.h"
#include "scenarios/run/scenario_inside.h"
#include "scenarios/run/set.h"
#include "scenarios/run/yaml.h"
#include "sim/arena.h"
#include "sim/json.h"
#include "sim/zone.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define NAME_LONGEST 63 /* of a service, a pool or a job: paths of figures carry it */

/* ---- file and --set ---- */

static int read_root(struct scenario_loading *l, struct err *e)
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
    if (scenario_overlay_drills(l, e))
        return -1;
    l->base_dir = folder_of(a, l->source->path, e);
    return l->base_dir ? 0 : -1;
}

/* ---- what follows from the bound values ---- */

/* Results and --set know services and pools by name. */
static int check_names(struct scenario_loading *l, const char *list, struct err *e)
{
    const struct json *items = json_get(l->root, list);
    size_t i = 0;
    for (const struct json *c = items ? items->first : NULL; c; c = c->next, i++) {
        const struct json *name = json_get(c, "name");
        size_t j = 0;
        if (strlen(name->string) > NAME_LONGEST)
            return scenario_place_fail(l, (struct scenario_item){list, i, "name"}, e,
                                       "%zu characters, at most %d, as a label of DNS",
                                       strlen(name->string), NAME_LONGEST);
        for (const struct json *other = items->first; other != c; other = other->next, j++)
            if (strcmp(name->string, json_get(other, "name")->string) == 0)
                return scenario_place_fail(l, (struct scenario_item){list, i, "name"}, e,
                                           "'%s' is the name of %s[%zu] too", name->string, list,
                                           j);
    }
    return 0;
}

/* A job and a service are owners of pods alike. */
static int check_job_names(struct scenario_loading *l, struct err *e)
{
    const struct service_config *c = l->s->services.items;
    const struct job_config *jobs = l->s->jobs.items;
    for (size_t i = 0; i < l->s->jobs.count; i++)
        for (size_t j = 0; j < l->s->services.count; j++)
            if (strcmp(jobs[i].name, c[j].name) == 0)
                return scenario_place_fail(l, (struct scenario_item){"jobs", i, "name"}, e,
                                           "'%s' is the name of services[%zu] too", c[j].name, j);
    return 0;
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

static int find_epoch(struct scenario_loading *l, struct err *e)
{
    struct scenario *s = l->s;
    struct zone_time t;
    struct err cause = {0};
    char place[600];
    struct zone *zone = zone_load(s->time_zone, &cause);
    if (!zone)
        return err_set(e, cause.code, scenario_place_of(l, "timeZone", place, sizeof place),
                       "timeZone: %s", cause.msg);
    s->zone = zone;
    if (!parse_start(s->start, &t))
        return scenario_place_fail(l, (struct scenario_item){.key = "start"}, e,
                                   "'%s' is no date; allowed is 2024-01-31 or 2024-01-31T08:00:00",
                                   s->start);
    s->epoch_s = zone_unix(zone, &t);
    return 0;
}

/* Adds to the fault of a trace which service asks for it. */
static int name_traffic(const struct scenario_loading *l, size_t i, struct err *e)
{
    char place[600], path[96], msg[sizeof e->msg];
    if (e->code != ERR_INPUT)
        return -1;
    snprintf(path, sizeof path, "services[%zu].traffic", i);
    scenario_place_of(l, path, place, sizeof place);
    if (strcmp(place, e->where) == 0)
        return -1;
    snprintf(msg, sizeof msg, "%s", e->msg);
    struct err whole = {0};
    err_set(&whole, ERR_INPUT, e->where, "%s (%s at %s)", msg, path, place);
    *e = whole;
    return -1;
}

static int load_traffic(struct scenario_loading *l, struct err *e)
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
            return scenario_place_fail(l, (struct scenario_item){"services", i, "traffic.clients"},
                                       e, "%lld is above limits.inFlight, %lld; raise it",
                                       (long long)c[i].traffic.clients,
                                       (long long)s->limits.in_flight);
    }
    return 0;
}

/* ---- what the answer rests on ---- */

/* Figures that no event of the run depends on need not be trusted. */
static bool rests_on(const struct scenario *s, const struct bind_origin *o)
{
    if (o->quality == QUALITY_NONE)
        return false;
    return !scenario_services_instant(s) || !strstr(o->path, "].startup.");
}

/* Calibrated times rest on their profiles. */
static size_t count_times(const struct scenario *s)
{
    const struct service_config *c = s->services.items;
    size_t n = 0;
    for (size_t i = 0; i < s->services.count; i++)
        n += c[i].serving.times.count;
    return n;
}

/* The figures of the tables; there is room for the times, which follow once they are found. */
static int note_origins(struct scenario_loading *l, struct err *e)
{
    size_t n;
    const struct bind_origin *origins = bind_origins(&l->bind, &n);
    struct scenario *s = l->s;
    size_t room = n + count_times(s);
    struct bind_origin *figures = arena_take(l->arena, n, sizeof *figures, e);
    s->assumptions = arena_take(l->arena, room, sizeof *s->assumptions, e);
    if (!s->assumptions || !figures)
        return -1;
    s->figures = figures;
    for (size_t i = 0; i < n; i++)
        if (rests_on(s, &origins[i])) {
            const struct bind_origin *o = &origins[i];
            figures[s->n_figures++] = *o;
            s->assumptions[s->n_assumptions++] = (struct result_assumption){
                o->path, o->value, knob_quality_name(o->quality), o->source};
        }
    return 0;
}

/* ---- drills ---- */

static int freeze_metrics(struct scenario_loading *l, const struct drill *d, struct err *e)
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

static int load_drills(struct scenario_loading *l, struct err *e)
{
    struct scenario *s = l->s;
    struct drill *drills = arena_take(l->arena, s->drills.count + 1, sizeof *drills, e);
    if (!drills)
        return -1;
    for (size_t i = 0; i < s->drills.count; i++) {
        struct err cause = {0};
        if (drill_parse(s->drills.items[i], &drills[i], &cause) ||
            drill_check(&drills[i], &s->cluster, s->horizon, &cause))
            return scenario_place_fail(l, (struct scenario_item){"drills", i, NULL}, e, "%s",
                                       cause.msg);
        if (drills[i].kind == DRILL_METRIC_FROZEN && freeze_metrics(l, &drills[i], e))
            return -1;
    }
    s->cluster.drills = drills;
    s->cluster.n_drills = s->drills.count;
    return 0;
}

/* ---- all of it ---- */

static int load_data(struct scenario_loading *l, struct err *e)
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
        scenario_prices_scale(l->s, l->change);
    for (size_t i = 0; l->s->catalog && i < l->s->exchange_rates.count; i++)
        scenario_prices_exchange(l->s, &l->s->exchange_rates.items[i]);
    return l->s->catalog ? 0 : -1;
}

static int load_market(struct scenario_loading *l, struct err *e)
{
    l->s->path = l->source->path;
    l->s->root = l->root;
    if (market_files_load(l->s, l->base_dir, &l->files, e) == 0)
        return 0;
    scenario_place(l->s, e);
    return -1;
}

/* The tree of a scenario that is there already, with the changes laid over it. */
static int take_tree(struct scenario_loading *l, const struct scenario *from, struct err *e)
{
    l->base_dir = folder_of(l->arena, from->path, e);
    /* A variation has no variations of its own. */
    l->root = set_apply(l->arena, from->root, "robustness=0", e);
    for (size_t i = 0; l->root && i < l->change->n_sets; i++)
        l->root = set_apply(l->arena, l->root, l->change->sets[i], e);
    return l->root && l->base_dir ? 0 : -1;
}

static int bind_tree(struct scenario_loading *l, struct err *e)
{
    struct scenario *s = l->s;
    if (scenario_share_check(l, e) || bind_object(&l->bind, l->root, "", &scenario_knobs, s, e))
        return -1;
    s->arena = l->arena;
    if (check_names(l, "services", e) || check_names(l, "nodePools", e) ||
        check_names(l, "jobs", e) || check_job_names(l, e) || note_origins(l, e) ||
        find_epoch(l, e) || load_data(l, e) || load_market(l, e) || load_traffic(l, e) ||
        scenario_services_finish(l, e) || load_drills(l, e))
        return -1;
    s->cluster.currency = s->currency;
    s->cluster.max_pods = s->limits.pods;
    s->cluster.max_nodes = s->limits.nodes;
    s->data_dir = arena_text(l->arena, l->source->data_dir, strlen(l->source->data_dir), e);
    return s->data_dir ? scenario_fingerprint(l, e) : -1;
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
    struct scenario_loading l = {
        .s = s, .source = source, .arena = a, .bind = {.arena = a}, .change = change};
    int rc = from ? take_tree(&l, from, e) : read_root(&l, e) || scenario_overlay_manifests(&l, e);
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

static void scale_times(struct service_config *c, double factor)
{
    struct service_time *times = c->serving.times.items;
    for (size_t k = 0; k < c->serving.times.count; k++)
        if (times[k].profile)
            dist_scale(&times[k].time, factor);
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

char *scenario_run_key(const struct scenario *s, char *buf)
{
    snprintf(buf, 33, "%016llx%016llx", (unsigned long long)s->content[0],
             (unsigned long long)s->content[1]);
    return buf;
}

void scenario_free(struct scenario *s)
{
    if (!s)
        return;
    zone_free(s->zone);
    arena_destroy(s->arena);
}
