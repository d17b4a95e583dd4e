/* candidate: one figure or preset that a scenario could have had otherwise. */
#include "scenarios/run/candidate.h"

#include "models/capacity/catalog.h"
#include "models/capacity/pool.h"
#include "models/capacity/virtual_node.h"
#include "models/serving/profile.h"
#include "scenarios/run/bind.h"
#include "scenarios/run/scenario.h"
#include "sim/arena.h"
#include "sim/text.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 1024

struct search {
    const struct scenario *s;
    const struct result *r;
    struct arena *a;
    struct candidate *out;
    size_t n;
    struct err *e;
};

double candidate_reach(int quality)
{
    return quality == QUALITY_ASSUMED ? 3 : quality == QUALITY_THIRD_PARTY ? 1.5 : 1;
}

static void add(struct search *f, const struct candidate *c)
{
    if (f->n < MOST)
        f->out[f->n++] = *c;
}

ERR_PRINTF(2, 3)
static const char *keep(struct search *f, const char *fmt, ...)
{
    char text[512];
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return arena_text(f->a, text, n < (int)sizeof text ? (size_t)n : sizeof text - 1, f->e);
}

/* ---- presets ---- */

struct names {
    const char *path, *key, *now;
};

static void other_name(struct search *f, const struct names *n, const char *name)
{
    if (n->now && strcmp(name, n->now) != 0)
        add(f,
            &(struct candidate){
                .path = n->path, .key = n->key, .now = n->now, .name = name, .quality = "preset"});
}

/* The names that the catalogue has of one kind, a user's own after the shipped ones. */
static void other_names(struct search *f, const struct names *n, enum catalog_kind kind)
{
    const struct catalog *c = f->s->catalog;
    for (size_t p = 0; p < c->n_parts; p++) {
        const struct catalog_part *part = &c->parts[p];
        const struct spot_preset *spots = part->spots.items;
        const struct catalog_store *registries = part->registries.items;
        const struct catalog_store *stores = part->stores.items;
        const struct catalog_delivery *deliveries = part->deliveries.items;
        for (size_t i = 0; kind == CATALOG_SPOT && i < part->spots.count; i++)
            other_name(f, n, spots[i].name);
        for (size_t i = 0; kind == CATALOG_REGISTRY && i < part->registries.count; i++)
            other_name(f, n, registries[i].name);
        for (size_t i = 0; kind == CATALOG_STORE && i < part->stores.count; i++)
            other_name(f, n, stores[i].name);
        for (size_t i = 0; kind == CATALOG_DELIVERY && i < part->deliveries.count; i++)
            other_name(f, n, deliveries[i].name);
    }
}

static void spot_presets(struct search *f)
{
    const struct pool_config *c = f->s->cluster.pools.items;
    const struct virtual_node_config *v = f->s->cluster.virtual_node;
    for (size_t i = 0; i < f->s->cluster.pools.count; i++)
        if (pool_uses_spot(&c[i]))
            other_names(f,
                        &(struct names){keep(f, "nodePools.%.100s.spotMarket", c[i].name),
                                        keep(f, "nodePools[%zu].spotMarket", i), c[i].spot_market},
                        CATALOG_SPOT);
    if (v && v->market)
        other_names(f,
                    &(struct names){"virtualNode.spotMarket", "virtualNode.spotMarket", v->market},
                    CATALOG_SPOT);
}

/* Warnings before the end of a spot machine: Alibaba Cloud ECS 300 s and ECI 180 s, AWS 120 s, GCP
 * 30 s (their documentation, 2021 to 2025). */
static const char *const notices[] = {"300s", "180s", "120s", "30s"};

static void notice(struct search *f, const char *path, const char *key, sim_ns now)
{
    char text[32];
    const struct names n = {path, key, keep(f, "%s", text_duration(text, sizeof text, now))};
    for (size_t i = 0; i < sizeof notices / sizeof notices[0]; i++) {
        int64_t ns;
        if (text_parse_duration(notices[i], &ns) && ns != now)
            other_name(f, &n, notices[i]);
    }
}

/* The scenario's, else the market's. */
static sim_ns notice_of(const struct search *f, sim_ns own, const char *market)
{
    const struct spot_preset *m = catalog_spot(f->s->catalog, market);
    return own > 0 || !m ? own : m->notice;
}

static void notice_presets(struct search *f)
{
    const struct pool_config *c = f->s->cluster.pools.items;
    const struct virtual_node_config *v = f->s->cluster.virtual_node;
    for (size_t i = 0; i < f->s->cluster.pools.count; i++)
        if (pool_uses_spot(&c[i]))
            notice(f, keep(f, "nodePools.%.100s.spotNotice", c[i].name),
                   keep(f, "nodePools[%zu].spotNotice", i),
                   notice_of(f, c[i].notice, c[i].spot_market));
    if (v && v->market)
        notice(f, "virtualNode.spotNotice", "virtualNode.spotNotice",
               notice_of(f, v->notice, v->market));
}

