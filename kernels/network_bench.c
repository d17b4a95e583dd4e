/* network_bench: repeated forward passes. */
#include "kernels/network_bench.h"

#include "kernels/backend.h"
#include "kernels/cache_flush.h"
#include "kernels/early_stop.h"
#include "kernels/engine.h"
#include "kernels/engine_environment.h"
#include "kernels/gpu_watch.h"
#include "kernels/packing.h"
#include "kernels/stopwatch.h"
#include "sim/arena.h"
#include "sim/chance.h"
#include "sim/text.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const struct load_rule network_bench_usual = {.scenario = LOAD_SINGLE_STREAM,
                                              .batch = 1,
                                              .min_s = 3,
                                              .max_s = 15,
                                              .min_queries = 10,
                                              .spread = 0.1};

/* ---- the target of the load ---- */

#define LOG_MAX 64
#define BATCH_MOST 1024 /* of sequences with padding */
#define PADDING_ROUNDS 7

/* The network that serves, and the outputs that are kept for comparing. */
struct meter {
    struct engine *engine;
    const struct network *plan;
    bool on_processor; /* whose clock can be seen here */
    struct chance logging;
    double logged_share;
    double *first, *log; /* LOG_MAX outputs */
    size_t logged;
    struct disturbance_watch watch;
    struct gpu_watch gpu;     /* watches nothing on the processor */
    struct cache_flush flush; /* empty: caches stay as they are */
    double start_s, until_s;  /* of all that is measured; until may be infinite */
    double peak_s;            /* that measuring the peak took; 0: there was no time for it */
};

static int serve(void *self, struct err *e)
{
    return engine_forward(((struct meter *)self)->engine, e);
}

static double now(void *self)
{
    (void)self;
    return stopwatch_now_s();
}

/* Waking up takes a tenth of a millisecond or so: the last two are waited for awake. */
static void wait_until(void *self, double at_s)
{
    double early = at_s - 0.002;
    if (early > now(self)) {
        struct timespec t = {.tv_sec = (time_t)early,
                             .tv_nsec = (long)((early - floor(early)) * 1e9)};
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
    }
    while (now(self) < at_s)
        continue;
}

static int make_cold(struct meter *m, struct err *e)
{
    if (!m->flush.bytes)
        return 0;
    cache_flush(&m->flush);
    return engine_flush(m->engine, e);
}

/* Some queries' outputs are kept, as LoadGen's performance mode does: a fast network that is wrong
 * is found out. */
static int between(void *self, size_t queries, struct err *e)
{
    struct meter *m = self;
    bool logged = m->logged < LOG_MAX && chance_uniform(m->logging, queries) < m->logged_share;
    if (logged && engine_output(m->engine, m->log + m->logged++ * m->plan->output_size, e))
        return -1;
    return make_cold(m, e);
}

static int throttled(void *self, struct err *e)
{
    struct meter *m = self;
    return m->on_processor ? disturbance_probe(&m->watch) : gpu_watch_look(&m->gpu, e);
}

/* ---- input ---- */

/* drop: leave the padding out of the work, where there is any. */
static int draw_input(struct engine *g, const struct network_choice *c, bool drop, struct err *e)
{
    int32_t lengths[BATCH_MOST];
    if (c->tokens == 0)
        return engine_random_input(g, c->seed, e);
    assert(c->batch >= 1 && c->batch <= BATCH_MOST);
    for (int32_t i = 0; i < c->batch; i++)
        lengths[i] = c->tokens;
    engine_drop_padding(g, drop);
    return engine_random_sequences(g, c->seed, lengths, e);
}

static int time_input(const struct meter *m, const struct network_choice *c, bool drop,
                      double *best_s, struct err *e)
{
    if (draw_input(m->engine, c, drop, e))
        return -1;
    double start_s = stopwatch_now_s();
    if (engine_forward(m->engine, e))
        return -1;
    double s = stopwatch_now_s() - start_s;
    *best_s = *best_s == 0 || s < *best_s ? s : *best_s;
    return 0;
}

/* In turn, so that whatever else runs on the machine slows both. */
static int time_padding(const struct meter *m, const struct network_choice *c,
                        struct network_bench *out, struct err *e)
{
    for (int i = 0; i == 0 || (i < PADDING_ROUNDS && stopwatch_now_s() < m->until_s); i++)
        if (time_input(m, c, true, &out->packed_s, e) || time_input(m, c, false, &out->padded_s, e))
            return -1;
    return 0;
}

/* ---- correctness ---- */

