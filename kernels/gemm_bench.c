/* gemm_bench: checks and times OpenBLAS on the shapes that matter. */
#include "kernels/gemm_bench.h"

#include "kernels/cache_flush.h"
#include "kernels/environment.h"
#include "sim/chance.h"
#include "sim/stats.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const struct gemm_bench_row shapes[GEMM_BENCH_ROWS] = {
    {.name = "BERT attention projection, 128 tokens", .shape = {128, 768, 768, true}},
    {.name = "BERT feed-forward up, 128 tokens", .shape = {128, 3072, 768, true}},
    {.name = "BERT feed-forward down, 128 tokens", .shape = {128, 768, 3072, true}},
    {.name = "Inception stem 3x3, 147 x 147", .shape = {64, 147 * 147, 288, false}},
    {.name = "Inception 1x1, 35 x 35", .shape = {64, 35 * 35, 288, false}},
    {.name = "Inception 7x1, 17 x 17", .shape = {192, 17 * 17, 1344, false}},
    {.name = "Inception 1x1, 8 x 8", .shape = {320, 64, 2048, false}},
    {.name = "square 1024", .shape = {1024, 1024, 1024, false}},
};

struct matrices {
    struct gemm_shape shape;
    float *a, *b, *c;
};

static void fill(float *x, size_t n, uint64_t entity)
{
    struct chance stream = chance_stream(1, 0, CHANCE_TEST, entity);
    for (size_t i = 0; i < n; i++)
        x[i] = (float)(chance_uniform(stream, i) - 0.5);
}

static int take(struct matrices *m, const struct gemm_shape *s, struct err *e)
{
    size_t na = (size_t)s->m * (size_t)s->k, nb = (size_t)s->k * (size_t)s->n;
    *m = (struct matrices){*s, malloc(na * sizeof(float)), malloc(nb * sizeof(float)),
                           malloc((size_t)s->m * (size_t)s->n * sizeof(float))};
    if (!m->a || !m->b || !m->c)
        return err_set(e, ERR_SYSTEM, NULL, "out of memory for a product of %d x %d x %d", s->m,
                       s->n, s->k);
    fill(m->a, na, 1);
    fill(m->b, nb, 2);
    return 0;
}

static void give_back(struct matrices *m)
{
    free(m->a);
    free(m->b);
    free(m->c);
}

static void multiply(void *self)
{
    struct matrices *m = self;
    gemm_blas(&m->shape, m->a, m->b, m->c);
}

/* |c - reference| <= tolerance x sum |a| |b|: the bound of any order of summation, with room. */
#define GEMM_BENCH_CHECKED_ROWS 2
#define GEMM_BENCH_TOLERANCE 1e-5

static double largest_error(const struct matrices *m)
{
    const struct gemm_shape *s = &m->shape;
    size_t n = (size_t)s->n, k = (size_t)s->k;
    double worst = 0;
    for (size_t i = 0; i < GEMM_BENCH_CHECKED_ROWS && i < (size_t)s->m; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0, size = 0;
            for (size_t p = 0; p < k; p++) {
                double x = (double)m->a[i * k + p] *
                           (double)(s->b_transposed ? m->b[j * k + p] : m->b[p * n + j]);
                sum += x;
                size += x < 0 ? -x : x;
            }
            double difference = sum - (double)m->c[i * n + j];
            difference = difference < 0 ? -difference : difference;
            if (size > 0 && difference / size > worst)
                worst = difference / size;
        }
    return worst;
}

#define COLD_RUNS 7

static double cold_median_s(struct matrices *m, struct cache_flush *flush)
{
    double times[COLD_RUNS], scratch[COLD_RUNS];
    for (size_t i = 0; i < COLD_RUNS; i++) {
        cache_flush(flush);
        double before = stopwatch_now_s();
        multiply(m);
        times[i] = stopwatch_now_s() - before;
    }
    return stats_median(times, COLD_RUNS, scratch);
}

/* The median with an interval that sees moods. */
static void find_median(struct gemm_bench_row *row)
{
    double sorted[STOPWATCH_MAX_SAMPLES];
    struct latency l;
    size_t n = row->time.samples;
    memcpy(sorted, row->samples_s, n * sizeof *sorted);
    latency_summarize(sorted, n, &l);
    row->median = l.p50;
    latency_widen(row->samples_s, n, &row->median);
}

static double bytes_of(const struct gemm_shape *s)
{
    return sizeof(float) * ((double)s->m * s->k + (double)s->k * s->n + (double)s->m * s->n);
}

static int one(struct gemm_bench_row *row, struct cache_flush *flush,
               const struct stopwatch_rule *rule, struct err *e)
{
    struct matrices m;
    int rc = take(&m, &row->shape, e);
    if (rc == 0) {
        multiply(&m);
        row->error = largest_error(&m);
        if (row->error > GEMM_BENCH_TOLERANCE)
            rc = err_set(e, ERR_SYSTEM, NULL, "%s: OpenBLAS (%s) is wrong by %.2g of the sum",
                         row->name, gemm_blas_core(), row->error);
    }
    if (rc == 0) {
        struct stopwatch_rule kept = *rule;
        kept.kept = row->samples_s;
        stopwatch_measure(&kept, multiply, &m, &row->time);
        if (row->samples_s)
            find_median(row);
        row->gflops = gemm_flop(&row->shape) / row->time.median_s * 1e-9;
        row->bytes = bytes_of(&row->shape);
        row->cold_s = cold_median_s(&m, flush);
    }
    give_back(&m);
    return rc;
}

int gemm_bench(struct gemm_bench_row rows[GEMM_BENCH_ROWS], const struct stopwatch_rule *rule,
               struct err *e)
{
    struct cache_flush flush;
    struct environment env;
    assert(rows && rule);
    environment_processor(&env);
    int rc = cache_flush_init(&flush, env.cache_bytes, e);
    for (size_t i = 0; rc == 0 && i < GEMM_BENCH_ROWS; i++) {
        double *samples_s = rows[i].samples_s;
        rows[i] = shapes[i];
        rows[i].samples_s = samples_s;
        rc = one(&rows[i], &flush, rule, e);
    }
    cache_flush_fini(&flush);
    return rc;
}
