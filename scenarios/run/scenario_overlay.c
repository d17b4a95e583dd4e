/* scenario_overlay: what the command line and the manifests add to the scenario's own tree. */
#include "scenarios/run/bind_overlay.h"
#include "scenarios/run/manifest.h"
#include "scenarios/run/scenario_inside.h"
#include "sim/json.h"
#include "sim/text.h"

#include <string.h>

static struct json *child(struct json *object, const char *key)
{
    for (struct json *c = object->first; c; c = c->next)
        if (c->key && strcmp(c->key, key) == 0)
            return c;
    return NULL;
}

/* An empty list in the root, at the root's place. */
static struct json *new_list(struct scenario_loading *l, const char *key, struct err *e)
{
    const struct json *root = l->root;
    struct json *list = json_new(l->arena, JSON_ARRAY, root->file, root->line, root->column, e);
    if (!list)
        return NULL;
    list->key = key;
    json_append(l->root, list);
    return list;
}

int scenario_overlay_drills(struct scenario_loading *l, struct err *e)
{
    struct json *list = child(l->root, "drills");
    if (l->source->n_drills == 0 || (list && list->type != JSON_ARRAY))
        return 0;
    if (!list && !(list = new_list(l, "drills", e)))
        return -1;
    for (size_t i = 0; i < l->source->n_drills; i++) {
        struct json *item = json_new(l->arena, JSON_STRING, "--drill", (uint32_t)i + 1, 1, e);
        if (!item)
            return -1;
        item->string = l->source->drills[i];
        json_append(list, item);
    }
    return 0;
}

/* ---- manifests ---- */

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

static int unknown_deployment(const struct scenario_loading *l, const struct json *asked,
                              struct err *e)
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

static int overlay_service(struct scenario_loading *l, struct json *list, struct json *item,
                           struct err *e)
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

static int overlay_job(struct scenario_loading *l, struct json *list, struct json *item,
                       struct err *e)
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

static int overlay_pool(struct scenario_loading *l, struct json *list, struct json *item,
                        struct err *e)
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
static int add_pools(struct scenario_loading *l, struct json *list, struct err *e)
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

typedef int overlay_fn(struct scenario_loading *l, struct json *list, struct json *item,
                       struct err *e);

static int overlay_list(struct scenario_loading *l, struct json *list, overlay_fn *fn,
                        struct err *e)
{
    for (struct json *item = list->first, *next; item; item = next) {
        next = item->next;
        if (fn(l, list, item, e))
            return -1;
    }
    return 0;
}

int scenario_overlay_manifests(struct scenario_loading *l, struct err *e)
{
    l->manifests = manifest_read(l->arena, l->base_dir, json_get(l->root, "manifests"), e);
    if (!l->manifests)
        return -1;
    struct json *services = child(l->root, "services"), *pools = child(l->root, "nodePools");
    struct json *jobs = child(l->root, "jobs");
    if (!pools && json_get(l->root, "manifests") && !(pools = new_list(l, "nodePools", e)))
        return -1;
    if (services && services->type == JSON_ARRAY && overlay_list(l, services, overlay_service, e))
        return -1;
    if (jobs && jobs->type == JSON_ARRAY && overlay_list(l, jobs, overlay_job, e))
        return -1;
    if (!pools || pools->type != JSON_ARRAY)
        return 0;
    return overlay_list(l, pools, overlay_pool, e) || add_pools(l, pools, e) ? -1 : 0;
}
