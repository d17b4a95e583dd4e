/* lint: what an expert sees before any run. */
#include "scenarios/run/lint.h"

#include "models/capacity/catalog.h"
#include "models/capacity/eci_room.h"
#include "models/capacity/group.h"
#include "models/capacity/group_choose.h"
#include "models/capacity/instance.h"
#include "models/capacity/pod_shape.h"
#include "models/capacity/sale.h"
#include "models/capacity/scheduler.h"
#include "models/capacity/startup_source.h"
#include "scenarios/run/ingress_routes.h"
#include "scenarios/run/manifest.h"
#include "scenarios/run/owners.h"
#include "scenarios/run/scenario.h"
#include "scenarios/run/unfollowed.h"
#include "sim/json.h"
#include "sim/text.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Below this share of what a replica can do, a target buys GPUs that idle (assumed). */
#define LOW_TARGET 0.2

/* What a service's rules look at. */
struct subject {
    const struct service_config *config;
    const struct json *node; /* in the scenario, manifests laid under */
    const struct manifest_set *files;
    double capacity_qps;       /* of one replica, on its slowest kind of GPU */
    double peak_qps;           /* of the traffic */
    const struct json *target; /* of the HPA's QPS metric; NULL: none */
    double target_qps;
};

const char *lint_level_name(enum lint_level l)
{
    static const char *const names[] = {"note", "warning", "error"};
    assert((size_t)l < sizeof names / sizeof names[0]);
    return names[l];
}

struct mark {
    enum lint_level level;
    const char *rule;
    const struct json *at;
};

ERR_PRINTF(3, 4)
static void report(struct lint *out, struct mark m, const char *fmt, ...)
{
    va_list args;
    out->count += m.level == LINT_ERROR;
    if (out->n == LINT_MAX)
        return;
    struct lint_finding *f = &out->items[out->n++];
    f->level = m.level;
    f->rule = m.rule;
    json_place(f->where, sizeof f->where, m.at);
    va_start(args, fmt);
    vsnprintf(f->words, sizeof f->words, fmt, args);
    va_end(args);
}

/* ---- the HPA ---- */

static const char *string_of(const struct json *node)
{
    return node && node->type == JSON_STRING ? node->string : "";
}

/* "10", "10k" or 10; 0: none. */
static double quantity(const struct json *node)
{
    int64_t milli;
    if (node && node->type == JSON_NUMBER)
        return node->number;
    return text_parse_quantity(string_of(node), &milli) ? (double)milli / 1000 : 0;
}

/* The same value as the API's versions write it. */
static const struct json *either(const struct json *o, const char *old, const char *now)
{
    const struct json *node = json_at(o, now);
    return node ? node : json_at(o, old);
}

static void check_version(struct lint *out, const struct json *hpa)
{
    static const struct {
        const char *version, *gone;
    } rows[] = {{"autoscaling/v2beta1", "1.25"}, {"autoscaling/v2beta2", "1.26"}};
    const struct json *v = json_get(hpa, "apiVersion");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(string_of(v), rows[i].version) == 0)
            report(out, (struct mark){LINT_WARNING, "api-version", v},
                   "%s is gone since Kubernetes %s; write autoscaling/v2", rows[i].version,
                   rows[i].gone);
}

/* Of the service's deployment, which may be asked for by its name alone. */
static void namespace_of(const struct subject *s, char *out, size_t size)
{
    const struct json *root;
    const char *asked = s->config->deployment, *slash = strchr(asked, '/'), *found = "default";
    for (size_t i = 0; s->files && !slash && (root = manifest_document(s->files, i)); i++)
        if (strcmp(json_text_at(root, "kind", ""), "Deployment") == 0 &&
            strcmp(json_text_at(root, "metadata.name", ""), asked) == 0) {
            found = json_text_at(root, "metadata.namespace", "default");
            break;
        }
    snprintf(out, size, "%.*s", slash ? (int)(slash - asked) : 63, slash ? asked : found);
}

/* Routes are NAMESPACE-SERVICE-PORT: one of another namespace, and one that no Ingress makes, match
 * nothing, and the HPA never sees a request. */