static void source_presets(struct search *f, const char *list, size_t i, const char *name,
                           const struct startup_config *c)
{
    const struct startup_image *im = &c->image;
    if (c->instant)
        return;
    if (im->size > 0 && !im->bandwidth && im->time.mean <= 0 && !im->cached)
        other_names(f,
                    &(struct names){keep(f, "%s.%.100s.startup.image.registry", list, name),
                                    keep(f, "%s[%zu].startup.image.registry", list, i),
                                    im->registry},
                    CATALOG_REGISTRY);
    if (c->model.size > 0 && !c->model.bandwidth && c->model.time.mean <= 0)
        other_names(f,
                    &(struct names){keep(f, "%s.%.100s.startup.model.store", list, name),
                                    keep(f, "%s[%zu].startup.model.store", list, i),
                                    c->model.store},
                    CATALOG_STORE);
}

static void startup_presets(struct search *f)
{
    const struct scenario *s = f->s;
    const struct pool_config *pools = s->cluster.pools.items;
    const struct service_config *services = s->services.items;
    const struct job_config *jobs = s->jobs.items;
    for (size_t i = 0; i < s->cluster.pools.count; i++)
        if (pools[i].boot.mean <= 0)
            other_names(f,
                        &(struct names){keep(f, "nodePools.%.100s.delivery", pools[i].name),
                                        keep(f, "nodePools[%zu].delivery", i), pools[i].delivery},
                        CATALOG_DELIVERY);
    for (size_t i = 0; i < s->services.count; i++)
        source_presets(f, "services", i, services[i].name, &services[i].startup);
    for (size_t i = 0; i < s->jobs.count; i++)
        source_presets(f, "jobs", i, jobs[i].name, &jobs[i].startup);
}

/* ---- figures ---- */

static bool moves(enum knob_kind kind)
{
    switch (kind) {
    case KNOB_INT:
    case KNOB_INT32:
    case KNOB_NUMBER:
    case KNOB_SHARE:
    case KNOB_PERCENT:
    case KNOB_DURATION:
    case KNOB_BYTES:
    case KNOB_DIST:
        return true;
    default:
        return false;
    }
}

/* What nobody reads need not be moved. */
static bool is_idle(const struct scenario *s, const char *path)
{
    const struct pool_config *pools = s->cluster.pools.items;
    for (size_t i = 0; i < s->cluster.pools.count; i++)
        if (pool_uses_spot(&pools[i]))
            return false;
    return strstr(path, ".spot") || strstr(path, ".onDemand");
}

static void figures(struct search *f)
{
    for (size_t i = 0; i < f->s->n_figures; i++) {
        const struct bind_origin *o = &f->s->figures[i];
        struct candidate c = {.path = o->path,
                              .key = o->path,
                              .now = o->value,
                              .figure = o,
                              .quality = knob_quality_name(o->quality),
                              .reach = candidate_reach(o->quality)};
        if (c.reach <= 1 || is_idle(f->s, o->path))
            continue;
        if (o->row->kind == KNOB_BOOL) {
            c.name = strcmp(o->value, "true") == 0 ? "false" : "true";
            add(f, &c);
        }
        for (const struct knob_name *n = o->row->names; o->row->kind == KNOB_NAME && n->name; n++) {
            c.name = n->name;
            if (strcmp(n->name, o->value) != 0)
                add(f, &c);
        }
        c.name = NULL;
        if (moves(o->row->kind))
            add(f, &c);
    }
}

static void service_times(struct search *f)
{
    const struct service_config *c = f->s->services.items;
    for (size_t i = 0; i < f->s->services.count; i++) {
        const struct service_time *times = c[i].serving.times.items;
        int worst = QUALITY_NONE;
        for (size_t k = 0; k < c[i].serving.times.count; k++)
            if (times[k].profile && times[k].profile->quality > worst)
                worst = times[k].profile->quality;
        struct candidate what = {.path = keep(f, "services.%.100s.serving.serviceTime", c[i].name),
                                 .now = "as calibrated",
                                 .service = c[i].name,
                                 .quality = knob_quality_name((enum knob_quality)worst),
                                 .reach = candidate_reach(worst)};
        if (what.reach > 1)
            add(f, &what);
    }
}

static bool priced_already(const struct search *f, const char *type)
{
    for (size_t i = 0; i < f->n; i++)
        if (f->out[i].priced && strcmp(f->out[i].priced, type) == 0)
            return true;
    return false;
}

static void prices(struct search *f)
{
    const struct scenario_budget *budget = &f->s->budget;
    if (!budget->per_month.currency[0] && !budget->total.currency[0])
        return;
    for (size_t i = 0; i < f->r->n_bills; i++) {
        const char *type = f->r->bills[i].type;
        struct catalog_price_key key = {type, NULL, f->s->currency, PRICE_ON_DEMAND};
        const struct price *p = catalog_price(f->s->catalog, &key);
        if (!p || candidate_reach(p->quality) <= 1 || priced_already(f, type))
            continue;
        char amount[40];
        snprintf(amount, sizeof amount, "%.6g", (double)p->per_hour.micro / 1e6);
        add(f, &(struct candidate){.path = keep(f, "price of %.100s", type),
                                   .now = keep(f, "%s %s an hour", amount, f->s->currency),
                                   .priced = type,
                                   .quality = knob_quality_name((enum knob_quality)p->quality),
                                   .reach = candidate_reach(p->quality)});
    }
}

