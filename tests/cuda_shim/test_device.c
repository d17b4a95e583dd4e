/* test_device: every call to CUDA, cuBLAS and the linker may fail, and each failure is told. */
#include "kernels/batched_gemm.h"
#include "kernels/bert.h"
#include "kernels/device_blas.h"
#include "kernels/engine.h"
#include "kernels/gemm_table.h"
#include "kernels/weight_random.h"
#include "sim/arena.h"
#include "tests/cuda_shim/rig.h"

#include <stdio.h>
#include <string.h>

static const struct bert_config tiny = {.batch = 2,
                                        .sequence = 3,
                                        .layers = 1,
                                        .hidden = 4,
                                        .heads = 2,
                                        .inner = 6,
                                        .vocabulary = 5,
                                        .positions = 3,
                                        .segments = 1};

/* A life of an engine that is recorded: input, two runs, output. */
static int engine_life(void *plan, struct err *e)
{
    uint64_t seed = 7;
    double out[16];
    const struct backend_cuda_config c = {.graph_batch = 8};
    struct backend b = backend_cuda;
    struct weight_source source = weight_random(&seed);
    b.config = &c;
    struct engine *g = engine_create(plan, &b, &source, e);
    int rc = !g || engine_random_input(g, 3, e) || engine_forward(g, e) || engine_flush(g, e) ||
                     engine_forward(g, e) || engine_output(g, out, e)
                 ? -1
                 : 0;
    const int32_t words[32] = {0}, lengths[8] = {2, 1, 1, 1, 1, 1, 1, 1};
    if (rc == 0) { /* and without its padding, which has a graph of its own */
        engine_drop_padding(g, true);
        rc = engine_tokens(g, words, lengths, e) || engine_forward(g, e) ? -1 : 0;
    }
    engine_destroy(g);
    return rc;
}

/* A life of a device that searches for a product, then multiplies by what was found. */
static int search_life(void *self, struct err *e)
{
    struct batched_gemm_shape s = {2, 3, 4, 5, true, 5, 5, 4, 15, 20, 12, PRECISION_FP32};
    struct device *d = device_create(0, e);
    struct gemm_table *t = d ? gemm_table_create("Host shim", 111103, e) : NULL;
    float *at = t ? device_take(d, 100 * sizeof *at, e) : NULL;
    int rc = -1;
    (void)self;
    if (at) {
        struct batched_gemm_data data = {at, at + 30, at + 70};
        device_blas_algorithms(d, t);
        rc = batched_gemm_search(&s, 4, d, e) || batched_gemm_cuda(&s, &data, d, e) ||
                     device_wait(d, e)
                 ? -1
                 : 0;
        cr_assert(rc || !t->rows[0].own);
    }
    device_give(d, at);
    gemm_table_destroy(t);
    device_destroy(d);
    return rc;
}

/* Weights begin where the last ones end. What was found for aligned operands is not asked to run on
 * others, and an algorithm that the library refuses leaves the product to its own choice. */
