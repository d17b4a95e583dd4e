/* batched_gemm: products on a GPU, by the library's choice or by an algorithm searched for. */
#include "kernels/device_blas.cuh"

#include "kernels/device.cuh"

extern "C" {
#include "kernels/batched_gemm.h"
#include "kernels/gemm_table.h"
#include "sim/chance.h"
}

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BATCHED_GEMM_CANDIDATES 8
#define BATCHED_GEMM_ALIGNED 256
#define BATCHED_GEMM_FILLED ((size_t)1 << 18) /* values written together */
#define BATCHED_GEMM_RUNS 5                   /* the fastest of them counts */

/* The libraries count by columns: to them a row-major C = A B is C' = B' A'. */
static cublasOperation_t operation(const struct batched_gemm_shape *s)
{
    return s->b_transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
}

static int own_product(const struct batched_gemm_shape *s, const struct batched_gemm_data *d,
                       struct device_blas *b, struct err *e)
{
    const float one = 1.0F, zero = 0.0F;
    return DEVICE_BLAS(b->cublasSgemmStridedBatched(
                           b->handle, operation(s), CUBLAS_OP_N, s->n, s->m, s->k, &one, d->b,
                           s->ldb, (long long)s->b_step, d->a, s->lda, (long long)s->a_step, &zero,
                           d->c, s->ldc, (long long)s->c_step, s->count),
                       e);
}

/* What cuBLASLt wants to know of a product. Its first operand is our B. */
struct light_product {
    cublasLtMatmulDescOpaque_t operation;
    cublasLtMatrixLayoutOpaque_t b, a, c;
};

static int layout(struct device_blas *l, cublasLtMatrixLayout_t m, const uint64_t extents[3],
                  const int64_t batch[2], struct err *e)
{
    int32_t count = (int32_t)batch[0];
    return DEVICE_BLAS(l->cublasLtMatrixLayoutInit_internal(m, sizeof *m, CUDA_R_32F, extents[0],
                                                            extents[1], (int64_t)extents[2]),
                       e) ||
                   DEVICE_BLAS(l->cublasLtMatrixLayoutSetAttribute(
                                   m, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count),
                               e) ||
                   DEVICE_BLAS(l->cublasLtMatrixLayoutSetAttribute(
                                   m, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &batch[1],
                                   sizeof batch[1]),
                               e)
               ? -1
               : 0;
}

static int describe(const struct batched_gemm_shape *s, struct device_blas *l,
                    struct light_product *p, struct err *e)
{
    uint64_t m = (uint64_t)s->m, n = (uint64_t)s->n, k = (uint64_t)s->k;
    const uint64_t b[3] = {s->b_transposed ? k : n, s->b_transposed ? n : k, (uint64_t)s->ldb};
    const uint64_t a[3] = {k, m, (uint64_t)s->lda}, c[3] = {n, m, (uint64_t)s->ldc};
    const int64_t b_batch[2] = {s->count, (int64_t)s->b_step};
    const int64_t a_batch[2] = {s->count, (int64_t)s->a_step};
    const int64_t c_batch[2] = {s->count, (int64_t)s->c_step};
    cublasOperation_t transposed = operation(s);
    if (DEVICE_BLAS(l->cublasLtMatmulDescInit_internal(&p->operation, sizeof p->operation,
                                                       CUBLAS_COMPUTE_32F, CUDA_R_32F),
                    e) ||
        DEVICE_BLAS(l->cublasLtMatmulDescSetAttribute(&p->operation, CUBLASLT_MATMUL_DESC_TRANSA,
                                                      &transposed, sizeof transposed),
                    e))
        return -1;
    return layout(l, &p->b, b, b_batch, e) || layout(l, &p->a, a, a_batch, e) ||
                   layout(l, &p->c, c, c_batch, e)
               ? -1
               : 0;
}

/* Bytes by which all three operands are aligned, of which no algorithm wants more than 256. */
static int32_t alignment_of(const struct batched_gemm_data *d)
{
    uintptr_t bits = (uintptr_t)d->a | (uintptr_t)d->b | (uintptr_t)d->c | BATCHED_GEMM_ALIGNED;
    return (int32_t)(bits & (~bits + 1));
}

/* It will not run this: unlike a failure of the device, that leaves everything as it was. */
static bool is_refusal(cublasStatus_t status)
{
    return status == CUBLAS_STATUS_NOT_SUPPORTED || status == CUBLAS_STATUS_INVALID_VALUE ||
           status == CUBLAS_STATUS_ARCH_MISMATCH;
}

