/* bench_kernels: prints how fast this machine runs the networks' products. */
#include "kernels/backend.h"
#include "kernels/disturbance.h"
#include "kernels/environment.h"
#include "kernels/gemm_bench.h"
#include "kernels/peak.h"
#include "scenarios/cli/bench.h"
#include "scenarios/cli/bench_compare.h"
#include "scenarios/cli/bench_operators.h"
#include "scenarios/cli/bench_result.h"
#include "scenarios/cli/bench_setup.h"
#include "scenarios/cli/show.h"
#include "sim/arena.h"
#include "sim/json.h"
#include "sim/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

struct kernels {
    struct gemm_bench_row rows[GEMM_BENCH_ROWS];
    struct environment environment;
    struct peak peak;
    struct disturbance disturbance;
};

static void print_text(const struct kernels *k, struct text *t)
{
    const struct environment *env = &k->environment;
    text_printf(t, "matrix products in FP32 on %s: %s, core %s, %d thread(s)\n\n", env->device,
                env->framework, env->core, (int)env->threads);
    text_printf(t, "%-36s %9s %8s %9s %8s %7s %7s %7s\n", "product", "median", "spread", "cold",
                "GFLOP/s", "of peak", "GB/s", "samples");
    for (size_t i = 0; i < GEMM_BENCH_ROWS; i++) {
        const struct gemm_bench_row *row = &k->rows[i];
        const struct stopwatch_reading *r = &row->time;
        text_printf(t, "%-36s %6.2f ms %6.1f %% %6.2f ms %8.1f %5.0f %% %7.1f %7zu%s\n", row->name,
                    r->median_s * 1e3, 100 * (r->high_s - r->low_s) / r->median_s,
                    row->cold_s * 1e3, row->gflops, 100 * row->gflops / k->peak.gflops,
                    row->bytes / r->median_s * 1e-9, r->samples, r->stable ? "" : "  not stable");
    }
    text_printf(t, "\nmedian: back to back; cold: single runs after the last cache was emptied\n");
    text_printf(t, "peak measured: %.1f GFLOP/s, %.1f GB/s; clock seen %.2f to %.2f GHz\n",
                k->peak.gflops, k->peak.gb_per_s, k->disturbance.clock_low_ghz,
                k->disturbance.clock_ghz);
    text_printf(t, "Each product was checked against a double reference before it was timed.\n");
}

static void print_row(struct json_out *o, const struct gemm_bench_row *row)
{
    json_out_open(o, "{");
    json_out_key(o, "name");
    json_out_string(o, row->name);
    json_out_key(o, "m");
    json_out_int(o, row->shape.m);
    json_out_key(o, "n");
    json_out_int(o, row->shape.n);
    json_out_key(o, "k");
    json_out_int(o, row->shape.k);
    json_out_key(o, "median");
    json_out_number(o, row->time.median_s);
    json_out_key(o, "medianInterval");
    json_out_open(o, "[");
    json_out_number(o, row->median.low_s);
    json_out_number(o, row->median.high_s);
    json_out_close(o, "]");
    json_out_key(o, "quartiles");
    json_out_open(o, "[");
    json_out_number(o, row->time.low_s);
    json_out_number(o, row->time.high_s);
    json_out_close(o, "]");
    json_out_key(o, "cold");
    json_out_number(o, row->cold_s);
    json_out_key(o, "gflops");
    json_out_number(o, row->gflops);
    json_out_key(o, "gigabytesPerSecond");
    json_out_number(o, row->bytes / row->time.median_s * 1e-9);
    json_out_key(o, "relativeError");
    json_out_number(o, row->error);
    json_out_key(o, "samples");
    json_out_int(o, (int64_t)row->time.samples);
    json_out_key(o, "stable");
    json_out_bool(o, row->time.stable);
    json_out_close(o, "}");
}

static void print_peak(struct json_out *o, const struct peak *p)
{
    json_out_key(o, "peak");
    json_out_open(o, "{");
    json_out_key(o, "gflops");
    json_out_number(o, p->gflops);
    json_out_key(o, "gigabytesPerSecond");
    json_out_number(o, p->gb_per_s);
    json_out_close(o, "}");
}

