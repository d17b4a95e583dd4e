/* step_bench: steps one by one, in the memory of their network. */
#include "kernels/step_bench.h"

#include "kernels/cache_flush.h"
#include "kernels/engine.h"
#include "kernels/stopwatch.h"
#include "sim/arena.h"

#include <stdlib.h>
#include <string.h>

const char *step_bench_kind(enum step_kind k)
{
    static const char *const names[] = {"convolution", "pooling",    "linear",
                                        "embedding",   "layer norm", "attention"};
    return names[k];
}

/* ---- work ---- */

static double conv_bytes(const struct conv_shape *c)
{
    double x = (double)c->batch * c->cin * c->hin * c->win;
    double y = (double)c->batch * c->cout * conv_hout(c) * conv_wout(c);
    return 4 * (x + y + (double)c->cout * (c->cin * c->kh * c->kw + 1));
}

static double pool_values(const struct pool_shape *p)
{
    return (double)p->batch * p->channels * pool_hout(p) * pool_wout(p);
}

static double step_bytes(const struct network_step *s)
{
    const struct linear_shape *l = &s->as.linear;
    const struct embedding_shape *m = &s->as.embedding;
    const struct layer_norm_shape *n = &s->as.layer_norm;
    const struct attention_shape *t = &s->as.attention;
    switch (s->kind) {
    case STEP_CONV:
        return conv_bytes(&s->as.conv);
    case STEP_POOL:
        return 4 * (pool_values(&s->as.pool) + (double)s->as.pool.batch * s->as.pool.channels *
                                                   s->as.pool.hin * s->as.pool.win);
    case STEP_LINEAR:
        return 4 * ((double)l->rows * l->inputs + ((double)l->inputs + 1) * l->outputs +
                    (double)l->rows * l->outputs);
    case STEP_EMBEDDING:
        return 4 * 4.0 * m->batch * m->sequence * m->hidden;
    case STEP_LAYER_NORM:
        return 4 * ((s->residual == NETWORK_NONE ? 2.0 : 3.0) * n->rows * n->columns +
                    2.0 * n->columns);
    case STEP_ATTENTION:
        return 4 * 4.0 * t->batch * t->sequence * t->heads * t->size;
    }
    return 1;
}

/* What is no product is counted too, or it would lie at no height: a pool's cells, the sums of an
 * embedding, mean, variance, scale and shift of a layer norm with its residual. */
static double step_operations(const struct network_step *s)
{
    const struct embedding_shape *m = &s->as.embedding;
    const struct layer_norm_shape *n = &s->as.layer_norm;
    switch (s->kind) {
    case STEP_POOL:
        return pool_values(&s->as.pool) * s->as.pool.kh * s->as.pool.kw;
    case STEP_EMBEDDING:
        return 2.0 * m->batch * m->sequence * m->hidden;
    case STEP_LAYER_NORM:
        return (s->residual == NETWORK_NONE ? 7.0 : 8.0) * n->rows * n->columns;
    case STEP_CONV:
    case STEP_LINEAR:
    case STEP_ATTENTION:
        break;
    }
    return network_step_flop(s);
}

/* ---- measuring ---- */

struct work {
    struct engine *engine;
    size_t step;
    struct err *e;
    int failed;
};

static void run(void *self)
{
    struct work *w = self;
    if (!w->failed)
        w->failed = engine_step(w->engine, w->step, w->e);
}

static const struct stopwatch_rule rule = {
    .min_s = 0.02, .max_s = 0.3, .min_samples = 7, .spread = 0.05};

#define COLD_RUNS 5

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* A GPU's cache by its backend, the processor's by writing over it. */
static int cold(struct work *w, struct cache_flush *flush, double *median_s)
{
    double times[COLD_RUNS];
    for (int i = 0; i < COLD_RUNS; i++) {
        cache_flush(flush);
        if (engine_flush(w->engine, w->e))
            return -1;
        double before = stopwatch_now_s();
        run(w);
        times[i] = stopwatch_now_s() - before;
    }
    qsort(times, COLD_RUNS, sizeof *times, by_value);
    *median_s = times[COLD_RUNS / 2];
    return w->failed;
}

static int measure(struct engine *g, size_t step, struct cache_flush *flush,
                   struct step_bench_row *row, struct err *e)
{
    struct work w = {.engine = g, .step = step, .e = e};
    struct stopwatch_reading reading;
    stopwatch_measure(&rule, run, &w, &reading);
    row->time_s = reading.median_s;
    return w.failed ? -1 : cold(&w, flush, &row->cold_s);
}

/* ---- rows ---- */

static struct step_bench_row *find(struct step_bench_row *rows, size_t n,
                                   const struct step_bench_row *like)
{
    for (size_t i = 0; i < n; i++)
        if (rows[i].kind == like->kind && rows[i].flop == like->flop &&
            rows[i].bytes == like->bytes)
            return &rows[i];
    return NULL;
}

static int by_share(const void *a, const void *b)
{
    const struct step_bench_row *x = a, *y = b;
    return (x->share < y->share) - (x->share > y->share);
}

static void order(struct step_bench_row *rows, size_t n)
{
    double total = 0;
    for (size_t i = 0; i < n; i++)
        total += rows[i].time_s * (double)rows[i].count;
    for (size_t i = 0; i < n; i++)
        rows[i].share = rows[i].time_s * (double)rows[i].count / total;
    qsort(rows, n, sizeof *rows, by_share);
}

static int measure_all(struct engine *g, const struct network *plan, struct step_bench_row *rows,
                       size_t *n, struct err *e)
{
    struct cache_flush flush;
    struct environment env;
    environment_processor(&env);
    int rc = cache_flush_init(&flush, env.cache_bytes, e);
    *n = 0;
    for (size_t i = 0; rc == 0 && i < plan->n_steps; i++) {
        const struct network_step *s = &plan->steps[i];
        struct step_bench_row row = {.name = s->name,
                                     .kind = s->kind,
                                     .count = 1,
                                     .flop = step_operations(s),
                                     .bytes = step_bytes(s)};
        struct step_bench_row *same = find(rows, *n, &row);
        if (same)
            same->count++;
        else if (*n < STEP_BENCH_MAX && (rc = measure(g, i, &flush, &row, e)) == 0)
            rows[(*n)++] = row;
    }
    cache_flush_fini(&flush);
    return rc;
}

int step_bench(struct arena *a, const struct network_choice *m, const struct backend *backend,
               struct step_bench_row **rows, size_t *n, struct err *e)
{
    struct network_source source;
    *rows = NULL;
    if (network_source_open(a, m, &source, e))
        return -1;
    const struct network *plan = source.plan;
    *rows = arena_take(a, STEP_BENCH_MAX, sizeof **rows, e);
    struct engine *g = *rows ? engine_create(plan, backend, &source.weights, e) : NULL;
    int rc = -1;
    network_source_close(&source);
    if (g && engine_random_input(g, m->seed, e) == 0 && engine_forward(g, e) == 0)
        rc = measure_all(g, plan, *rows, n, e);
    engine_destroy(g);
    if (rc == 0)
        order(*rows, *n);
    return rc ? -1 : 0;
}