static void check_route(struct lint *out, const struct subject *s, const struct json *external)
{
    const struct json *labels =
        either(external, "metricSelector.matchLabels", "metric.selector.matchLabels");
    const struct json *route = json_get(labels, "sls.ingress.route");
    char namespace[64];
    struct ingress_routes known;
    if (!route || !s->config->deployment || !s->config->deployment[0])
        return;
    namespace_of(s, namespace, sizeof namespace);
    size_t n = strlen(namespace);
    ingress_routes_find(s->files, namespace, &known);
    if (strncmp(string_of(route), namespace, n) != 0 || string_of(route)[n] != '-')
        report(out, (struct mark){LINT_ERROR, "route", route},
               "the route '%.120s' does not begin with the namespace of the deployment, '%s-': "
               "it matches no log line, and the HPA sees no requests",
               string_of(route), namespace);
    else if (known.n > 0 && !ingress_routes_has(&known, string_of(route)))
        report(out, (struct mark){LINT_ERROR, "route", route},
               "no Ingress of the manifests makes the route '%.120s' (NAMESPACE-SERVICE-PORT); did "
               "you mean '%.120s'? As it is it matches no log line, and the HPA sees no requests",
               string_of(route), ingress_routes_nearest(&known, string_of(route)));
}

static void check_metric(struct lint *out, struct subject *s, const struct json *metric)
{
    const struct json *external = json_get(metric, "external");
    const char *name = string_of(either(external, "metricName", "metric.name"));
    check_route(out, s, external);
    if (!strstr(name, "qps"))
        return;
    s->target = either(external, "targetAverageValue", "target.averageValue");
    s->target_qps = quantity(s->target);
}

static void check_hpa(struct lint *out, struct subject *s)
{
    const struct json *hpa = json_at(s->node, "autoscaler.hpa");
    const struct json *metrics = json_get(hpa, "metrics");
    if (!hpa)
        return;
    check_version(out, hpa);
    for (const struct json *m = metrics ? metrics->first : NULL; m; m = m->next)
        check_metric(out, s, m);
}

/* ---- capacity ---- */

static void check_target(struct lint *out, const struct subject *s)
{
    const char *gpu = s->config->pod.gpu_types.count ? s->config->pod.gpu_types.items[0] : "GPU";
    double share = s->target_qps / s->capacity_qps;
    if (!s->target || s->target_qps <= 0)
        return;
    if (share > 1)
        report(out, (struct mark){LINT_ERROR, "target", s->target},
               "target above capacity: a replica serves %.4g requests a second at most, the HPA "
               "waits for %.4g: it will not scale before requests time out",
               s->capacity_qps, s->target_qps);
    else if (share < LOW_TARGET)
        report(out, (struct mark){LINT_WARNING, "target", s->target},
               "%.4g QPS is %.2g %% of this %s, which serves %.4g; the rest of each is paid for "
               "and idle",
               s->target_qps, share * 100, gpu, s->capacity_qps);
}

static void check_peak(struct lint *out, const struct subject *s)
{
    const struct json *most = json_at(s->node, "autoscaler.hpa.maxReplicas");
    double max = quantity(most);
    if (!most || max <= 0 || !(s->peak_qps > 0))
        return;
    if (max * s->capacity_qps < s->peak_qps)
        report(out, (struct mark){LINT_ERROR, "peak", most},
               "%.4g replicas serve %.4g requests a second, the peak is %.4g", max,
               max * s->capacity_qps, s->peak_qps);
    else if (s->target_qps > 0 && max * s->target_qps < s->peak_qps)
        report(out, (struct mark){LINT_WARNING, "peak", most},
               "%.4g replicas at a target of %.4g hold %.4g QPS, the peak is %.4g: at the peak the "
               "HPA is at its maximum and each replica above its target",
               max, s->target_qps, max * s->target_qps, s->peak_qps);
}

/* ---- probes ---- */

