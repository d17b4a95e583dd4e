/* cmd_bench: `sluice bench kernels`: how fast this machine runs the networks' products. */
#include "kernels/gemm_bench.h"
#include "scenarios/cli/command.h"
#include "scenarios/cli/options.h"
#include "sim/json.h"
#include "sim/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct bench_arguments {
    const char *format;
    int64_t threads;
};

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

static int bench(const struct bench_arguments *a, struct err *e)
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

/* An OpenBLAS that does not know the processor takes its oldest kernels. What it should take can
 * only be said in the environment and before it is loaded: so the program starts itself again,
 * once. */
static void choose_core(void)
{
    char self[4096], args[8192];
    if (getenv("OPENBLAS_CORETYPE") || strcmp(gemm_blas_core(), "Prescott") != 0)
        return;
#if defined(__x86_64__) && defined(__GNUC__)
    const char *core = __builtin_cpu_supports("avx512vl") ? "SkylakeX"
                       : __builtin_cpu_supports("avx2")   ? "Haswell"
                                                          : NULL;
#else
    const char *core = NULL;
#endif
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    FILE *f = core && n > 0 ? fopen("/proc/self/cmdline", "rb") : NULL;
    if (!f)
        return;
    size_t length = fread(args, 1, sizeof args - 1, f);
    fclose(f);
    char *argv[64];
    int argc = 0;
    for (size_t at = 0; at < length && argc < 63; at += strlen(args + at) + 1)
        argv[argc++] = args + at;
    argv[argc] = NULL;
    args[length] = self[n] = '\0';
    setenv("OPENBLAS_CORETYPE", core, 1);
    execv(self, argv);
}

static int run(int argc, char **argv, struct err *e)
{
    struct bench_arguments a = {.format = "text"};
    struct option_texts operands = {0};
    const struct option rows[] = {
        {"--format", NULL, OPTION_TEXT, &a.format, "FORMAT", "text or json"},
        {"--threads", NULL, OPTION_COUNT, &a.threads, "N", "threads of OpenBLAS"},
    };
    const struct options o = {
        .rows = rows,
        .count = sizeof rows / sizeof rows[0],
        .min_operands = 1,
        .max_operands = 1,
        .usage = "sluice bench [options] kernels",
        .doc = "Checks the matrix products of BERT-base and Inception-v3 against a double\n"
               "reference, then measures them on this machine's processor.",
    };
    if (options_want_help(argc, argv)) {
        options_print(&o, stdout);
        return 0;
    }
    if (options_parse(&o, argc, argv, &operands, e))
        return e->code;
    if (strcmp(operands.items[0], "kernels") != 0)
        err_set(e, ERR_INPUT, NULL, "bench: '%s' is unknown; allowed is: kernels",
                operands.items[0]);
    else if (strcmp(a.format, "text") != 0 && strcmp(a.format, "json") != 0)
        err_set(e, ERR_INPUT, NULL, "--format: '%s' is none of text, json", a.format);
    else {
        choose_core();
        bench(&a, e);
    }
    return e->code;
}

const struct command cmd_bench = {"bench", "measure kernels on this machine", run};