static bool finite_all(const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

static int compare_logged(const struct meter *m, struct err *e)
{
    size_t n = m->plan->output_size;
    double worst = 0;
    if (!finite_all(m->first, n))
        return err_set(e, ERR_SYSTEM, NULL, "%s: the output is not finite", m->plan->model);
    for (size_t i = 0; i < m->logged * n; i++)
        worst = fmax(worst, fabs(m->first[i % n] - m->log[i]));
    if (worst > 0)
        return err_set(e, ERR_SYSTEM, NULL, "%s: the same input gave another output, by %.3g",
                       m->plan->model, worst);
    return 0;
}

/* The first item alone, in double: the same weights and input, since both are drawn by place. */
static int compare_reference(struct arena *a, const struct network_bench_setup *setup,
                             const struct meter *m, double *error, struct err *e)
{
    struct network_choice one = setup->model;
    one.batch = 1;
    struct network_source source;
    const struct network *plan = network_source_open(a, &one, &source, e) ? NULL : source.plan;
    if (!plan)
        return -1;
    double *right = arena_take(a, plan->output_size, sizeof *right, e);
    struct engine *g = right ? engine_create(plan, &backend_reference, &source.weights, e) : NULL;
    network_source_close(&source);
    if (!g)
        return -1;
    int rc = draw_input(g, &one, false, e) || engine_forward(g, e) || engine_output(g, right, e);
    engine_destroy(g);
    if (rc)
        return -1;
    double largest = 0, worst = 0;
    for (size_t i = 0; i < plan->output_size; i++) {
        largest = fmax(largest, fabs(right[i]));
        worst = fmax(worst, fabs(right[i] - m->first[i]));
    }
    *error = largest > 0 ? worst / largest : worst;
    /* FP32 keeps far below this through any of these networks; a wrong kernel does not. */
    if (*error > 1e-3)
        return err_set(e, ERR_SYSTEM, NULL, "%s: the output differs from the reference by %.2g",
                       plan->model, *error);
    return 0;
}

/* ---- all of it ---- */

#define PRODUCTS_ENOUGH_S 3.0

/* What is left for the load: the peak comes once more behind it, and the bare products. */
static double time_for_load(const struct meter *m, double max_s)
{
    double left_s = m->until_s - stopwatch_now_s(), rest_s = m->peak_s;
    rest_s += m->peak_s > 0 ? fmin(PRODUCTS_ENOUGH_S, left_s / 4) : 0;
    return fmax(fmin(max_s, left_s - rest_s), 1e-9);
}

static int put_under_load(struct arena *a, const struct network_bench_setup *setup, struct meter *m,
                          struct network_bench *out, struct err *e)
{
    struct load_target t = {.self = m,
                            .serve = serve,
                            .now_s = now,
                            .wait_until = wait_until,
                            .between = between,
                            .throttled = throttled};
    struct load_rule rule = setup->load;
    rule.batch = setup->model.batch;
    rule.max_s = time_for_load(m, rule.max_s);
    disturbance_begin(&m->watch);
    int rc = setup->find_peak ? load_find_peak(a, &t, &rule, &out->load, e)
                              : load_run(a, &t, &rule, &out->load, e);
    disturbance_probe(&m->watch);
    disturbance_end(&m->watch, &out->disturbance);
    int slow = rc == 0 ? gpu_watch_look(&m->gpu, e) : -1;
    rc = slow < 0 ? -1 : rc;
    out->throttled = slow > 0 || (out->load.slowed && !m->on_processor);
    gpu_watch_read(&m->gpu, &out->gpu);
    out->qps = rule.scenario == LOAD_SERVER ? rule.qps : 0;
    if (rc == 0 && out->load.queries == 0)
        rc =
            err_set(e, ERR_INPUT, NULL,
                    "no rate holds %g s at p%g: one query alone takes longer, or there was no time "
                    "to look; --latency-bound, --max-duration",
                    rule.bound_s, rule.percentile * 100);
    return rc;
}

/* Summaries sort, and the samples stay in their order: they are summed up from a copy. */
static int summarize(struct arena *a, const struct network_bench_setup *setup,
                     struct network_bench *out, struct err *e)
{
    size_t n = out->load.queries;
    double *sorted = arena_take(a, n, sizeof *sorted, e);
    if (!sorted)
        return -1;
    memcpy(sorted, out->load.service_s, n * sizeof *sorted);
    latency_summarize(sorted, n, &out->service);
    memcpy(sorted, out->load.latency_s, n * sizeof *sorted);
    latency_summarize(sorted, n, &out->latency);
    latency_widen(out->load.latency_s, n, &out->latency.p50);
    latency_widen(out->load.service_s, n, &out->service.p50);
    out->p90_safe_s = early_stop_estimate(sorted, n, 0.90);
    out->p99_safe_s = early_stop_estimate(sorted, n, 0.99);
    struct load_rule rule = setup->load;
    rule.batch = setup->model.batch;
    int32_t calls = load_items(&rule) / rule.batch;
    out->gflops = out->flop * calls / out->service.mean_s * 1e-9;
    return 0;
}

/* Measuring a processor's peak takes a fifth of less. */
#define PEAK_WORTH_S 4

static int peak_before(struct meter *m, struct network_bench *out, struct err *e)
{
    struct backend_device d;
    engine_describe(m->engine, &d);
    double before_s = stopwatch_now_s();
    if (d.peak_flop_per_s > 0) /* a GPU's own at its highest clocks */
        out->peak = (struct peak){d.peak_flop_per_s * 1e-9, d.peak_bytes_per_s * 1e-9,
                                  (int64_t)d.cache_bytes};
    else if (m->until_s - before_s >= PEAK_WORTH_S) {
        double most_s = (m->until_s - before_s) / 8;
        if (peak_measure(out->environment.cache_bytes, most_s, &out->peak, e))
            return -1;
        m->peak_s = stopwatch_now_s() - before_s;
    }
    return 0;
}

/* The processor's peak once more, beside the bare products: the better one counts. */
static int peak_behind(const struct meter *m, struct network_bench *out, struct err *e)
{
    struct peak again;
    double left_s = m->until_s - stopwatch_now_s() - m->peak_s;
    if (m->peak_s == 0 || left_s < 2 * out->service.p50.value_s)
        return 0;
    struct product_bench_rule rule = {PRODUCTS_ENOUGH_S, left_s};
    if (product_bench(m->engine, m->plan, &rule, &out->products, e))
        return -1;
    peak_raise(&out->peak, m->plan->flop / out->products.products_s * 1e-9, 0);
    if (m->until_s - stopwatch_now_s() < m->peak_s)
        return 0;
    if (peak_measure(out->environment.cache_bytes, m->peak_s, &again, e))
        return -1;
    peak_raise(&out->peak, again.gflops, again.gb_per_s);
    return 0;
}

/* A run on a busy machine may have had a better moment than the products of the peak. */
static int find_peak(const struct meter *m, struct network_bench *out, struct err *e)
{
    if (peak_behind(m, out, e))
        return -1;
    if (out->peak.gflops > 0)
        peak_raise(&out->peak, out->gflops, 0);
    return 0;
}

static int measure(struct arena *a, const struct network_bench_setup *setup, struct meter *m,
                   struct network_bench *out, struct err *e)
{
    m->start_s = stopwatch_now_s();
    m->until_s = setup->most_s > 0 ? m->start_s + setup->most_s : (double)INFINITY;
    m->first = arena_take(a, m->plan->output_size, sizeof *m->first, e);
    m->log = arena_take(a, LOG_MAX * m->plan->output_size, sizeof *m->log, e);
    if (!m->first || !m->log || (setup->peak && peak_before(m, out, e)))
        return -1;
    if (draw_input(m->engine, &setup->model, true, e) || engine_forward(m->engine, e) ||
        engine_output(m->engine, m->first, e) || put_under_load(a, setup, m, out, e))
        return -1;
    m->logged -= m->logged == LOG_MAX; /* the last output is always among them */
    if (engine_output(m->engine, m->log + m->logged * m->plan->output_size, e))
        return -1;
    out->logged = ++m->logged;
    if (compare_logged(m, e) || summarize(a, setup, out, e))
        return -1;
    if (setup->model.tokens && time_padding(m, &setup->model, out, e))
        return -1; /* which ends with the padding, as the bare products have it */
    if (setup->peak && find_peak(m, out, e))
        return -1;
    out->spent_s = stopwatch_now_s() - m->start_s;
    struct backend_device d;
    engine_describe(m->engine, &d);
    out->refused = d.refused;
    return setup->accuracy ? compare_reference(a, setup, m, &out->reference_error, e) : 0;
}

static double flop_of(const struct network *plan, const struct network_choice *c)
{
    int32_t lengths[BATCH_MOST];
    if (c->tokens == 0)
        return plan->flop;
    for (int32_t i = 0; i < c->batch; i++)
        lengths[i] = c->tokens;
    return packing_flop(plan, lengths);
}

int network_bench(struct arena *a, const struct network_bench_setup *setup,
                  struct network_bench *out, struct err *e)
{
    struct network_source source;
    if (network_source_open(a, &setup->model, &source, e))
        return -1;
    const struct network *plan = source.plan;
    *out = (struct network_bench){.flop = flop_of(plan, &setup->model),
                                  .sequence = plan->sequence,
                                  .tokens = setup->model.tokens,
                                  .reference_error = (double)NAN};
    struct meter m = {.plan = plan,
                      .logging = chance_stream(source.seed, 0, CHANCE_SAMPLE, 2),
                      .logged_share = setup->logged_share,
                      .on_processor = strcmp(setup->backend->name, "cpu") == 0,
                      .engine = engine_create(plan, setup->backend, &source.weights, e)};
    int rc = -1;
    network_source_close(&source);
    if (m.engine) {
        engine_environment(m.engine, setup->backend, &m.gpu, &out->environment);
        rc = setup->isolated ? cache_flush_init(&m.flush, out->environment.cache_bytes, e) : 0;
    }
    if (m.engine && rc == 0)
        rc = measure(a, setup, &m, out, e);
    cache_flush_fini(&m.flush);
    gpu_watch_close(&m.gpu);
    engine_destroy(m.engine);
    return rc;
}
