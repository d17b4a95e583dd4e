/* elastic: what ElasticWorkload, ResourcePolicy and eci-profile say about a workload's pods. */
#include "scenarios/run/elastic.h"

#include "scenarios/run/carry.h"
#include "scenarios/run/manifest.h"
#include "sim/arena.h"
#include "sim/text.h"

#include <stdio.h>
#include <string.h>

static bool is(const struct json *root, const char *path, const char *value)
{
    return strcmp(json_text_at(root, path, ""), value) == 0;
}

/* Every pair of the selector stands in the labels. */
static bool selects(const struct json *selector, const struct json *labels)
{
    for (const struct json *c = selector ? selector->first : NULL; c; c = c->next) {
        const struct json *have = json_get(labels, c->key);
        if (!have || !have->string || !c->string || strcmp(have->string, c->string) != 0)
            return false;
    }
    return selector != NULL;
}

/* ---- eci-profile ---- */

bool elastic_is_profile(const struct json *d)
{
    return is(d, "kind", "ConfigMap") && is(d, "metadata.name", "eci-profile") &&
           is(d, "metadata.namespace", "kube-system");
}

/* The pod's own words stay. */
static int inject(struct arena *a, struct json *pod, const char *key, const struct json *pairs,
                  struct err *e)
{
    struct json *map = carry_child(pod, key);
    if (!pairs || !pairs->first)
        return 0;
    if (!map) {
        map = carry_object(a, key, pairs, e);
        if (!map)
            return -1;
        json_append(pod, map);
    }
    for (const struct json *c = pairs->first; c; c = c->next) {
        struct json *kept = json_get(map, c->key) ? NULL : carry_copy(a, c, c->key, e);
        if (kept)
            json_append(map, kept);
        else if (e->code != ERR_NONE)
            return -1;
    }
    return 0;
}

static int inject_one(struct arena *a, struct json *pod, const char *const pair[3],
                      const struct json *place, struct err *e)
{
    struct json *o = carry_object(a, NULL, place, e);
    struct json *t = o ? carry_text(a, pair[1], pair[2], place, e) : NULL;
    if (!t)
        return -1;
    json_append(o, t);
    return inject(a, pod, pair[0], o, e);
}

/* Without effect and policy a selector is there to send pods to ECI. */
static int follow_policy(struct arena *a, struct json *pod, const struct json *selector,
                         struct err *e)
{
    static const char *const only[] = {"labels", "alibabacloud.com/eci", "true"};
    static const char *const spill[] = {"annotations", "alibabacloud.com/burst-resource", "eci"};
    const struct json *policy = json_get(selector, "policy");
    bool some = json_get(policy, "normalNodePrefer") || json_get(policy, "fair");
    if (json_get(policy, "normalNodeOnly") || (!policy && json_get(selector, "effect")))
        return 0;
    return inject_one(a, pod, some ? spill : only, selector, e);
}

static bool matches(const struct json *selector, const struct elastic_workload *w)
{
    const struct json *object = json_at(selector, "objectSelector.matchLabels");
    const struct json *space = json_at(selector, "namespaceSelector.matchLabels");
    bool pods = !object || selects(object, json_get(w->metadata, "labels"));
    bool spaces = !space || selects(space, w->namespace_labels);
    return (object || space) && pods && spaces;
}

static int add_profile(struct arena *a, const struct json *profile,
                       const struct elastic_workload *w, struct json *pod, struct err *e)
{
    const struct json *text = json_at(profile, "data.selectors");
    if (!text || text->type != JSON_STRING || text->string[0] == '\0')
        return 0;
    struct json_part part = {text->file, text->string, strlen(text->string), text->line,
                             text->column};
    const struct json *list = json_parse_part(a, &part, e);
    if (!list)
        return -1;
    for (const struct json *s = list->first; s; s = s->next)
        if (matches(s, w) && (inject(a, pod, "annotations", json_at(s, "effect.annotations"), e) ||
                              inject(a, pod, "labels", json_at(s, "effect.labels"), e) ||
                              follow_policy(a, pod, s, e)))
            return -1;
    return 0;
}

/* ---- units ---- */

static struct json *add_unit(struct arena *a, struct json *units, const struct json *from,
                             const char *const name_and_resource[2], struct err *e)
{
    static const struct carry_row rows[] = {
        {"min", "min", CARRY_AS_IS},
        {"max", "max", CARRY_AS_IS},
        {"nodeSelector", "nodeSelector", CARRY_AS_IS},
        {"labels", "labels", CARRY_AS_IS},
        {"annotations", "annotations", CARRY_AS_IS},
        {"podLabels", "labels", CARRY_AS_IS},
        {"podAnnotations", "annotations", CARRY_AS_IS},
        {0},
    };
    struct json *unit = carry_object(a, NULL, from, e);
    struct json *name = unit ? carry_text(a, "name", name_and_resource[0], from, e) : NULL;
    struct json *resource = name ? carry_text(a, "resource", name_and_resource[1], from, e) : NULL;
    if (!resource)
        return NULL;
    json_append(unit, name);
    json_append(unit, resource);
    json_append(units, unit);
    return carry_rows(a, unit, from, rows, e) ? NULL : unit;
}

