/* engine: memory, weights and forward pass of a network. */
#include "kernels/engine.h"

#include "sim/chance.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ENGINE_ALIGN 64

struct engine {
    const struct network *plan;
    const struct backend *backend;
    struct backend_memory memory;
    int32_t *words, *lengths;
};

/* A tensor on its way from the source to the parameters. */
struct loading {
    float *raw;
    double *values;
    float *norm; /* gain, shift, mean, variance */
};

static void *take(size_t n, size_t size)
{
    size_t bytes = ((n + 1) * size + ENGINE_ALIGN - 1) / ENGINE_ALIGN * ENGINE_ALIGN;
    void *p = aligned_alloc(ENGINE_ALIGN, bytes);
    if (p)
        memset(p, 0, bytes);
    return p;
}

static int load_norm(const struct network_weight *w, const struct weight_source *source,
                     struct loading *l, struct err *e)
{
    static const struct {
        const char *name;
        enum weight_kind kind;
    } parts[4] = {{"weight", WEIGHT_GAIN},
                  {"bias", WEIGHT_SHIFT},
                  {"running_mean", WEIGHT_SHIFT},
                  {"running_var", WEIGHT_VARIANCE}};
    size_t cout = (size_t)w->weight.extents[0];
    for (size_t i = w->norm_gain ? 0 : 1; i < 4; i++) {
        struct weight v = {.kind = parts[i].kind, .rank = 1, .extents = {w->weight.extents[0]}};
        snprintf(v.name, sizeof v.name, "%.80s.%s", w->norm, parts[i].name);
        if (source->read(source->self, &v, l->norm + i * cout, e))
            return -1;
    }
    return 0;
}

static int load_one(struct engine *g, const struct network_weight *w,
                    const struct weight_source *source, struct loading *l, struct err *e)
{
    size_t n = weight_count(&w->weight), cout = (size_t)w->weight.extents[0];
    if (source->read(source->self, &w->weight, l->raw, e))
        return -1;
    for (size_t i = 0; i < n; i++)
        l->values[i] = (double)l->raw[i];
    if (w->norm[0]) {
        if (load_norm(w, source, l, e))
            return -1;
        struct conv_norm norm = {w->norm_gain ? l->norm : NULL, l->norm + cout, l->norm + 2 * cout,
                                 l->norm + 3 * cout, w->norm_eps};
        double *bias = l->values + n;
        conv_fold(&norm, (int32_t)cout, n / cout, l->values, bias);
        g->backend->store(g->memory.parameters, w->bias_at, bias, cout);
    }
    g->backend->store(g->memory.parameters, w->at, l->values, n);
    return 0;
}

static int load_all(struct engine *g, const struct weight_source *source, struct err *e)
{
    size_t most = 0, widest = 0;
    int rc = 0;
    for (size_t i = 0; i < g->plan->n_weights; i++) {
        size_t n = weight_count(&g->plan->weights[i].weight);
        size_t wide = (size_t)g->plan->weights[i].weight.extents[0];
        most = n > most ? n : most;
        widest = wide > widest ? wide : widest;
    }
    struct loading l = {take(most, sizeof(float)), take(most + widest, sizeof(double)),
                        take(4 * widest, sizeof(float))};
    if (!l.raw || !l.values || !l.norm)
        rc = err_set(e, ERR_SYSTEM, NULL, "out of memory for the weights of %s", g->plan->model);
    for (size_t i = 0; rc == 0 && i < g->plan->n_weights; i++)
        rc = load_one(g, &g->plan->weights[i], source, &l, e);
    free(l.raw);
    free(l.values);
    free(l.norm);
    return rc;
}

struct engine *engine_create(const struct network *plan, const struct backend *backend,
                             const struct weight_source *source, struct err *e)
{
    struct engine *g = calloc(1, sizeof *g);
    if (g) {
        *g = (struct engine){.plan = plan, .backend = backend};
        g->memory.parameters = take(plan->parameters, backend->value_size);
        g->memory.activations = take(plan->activations, backend->value_size);
        g->memory.scratch = take(plan->scratch, backend->value_size);
        g->words = take((size_t)plan->tokens, sizeof *g->words);
        g->lengths = take((size_t)plan->batch, sizeof *g->lengths);
        g->memory.words = g->words;
    }
    if (!g || !g->memory.parameters || !g->memory.activations || !g->memory.scratch || !g->words ||
        !g->lengths)
        err_set(e, ERR_SYSTEM, NULL, "out of memory for %s at batch %d", plan->model, plan->batch);
    else if (load_all(g, source, e) == 0)
        return g;
    engine_destroy(g);
    return NULL;
}

void engine_destroy(struct engine *g)
{
    if (!g)
        return;
    free(g->memory.parameters);
    free(g->memory.activations);
    free(g->memory.scratch);
    free(g->words);
    free(g->lengths);
    free(g);
}

void engine_input(struct engine *g, const double *values)
{
    assert(g->plan->input_size > 0);
    g->backend->store(g->memory.activations, g->plan->input, values, g->plan->input_size);
}

void engine_tokens(struct engine *g, const int32_t *words, const int32_t *lengths)
{
    assert(g->plan->tokens > 0);
    for (int32_t i = 0; i < g->plan->tokens; i++) {
        assert(words[i] >= 0 && words[i] < g->plan->vocabulary);
        g->words[i] = words[i];
    }
    for (int32_t i = 0; lengths && i < g->plan->batch; i++)
        g->lengths[i] = lengths[i];
    g->memory.lengths = lengths ? g->lengths : NULL;
}

void engine_random_input(struct engine *g, uint64_t seed)
{
    struct chance c = chance_stream(seed, 0, CHANCE_SAMPLE, 0);
    for (size_t i = 0; i < g->plan->input_size; i++) {
        double value = (double)(float)(2 * chance_uniform(c, i) - 1);
        g->backend->store(g->memory.activations, g->plan->input + i, &value, 1);
    }
    for (int32_t i = 0; i < g->plan->tokens; i++)
        g->words[i] = (int32_t)chance_below(c, (uint64_t)i, (uint64_t)g->plan->vocabulary);
    g->memory.lengths = NULL;
}

void engine_forward(struct engine *g)
{
    for (size_t i = 0; i < g->plan->n_steps; i++)
        g->backend->run(&g->plan->steps[i], &g->memory);
}

void engine_output(const struct engine *g, double *out)
{
    g->backend->load(g->memory.activations, g->plan->output, out, g->plan->output_size);
}
