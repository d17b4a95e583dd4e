/* bench_network: measures and prints a whole network. */
#include "kernels/gemm.h"
#include "kernels/network_bench.h"
#include "scenarios/cli/bench.h"
#include "sim/json.h"
#include "sim/text.h"

#include <stdio.h>
#include <string.h>

static void print_text(const struct bench_arguments *a, const struct network_bench *b,
                       struct text *t)
{
    const struct latency *l = &b->latency;
    text_printf(t, "%s, batch %lld", a->model, (long long)a->batch);
    if (b->sequence)
        text_printf(t, ", %d tokens", b->sequence);
    text_printf(t,
                ", FP32 with random weights, on the processor: OpenBLAS core %s, %d thread(s)\n\n",
                gemm_blas_core(), (int)gemm_blas_threads(0));
    text_printf(t, "p50 %.2f ms   p90 %.2f ms   p99 %.2f ms   best %.2f ms\n", l->p50.value_s * 1e3,
                l->p90.value_s * 1e3, l->p99.value_s * 1e3, l->best_s * 1e3);
    text_printf(t, "p99 lies between %.2f and %.2f ms (95 %%); %zu batches, spread %.1f %%%s\n",
                l->p99.low_s * 1e3, l->p99.high_s * 1e3, l->samples, 100 * l->cv,
                b->stable ? "" : "; not stable");
    text_printf(t, "%.2f items/s, %.1f GFLOP/s; %.2f times its bare matrix products (%.2f ms)\n",
                b->items_per_s, b->gflops, l->p50.value_s / b->products_s, b->products_s * 1e3);
}

static void print_percentile(struct json_out *o, const char *key, double seconds)
{
    json_out_key(o, key);
    json_out_number(o, seconds);
}

static void print_environment(struct json_out *o, const struct bench_arguments *a,
                              const struct network_bench *b)
{
    json_out_key(o, "schema");
    json_out_string(o, "sluice.benchNetwork/1");
    json_out_key(o, "model");
    json_out_string(o, a->model);
    json_out_key(o, "backend");
    json_out_string(o, "cpu");
    json_out_key(o, "device");
    json_out_string(o, gemm_blas_core());
    json_out_key(o, "threads");
    json_out_int(o, gemm_blas_threads(0));
    json_out_key(o, "precision");
    json_out_string(o, "fp32");
    json_out_key(o, "batch");
    json_out_int(o, a->batch);
    if (b->sequence) {
        json_out_key(o, "sequence");
        json_out_int(o, b->sequence);
    }
}

static void print_json(const struct bench_arguments *a, const struct network_bench *b,
                       struct text *t)
{
    struct json_out o;
    json_out_init(&o, t, false);
    json_out_open(&o, "{");
    print_environment(&o, a, b);
    json_out_key(&o, "latency");
    json_out_open(&o, "{");
    print_percentile(&o, "p50", b->latency.p50.value_s);
    print_percentile(&o, "p90", b->latency.p90.value_s);
    print_percentile(&o, "p99", b->latency.p99.value_s);
    print_percentile(&o, "p99Low", b->latency.p99.low_s);
    print_percentile(&o, "p99High", b->latency.p99.high_s);
    print_percentile(&o, "mean", b->latency.mean_s);
    print_percentile(&o, "best", b->latency.best_s);
    json_out_close(&o, "}");
    json_out_key(&o, "cv");
    json_out_number(&o, b->latency.cv);
    json_out_key(&o, "samples");
    json_out_int(&o, (int64_t)b->latency.samples);
    json_out_key(&o, "stable");
    json_out_bool(&o, b->stable);
    json_out_key(&o, "itemsPerSecond");
    json_out_number(&o, b->items_per_s);
    json_out_key(&o, "gflops");
    json_out_number(&o, b->gflops);
    print_percentile(&o, "products", b->products_s);
    json_out_close(&o, "}");
    json_out_end(&o);
}

static int check(const struct bench_arguments *a, struct err *e)
{
    if (strcmp(a->backend, "cuda") == 0)
        return err_set(e, ERR_SYSTEM, NULL,
                       "--backend cuda: this build has no CUDA networks; `--backend cpu` measures "
                       "the processor");
    if (a->batch < 1 || a->batch > 1024)
        return err_set(e, ERR_INPUT, NULL, "--batch: %lld: allowed is 1 to 1024",
                       (long long)a->batch);
    if (a->sequence > 65536)
        return err_set(e, ERR_INPUT, NULL, "--sequence: %lld: allowed is 1 to 512",
                       (long long)a->sequence);
    if (a->sequence > 0 && strcmp(a->model, "bert_base") != 0)
        return err_set(e, ERR_INPUT, NULL, "--sequence: only bert_base has one");
    return 0;
}

int bench_network(const struct bench_arguments *a, struct err *e)
{
    struct network_bench_model m = {a->model, 0, 0, 1};
    struct network_bench b;
    struct text t = {0};
    if (check(a, e))
        return -1;
    m.batch = (int32_t)a->batch;
    m.sequence = (int32_t)a->sequence;
    if (a->threads > 0)
        gemm_blas_threads((int32_t)a->threads);
    if (network_bench(&m, &network_bench_usual, &b, e))
        return -1;
    if (strcmp(a->format, "json") == 0)
        print_json(a, &b, &t);
    else
        print_text(a, &b, &t);
    int rc = text_end(&t, e);
    if (rc == 0)
        fputs(t.s, stdout);
    text_fini(&t);
    return rc;
}