static void print_json(const struct kernels *k, struct text *t)
{
    struct json_out o;
    struct environment_field fields[ENVIRONMENT_FIELDS];
    char scratch[16];
    environment_fields(&k->environment, fields, scratch);
    json_out_init(&o, t, false);
    json_out_open(&o, "{");
    json_out_key(&o, "schema");
    json_out_string(&o, "sluice.bench/1");
    for (size_t i = 0; i < ENVIRONMENT_FIELDS; i++) {
        json_out_key(&o, fields[i].name);
        if (strcmp(fields[i].name, "threads") == 0)
            json_out_int(&o, k->environment.threads);
        else
            json_out_string(&o, fields[i].value);
    }
    print_peak(&o, &k->peak);
    json_out_key(&o, "clockGHz");
    json_out_number(&o, k->disturbance.clock_ghz);
    json_out_key(&o, "kernels");
    json_out_open(&o, "[");
    for (size_t i = 0; i < GEMM_BENCH_ROWS; i++)
        print_row(&o, &k->rows[i]);
    json_out_close(&o, "]");
    json_out_close(&o, "}");
    json_out_end(&o);
}

static int measure(struct kernels *k, struct err *e)
{
    struct disturbance_watch w;
    environment_processor(&k->environment);
    disturbance_begin(&w);
    if (peak_measure(k->environment.cache_bytes, (double)INFINITY, &k->peak, e) ||
        gemm_bench(k->rows, &stopwatch_usual, e))
        return -1;
    disturbance_probe(&w);
    disturbance_end(&w, &k->disturbance);
    /* what a product reached is no less than the peak */
    for (size_t i = 0; i < GEMM_BENCH_ROWS; i++)
        if (k->rows[i].gflops > k->peak.gflops)
            k->peak.gflops = k->rows[i].gflops;
    return 0;
}

static int make_result(const struct kernels *k, struct bench_result *b)
{
    char group[64];
    bench_result_environment(b, &k->environment);
    bench_result_setting(b, "model", "kernels");
    bench_result_setting(b, "precision", "fp32");
    for (size_t i = 0; i < GEMM_BENCH_ROWS; i++) {
        const struct gemm_bench_row *r = &k->rows[i];
        snprintf(group, sizeof group, "gemm-%dx%dx%d", r->shape.m, r->shape.n, r->shape.k);
        bench_result_figure(b, group, "time.p50",
                            &(struct figure){.unit = "s",
                                             .value = r->median.value_s,
                                             .has_interval = true,
                                             .low = r->median.low_s,
                                             .high = r->median.high_s});
        bench_result_figure(b, group, "gflops",
                            &(struct figure){.unit = "GFLOP/s", .value = r->gflops});
        bench_result_figure(b, group, "cold", &(struct figure){.unit = "s", .value = r->cold_s});
        bench_result_samples(b, group, "time", r->samples_s, r->time.samples);
    }
    bench_result_figure(b, "kernels", "clock",
                        &(struct figure){.unit = "GHz", .value = k->disturbance.clock_ghz});
    return bench_result_end(b, "sluice bench kernels", "matrix products of BERT and Inception");
}

static int deliver(const struct bench_arguments *a, struct arena *arena, const struct kernels *k,
                   struct err *e)
{
    struct bench_result b;
    struct text t = {0};
    double started_s = (double)time(NULL);
    bench_result_begin(&b, arena, "bench-kernels", e);
    b.r.epoch_s = (int64_t)started_s;
    if (make_result(k, &b))
        return -1;
    if (strcmp(a->format, "json") == 0)
        print_json(k, &t);
    else
        print_text(k, &t);
    if (show_print(&t, e))
        return -1;
    return bench_compare_keep(a, arena, &(struct bench_made){&b.r, started_s}, e);
}

static int bench_products(const struct bench_arguments *a, struct err *e)
{
    struct kernels k = {.peak = {0}};
    struct arena *arena = arena_create(e);
    int rc = arena ? 0 : -1;
    for (size_t i = 0; rc == 0 && i < GEMM_BENCH_ROWS; i++) {
        k.rows[i].samples_s = arena_take(arena, STOPWATCH_MAX_SAMPLES, sizeof(double), e);
        rc = k.rows[i].samples_s ? 0 : -1;
    }
    if (rc == 0)
        rc = measure(&k, e);
    if (rc == 0)
        rc = deliver(a, arena, &k, e);
    arena_destroy(arena);
    return rc;
}

/* The processor's products stand for its operators, unless a model is named. */
int bench_kernels(const struct bench_arguments *a, struct err *e)
{
    const struct backend *backend = bench_setup_backend(a->backend, e);
    if (!backend || bench_compare_check(a, e) ||
        show_check_target(a->no_store ? NULL : a->db, "--db", e))
        return -1;
    if (bench_setup_threads(a, e))
        return -1;
    return backend == &backend_blas && !a->model ? bench_products(a, e)
                                                 : bench_operators(a, backend, e);
}