/* The containers of the deployment's own file, or the service in the scenario. */
static const struct json *containers_of(const struct scenario *s, const struct subject *subject)
{
    const struct json *root;
    const char *asked = subject->config->deployment ? subject->config->deployment : "";
    const char *slash = strchr(asked, '/');
    for (size_t i = 0; s->files && (root = manifest_document(s->files, i)); i++) {
        const struct json *list = json_at(root, "spec.template.spec.containers");
        if (list && strcmp(string_of(json_get(root, "kind")), "Deployment") == 0 &&
            strcmp(string_of(json_at(root, "metadata.name")), slash ? slash + 1 : asked) == 0)
            return list;
    }
    return subject->node;
}

static void check_readiness(struct lint *out, const struct scenario *sc, const struct subject *s)
{
    const char *deployment = s->config->deployment;
    bool plays = (deployment && deployment[0] != '\0') || sc->cluster.pools.count > 0;
    if (!s->config->startup.readiness && plays)
        report(out, (struct mark){LINT_WARNING, "readiness", containers_of(sc, s)},
               "%s has no readiness probe: a pod gets requests before its model is loaded, and "
               "refuses them",
               s->config->name);
}

static void check_liveness(struct lint *out, const struct subject *s, const struct catalog *catalog)
{
    const struct startup_config *c = &s->config->startup;
    const struct json *live = json_at(s->node, "startup.livenessProbe");
    if (!c->liveness)
        return;
    struct startup_config load = *c;
    load.image.cached = true; /* the probe's clock starts with the container */
    load.instant = false;
    load.volume_mount = load.container_start = dist_constant(0);
    double needs = (double)startup_source_least(&load, catalog) / 1e9;
    double allows = (double)startup_probe_patience(c->liveness) / 1e9;
    if (needs >= allows)
        report(out, (struct mark){LINT_ERROR, "liveness", live ? live : s->node},
               "the liveness probe ends the container after %.4g s, its model takes %.4g s at "
               "least: it restarts for ever",
               allows, needs);
}

/* ---- pools ---- */

static const struct instance_type *type_of(const struct scenario *s, const struct pool_config *c,
                                           size_t i)
{
    return catalog_instance(s->catalog, c->instance_types.items[i]);
}

static void check_mix(struct lint *out, const struct scenario *s, size_t p, const struct json *at)
{
    const struct pool_config *c = (const struct pool_config *)s->cluster.pools.items + p;
    const struct instance_type *first = type_of(s, c, 0);
    for (size_t i = 1; i < c->instance_types.count; i++) {
        const struct instance_type *t = type_of(s, c, i);
        const char *a = first && first->gpu ? first->gpu : "none";
        const char *b = t && t->gpu ? t->gpu : "none";
        if (strcmp(a, b) == 0)
            continue;
        report(out, (struct mark){LINT_WARNING, "gpu-mix", at},
               "pool %.60s mixes GPU kinds (%s and %s): a pod runs on whichever is bought, and an "
               "HPA target fits one of them at most",
               c->name, a, b);
        return;
    }
}

static int check_order(struct lint *out, const struct scenario *s, size_t p, const struct json *at,
                       struct err *e)
{
    struct group g;
    char words[300];
    struct group_setup set = {
        .config = (const struct pool_config *)s->cluster.pools.items + p,
        .index = (uint32_t)p,
        .catalog = s->catalog,
        .currency = s->currency,
        .horizon = SIM_HOUR,
    };
    int rc = group_init(&g, &set, e);
    if (rc == 0 && group_choose_dear(&g, words, sizeof words))
        report(out, (struct mark){LINT_WARNING, "plan-order", at}, "%s", words);
    group_fini(&g);
    return rc;
}

/* ---- places ---- */

/* The pod of a service or job, or the pool's headroom, where it stands in the scenario. */
static const struct json *place_of(const struct scenario *s, struct owners_role role)
{
    char path[64];
    if (role.kind == OWNERS_HEADROOM)
        snprintf(path, sizeof path, "nodePools[%u].headroom", (unsigned)role.index);
    else
        snprintf(path, sizeof path, "%s[%u]", role.kind == OWNERS_JOB ? "jobs" : "services",
                 (unsigned)role.index);
    const struct json *at = json_at(s->root, path);
    return at ? at : s->root;
}

