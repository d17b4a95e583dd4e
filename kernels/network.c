/* network: building a plan and placing its tensors. */
#include "kernels/network.h"

#include "kernels/packing.h"
#include "sim/arena.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Places are multiples of this many values: a cache line of float. */
#define NETWORK_ALIGN 16

static size_t aligned(size_t n)
{
    return (n + NETWORK_ALIGN - 1) / NETWORK_ALIGN * NETWORK_ALIGN;
}

struct network *network_create(struct arena *a, const char *model, struct err *e)
{
    struct network *n = arena_take(a, 1, sizeof *n, e);
    if (!n)
        return NULL;
    n->model = model;
    n->steps = arena_take(a, NETWORK_MAX_STEPS, sizeof *n->steps, e);
    n->weights = arena_take(a, NETWORK_MAX_WEIGHTS, sizeof *n->weights, e);
    n->tensors = arena_take(a, NETWORK_MAX_STEPS + 1, sizeof *n->tensors, e);
    return n->steps && n->weights && n->tensors ? n : NULL;
}

size_t network_tensor(struct network *n, size_t size)
{
    assert(n->n_tensors <= NETWORK_MAX_STEPS && size > 0);
    n->tensors[n->n_tensors] = (struct network_tensor){.size = size, .first = NETWORK_NONE};
    return n->n_tensors++;
}

static void touch(struct network *n, size_t tensor)
{
    if (tensor == NETWORK_NONE)
        return;
    assert(tensor < n->n_tensors);
    struct network_tensor *t = &n->tensors[tensor];
    t->first = t->first == NETWORK_NONE ? n->n_steps : t->first;
    t->last = n->n_steps;
}

/* While building, a step's y holds its tensor and `kinds`, unless it is an embedding's, the offset:
 * so one array of tensors and one of steps are all there is. */
struct network_step *network_add(struct network *n, const struct network_step *s, size_t y_offset)
{
    assert(n->n_steps < NETWORK_MAX_STEPS && s->y < n->n_tensors);
    assert(y_offset == 0 || s->kind != STEP_EMBEDDING);
    touch(n, s->x);
    touch(n, s->residual);
    touch(n, s->y);
    struct network_step *copy = &n->steps[n->n_steps++];
    *copy = *s;
    if (s->kind != STEP_EMBEDDING)
        copy->kinds = y_offset;
    return copy;
}

size_t network_weight(struct network *n, const struct weight *w)
{
    assert(n->n_weights < NETWORK_MAX_WEIGHTS && w->rank >= 1 && w->rank <= WEIGHT_MAX_RANK);
    size_t at = n->parameters;
    n->weights[n->n_weights++] = (struct network_weight){.weight = *w, .at = at};
    n->parameters = at + weight_count(w);
    n->parameter_count += (int64_t)weight_count(w);
    return at;
}

void network_conv_weight(struct network *n, struct network_step *s, bool with_gain, double eps)
{
    const struct conv_shape *c = &s->as.conv;
    struct weight w = {
        .kind = WEIGHT_PRODUCT, .rank = 4, .extents = {c->cout, c->cin, c->kh, c->kw}};
    snprintf(w.name, sizeof w.name, "%.80s.conv.weight", s->name);
    s->weight = network_weight(n, &w);
    struct network_weight *row = &n->weights[n->n_weights - 1];
    snprintf(row->norm, sizeof row->norm, "%.80s.bn", s->name);
    row->norm_gain = with_gain;
    row->norm_eps = eps;
    row->bias_at = s->bias = n->parameters;
    n->parameters += (size_t)c->cout;
    n->parameter_count += with_gain ? 2 * c->cout : c->cout;
}

double network_step_flop(const struct network_step *s)
{
    switch (s->kind) {
    case STEP_CONV:
        return conv_flop(&s->as.conv);
    case STEP_LINEAR:
        return linear_flop(&s->as.linear);
    case STEP_ATTENTION:
        return attention_flop(&s->as.attention);
    case STEP_POOL:
    case STEP_EMBEDDING:
    case STEP_LAYER_NORM:
        break;
    }
    return 0;
}

static size_t step_scratch(const struct network_step *s)
{
    return s->kind == STEP_CONV            ? conv_scratch(&s->as.conv)
           : s->kind == STEP_ATTENTION     ? attention_scratch(&s->as.attention)
           : packing_reads_first_tokens(s) ? (size_t)s->as.linear.rows * (size_t)s->as.linear.inputs
                                           : 0;
}

static bool overlap(const struct network_tensor *a, const struct network_tensor *b)
{
    return a->first <= b->last && b->first <= a->last;
}

/* The lowest place at which t touches none of those already placed that live at the same time.
 * Each collision moves it behind the one it met, so that it ends. */
static size_t lowest(const struct network *n, const struct network_tensor *t)
{
    size_t at = 0;
    for (size_t i = 0; i < n->n_tensors; i++) {
        const struct network_tensor *o = &n->tensors[i];
        if (o == t || o->at == NETWORK_NONE || !overlap(o, t) || o->at >= at + t->size ||
            at >= o->at + o->size)
            continue;
        at = aligned(o->at + o->size);
        i = SIZE_MAX; /* and from the beginning */
    }
    return at;
}

static struct network_tensor *largest_unplaced(const struct network *n)
{
    struct network_tensor *found = NULL;
    for (size_t i = 0; i < n->n_tensors; i++)
        if (n->tensors[i].at == NETWORK_NONE && (!found || n->tensors[i].size > found->size))
            found = &n->tensors[i];
    return found;
}

/* Tensors of the steps become places. */
static void resolve(struct network *n, struct network_step *s)
{
    bool has_offset = s->kind != STEP_EMBEDDING;
    s->x = s->x == NETWORK_NONE ? NETWORK_NONE : n->tensors[s->x].at;
    s->residual = s->residual == NETWORK_NONE ? NETWORK_NONE : n->tensors[s->residual].at;
    s->y = n->tensors[s->y].at + (has_offset ? s->kinds : 0);
    if (has_offset)
        s->kinds = NETWORK_NONE;
}

void network_place(struct network *n, size_t input, size_t output)
{
    struct network_tensor *t;
    if (input != NETWORK_NONE) {
        n->tensors[input].first = 0;
        n->tensors[input].last = n->n_steps;
    }
    n->tensors[output].last = n->n_steps;
    for (size_t i = 0; i < n->n_tensors; i++)
        n->tensors[i].at = NETWORK_NONE;
    while ((t = largest_unplaced(n))) {
        t->at = lowest(n, t);
        n->activations = t->at + t->size > n->activations ? t->at + t->size : n->activations;
    }
    for (size_t i = 0; i < n->n_steps; i++) {
        size_t scratch = step_scratch(&n->steps[i]);
        n->scratch = scratch > n->scratch ? scratch : n->scratch;
        n->flop += network_step_flop(&n->steps[i]);
        resolve(n, &n->steps[i]);
    }
    n->input = input == NETWORK_NONE ? NETWORK_NONE : n->tensors[input].at;
    n->input_size = input == NETWORK_NONE ? 0 : n->tensors[input].size;
    n->output = n->tensors[output].at;
    n->output_size = n->tensors[output].size;
}
