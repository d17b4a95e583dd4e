/* step_bench: steps one by one, in the memory of their network, by the device's clock. */
#include "kernels/step_bench.h"

#include "kernels/cache_flush.h"
#include "kernels/engine.h"
#include "kernels/engine_environment.h"
#include "sim/arena.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

const struct step_bench_rule step_bench_usual = {
    .each = {.min_s = 0.02, .max_s = 0.3, .min_samples = 7, .spread = 0.05},
    .cold_runs = 5,
    .most_s = INFINITY};

struct subject {
    const struct step_bench_rule *rule;
    struct engine *engine;
    struct cache_flush flush; /* empty: the backend empties its own cache */
    struct gpu_watch gpu;
    double until_s, step_until_s; /* of all, and of the one that is measured */
    size_t kinds_left;            /* which share the time */
};

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void read_samples(double *samples, size_t n, double spread, struct step_bench_row *row)
{
    qsort(samples, n, sizeof *samples, by_value);
    row->samples = n;
    row->time_s = samples[n / 2];
    row->low_s = samples[n / 4];
    row->high_s = samples[n - 1 - n / 4];
    row->stable = row->high_s - row->low_s <= spread * row->time_s;
}

/* A sample is so many runs back to back that the device's clock, of half a microsecond, and the
 * start of the first one no longer matter. */
#define SAMPLE_S 200e-6
#define SAMPLE_RUNS 100

static int warm(const struct subject *s, size_t step, struct step_bench_row *row, struct err *e)
{
    const struct stopwatch_rule *rule = &s->rule->each;
    double kept[STOPWATCH_MAX_SAMPLES], sorted[STOPWATCH_MAX_SAMPLES], once_s, start_s;
    size_t n = 0;
    /* the first run loads what it needs, the second one tells how long it takes */
    if (engine_time_step(s->engine, step, 1, &once_s, e) ||
        engine_time_step(s->engine, step, 1, &once_s, e))
        return -1;
    double wanted = once_s > 0 ? ceil(SAMPLE_S / once_s) : SAMPLE_RUNS;
    int32_t runs = (int32_t)fmin(wanted, SAMPLE_RUNS);
    double now_s = start_s = stopwatch_now_s(), half_s = (s->step_until_s - start_s) / 2;
    do {
        if (engine_time_step(s->engine, step, runs, &kept[n++], e))
            return -1;
        memcpy(sorted, kept, n * sizeof *sorted);
        read_samples(sorted, n, rule->spread, row);
        now_s = stopwatch_now_s();
    } while (n < STOPWATCH_MAX_SAMPLES && now_s - start_s < fmin(rule->max_s, half_s) &&
             (n < rule->min_samples || now_s - start_s < rule->min_s || !row->stable));
    struct latency l;
    latency_summarize(sorted, n, &l);
    row->median = l.p50;
    latency_widen(kept, n, &row->median);
    return 0;
}

/* A GPU's cache by its backend, the processor's by writing over it. */
static int cold(struct subject *s, size_t step, struct step_bench_row *row, struct err *e)
{
    double times[STOPWATCH_MAX_SAMPLES];
    size_t n = 0;
    do {
        if (s->flush.bytes)
            cache_flush(&s->flush);
        if (engine_flush(s->engine, e) || engine_time_step(s->engine, step, 1, &times[n++], e))
            return -1;
    } while (n < s->rule->cold_runs && stopwatch_now_s() < s->step_until_s);
    qsort(times, n, sizeof *times, by_value);
    row->cold_s = times[n / 2];
    return 0;
}

/* A GPU that heat or its brake slowed down is given time, as NVBench does. */
#define THROTTLED_TRIES 3
#define THROTTLED_PAUSE_NS 50000000

