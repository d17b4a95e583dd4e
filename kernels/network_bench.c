/* network_bench: repeated forward passes. */
#include "kernels/network_bench.h"

#include "kernels/bert.h"
#include "kernels/engine.h"
#include "kernels/inception.h"
#include "kernels/stopwatch.h"
#include "kernels/weight_random.h"
#include "sim/arena.h"
#include "sim/text.h"

#include <assert.h>
#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct network_bench_rule network_bench_usual = {
    .min_s = 3, .max_s = 15, .min_runs = 10, .spread = 0.1};

struct network *network_bench_plan(struct arena *a, const struct network_bench_model *m,
                                   struct err *e)
{
    static const char *const names[] = {"inception_v3", "bert_base"};
    struct inception_config image = inception_usual;
    struct bert_config text = bert_base;
    image.batch = text.batch = m->batch;
    if (m->sequence)
        text.sequence = m->sequence;
    if (strcmp(m->name, names[0]) == 0)
        return inception_plan(a, &image, e);
    if (strcmp(m->name, names[1]) == 0)
        return bert_plan(a, &text, e);
    const char *near = text_nearest(m->name, names, 2);
    err_set(e, ERR_INPUT, NULL,
            "model '%.*s' is unknown%s%s%s; allowed is: inception_v3, bert_base",
            text_cut(m->name, 80), m->name, near ? "; did you mean '" : "", near ? near : "",
            near ? "'?" : "");
    return NULL;
}

/* What is measured, and where its times go. */
struct meter {
    struct engine *engine;
    const struct network *plan;
    double *times_s, *first, *last;
    size_t runs;
};

