/* scheduling: what manifests say to the scheduler. */
#include "scenarios/run/scheduling.h"

#include "scenarios/run/carry.h"
#include "scenarios/run/manifest.h"
#include "sim/arena.h"
#include "sim/json.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* "key=value:Effect"; operator Exists leaves the value out. */
static const char *words(struct arena *a, const struct json *item, struct err *e)
{
    const char *key = json_text_at(item, "key", ""), *value = json_text_at(item, "value", "");
    const char *effect = json_text_at(item, "effect", "");
    bool equal = key[0] && strcmp(json_text_at(item, "operator", "Equal"), "Exists") != 0;
    char text[600];
    snprintf(text, sizeof text, "%.250s%s%.200s%s%.40s", key, equal ? "=" : "", equal ? value : "",
             effect[0] ? ":" : "", effect);
    return arena_text(a, text, strlen(text), e);
}

/* A taint has no operator: without a value it is "key:Effect". */
static const char *taint_words(struct arena *a, const struct json *item, struct err *e)
{
    const char *value = json_text_at(item, "value", "");
    char text[600];
    snprintf(text, sizeof text, "%.250s%s%.200s:%.40s", json_text_at(item, "key", ""),
             value[0] ? "=" : "", value, json_text_at(item, "effect", ""));
    return arena_text(a, text, strlen(text), e);
}

typedef const char *words_fn(struct arena *a, const struct json *item, struct err *e);

static struct json *texts(struct arena *a, const struct json *list, words_fn *fn, struct err *e)
{
    struct json *all = json_new(a, JSON_ARRAY, list->file, list->line, list->column, e);
    for (const struct json *c = list->first; all && c; c = c->next) {
        const char *text = fn(a, c, e);
        struct json *t = text ? carry_text(a, NULL, text, c, e) : NULL;
        if (!t)
            return NULL;
        json_append(all, t);
    }
    return all;
}

static bool is_given(const struct json *list)
{
    return list && list->type == JSON_ARRAY && list->first;
}

int scheduling_tolerations(struct arena *a, struct json *pod, const struct json *list,
                           struct err *e)
{
    struct json *all = is_given(list) ? texts(a, list, words, e) : NULL;
    if (!all)
        return is_given(list) ? -1 : 0;
    all->key = "tolerations";
    json_append(pod, all);
    return 0;
}

int scheduling_taints(struct arena *a, struct json *pool, const struct json *list, struct err *e)
{
    struct json *all = is_given(list) ? texts(a, list, taint_words, e) : NULL;
    if (!all)
        return is_given(list) ? -1 : 0;
    all->key = "taints";
    json_append(pool, all);
    return 0;
}

/* ---- priority ---- */

/* The class of this name; NULL: the one that is the default. */
static const struct json *find_class(const struct manifest_set *m, const char *name)
{
    const struct json *root;
    for (size_t i = 0; (root = manifest_document(m, i)); i++) {
        const struct json *usual = json_get(root, "globalDefault");
        if (strcmp(json_text_at(root, "kind", ""), "PriorityClass") != 0)
            continue;
        if (name ? strcmp(json_text_at(root, "metadata.name", ""), name) == 0
                 : usual && usual->type == JSON_BOOL && usual->boolean)
            return root;
    }
    return NULL;
}

/* Classes that every cluster has (Kubernetes documentation, Guaranteed Scheduling, 2024). */
static const char *built_in(const char *name)
{
    if (strcmp(name, "system-cluster-critical") == 0)
        return "2000000000";
    return strcmp(name, "system-node-critical") == 0 ? "2000001000" : NULL;
}

static int put(struct json *pod, struct json *made)
{
    if (made)
        json_append(pod, made);
    return made ? 0 : -1;
}

static int put_value(struct arena *a, struct json *pod, const struct json *value, struct err *e)
{
    return value ? put(pod, carry_copy(a, value, "priority", e)) : 0;
}

static int put_policy(struct arena *a, struct json *pod, const struct json *from, struct err *e)
{
    if (strcmp(json_text_at(from, "preemptionPolicy", ""), "Never") != 0)
        return 0;
    struct json *never = json_new(a, JSON_BOOL, from->file, from->line, from->column, e);
    if (!never)
        return -1;
    never->key = "preemptionNever";
    never->boolean = true;
    return put(pod, never);
}

int scheduling_priority(struct arena *a, const struct manifest_set *m, struct json *pod,
                        const struct json *spec, struct err *e)
{
    const struct json *named = json_get(spec, "priorityClassName");
    const char *name = json_text_at(spec, "priorityClassName", NULL);
    const struct json *class = find_class(m, name);
    char place[512];
    if (name && !class && !built_in(name))
        return err_set(e, ERR_INPUT, json_place(place, sizeof place, named),
                       "priorityClassName: no PriorityClass '%s' is in the manifests", name);
    if (name && !class)
        return put(pod, carry_text(a, "priority", built_in(name), named, e));
    const struct json *own = json_get(spec, "priority");
    if (put_value(a, pod, class ? json_get(class, "value") : own, e))
        return -1;
    if (json_get(spec, "preemptionPolicy") || !class)
        return put_policy(a, pod, spec, e);
    return put_policy(a, pod, class, e);
}