static void check_headroom(struct lint *out, const struct scenario *s, const struct sale *sale,
                           uint32_t owner)
{
    struct sale_headroom h;
    struct owners_role role = s->roles[owner];
    const struct pool_config *pool =
        (const struct pool_config *)s->cluster.pools.items + role.index;
    if (sale_lacks_headroom(sale, pool, &s->shapes[owner], &h))
        report(out, (struct mark){LINT_WARNING, "headroom", place_of(s, role)}, "%s", h.words);
}

/* A pod that no machine takes, or whose machines can never be had: whether it was told. */
static bool check_place(struct lint *out, const struct scenario *s, const struct sale *sale,
                        uint32_t owner)
{
    const struct pool_config *pools = s->cluster.pools.items;
    const struct pod_shape *pod = &s->shapes[owner];
    struct mark m = {LINT_ERROR, "placement", place_of(s, s->roles[owner])};
    struct scheduler_refusal refused = {0};
    char words[200] = "";
    bool takes = false;
    for (size_t i = 0; i < s->cluster.pools.count && !takes; i++)
        takes = sale_takes(sale, &pools[i], pod, &refused);
    if (takes && sale_barred(sale, pod, words, sizeof words) != SALE_OPEN) {
        report(out, m, "no machine for the pods of %.60s can ever be bought: %s", pod->name, words);
    } else if (!takes && refused.nodes > 0) {
        scheduler_list(&refused, words, sizeof words);
        report(out, m, "no machine that the pools buy takes a pod of %.60s: %s", pod->name, words);
    }
    return !takes || words[0] != '\0';
}

/* The largest size that the service's autoscaler may ask for; NULL: it says none. */
static const struct json *top_of(const struct json *service)
{
    static const char *const keys[] = {"hpa.maxReplicas",    "keda.maxReplicaCount",
                                       "oracle.maxReplicas", "kpa.max-scale",
                                       "fixed.replicas",     "fixed"};
    const struct json *scaler = json_get(service, "autoscaler");
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const struct json *top = json_at(scaler, keys[i]);
        if (top && quantity(top) > 0)
            return top;
    }
    return NULL;
}

/* Sizes that no pool and no quota has room for, were the service alone. */
static void check_reach(struct lint *out, const struct scenario *s, const struct sale *sale,
                        uint32_t owner)
{
    const struct pod_shape *pod = &s->shapes[owner];
    const struct json *service = place_of(s, s->roles[owner]), *top = top_of(service);
    struct sale_room room;
    sale_room(sale, pod, &room);
    if (room.pods == 0)
        report(out, (struct mark){LINT_ERROR, "placement", service},
               "there is never a machine for the pods of %.60s: %s", pod->name, room.words);
    else if (top && quantity(top) > (double)room.pods)
        report(out, (struct mark){LINT_WARNING, "reach", top},
               "%.60s may grow to %.0f replicas, and there is room for %lld: %s", pod->name,
               quantity(top), (long long)room.pods, room.words);
}

/* The same of pods that go to the virtual node alone. */
static void check_instances(struct lint *out, const struct scenario *s, uint32_t owner)
{
    const struct pod_shape *pod = &s->shapes[owner];
    const struct json *service = place_of(s, s->roles[owner]), *top = top_of(service);
    struct eci_room room;
    eci_room_of(
        &(struct eci_room_ask){
            .config = &s->cluster, .catalog = s->catalog, .pod = pod, .horizon = s->horizon},
        &room);
    if (room.pods == 0)
        report(out, (struct mark){LINT_ERROR, "placement", service},
               "no instance for the pods of %.60s can ever be created: %s", pod->name, room.words);
    else if (top && quantity(top) > (double)room.pods)
        report(out, (struct mark){LINT_WARNING, "reach", top},
               "%.60s may grow to %.0f replicas, and there is room for %lld: %s", pod->name,
               quantity(top), (long long)room.pods, room.words);
}

