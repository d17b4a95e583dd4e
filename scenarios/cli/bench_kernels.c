/* bench_kernels: prints how fast this machine runs the networks' products. */
#include "kernels/gemm_bench.h"
#include "scenarios/cli/bench.h"
#include "sim/json.h"
#include "sim/text.h"

#include <stdio.h>
#include <string.h>

static void print_text(const struct gemm_bench_row *rows, struct text *t)
{
    text_printf(t, "matrix products in FP32, OpenBLAS core %s, %d thread(s)\n\n", gemm_blas_core(),
                (int)gemm_blas_threads(0));
    text_printf(t, "%-38s %8s %8s %8s %7s\n", "product", "median", "spread", "GFLOP/s", "samples");
    for (size_t i = 0; i < GEMM_BENCH_ROWS; i++) {
        const struct stopwatch_reading *r = &rows[i].time;
        text_printf(t, "%-38s %5.2f ms %6.1f %% %8.1f %7zu%s\n", rows[i].name, r->median_s * 1e3,
                    100 * (r->high_s - r->low_s) / r->median_s, rows[i].gflops, r->samples,
                    r->stable ? "" : "  not stable");
    }
    text_printf(t, "\nEach product was checked against a double reference before it was timed.\n");
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
    json_out_key(o, "quartiles");
    json_out_open(o, "[");
    json_out_number(o, row->time.low_s);
    json_out_number(o, row->time.high_s);
    json_out_close(o, "]");
    json_out_key(o, "gflops");
    json_out_number(o, row->gflops);
    json_out_key(o, "relativeError");
    json_out_number(o, row->error);
    json_out_key(o, "samples");
    json_out_int(o, (int64_t)row->time.samples);
    json_out_key(o, "stable");
    json_out_bool(o, row->time.stable);
    json_out_close(o, "}");
}

static void print_json(const struct gemm_bench_row *rows, struct text *t)
{
    struct json_out o;
    json_out_init(&o, t, false);
    json_out_open(&o, "{");
    json_out_key(&o, "schema");
    json_out_string(&o, "sluice.bench/1");
    json_out_key(&o, "backend");
    json_out_string(&o, "cpu");
    json_out_key(&o, "device");
    json_out_string(&o, gemm_blas_core());
    json_out_key(&o, "threads");
    json_out_int(&o, gemm_blas_threads(0));
    json_out_key(&o, "kernels");
    json_out_open(&o, "[");
    for (size_t i = 0; i < GEMM_BENCH_ROWS; i++)
        print_row(&o, &rows[i]);
    json_out_close(&o, "]");
    json_out_close(&o, "}");
    json_out_end(&o);
}

int bench_kernels(const struct bench_arguments *a, struct err *e)
{
    struct gemm_bench_row rows[GEMM_BENCH_ROWS];
    struct text t = {0};
    if (a->threads > 0)
        gemm_blas_threads((int32_t)a->threads);
    if (gemm_bench(rows, &stopwatch_usual, e))
        return -1;
    if (strcmp(a->format, "json") == 0)
        print_json(rows, &t);
    else
        print_text(rows, &t);
    int rc = text_end(&t, e);
    if (rc == 0)
        fputs(t.s, stdout);
    text_fini(&t);
    return rc;
}