Test(device, an_algorithm_is_searched_for_operands_as_they_lie)
{
    struct batched_gemm_shape s = {1, 2, 4, 2, false, 2, 4, 4, 0, 0, 0, PRECISION_FP32};
    const float a[4] = {1, 2, 3, 4}, b[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    const float right[8] = {11, 14, 17, 20, 23, 30, 37, 44};
    struct err e = {0};
    struct device *d = device_create(0, &e);
    struct gemm_table *t = gemm_table_create("Host shim", 111103, &e);
    float *at = device_take(d, 256 * sizeof *at, &e), c[8];
    device_blas_algorithms(d, t);
    for (int i = 0; i < 3; i++) { /* 256 bytes, then 16; then what the file has cannot run */
        int shift = i == 0 ? 0 : 4;
        struct batched_gemm_data data = {at + shift, at + shift + 8, at + shift + 20};
        if (i == 2)
            t->rows[t->count - 1].algorithm[2] = 64;
        cr_assert_eq(device_put(d, at + shift, a, sizeof a, &e), 0);
        cr_assert_eq(device_put(d, at + shift + 8, b, sizeof b, &e), 0);
        device_blas_search(d, i < 2);
        cr_assert_eq(batched_gemm_cuda(&s, &data, d, &e), 0, "%s", e.msg);
        cr_assert_eq(device_get(d, c, data.c, sizeof c, &e), 0, "%s", e.msg);
        cr_expect_eq(memcmp(c, right, sizeof c), 0);
        cr_expect_eq(batched_gemm_refused(d), i == 2, "%d", i);
    }
    cr_assert_geq(t->count, 1);
    cr_expect_eq(t->rows[0].alignment, 16, "the third operand lies at byte 80");
    s.m = 1;
    struct batched_gemm_data aligned = {at, at + 64, at + 128}, odd = {at, at + 65, at + 128};
    device_blas_search(d, true);
    batched_gemm_cuda(&s, &aligned, d, &e);
    batched_gemm_cuda(&s, &odd, d, &e);
    cr_expect_eq(t->rows[t->count - 2].alignment, 256);
    cr_expect_eq(t->rows[t->count - 1].alignment, 4, "one shape, and another row for it");
    cr_expect_eq(batched_gemm_refused(d), 1);
    device_give(d, at);
    gemm_table_destroy(t);
    device_destroy(d);
    cr_expect_eq(e.code, ERR_NONE, "%s", e.msg);
    cr_expect_eq(shim_live(), 0);
}

/* What only gives back, after which nothing depends on success; and a figure for a message. */
static bool harmless(const char *call)
{
    return strstr(call, "Free") || strstr(call, "Destroy");
}

static int64_t fail_each_call(int (*life)(void *self, struct err *e), void *self)
{
    int64_t failures = 0, k = 1;
    for (;; k++) {
        struct err e = {0};
        shim_fail_call(k);
        int rc = life(self, &e);
        const char *call = shim_failed_call(), *fault = shim_fault();
        cr_assert_eq(shim_live(), 0, "call %lld, %s: %lld things were not given back", (long long)k,
                     call, (long long)shim_live());
        cr_assert_str_empty(fault, "call %lld, %s: %s", (long long)k, call, fault);
        if (!call[0]) {
            cr_assert_eq(rc, 0, "%s", e.msg);
            break; /* more than there are */
        }
        if (harmless(call)) {
            cr_assert_eq(rc, 0, "%s: %s", call, e.msg);
            continue;
        }
        failures++;
        cr_assert_eq(rc, -1, "call %lld, %s, failed and nobody saw it", (long long)k, call);
        cr_assert_eq(e.code, ERR_SYSTEM, "%s: %s", call, e.msg);
        bool launch = strcmp(call, "cudaGetLastError") == 0, linker = strncmp(call, "dl", 2) == 0;
        cr_assert(
            strncmp(e.msg, launch || strncmp(call, "cuda", 4) == 0 ? "CUDA: " : "cuBLAS: ", 6) == 0,
            "%s: %s", call, e.msg);
        cr_assert(launch || linker || strstr(e.msg, call), "%s: %s", call, e.msg);
    }
    shim_fail_call(0);
    return failures;
}

Test(device, every_failing_call_of_an_engine_is_told_and_leaves_nothing_behind, .timeout = 120)
{
    struct err e = {0};
    struct arena *a = arena_create(&e);
    cr_assert_gt(fail_each_call(engine_life, bert_plan(a, &tiny, &e)), 100);
    arena_destroy(a);
}

Test(device, every_failing_call_of_a_search_is_told_and_leaves_nothing_behind, .timeout = 120)
{
    cr_assert_gt(fail_each_call(search_life, NULL), 100);
}

static void refused(const char *told)
{
    struct err e = {0};
    cr_assert_null(device_create(0, &e));
    cr_assert_eq(e.code, ERR_SYSTEM);
    cr_assert(strstr(e.msg, told), "\"%s\" is not in \"%s\"", told, e.msg);
    cr_assert_eq(shim_live(), 0);
}

Test(device, a_machine_without_driver_gpu_or_library_says_so)
{
    shim_devices(-1);
    refused("CUDA driver version is insufficient");
    shim_devices(0);
    refused("no CUDA-capable device is detected");
    shim_devices(1);
    shim_lose_symbol("libcublas.so.11");
    refused("libcublas.so.11: cannot open shared object file");
    shim_lose_symbol("libcublasLt.so.11");
    refused("libcublasLt.so.11");
    shim_lose_symbol("cublasLtMatmul");
    refused("the library has no function cublasLtMatmul");
    shim_lose_symbol(NULL);
    struct err e = {0};
    cr_assert_null(device_create(1, &e));
    cr_assert_str_eq(e.msg, "CUDA: there is no GPU 1; the driver shows 0 to 0");
}

Test(device, too_little_memory_is_told_in_figures)
{
    struct rig r = rig_create(SHIM_FORWARD);
    shim_memory((size_t)100 << 20);
    cr_assert_null(device_take(r.device, (size_t)200 << 20, &r.e));
    cr_assert_str_eq(r.e.msg,
                     "CUDA: 200 MiB are wanted on Host shim, 100 of its 8192 MiB are free");
    r.e = (struct err){0};
    void *p = device_take(r.device, (size_t)50 << 20, &r.e);
    cr_assert(p);
    device_give(r.device, p);
    rig_destroy(&r, "memory");
}

Test(device, copies_of_every_size_come_back)
{
    static const size_t sizes[] = {1, 7, 4096, (4 << 20) - 1, 4 << 20, (9 << 20) + 5};
    struct rig r = rig_create(SHIM_FORWARD);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        unsigned char *from = malloc(sizes[i]), *back = calloc(sizes[i], 1);
        void *at = device_take(r.device, sizes[i], &r.e);
        for (size_t j = 0; j < sizes[i]; j++)
            from[j] = (unsigned char)(j * 7 + j / 251);
        cr_assert_eq(device_put(r.device, at, from, sizes[i], &r.e), 0);
        cr_assert_eq(device_get(r.device, back, at, sizes[i], &r.e), 0);
        cr_assert_eq(memcmp(from, back, sizes[i]), 0);
        device_give(r.device, at);
        free(from);
        free(back);
    }
    rig_destroy(&r, "copies");
}

