/* job_list: the pods of a trace as jobs. */
#include "models/capacity/job_list.h"

#include "sim/arena.h"

#include <stdio.h>
#include <string.h>

static bool same(const struct pod_list_item *a, const struct pod_list_item *b)
{
    return a->cpu_milli == b->cpu_milli && a->memory_bytes == b->memory_bytes &&
           a->gpus == b->gpus && a->share_milli == b->share_milli &&
           strcmp(a->gpu_spec, b->gpu_spec) == 0;
}

/* "P100|T4" with each kind under the name that it is to be asked for by. */
static int add_kinds(struct pod_shape *s, const struct job_list_setup *set, const char *spec,
                     struct arena *a, struct err *e)
{
    char text[256];
    size_t at = 0;
    for (const char *kind = spec; *kind && at < sizeof text - 1;) {
        size_t n = strcspn(kind, "|");
        const char *name = kind;
        for (size_t i = 0; i < set->kinds->count; i++) {
            const struct knob_pair *p = &set->kinds->items[i];
            if (strlen(p->key) == n && memcmp(p->key, kind, n) == 0)
                name = p->value;
        }
        int length = name == kind ? (int)n : (int)strlen(name);
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%.*s", at ? "|" : "", length, name);
        kind += n + (kind[n] == '|');
    }
    if (at >= sizeof text)
        return err_set(e, ERR_INPUT, NULL, "gpu_spec '%.80s...' is too long", spec);
    const char **items = arena_take(a, 1, sizeof *items, e);
    if (!items)
        return -1;
    items[0] = arena_text(a, text, at, e);
    s->gpu_types = (struct knob_texts){items, 1};
    return items[0] ? 0 : -1;
}

static int make_shape(struct pod_shape *s, const struct job_list_setup *set,
                      const struct pod_list_item *p, struct arena *a, struct err *e)
{
    *s = *set->base;
    s->gpus = p->gpus;
    s->cpu_milli = p->cpu_milli;
    s->memory_bytes = p->memory_bytes;
    s->share_milli = set->shares == JOB_LIST_SHARE ? p->share_milli : 0;
    s->of_trace = true;
    return p->gpu_spec[0] ? add_kinds(s, set, p->gpu_spec, a, e) : 0;
}

/* The list's pods that look different, by the first of each. */
static int find_shapes(struct job_list *l, const struct job_list_setup *set, uint32_t *shape_of,
                       struct arena *a, struct err *e)
{
    const struct pod_list *list = set->pods;
    const struct pod_list_item **first = arena_take(a, list->n, sizeof *first, e);
    if (!first)
        return -1;
    for (size_t i = 0; i < list->n; i++) {
        size_t k = 0;
        while (k < l->n_shapes && !same(first[k], &list->items[i]))
            k++;
        if (k == l->n_shapes)
            first[l->n_shapes++] = &list->items[i];
        shape_of[i] = (uint32_t)k;
    }
    l->shapes = arena_take(a, l->n_shapes, sizeof *l->shapes, e);
    for (size_t k = 0; l->shapes && k < l->n_shapes; k++)
        if (make_shape(&l->shapes[k], set, first[k], a, e))
            return -1;
    return l->shapes ? 0 : -1;
}

/* A pod that runs when the run begins is asked for then, for what is left of its life. */
static bool take(struct job_list_item *j, const struct pod_list_item *p, sim_ns from)
{
    sim_ns gone = p->created < from ? from - p->created : 0;
    if (gone > 0 && gone >= p->run)
        return false;
    *j = (struct job_list_item){
        .name = p->name,
        .at = p->created - from + gone,
        .run = p->run - gone,
        .failed = p->failed,
    };
    return true;
}

int job_list_make(struct job_list *l, const struct job_list_setup *s, struct arena *a,
                  struct err *e)
{
    const struct pod_list *list = s->pods;
    *l = (struct job_list){0};
    uint32_t *shape_of = arena_take(a, list->n, sizeof *shape_of, e);
    struct job_list_item *items = arena_take(a, list->n, sizeof *items, e);
    if (!shape_of || !items || find_shapes(l, s, shape_of, a, e))
        return -1;
    for (size_t i = 0; i < list->n; i++) {
        if (!take(&items[l->n], &list->items[i], s->from)) {
            l->left_out++;
            continue;
        }
        items[l->n++].shape = shape_of[i];
        l->shared += list->items[i].share_milli > 0;
    }
    l->items = items;
    return 0;
}