/* With a virtual node or machines that are simply there a pod may find its place elsewhere. */
static void check_places(struct lint *out, const struct scenario *s)
{
    const struct sale sale = {&s->cluster, s->catalog, s->horizon, 0};
    bool elsewhere = s->cluster.virtual_node || s->cluster.node_list;
    for (uint32_t o = 0; o < s->n_owners; o++) {
        if (s->roles[o].kind == OWNERS_HEADROOM)
            check_headroom(out, s, &sale, o);
        else if (!elsewhere && !check_place(out, s, &sale, o) && s->cluster.pools.count > 0 &&
                 !s->shapes[o].placement)
            check_reach(out, s, &sale, o);
        if (s->roles[o].kind != OWNERS_HEADROOM)
            check_instances(out, s, o);
    }
}

/* ---- credentials ---- */

static void check_secrets(struct lint *out, const struct json *node)
{
    static const char *const keys[] = {"akId", "akSecret", "accessKeyId", "accessKeySecret"};
    for (const struct json *c = node->first; c; c = c->next) {
        for (size_t i = 0; c->key && i < sizeof keys / sizeof keys[0]; i++)
            if (strcmp(c->key, keys[i]) == 0)
                report(out, (struct mark){LINT_WARNING, "credentials", c},
                       "%s stands in a volume that everybody may read; refer to a Secret "
                       "(nodePublishSecretRef)",
                       keys[i]);
        check_secrets(out, c);
    }
}

static void check_volumes(struct lint *out, const struct scenario *s)
{
    const struct json *root;
    for (size_t i = 0; s->files && (root = manifest_document(s->files, i)); i++)
        if (strcmp(string_of(json_get(root, "kind")), "PersistentVolume") == 0)
            check_secrets(out, root);
}

/* ---- files ---- */

static void check_indentation(struct lint *out, const struct scenario *s)
{
    size_t n = 0;
    const struct manifest_note *notes = s->files ? manifest_notes(s->files, &n) : NULL;
    for (size_t i = 0; i < n; i++)
        if (notes[i].repaired)
            report(out, (struct mark){LINT_WARNING, "indentation", manifest_document(s->files, i)},
                   "%s %s has lost its indentation; taken as meant: %s", notes[i].kind,
                   notes[i].name, notes[i].repaired);
}

static void check_followed(struct lint *out, const struct scenario *s)
{
    struct unfollowed u;
    unfollowed_find(s, &u);
    for (size_t i = 0; i < u.n; i++)
        report(out, (struct mark){LINT_WARNING, "not-followed", u.items[i].at}, "%s",
               u.items[i].words);
}

/* ---- all of it ---- */

static struct subject subject_of(const struct scenario *s, size_t i)
{
    char path[64];
    snprintf(path, sizeof path, "services[%zu]", i);
    const struct service_config *c = (const struct service_config *)s->services.items + i;
    const struct service_time *times = c->serving.times.items;
    double slowest_ns = 1;
    for (size_t k = 0; k < c->serving.times.count; k++)
        slowest_ns = times[k].time.mean > slowest_ns ? times[k].time.mean : slowest_ns;
    const struct json *node = json_at(s->root, path);
    return (struct subject){
        .config = c,
        .node = node ? node : s->root,
        .files = s->files,
        .capacity_qps = 1e9 / slowest_ns,
        .peak_qps = traffic_peak_qps(s->traffic[i]),
    };
}

int lint_scenario(struct lint *out, const struct scenario *s, struct err *e)
{
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < s->services.count; i++) {
        struct subject subject = subject_of(s, i);
        check_hpa(out, &subject);
        check_target(out, &subject);
        check_peak(out, &subject);
        check_readiness(out, s, &subject);
        check_liveness(out, &subject, s->catalog);
    }
    for (size_t p = 0; p < s->cluster.pools.count; p++) {
        char path[64];
        snprintf(path, sizeof path, "nodePools[%zu].instanceTypes", p);
        const struct json *at = json_at(s->root, path);
        at = at ? at : s->root;
        check_mix(out, s, p, at);
        if (check_order(out, s, p, at, e))
            return -1;
    }
    check_places(out, s);
    check_volumes(out, s);
    check_indentation(out, s);
    check_followed(out, s);
    return 0;
}