int candidate_list(const struct scenario *s, const struct result *r, struct arena *a,
                   struct candidate **out, struct err *e)
{
    struct search f = {.s = s, .r = r, .a = a, .e = e};
    f.out = *out = arena_take(a, MOST, sizeof **out, e);
    if (!f.out)
        return -1;
    if (s->catalog) {
        spot_presets(&f);
        notice_presets(&f);
        startup_presets(&f);
    }
    service_times(&f);
    if (s->catalog)
        prices(&f);
    figures(&f);
    return e->code == ERR_NONE ? (int)f.n : -1;
}

/* ---- another value ---- */

/* Three digits say as much as a plausible range does. */
static double short_number(double v)
{
    char digits[40];
    double out = v;
    snprintf(digits, sizeof digits, "%.3g", v);
    text_parse_double(digits, &out);
    return out;
}

static double within(const struct knob *row, double v)
{
    if (row->min == 0 && row->max == 0)
        return v;
    if (v < row->min)
        return row->min;
    return row->max >= row->min && v > row->max ? row->max : v;
}

/* "90s" times the factor. False when it stays what it is. */
static bool other_time(const char *now, double factor, const struct knob *row, char *out,
                       size_t size)
{
    int64_t ns;
    if (!text_parse_duration(now, &ns) || ns == 0)
        return false;
    double s = short_number((double)ns / 1e9 * factor);
    s = row ? within(row, s) : s;
    int64_t then = (int64_t)(s * 1e9 + 0.5);
    text_duration(out, size, then);
    return then != ns;
}

/* The mean of {"distribution": ..., "mean": "90s", ...} times the factor. */
static bool other_dist(const char *now, double factor, char *out, size_t size)
{
    static const char mark[] = "\"mean\": \"";
    const char *mean = strstr(now, mark);
    if (now[0] != '{')
        return other_time(now, factor, NULL, out, size);
    if (!mean)
        return false;
    mean += sizeof mark - 1;
    char old[40], time[40];
    size_t n = strcspn(mean, "\"");
    snprintf(old, sizeof old, "%.*s", (int)(n < sizeof old ? n : 0), mean);
    if (!other_time(old, factor, NULL, time, sizeof time))
        return false;
    snprintf(out, size, "%.*s%s%s", (int)(mean - now), now, time, mean + n);
    return true;
}

static bool other_number(const char *now, double factor, const struct knob *row, char *out,
                         size_t size)
{
    double v;
    int64_t bytes;
    bool whole = row->kind == KNOB_INT || row->kind == KNOB_INT32 || row->kind == KNOB_BYTES;
    if (row->kind == KNOB_BYTES && text_parse_bytes(now, &bytes))
        v = (double)bytes;
    else if (!text_parse_double(now, &v))
        return false;
    double then = within(row, short_number(v * factor));
    then = whole ? floor(then + 0.5) : then;
    snprintf(out, size, whole ? "%.0f" : "%.6g", then);
    return then != v;
}

static bool other_value(const struct candidate *what, double factor, char *out, size_t size)
{
    const struct knob *row = what->figure->row;
    if (row->kind == KNOB_DURATION)
        return other_time(what->now, factor, row, out, size);
    if (row->kind == KNOB_DIST)
        return other_dist(what->now, factor, out, size);
    return other_number(what->now, factor, row, out, size);
}

static bool set_to(const struct candidate *what, const char *value, struct arena *a,
                   struct scenario_change *c, struct err *e)
{
    char text[1024];
    int n = snprintf(text, sizeof text, "%s=%s", what->key, value);
    const char **sets = arena_take(a, 1, sizeof *sets, e);
    if (!sets || n >= (int)sizeof text)
        return false;
    sets[0] = arena_text(a, text, (size_t)n, e);
    *c = (struct scenario_change){.sets = sets, .n_sets = 1};
    return sets[0] != NULL;
}

bool candidate_change(const struct candidate *what, double factor, struct arena *a,
                      struct scenario_change *c, const char **then, struct err *e)
{
    char value[512];
    if (what->name) {
        *then = what->name;
        return set_to(what, what->name, a, c, e);
    }
    if (what->figure) {
        if (!other_value(what, factor, value, sizeof value))
            return false;
        *then = arena_text(a, value, strlen(value), e);
        return *then && set_to(what, value, a, c, e);
    }
    *c = (struct scenario_change){
        .priced = what->priced, .service = what->service, .factor = factor};
    snprintf(value, sizeof value, "%.3g x", factor);
    *then = arena_text(a, value, strlen(value), e);
    return *then != NULL;
}