static bool finite_all(const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

static double median(const double *times_s, size_t n)
{
    double sorted[64];
    struct latency l;
    assert(n >= 1 && n <= 64);
    memcpy(sorted, times_s, n * sizeof *sorted);
    latency_summarize(sorted, n, &l);
    return l.p50.value_s;
}

/* Medians of the last three windows of a tenth of all runs each, but at least three runs. */
static bool is_stable(const struct meter *m, const struct network_bench_rule *rule)
{
    size_t window = m->runs / 10 < 3 ? 3 : m->runs / 10 > 64 ? 64 : m->runs / 10;
    double low = INFINITY, high = 0;
    if (m->runs < 3 * window)
        return false;
    for (size_t i = 1; i <= 3; i++) {
        double middle = median(m->times_s + m->runs - i * window, window);
        low = middle < low ? middle : low;
        high = middle > high ? middle : high;
    }
    return high <= low * (1 + rule->spread);
}

static int repeat(struct meter *m, const struct network_bench_rule *rule, bool *stable,
                  struct err *e)
{
    double start = stopwatch_now_s(), before = start;
    do {
        if (engine_forward(m->engine, e))
            return -1;
        double after = stopwatch_now_s();
        m->times_s[m->runs++] = after - before;
        *stable = is_stable(m, rule);
        before = stopwatch_now_s();
    } while (m->runs < NETWORK_BENCH_MAX_RUNS && before - start < rule->max_s &&
             (m->runs < rule->min_runs || before - start < rule->min_s || !*stable));
    return 0;
}

/* A product as the steps call it. */
struct product {
    int32_t count, m, n, k;
    bool transposed;
};

static double time_product(const struct product *p, float *buffer)
{
    float *a = buffer, *b = a + (size_t)p->m * p->k, *c = b + (size_t)p->n * p->k;
    double best = INFINITY;
    for (int i = 0; i < 3; i++) {
        double before = stopwatch_now_s();
        cblas_sgemm(CblasRowMajor, CblasNoTrans, p->transposed ? CblasTrans : CblasNoTrans, p->m,
                    p->n, p->k, 1.0F, a, p->k, b, p->transposed ? p->k : p->n, 0.0F, c, p->n);
        double time = stopwatch_now_s() - before;
        best = time < best ? time : best;
    }
    return best * p->count;
}

/* Both products of attention are one here: they are small and alike. */
static bool product_of(const struct network_step *s, struct product *p)
{
    const struct conv_shape *c = &s->as.conv;
    const struct linear_shape *l = &s->as.linear;
    const struct attention_shape *t = &s->as.attention;
    if (s->kind == STEP_CONV)
        *p = (struct product){c->batch, c->cout, conv_hout(c) * conv_wout(c),
                              c->cin * c->kh * c->kw, false};
    else if (s->kind == STEP_LINEAR)
        *p = (struct product){1, l->rows, l->outputs, l->inputs, true};
    else if (s->kind == STEP_ATTENTION)
        *p = (struct product){2 * t->batch * t->heads, t->sequence, t->sequence, t->size, true};
    return s->kind == STEP_CONV || s->kind == STEP_LINEAR || s->kind == STEP_ATTENTION;
}

static int products(const struct network *plan, double *total_s, struct err *e)
{
    struct product p;
    size_t most = 1;
    for (size_t i = 0; i < plan->n_steps; i++)
        if (product_of(&plan->steps[i], &p)) {
            size_t n = (size_t)p.m * p.k + (size_t)p.n * p.k + (size_t)p.m * p.n;
            most = n > most ? n : most;
        }
    float *buffer = calloc(most, sizeof *buffer);
    if (!buffer)
        return err_set(e, ERR_SYSTEM, NULL, "out of memory for the products of %s", plan->model);
    *total_s = 0;
    for (size_t i = 0; i < plan->n_steps; i++)
        if (product_of(&plan->steps[i], &p))
            *total_s += time_product(&p, buffer);
    free(buffer);
    return 0;
}

static int measure(struct meter *m, const struct network_bench_rule *rule,
                   struct network_bench *out, struct err *e)
{
    size_t n = m->plan->output_size;
    if (engine_forward(m->engine, e) || engine_output(m->engine, m->first, e) ||
        repeat(m, rule, &out->stable, e) || engine_output(m->engine, m->last, e))
        return -1;
    if (!finite_all(m->first, n))
        return err_set(e, ERR_SYSTEM, NULL, "%s: the output is not finite", m->plan->model);
    for (size_t i = 0; i < n; i++)
        out->error = fmax(out->error, fabs(m->first[i] - m->last[i]));
    if (out->error > 0)
        return err_set(e, ERR_SYSTEM, NULL, "%s: the same input gave another output, by %.3g",
                       m->plan->model, out->error);
    latency_summarize(m->times_s, m->runs, &out->latency);
    return products(m->plan, &out->products_s, e);
}

int network_bench(const struct network_bench_model *model, const struct network_bench_rule *rule,
                  struct network_bench *out, struct err *e)
{
    struct network_bench_model seeded = *model;
    struct weight_source source = weight_random(&seeded.seed);
    struct arena *a = arena_create(e);
    const struct network *plan = a ? network_bench_plan(a, model, e) : NULL;
    int rc = -1;
    *out = (struct network_bench){0};
    if (plan) {
        struct meter m = {.plan = plan};
        m.engine = engine_create(plan, &backend_blas, &source, e);
        m.times_s = arena_take(a, NETWORK_BENCH_MAX_RUNS, sizeof *m.times_s, e);
        m.first = arena_take(a, plan->output_size, sizeof *m.first, e);
        m.last = arena_take(a, plan->output_size, sizeof *m.last, e);
        if (m.engine && m.times_s && m.first && m.last &&
            engine_random_input(m.engine, seeded.seed, e) == 0)
            rc = measure(&m, rule, out, e);
        engine_destroy(m.engine);
        out->flop = plan->flop;
        out->sequence = plan->sequence;
    }
    if (rc == 0) {
        out->items_per_s = model->batch / out->latency.p50.value_s;
        out->gflops = out->flop / out->latency.p50.value_s * 1e-9;
    }
    arena_destroy(a);
    return rc;
}
