/* unfollowed: what the user's documents ask for and the simulation does not do. */
#include "scenarios/run/unfollowed.h"

#include "models/capacity/catalog.h"
#include "models/capacity/jobs.h"
#include "models/capacity/pool.h"
#include "models/capacity/spot.h"
#include "models/serving/service.h"
#include "scenarios/run/manifest.h"
#include "scenarios/run/scenario.h"
#include "scenarios/run/unfollowed_keys.h"
#include "sim/json.h"
#include "sim/text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* One document, walked down by the rows of a table. */
struct walk {
    struct unfollowed *out;
    const struct unfollowed_keys_row *rows;
    char who[160];      /* "Job default/train" */
    const char *prefix; /* of the paths that are told, "spec.template.spec." */
    bool job;           /* its pods run to completion */
};

static void tell(struct unfollowed *out, const struct json *at, const char *fmt, ...)
    ERR_PRINTF(3, 4);

static void tell(struct unfollowed *out, const struct json *at, const char *fmt, ...)
{
    va_list args;
    if (out->n == UNFOLLOWED_MAX)
        return;
    struct unfollowed_item *item = &out->items[out->n++];
    item->at = at;
    va_start(args, fmt);
    vsnprintf(item->words, sizeof item->words, fmt, args);
    va_end(args);
}

static const struct unfollowed_keys_row *row_of(const struct unfollowed_keys_row *rows,
                                                const char *path, const char *parent)
{
    char any[300];
    snprintf(any, sizeof any, "%.290s.*", parent);
    for (const struct unfollowed_keys_row *r = rows; r->path; r++)
        if (strcmp(r->path, path) == 0)
            return r;
    for (const struct unfollowed_keys_row *r = rows; r->path; r++)
        if (strcmp(r->path, any) == 0)
            return r;
    return NULL;
}

/* The value as written, as far as it is one word. */
static const char *word_of(const struct json *value)
{
    if (value->type == JSON_BOOL)
        return value->boolean ? "true" : "false";
    bool plain = value->type == JSON_STRING || value->type == JSON_NUMBER;
    return plain ? value->string : "";
}

#define NEAR_MAX 128

/* The known key of the same object that was meant; NULL: none is near. */
static const char *nearest(const struct walk *w, const char *parent, const char *key)
{
    const char *names[NEAR_MAX];
    size_t n = 0, length = strlen(parent);
    for (const struct unfollowed_keys_row *r = w->rows; r->path && n < NEAR_MAX; r++) {
        bool below =
            length == 0 || (strncmp(r->path, parent, length) == 0 && r->path[length] == '.');
        const char *rest = below ? r->path + length + (length > 0) : "*";
        if (rest[0] != '*' && (length > 0 || !strchr(rest, '.')))
            names[n++] = rest;
    }
    return text_nearest(key, names, n);
}

static void look(struct walk *w, const struct json *value, const char *parent);

