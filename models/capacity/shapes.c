/* shapes: every way that pods of a cluster look. */
#include "models/capacity/shapes.h"

#include "models/capacity/placement.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_SIZE 96

static size_t units_of(const struct pod_shape *p)
{
    return p->placement ? p->placement->units.count : 0;
}

static size_t pairs_of(const struct pod_shape *p)
{
    size_t n = 0;
    for (uint32_t u = 0; u < units_of(p); u++) {
        const struct placement_unit *unit = placement_unit(p->placement, u);
        n += p->node_selector.count + p->labels.count + p->annotations.count;
        n += unit->node_selector.count + unit->labels.count + unit->annotations.count;
    }
    return n;
}

/* Over's pairs, then those of `under` that it does not have. */
static struct knob_map overlay(const struct knob_map *over, const struct knob_map *under,
                               struct knob_pair **next)
{
    struct knob_map made = {*next, 0};
    for (size_t i = 0; i < over->count; i++)
        made.items[made.count++] = over->items[i];
    for (size_t i = 0; i < under->count; i++) {
        size_t k = 0;
        while (k < over->count && strcmp(over->items[k].key, under->items[i].key) != 0)
            k++;
        if (k == over->count)
            made.items[made.count++] = under->items[i];
    }
    *next += made.count;
    return made;
}

static void add_unit(struct shapes *s, uint32_t owner, uint32_t u, struct knob_pair **pairs)
{
    const struct pod_shape *base = &s->items[owner];
    const struct placement_unit *unit = placement_unit(base->placement, u);
    size_t i = s->n++;
    char *name = s->names + (i - s->n_owners) * NAME_SIZE;
    snprintf(name, NAME_SIZE, "%.48s.%.40s", base->name ? base->name : "pod", unit->name);
    s->owner[i] = owner;
    s->items[i] = *base;
    s->items[i].name = name;
    s->items[i].unit = unit;
    s->items[i].node_selector = overlay(&unit->node_selector, &base->node_selector, pairs);
    s->items[i].labels = overlay(&unit->labels, &base->labels, pairs);
    s->items[i].annotations = overlay(&unit->annotations, &base->annotations, pairs);
}

int shapes_init(struct shapes *s, const struct pod_shape *owners, size_t n_owners, struct err *e)
{
    size_t units = 0, pairs = 0;
    for (size_t i = 0; i < n_owners; i++) {
        units += units_of(&owners[i]);
        pairs += pairs_of(&owners[i]);
    }
    *s = (struct shapes){
        .items = calloc(n_owners + units + 1, sizeof *s->items),
        .owner = calloc(n_owners + units + 1, sizeof *s->owner),
        .first_unit = calloc(n_owners + 1, sizeof *s->first_unit),
        .pairs = calloc(pairs + 1, sizeof *s->pairs),
        .names = calloc(units + 1, NAME_SIZE),
        .n = n_owners,
        .n_owners = n_owners,
    };
    if (!s->items || !s->owner || !s->first_unit || !s->pairs || !s->names)
        return err_set(e, ERR_SYSTEM, NULL, "out of memory for %zu kinds of pods", n_owners);
    struct knob_pair *next = s->pairs;
    for (uint32_t o = 0; o < n_owners; o++) {
        s->items[o] = owners[o];
        s->owner[o] = o;
    }
    for (uint32_t o = 0; o < n_owners; o++) {
        s->first_unit[o] = units_of(&owners[o]) ? (uint32_t)s->n : SHAPES_NONE;
        for (uint32_t u = 0; u < units_of(&owners[o]); u++)
            add_unit(s, o, u, &next);
    }
    assert(next <= s->pairs + pairs);
    return 0;
}

void shapes_fini(struct shapes *s)
{
    free(s->items);
    free(s->owner);
    free(s->first_unit);
    free(s->pairs);
    free(s->names);
    *s = (struct shapes){0};
}

uint32_t shapes_unit(const struct shapes *s, uint32_t shape)
{
    assert(shape < s->n);
    return shape < s->n_owners ? PLACEMENT_NONE : shape - s->first_unit[s->owner[shape]];
}