static struct json *new_placement(struct arena *a, struct json *pod, const struct json *from,
                                  const char *kind, struct err *e)
{
    struct json *placement = carry_object(a, "placement", from, e);
    struct json *t = placement ? carry_text(a, "kind", kind, from, e) : NULL;
    struct json *units = t ? carry_list(a, "units", from, e) : NULL;
    if (!units)
        return NULL;
    json_append(placement, t);
    json_append(placement, units);
    json_append(pod, placement);
    return placement;
}

const struct json *elastic_workload_of(const struct manifest_set *m,
                                       const struct elastic_workload *w)
{
    const struct json *d;
    for (size_t i = 0; (d = manifest_document(m, i)); i++)
        if (is(d, "kind", "ElasticWorkload") && is(d, "spec.sourceTarget.name", w->name) &&
            strcmp(json_text_at(d, "spec.sourceTarget.kind", "Deployment"), w->kind) == 0 &&
            strcmp(json_text_at(d, "metadata.namespace", "default"), w->namespace) == 0)
            return d;
    return NULL;
}

/* The unit of an ElasticWorkload is on ECI when its labels send its pods there. */
static const char *resource_of(const struct json *unit)
{
    const struct json *eci = json_get(json_get(unit, "labels"), "alibabacloud.com/eci");
    return eci && eci->type == JSON_STRING && strcmp(eci->string, "true") == 0 ? "eci" : "ecs";
}

static int add_elastic_workload(struct arena *a, const struct json *d, struct json *pod,
                                struct err *e)
{
    const struct json *source = json_at(d, "spec.sourceTarget");
    const struct json *list = json_at(d, "spec.elasticUnit");
    static const struct carry_row bounds[] = {
        {"min", "min", CARRY_AS_IS}, {"max", "max", CARRY_AS_IS}, {0}};
    struct json *placement = new_placement(a, pod, d, "ElasticWorkload", e);
    if (!placement)
        return -1;
    struct json *units = carry_child(placement, "units");
    struct json *bare = carry_object(a, NULL, source, e);
    if (!bare || carry_rows(a, bare, source, bounds, e) ||
        !add_unit(a, units, bare, (const char *const[2]){"source", "ecs"}, e))
        return -1;
    for (const struct json *u = list ? list->first : NULL; u; u = u->next) {
        const char *pair[2] = {json_text_at(u, "name", "unit"), resource_of(u)};
        if (!add_unit(a, units, u, pair, e))
            return -1;
    }
    return 0;
}

/* Its selector is a bare map of labels. */
static const struct json *policy_of(const struct manifest_set *m, const struct elastic_workload *w)
{
    const struct json *d, *labels = json_get(w->metadata, "labels");
    for (size_t i = 0; (d = manifest_document(m, i)); i++) {
        const struct json *selector = json_at(d, "spec.selector");
        const struct json *match = json_get(selector, "matchLabels");
        if (is(d, "kind", "ResourcePolicy") &&
            strcmp(json_text_at(d, "metadata.namespace", "default"), w->namespace) == 0 &&
            selects(match ? match : selector, labels))
            return d;
    }
    return NULL;
}

static int check_resource(const struct json *unit, struct err *e)
{
    const char *r = json_text_at(unit, "resource", "");
    char place[512];
    if (strcmp(r, "ecs") == 0 || strcmp(r, "eci") == 0)
        return 0;
    return err_set(e, ERR_INPUT, json_place(place, sizeof place, unit),
                   "ResourcePolicy: resource '%s' of a unit is not modelled; allowed are ecs and "
                   "eci",
                   r);
}

static int add_policy(struct arena *a, const struct json *d, struct json *pod, struct err *e)
{
    static const struct carry_row rows[] = {
        {"spec.whenTryNextUnits.policy", "whenTryNextUnits", CARRY_AS_IS},
        {"spec.whenTryNextUnits.timeout", "timeout", CARRY_AS_IS},
        {0},
    };
    const struct json *list = json_at(d, "spec.units");
    struct json *placement = new_placement(a, pod, d, "ResourcePolicy", e);
    if (!placement || carry_rows(a, placement, d, rows, e))
        return -1;
    size_t n = 0;
    for (const struct json *u = list ? list->first : NULL; u; u = u->next) {
        char name[32];
        snprintf(name, sizeof name, "%.8s%zu", json_text_at(u, "resource", ""), ++n);
        const char *kept = arena_text(a, name, strlen(name), e);
        const char *pair[2] = {kept, json_text_at(u, "resource", "")};
        if (!kept || check_resource(u, e) ||
            !add_unit(a, carry_child(placement, "units"), u, pair, e))
            return -1;
    }
    return 0;
}

int elastic_add(struct arena *a, const struct manifest_set *m, const struct elastic_workload *w,
                struct json *pod, struct err *e)
{
    const struct json *d, *spread = elastic_workload_of(m, w), *policy = policy_of(m, w);
    for (size_t i = 0; (d = manifest_document(m, i)); i++)
        if (elastic_is_profile(d) && add_profile(a, d, w, pod, e))
            return -1;
    if (spread)
        return add_elastic_workload(a, spread, pod, e);
    return policy ? add_policy(a, policy, pod, e) : 0;
}
