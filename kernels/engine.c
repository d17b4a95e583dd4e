/* engine: memory, weights and forward pass of a network. */
#include "kernels/engine.h"

#include "kernels/stopwatch.h"
#include "sim/chance.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

/* Values of a random input that are drawn, then stored together. */
#define ENGINE_DRAWN 1024

struct engine {
    const struct network *plan;
    const struct backend *backend;
    struct backend_memory memory;
    bool drop_padding;
};

/* A tensor on its way from the source to the parameters. */
struct loading {
    float *raw;
    double *values;
    float *norm; /* gain, shift, mean, variance */
};

static int store(const struct engine *g, const struct backend_span *to, const double *from,
                 struct err *e)
{
    return g->backend->store(&g->memory, to, from, e);
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
        if (store(g, &(struct backend_span){g->memory.parameters, w->bias_at, cout}, bias, e))
            return -1;
    }
    return store(g, &(struct backend_span){g->memory.parameters, w->at, n}, l->values, e);
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
    struct loading l = {calloc(most, sizeof(float)), calloc(most + widest, sizeof(double)),
                        calloc(4 * widest, sizeof(float))};
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
    if (!g) {
        err_set(e, ERR_SYSTEM, NULL, "out of memory for %s", plan->model);
        return NULL;
    }
    *g = (struct engine){.plan = plan, .backend = backend};
    if (backend->open(backend, plan, &g->memory, e) == 0 && load_all(g, source, e) == 0)
        return g;
    engine_destroy(g);
    return NULL;
}

void engine_destroy(struct engine *g)
{
    if (!g)
        return;
    g->backend->close(&g->memory);
    free(g);
}

int engine_input(struct engine *g, const double *values, struct err *e)
{
    assert(g->plan->input_size > 0);
    struct backend_span to = {g->memory.activations, g->plan->input, g->plan->input_size};
    return store(g, &to, values, e);
}

int engine_tokens(struct engine *g, const int32_t *words, const int32_t *lengths, struct err *e)
{
    assert(g->plan->tokens > 0);
    for (int32_t i = 0; i < g->plan->tokens; i++)
        assert(words[i] >= 0 && words[i] < g->plan->vocabulary);
    for (int32_t i = 0; lengths && i < g->plan->batch; i++)
        assert(lengths[i] >= 1 && lengths[i] <= g->plan->sequence);
    return g->backend->tokens(g->plan, &g->memory,
                              &(struct backend_tokens){words, lengths, g->drop_padding}, e);
}

static int random_values(struct engine *g, struct chance c, struct err *e)
{
    double drawn[ENGINE_DRAWN];
    size_t n = g->plan->input_size;
    for (size_t i = 0; i < n; i += ENGINE_DRAWN) {
        struct backend_span to = {g->memory.activations, g->plan->input + i, ENGINE_DRAWN};
        to.n = n - i < ENGINE_DRAWN ? n - i : ENGINE_DRAWN;
        for (size_t j = 0; j < to.n; j++)
            drawn[j] = (double)(float)(2 * chance_uniform(c, i + j) - 1);
        if (store(g, &to, drawn, e))
            return -1;
    }
    return 0;
}

void engine_drop_padding(struct engine *g, bool drop)
{
    g->drop_padding = drop;
}

int engine_random_sequences(struct engine *g, uint64_t seed, const int32_t *lengths, struct err *e)
{
    struct chance c = chance_stream(seed, 0, CHANCE_SAMPLE, 0);
    int32_t n = g->plan->tokens, rc = -1, *words = calloc((size_t)n, sizeof *words);
    if (!words)
        return err_set(e, ERR_SYSTEM, NULL, "out of memory for %d tokens", n);
    for (int32_t i = 0; i < n; i++)
        words[i] = (int32_t)chance_below(c, (uint64_t)i, (uint64_t)g->plan->vocabulary);
    rc = engine_tokens(g, words, lengths, e);
    free(words);
    return rc;
}

int engine_random_input(struct engine *g, uint64_t seed, struct err *e)
{
    struct chance c = chance_stream(seed, 0, CHANCE_SAMPLE, 0);
    return g->plan->tokens > 0 ? engine_random_sequences(g, seed, NULL, e) : random_values(g, c, e);
}

int engine_forward(struct engine *g, struct err *e)
{
    return g->backend->forward(g->plan, &g->memory, e);
}

int engine_step(struct engine *g, size_t step, struct err *e)
{
    struct network one = *g->plan;
    assert(step < one.n_steps);
    one.steps += step;
    one.n_steps = 1;
    return g->backend->forward(&one, &g->memory, e);
}

int engine_time_step(struct engine *g, size_t step, int32_t runs, double *seconds, struct err *e)
{
    struct network one = *g->plan;
    assert(step < one.n_steps && runs >= 1);
    one.steps += step;
    one.n_steps = 1;
    if (g->backend->timed) {
        int rc = g->backend->timed(&one, &g->memory, runs, seconds, e);
        *seconds /= runs;
        return rc;
    }
    double before_s = stopwatch_now_s();
    for (int32_t i = 0; i < runs; i++)
        if (g->backend->forward(&one, &g->memory, e))
            return -1;
    *seconds = (stopwatch_now_s() - before_s) / runs;
    return 0;
}

int engine_read_all(const struct engine *g, double *out, struct err *e)
{
    struct backend_span all = {g->memory.activations, 0, g->plan->activations};
    return g->backend->load(&g->memory, &all, out, e);
}

int engine_write_all(struct engine *g, const double *values, struct err *e)
{
    struct backend_span all = {g->memory.activations, 0, g->plan->activations};
    return store(g, &all, values, e);
}

int engine_output(const struct engine *g, double *out, struct err *e)
{
    struct backend_span from = {g->memory.activations, g->plan->output, g->plan->output_size};
    return g->backend->load(&g->memory, &from, out, e);
}

void engine_describe(const struct engine *g, struct backend_device *out)
{
    g->backend->describe(&g->memory, out);
}

int engine_flush(struct engine *g, struct err *e)
{
    return g->backend->flush ? g->backend->flush(&g->memory, e) : 0;
}