static void look_at_key(struct walk *w, const struct json *c, const char *parent)
{
    char path[300];
    snprintf(path, sizeof path, "%.200s%s%.90s", parent, parent[0] ? "." : "", c->key);
    const struct unfollowed_keys_row *r = row_of(w->rows, path, parent);
    if (!r) {
        const char *near = nearest(w, parent, c->key);
        tell(w->out, c, "%s: %s%s is no key that is known here, and is not followed%s%s%s", w->who,
             w->prefix, path, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    } else if (r->why && r->why[0] == '\0') {
        look(w, c, path);
    } else if (r->why && !(r->usual && strcmp(word_of(c), r->usual) == 0)) {
        tell(w->out, c, "%s: %s%s is not followed: %s", w->who, w->prefix, path, r->why);
    }
}

/* Items of a list have the path of the list. */
static void look(struct walk *w, const struct json *value, const char *parent)
{
    for (const struct json *c = value->first; c; c = c->next) {
        if (value->type == JSON_OBJECT && c->key && c->type != JSON_NULL)
            look_at_key(w, c, parent);
        else if (value->type == JSON_ARRAY)
            look(w, c, parent);
    }
}

/* ---- pods ---- */

static void look_at_probes(struct walk *w, const struct json *spec)
{
    static const char *const probes[] = {"livenessProbe", "readinessProbe"};
    const struct json *list = json_get(spec, "containers"), *serves = manifest_serving(spec);
    for (const struct json *c = list ? list->first : NULL; c; c = c->next)
        for (size_t i = 0; i < sizeof probes / sizeof probes[0]; i++) {
            const struct json *p = json_get(c, probes[i]);
            if (p && w->job && i == 0)
                tell(w->out, p, "%s: %s is not followed: nobody asks a job for its health", w->who,
                     probes[i]);
            else if (p && !w->job && c != serves)
                tell(w->out, p,
                     "%s: the %s of container %.60s is not followed: only that of the container "
                     "with the GPU, %.60s, is",
                     w->who, probes[i], json_text_at(c, "name", "?"),
                     json_text_at(serves, "name", "?"));
        }
}

/* Requests of init containers count, the time that they take does not. */
static void look_at_init(struct walk *w, const struct json *spec)
{
    const struct json *list = json_get(spec, "initContainers");
    for (const struct json *c = list ? list->first : NULL; c; c = c->next)
        if (strcmp(json_text_at(c, "restartPolicy", ""), "Always") != 0)
            tell(w->out, c,
                 "%s: the time that init container %.60s takes is not known; add it to "
                 "startup.containerStart",
                 w->who, json_text_at(c, "name", "?"));
}

static void look_at_pod(struct walk *w, const struct json *spec, const char *prefix)
{
    if (!spec)
        return;
    w->rows = unfollowed_keys_spec;
    w->prefix = prefix;
    look(w, spec, "");
    look_at_probes(w, spec);
    look_at_init(w, spec);
}

/* ---- documents ---- */

static bool names(const char *asked, const struct json *root)
{
    const char *name = json_text_at(root, "metadata.name", "");
    const char *space = json_text_at(root, "metadata.namespace", "default");
    const char *slash = asked ? strchr(asked, '/') : NULL;
    if (!asked || strcmp(slash ? slash + 1 : asked, name) != 0)
        return false;
    return !slash || (strlen(space) == (size_t)(slash - asked) &&
                      strncmp(space, asked, (size_t)(slash - asked)) == 0);
}

static bool is_used(const struct scenario *s, const struct json *root, bool job)
{
    const struct service_config *services = s->services.items;
    const struct job_config *jobs = s->jobs.items;
    for (size_t i = 0; !job && i < s->services.count; i++)
        if (names(services[i].deployment, root))
            return true;
    for (size_t i = 0; job && i < s->jobs.count; i++)
        if (names(jobs[i].manifest, root))
            return true;
    return false;
}

static void look_at_document(const struct scenario *s, const struct json *root,
                             struct unfollowed *out)
{
    const char *kind = json_text_at(root, "kind", "");
    bool pool = json_get(root, "scaling_group") || json_get(root, "nodepool_info");
    bool bare = strcmp(kind, "Pod") == 0, job = strcmp(kind, "Job") == 0;
    struct walk w = {.out = out, .prefix = "", .job = bare || job};
    if (pool) {
        w.rows = unfollowed_keys_pool;
        snprintf(w.who, sizeof w.who, "node pool %.100s",
                 json_text_at(root, "nodepool_info.name", "?"));
        look(&w, root, "");
        return;
    }
    if ((!w.job && strcmp(kind, "Deployment") != 0) || !is_used(s, root, w.job))
        return;
    w.rows = bare ? unfollowed_keys_bare : job ? unfollowed_keys_job : unfollowed_keys_deployment;
    snprintf(w.who, sizeof w.who, "%s %.63s/%.63s", kind,
             json_text_at(root, "metadata.namespace", "default"),
             json_text_at(root, "metadata.name", "?"));
    look(&w, root, "");
    look_at_pod(&w, json_at(root, bare ? "spec" : "spec.template.spec"),
                bare ? "spec." : "spec.template.spec.");
}

/* ---- the scenario ---- */

/* Settings of a bid say nothing about a pool that buys none. */
static void look_at_bid(const struct scenario *s, size_t i, struct unfollowed *out)
{
    static const char *const keys[] = {"onDemandPercentageAboveBaseCapacity",
                                       "onDemandBaseCapacity", "spotInstanceRemedy",
                                       "spotAutoReplaceOnDemand", "spotInstancePools"};
    const struct pool_config *c = (const struct pool_config *)s->cluster.pools.items + i;
    char path[64];
    snprintf(path, sizeof path, "nodePools[%zu]", i);
    const struct json *pool = json_at(s->root, path);
    for (size_t k = 0; !pool_uses_spot(c) && k < sizeof keys / sizeof keys[0]; k++) {
        const struct json *v = json_get(pool, keys[k]);
        bool off = k == 0 ? c->share >= 1
                          : v && (strcmp(word_of(v), "false") == 0 || strcmp(word_of(v), "0") == 0);
        if (v && !off)
            tell(out, v, "node pool %.60s: %s has no effect: every node is on demand, since %s",
                 c->name, keys[k],
                 c->spot_strategy == POOL_NO_SPOT ? "its spotStrategy is NoSpot"
                                                  : "it names no spotMarket");
    }
}

/* What the market asks for a type at the least; 0: not known before the run. */
static int64_t least_asked(const struct scenario *s, const struct pool_config *c, const char *type)
{
    struct catalog_price_key key = {type, c->region, s->currency, PRICE_ON_DEMAND};
    const struct spot_preset *m = catalog_spot(s->catalog, c->spot_market);
    const struct price *list = catalog_price(s->catalog, &key);
    key.billing = PRICE_SPOT;
    const struct price *row = catalog_price(s->catalog, &key);
    if (!m || !list || c->price_traces.count > 0)
        return 0;
    double share = m->price_step > 0 ? m->price_low : m->price_share;
    int64_t of = spot_list_price(m, row ? row->per_hour.micro : 0, list->per_hour.micro);
    return price_share(of, (int64_t)(share * 1e6 + 0.5));
}

/* A limit below everything that the market asks buys nothing. */
static void look_at_limit(const struct scenario *s, size_t i, struct unfollowed *out)
{
    const struct pool_config *c = (const struct pool_config *)s->cluster.pools.items + i;
    char path[64];
    snprintf(path, sizeof path, "nodePools[%zu]", i);
    const struct json *pool = json_at(s->root, path);
    for (size_t k = 0; pool && pool_uses_spot(c) && k < c->instance_types.count; k++) {
        const char *type = c->instance_types.items[k];
        int64_t limit = pool_price_limit(c, type), asked = least_asked(s, c, type);
        if (limit == 0 || limit >= asked)
            continue;
        tell(out, pool,
             "node pool %.60s: no %.60s is ever bought as spot: the limit is %.6g %s an hour, and "
             "the market %.60s asks %.6g at the least",
             c->name, type, (double)limit / 1e6, s->currency, c->spot_market, (double)asked / 1e6);
    }
}

void unfollowed_find(const struct scenario *s, struct unfollowed *out)
{
    const struct json *root;
    out->n = 0;
    for (size_t i = 0; s->files && (root = manifest_document(s->files, i)); i++)
        look_at_document(s, root, out);
    for (size_t i = 0; i < s->cluster.pools.count; i++)
        look_at_bid(s, i, out);
    for (size_t i = 0; i < s->cluster.pools.count; i++)
        look_at_limit(s, i, out);
}