/* 1 when the library refuses the algorithm for this product. */
static int light_product(const struct gemm_choice *choice, const struct batched_gemm_data *d,
                         struct device_blas *l, struct err *e)
{
    const float one = 1.0F, zero = 0.0F;
    struct light_product p;
    cublasLtMatmulAlgo_t algorithm;
    static_assert(sizeof algorithm == sizeof choice->algorithm, "an algorithm is 64 bytes");
    memcpy(&algorithm, choice->algorithm, sizeof algorithm);
    if (describe(&choice->shape, l, &p, e))
        return -1;
    cublasStatus_t status = l->cublasLtMatmul(
        l->light, &p.operation, &one, d->b, &p.b, d->a, &p.a, &zero, d->c, &p.c, d->c, &p.c,
        &algorithm, l->workspace, DEVICE_BLAS_WORKSPACE, device_stream(l->device));
    return is_refusal(status) ? 1 : device_blas_status(status, "cublasLtMatmul", e);
}

static void check(const struct batched_gemm_shape *s)
{
    assert(s->count >= 1 && s->m >= 1 && s->n >= 1 && s->k >= 1);
    assert(s->lda >= s->k && s->ldb >= (s->b_transposed ? s->k : s->n) && s->ldc >= s->n);
    assert(s->precision == PRECISION_FP32);
}

int batched_gemm_cuda(const struct batched_gemm_shape *s, const struct batched_gemm_data *d,
                      struct device *device, struct err *e)
{
    struct device_blas *b = device_blas_of(device);
    check(s);
    assert(d->a && d->b && d->c);
    if (b->searches && batched_gemm_search(s, alignment_of(d), device, e))
        return -1;
    const struct gemm_choice *choice = gemm_table_find(b->algorithms, s, alignment_of(d));
    bool stored = choice && !choice->own;
    /* an algorithm of a file that this library refuses after all is no reason to stop */
    int rc = stored ? light_product(choice, d, b, e) : 1;
    if (stored && rc > 0)
        gemm_table_refuse(b->algorithms, choice);
    return rc > 0 ? own_product(s, d, b, e) : rc;
}

size_t batched_gemm_refused(const struct device *device)
{
    const struct gemm_table *t = device_blas_of(device)->algorithms;
    return t ? t->refused : 0;
}

/* Best time of one way to multiply; +infinity when the library does not support it. */
static int time_choice(const struct gemm_choice *c, const struct batched_gemm_data *d,
                       struct device_blas *b, double *best_s, struct err *e)
{
    *best_s = INFINITY;
    for (int i = 0; i <= BATCHED_GEMM_RUNS; i++) {
        double time_s = 0;
        if (device_mark(b->device, 0, e))
            return -1;
        int rc = c->own ? own_product(&c->shape, d, b, e) : light_product(c, d, b, e);
        if (rc != 0)
            return rc < 0 ? -1 : 0;
        if (device_mark(b->device, 1, e) || device_between(b->device, &time_s, e))
            return -1;
        if (i > 0 && time_s < *best_s) /* the first one warms up */
            *best_s = time_s;
    }
    return 0;
}

/* What an algorithm may count on: without it, the library counts on 256 bytes. */
static int wish_alignment(struct device_blas *l, cublasLtMatmulPreferenceOpaque_t *wish,
                          int32_t alignment, struct err *e)
{
    static const cublasLtMatmulPreferenceAttributes_t operands[] = {
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES};
    uint32_t bytes = (uint32_t)alignment;
    for (size_t i = 0; i < sizeof operands / sizeof *operands; i++)
        if (DEVICE_BLAS(
                l->cublasLtMatmulPreferenceSetAttribute(wish, operands[i], &bytes, sizeof bytes),
                e))
            return -1;
    return 0;
}

/* Best-rated algorithms first. None at all is no failure: the library's own choice remains. */
static int rated(const struct gemm_choice *of, struct device_blas *l,
                 cublasLtMatmulHeuristicResult_t found[BATCHED_GEMM_CANDIDATES], int *n,
                 struct err *e)
{
    const struct batched_gemm_shape *s = &of->shape;
    struct light_product p;
    cublasLtMatmulPreferenceOpaque_t wish;
    size_t workspace = DEVICE_BLAS_WORKSPACE;
    *n = 0;
    if (describe(s, l, &p, e) ||
        DEVICE_BLAS(l->cublasLtMatmulPreferenceInit_internal(&wish, sizeof wish), e) ||
        DEVICE_BLAS(
            l->cublasLtMatmulPreferenceSetAttribute(&wish, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                                    &workspace, sizeof workspace),
            e) ||
        wish_alignment(l, &wish, of->alignment, e))
        return -1;
    cublasStatus_t status = l->cublasLtMatmulAlgoGetHeuristic(
        l->light, &p.operation, &p.b, &p.a, &p.c, &p.c, &wish, BATCHED_GEMM_CANDIDATES, found, n);
    if (status == CUBLAS_STATUS_NOT_SUPPORTED)
        *n = 0;
    else
        return device_blas_status(status, "cublasLtMatmulAlgoGetHeuristic", e);
    return 0;
}