Test(device, memory_is_cleared_when_it_is_taken)
{
    struct rig r = rig_create(SHIM_FORWARD);
    unsigned char back[100];
    void *at = device_take(r.device, sizeof back, &r.e);
    device_get(r.device, back, at, sizeof back, &r.e);
    for (size_t i = 0; i < sizeof back; i++)
        cr_assert_eq(back[i], 0);
    device_give(r.device, at);
    rig_destroy(&r, "cleared");
}

Test(device, describes_itself)
{
    struct rig r = rig_create(SHIM_FORWARD);
    const struct device_info *i = device_info(r.device);
    cr_assert_str_eq(i->name, "Host shim");
    cr_assert_str_eq(i->bus, "0000:07:00.0");
    cr_assert_eq(i->blas, 111103);
    cr_assert_eq(i->runtime, 11080);
    cr_assert_eq(i->l2_bytes, 1 << 20);
    cr_assert_eq(i->memory_bytes, (size_t)8192 << 20);
    cr_assert_eq(device_flush(r.device, &r.e), 0);
    rig_destroy(&r, "info");
}

Test(device, work_that_cannot_be_recorded_spoils_the_graph)
{
    struct rig r = rig_create(SHIM_FORWARD);
    char byte = 0;
    void *at = device_take(r.device, 1, &r.e);
    cr_assert_eq(device_record(r.device, &r.e), 0);
    cr_assert_eq(device_get(r.device, &byte, at, 1, &r.e), -1); /* it waits */
    cr_assert_null(device_recorded(r.device, &r.e));
    cr_assert(strstr(r.e.msg, "cudaStreamSynchronize"), "the first failure is told: %s", r.e.msg);
    r.e = (struct err){0};
    cr_assert_eq(device_get(r.device, &byte, at, 1, &r.e), 0, "afterwards all is well");
    device_give(r.device, at);
    rig_destroy(&r, "graph");
}