static int measure(struct subject *s, size_t step, struct step_bench_row *row, struct err *e)
{
    const struct timespec pause = {.tv_nsec = THROTTLED_PAUSE_NS};
    int slow = 0;
    s->step_until_s = stopwatch_now_s();
    s->step_until_s += (s->until_s - s->step_until_s) / (double)s->kinds_left--;
    for (int i = 0; i == 0 || (slow > 0 && i < THROTTLED_TRIES); i++) {
        if (slow > 0)
            nanosleep(&pause, NULL);
        if (warm(s, step, row, e) || cold(s, step, row, e) ||
            (slow = gpu_watch_look(&s->gpu, e)) < 0)
            return -1;
    }
    row->throttled = slow > 0;
    return 0;
}

/* ---- rows ---- */

bool step_bench_alike(const struct network_step *a, const struct network_step *b)
{
    return a->kind == b->kind && step_operations(a) == step_operations(b) &&
           step_bytes(a) == step_bytes(b);
}

/* The row of an earlier step like this one, or NULL. first: the step of each row. */
static struct step_bench_row *find(struct step_bench *b, const size_t *first,
                                   const struct network *plan, size_t step)
{
    for (size_t i = 0; i < b->n; i++)
        if (step_bench_alike(&plan->steps[first[i]], &plan->steps[step]))
            return &b->rows[i];
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

static size_t kinds_of(const struct network *plan)
{
    size_t kinds = 0;
    for (size_t i = 0; i < plan->n_steps; i++) {
        size_t first = 0;
        while (!step_bench_alike(&plan->steps[first], &plan->steps[i]))
            first++;
        kinds += first == i;
    }
    return kinds;
}

static int measure_all(struct subject *s, const struct network *plan, struct step_bench *out,
                       struct err *e)
{
    size_t first[STEP_BENCH_MAX];
    s->kinds_left = kinds_of(plan);
    for (size_t i = 0; i < plan->n_steps; i++) {
        const struct network_step *at = &plan->steps[i];
        struct step_bench_row *same = find(out, first, plan, i);
        if (same) {
            same->count++;
            continue;
        }
        if (out->n == STEP_BENCH_MAX || (out->n > 0 && stopwatch_now_s() >= s->until_s)) {
            out->left_out++;
            continue;
        }
        struct step_bench_row row = {.name = at->name,
                                     .step = i,
                                     .kind = at->kind,
                                     .count = 1,
                                     .flop = step_operations(at),
                                     .bytes = step_bytes(at)};
        if (measure(s, i, &row, e))
            return -1;
        first[out->n] = i;
        out->rows[out->n++] = row;
    }
    return 0;
}

int step_bench_plan(struct arena *a, const struct step_bench_subject *of,
                    const struct step_bench_rule *rule, struct step_bench *out, struct err *e)
{
    struct subject s = {.rule = rule};
    int rc = -1;
    *out = (struct step_bench){.rows = arena_take(a, STEP_BENCH_MAX, sizeof *out->rows, e)};
    environment_processor(&out->environment);
    if (!out->rows ||
        (!of->backend->flush && cache_flush_init(&s.flush, out->environment.cache_bytes, e)))
        return -1;
    s.engine = engine_create(of->plan, of->backend, of->weights, e);
    if (s.engine && engine_random_input(s.engine, of->seed, e) == 0 &&
        engine_forward(s.engine, e) == 0) {
        engine_environment(s.engine, of->backend, &s.gpu, &out->environment);
        engine_describe(s.engine, &out->device);
        s.until_s = stopwatch_now_s() + rule->most_s;
        rc = measure_all(&s, of->plan, out, e);
        gpu_watch_read(&s.gpu, &out->gpu);
    }
    gpu_watch_close(&s.gpu);
    engine_destroy(s.engine);
    cache_flush_fini(&s.flush);
    if (rc == 0)
        order(out->rows, out->n);
    return rc;
}

int step_bench(struct arena *a, const struct network_choice *m, const struct backend *backend,
               const struct step_bench_rule *rule, struct step_bench *out, struct err *e)
{
    struct network_source source;
    if (network_source_open(a, m, &source, e))
        return -1;
    int rc = step_bench_plan(
        a, &(struct step_bench_subject){source.plan, backend, &source.weights, m->seed}, rule, out,
        e);
    network_source_close(&source);
    return rc;
}