static int choose(struct gemm_choice *best, const struct batched_gemm_data *d,
                  struct device_blas *b, struct err *e)
{
    cublasLtMatmulHeuristicResult_t found[BATCHED_GEMM_CANDIDATES];
    int n = 0;
    best->own = true;
    if (time_choice(best, d, b, &best->own_time_s, e) || rated(best, b, found, &n, e))
        return -1;
    best->time_s = best->own_time_s;
    for (int i = 0; i < n; i++) {
        struct gemm_choice c = *best;
        c.own = false;
        c.workspace_bytes = found[i].workspaceSize;
        memcpy(c.algorithm, &found[i].algo, sizeof c.algorithm);
        if (found[i].state != CUBLAS_STATUS_SUCCESS)
            continue;
        if (time_choice(&c, d, b, &c.time_s, e))
            return -1;
        if (c.time_s < best->time_s)
            *best = c;
    }
    return 0;
}

/* Values from the first product's first to the last one's last. */
static size_t extent(size_t rows, size_t columns, size_t ld, size_t steps)
{
    return steps + (rows - 1) * ld + columns;
}

/* Random values, n of them from `to` on: zeros would draw less power than a network's do, and
 * leave the clocks higher. */
static int fill(float *to, size_t n, struct device *device, struct err *e)
{
    size_t block = n < BATCHED_GEMM_FILLED ? n : BATCHED_GEMM_FILLED;
    float *values = (float *)malloc(block * sizeof *values);
    struct chance c = chance_stream(1, 0, CHANCE_SAMPLE, 3);
    int rc = values ? 0 : err_set(e, ERR_SYSTEM, NULL, "out of memory for a product's values");
    for (size_t i = 0; rc == 0 && i < block; i++)
        values[i] = (float)(2 * chance_uniform(c, i) - 1);
    for (size_t i = 0; rc == 0 && i < n; i += block)
        rc = device_put(device, to + i, values, (n - i < block ? n - i : block) * sizeof *to, e);
    free(values);
    return rc;
}

/* Memory of n values and the alignment, and no more: `values` points behind the start of it. */
struct operand {
    float *memory, *values;
};

static int take(struct operand *o, size_t n, int32_t alignment, struct device *device,
                struct err *e)
{
    size_t shift = alignment < BATCHED_GEMM_ALIGNED ? (size_t)alignment / sizeof(float) : 0;
    o->memory = (float *)device_take(device, (n + shift) * sizeof(float), e);
    o->values = o->memory + shift;
    return o->memory && fill(o->values, n, device, e) == 0 ? 0 : -1;
}

int batched_gemm_search(const struct batched_gemm_shape *s, int32_t alignment,
                        struct device *device, struct err *e)
{
    struct device_blas *b = device_blas_of(device);
    size_t last = (size_t)s->count - 1, m = (size_t)s->m, n = (size_t)s->n, k = (size_t)s->k;
    size_t sizes[3] = {
        extent(m, k, (size_t)s->lda, last * s->a_step),
        extent(s->b_transposed ? n : k, s->b_transposed ? k : n, (size_t)s->ldb, last * s->b_step),
        extent(m, n, (size_t)s->ldc, last * s->c_step)};
    struct operand o[3] = {};
    struct gemm_choice best = {};
    int rc = 0;
    check(s);
    assert(b->algorithms && alignment >= 4 && alignment <= BATCHED_GEMM_ALIGNED);
    if (gemm_table_find(b->algorithms, s, alignment))
        return 0;
    for (int i = 0; rc == 0 && i < 3; i++)
        rc = take(&o[i], sizes[i], alignment, device, e);
    struct batched_gemm_data d = {o[0].values, o[1].values, o[2].values};
    best.shape = *s;
    best.alignment = alignment;
    rc = rc == 0 ? choose(&best, &d, b, e) : rc;
    if (rc == 0)
        gemm_table_add(b->algorithms, &best);
    for (int i = 3; i-- > 0;)
        device_give(device, o[i].memory);
    return rc;
}
