/* blas: the shim's cuBLAS and cuBLASLt: plain sums in double, and every operand checked. */
#include <cublasLt.h>

#include "tests/cuda_shim/inside.h"

#include <vector>

struct shim_blas {
    cudaStream_t stream;
    void *workspace;
};
struct shim_light {
    int unused;
};

#define ENTER()                                                                                    \
    if (shim_enter(__func__))                                                                      \
    return CUBLAS_STATUS_INTERNAL_ERROR

/* C = op(A) op(B), counted by columns, `count` times. */
struct product {
    bool a_transposed, b_transposed;
    size_t m, n, k, lda, ldb, ldc;
    size_t a_step, b_step, c_step, count;
    const float *a, *b;
    float *c;
};

/* Values from the first of the first matrix to the last of the last one. */
static size_t extent(size_t rows, size_t columns, size_t ld, size_t step, size_t count)
{
    return (count - 1) * step + (columns - 1) * ld + rows;
}

/* What the real library refuses, and what it does not see: operands that leave their memory. */
static bool valid(const product &p)
{
    size_t a_rows = p.a_transposed ? p.k : p.m, a_columns = p.a_transposed ? p.m : p.k;
    size_t b_rows = p.b_transposed ? p.n : p.k, b_columns = p.b_transposed ? p.k : p.n;
    if (p.m < 1 || p.n < 1 || p.k < 1 || p.count < 1 || p.lda < a_rows || p.ldb < b_rows ||
        p.ldc < p.m)
        return false;
    if (!shim_on_device(p.a, extent(a_rows, a_columns, p.lda, p.a_step, p.count) * sizeof *p.a) ||
        !shim_on_device(p.b, extent(b_rows, b_columns, p.ldb, p.b_step, p.count) * sizeof *p.b) ||
        !shim_on_device(p.c, extent(p.m, p.n, p.ldc, p.c_step, p.count) * sizeof *p.c))
        shim_report("a product of %zu x %zu x %zu, %zu times, leaves its device memory", p.m, p.n,
                    p.k, p.count);
    return true;
}

/* A column of C. Values that lie side by side are walked side by side: down A's columns, or along k
 * where there are few rows. */
static void column(const product &p, const float *a, const float *b, size_t j, double *sums)
{
    size_t b_step = p.b_transposed ? p.ldb : 1;
    b += p.b_transposed ? j : j * p.ldb;
    for (size_t i = 0; i < p.m; i++)
        sums[i] = 0;
    if (p.a_transposed || p.m < 8)
        for (size_t i = 0; i < p.m; i++) {
            const float *row = a + (p.a_transposed ? i * p.lda : i);
            size_t step = p.a_transposed ? 1 : p.lda;
            for (size_t l = 0; l < p.k; l++)
                sums[i] += (double)row[l * step] * (double)b[l * b_step];
        }
    else
        for (size_t l = 0; l < p.k; l++)
            for (size_t i = 0; i < p.m; i++)
                sums[i] += (double)a[l * p.lda + i] * (double)b[l * b_step];
}

static void multiply(const product &p)
{
    std::vector<double> sums(p.m);
    shim_ran();
    shim_memory_open();
    for (size_t s = 0; s < p.count; s++)
        for (size_t j = 0; j < p.n; j++) {
            column(p, p.a + s * p.a_step, p.b + s * p.b_step, j, sums.data());
            for (size_t i = 0; i < p.m; i++)
                p.c[s * p.c_step + j * p.ldc + i] = (float)sums[i];
        }
}

static cublasStatus_t queue(const product &p, cudaStream_t s, double ms)
{
    if (!valid(p))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (shim_faulty())
        return CUBLAS_STATUS_SUCCESS; /* the real one would not have seen it */
    return shim_queue(s, ms, [p] { multiply(p); }) == cudaSuccess ? CUBLAS_STATUS_SUCCESS
                                                                  : CUBLAS_STATUS_INTERNAL_ERROR;
}

cublasStatus_t cublasCreate_v2(cublasHandle_t *h)
{
    ENTER();
    *h = new shim_blas();
    shim_take(1);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t h)
{
    bool fails = shim_enter(__func__);
    delete h;
    shim_take(-1);
    return fails ? CUBLAS_STATUS_INTERNAL_ERROR : CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetVersion_v2(cublasHandle_t, int *version)
{
    ENTER();
    *version = 111103;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetStream_v2(cublasHandle_t h, cudaStream_t s)
{
    ENTER();
    h->stream = s;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t h, void *workspace, size_t bytes)
{
    ENTER();
    if (!shim_on_device(workspace, bytes))
        return CUBLAS_STATUS_INVALID_VALUE;
    h->workspace = workspace;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSgemmStridedBatched(cublasHandle_t h, cublasOperation_t op_a,
                                         cublasOperation_t op_b, int m, int n, int k,
                                         const float *alpha, const float *a, int lda,
                                         long long a_step, const float *b, int ldb,
                                         long long b_step, const float *beta, float *c, int ldc,
                                         long long c_step, int count)
{
    ENTER();
    if (*alpha != 1.0F || *beta != 0.0F || m < 1 || n < 1 || k < 1 || count < 1 || lda < 1 ||
        ldb < 1 || ldc < 1 || a_step < 0 || b_step < 0 || c_step < 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (shim_recording(h->stream) && !h->workspace)
        shim_report("a recorded product would make the library allocate: it has no workspace");
    product p = {op_a == CUBLAS_OP_T,
                 op_b == CUBLAS_OP_T,
                 (size_t)m,
                 (size_t)n,
                 (size_t)k,
                 (size_t)lda,
                 (size_t)ldb,
                 (size_t)ldc,
                 (size_t)a_step,
                 (size_t)b_step,
                 (size_t)c_step,
                 (size_t)count,
                 a,
                 b,
                 c};
    return queue(p, h->stream, 1.0);
}

/* cuBLASLt. Layouts keep type, rows, columns, distance, batch and step in their words. */

cublasStatus_t cublasLtCreate(cublasLtHandle_t *h)
{
    ENTER();
    *h = new shim_light();
    shim_take(1);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtDestroy(cublasLtHandle_t h)
{
    bool fails = shim_enter(__func__);
    delete h;
    shim_take(-1);
    return fails ? CUBLAS_STATUS_INTERNAL_ERROR : CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescInit_internal(cublasLtMatmulDesc_t d, size_t size,
                                               cublasComputeType_t compute, cudaDataType_t scale)
{
    ENTER();
    if (size != sizeof *d || compute != CUBLAS_COMPUTE_32F || scale != CUDA_R_32F)
        return CUBLAS_STATUS_INVALID_VALUE;
    *d = {};
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t d,
                                              cublasLtMatmulDescAttributes_t which,
                                              const void *value, size_t size)
{
    ENTER();
    int32_t transposed = 0;
    if (which != CUBLASLT_MATMUL_DESC_TRANSA || size != sizeof transposed)
        return CUBLAS_STATUS_INVALID_VALUE;
    memcpy(&transposed, value, size);
    d->data[0] = (uint64_t)transposed;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutInit_internal(cublasLtMatrixLayout_t m, size_t size,
                                                 cudaDataType type, uint64_t rows, uint64_t columns,
                                                 int64_t ld)
{
    ENTER();
    if (size != sizeof *m || type != CUDA_R_32F || ld < (int64_t)rows)
        return CUBLAS_STATUS_INVALID_VALUE;
    *m = {{0, rows, columns, (uint64_t)ld, 1, 0, 0, 0}};
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t m,
                                                cublasLtMatrixLayoutAttribute_t which,
                                                const void *value, size_t size)
{
    ENTER();
    int32_t count = 0;
    int64_t step = 0;
    if (which == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT && size == sizeof count) {
        memcpy(&count, value, size);
        m->data[4] = (uint64_t)count;
    } else if (which == CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET && size == sizeof step) {
        memcpy(&step, value, size);
        m->data[5] = (uint64_t)step;
    } else
        return CUBLAS_STATUS_INVALID_VALUE;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceInit_internal(cublasLtMatmulPreference_t p, size_t size)
{
    ENTER();
    *p = {};
    return size == sizeof *p ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t p,
                                                    cublasLtMatmulPreferenceAttributes_t which,
                                                    const void *value, size_t size)
{
    ENTER();
    uint32_t bytes;
    if (which >= CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES && size == sizeof bytes) {
        memcpy(&bytes, value, size);
        p->data[1] = p->data[1] && p->data[1] < bytes ? p->data[1] : bytes;
        return CUBLAS_STATUS_SUCCESS;
    }
    if (which != CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES || size != sizeof(size_t))
        return CUBLAS_STATUS_INVALID_VALUE;
    memcpy(&p->data[0], value, size);
    return CUBLAS_STATUS_SUCCESS;
}

/* Four algorithms: one slower than the library's own, the fastest, one that fails when it runs, and
 * one that the heuristic itself calls unfit. An odd number of rows is not supported at all. */
#define MAGIC 0x5107cedeULL
static const double algorithm_ms[4] = {2.0, 0.5, 0.1, 0.1};

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t,
                                              cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                                              cublasLtMatrixLayout_t, cublasLtMatrixLayout_t y,
                                              cublasLtMatmulPreference_t p, int wanted,
                                              cublasLtMatmulHeuristicResult_t found[], int *n)
{
    ENTER();
    *n = 0;
    if (y->data[1] % 2 == 1)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    for (uint64_t i = 0; i < 4 && *n < wanted; i++) {
        cublasLtMatmulHeuristicResult_t r = {};
        r.algo = {{MAGIC, i, p->data[1] ? p->data[1] : 256, 0, 0, 0, 0, ~0ULL}};
        r.workspaceSize = p->data[0] / 2;
        r.state = i == 3 ? CUBLAS_STATUS_NOT_SUPPORTED : CUBLAS_STATUS_SUCCESS;
        found[(*n)++] = r;
    }
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t d, const void *alpha,
                              const void *a, cublasLtMatrixLayout_t al, const void *b,
                              cublasLtMatrixLayout_t bl, const void *beta, const void *c,
                              cublasLtMatrixLayout_t cl, void *y, cublasLtMatrixLayout_t yl,
                              const cublasLtMatmulAlgo_t *algo, void *workspace, size_t bytes,
                              cudaStream_t s)
{
    ENTER();
    const uint64_t *A = al->data, *B = bl->data, *Y = yl->data;
    bool transposed = d->data[0] == CUBLAS_OP_T;
    uint64_t m = transposed ? A[2] : A[1], k = transposed ? A[1] : A[2];
    if (*(const float *)alpha != 1.0F || *(const float *)beta != 0.0F || c != y || cl != yl ||
        B[1] != k || Y[1] != m || Y[2] != B[2] || A[4] != Y[4] || B[4] != Y[4] ||
        algo->data[0] != MAGIC || algo->data[1] > 3 || algo->data[7] != ~0ULL ||
        !shim_on_device(workspace, bytes))
        return CUBLAS_STATUS_INVALID_VALUE;
    /* what the algorithm was told to count on; 0 counts on nothing */
    uintptr_t places = (uintptr_t)a | (uintptr_t)b | (uintptr_t)y;
    if (algo->data[2] && places % algo->data[2] != 0)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (algo->data[1] >= 2)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    product p = {transposed,
                 false,
                 m,
                 Y[2],
                 k,
                 A[3],
                 B[3],
                 Y[3],
                 A[5],
                 B[5],
                 Y[5],
                 Y[4],
                 (const float *)a,
                 (const float *)b,
                 (float *)y};
    return queue(p, s, algorithm_ms[algo->data[1]]);
}

struct named {
    const char *name;
    void *function;
};

void *shim_find_function(const char *name);
void *shim_find_function(const char *name)
{
#define ROW(f)                                                                                     \
    {                                                                                              \
#f, (void *)f                                                                              \
    }
    static const named functions[] = {ROW(cublasCreate_v2),
                                      ROW(cublasDestroy_v2),
                                      ROW(cublasGetVersion_v2),
                                      ROW(cublasSetStream_v2),
                                      ROW(cublasSetWorkspace_v2),
                                      ROW(cublasSgemmStridedBatched),
                                      ROW(cublasLtCreate),
                                      ROW(cublasLtDestroy),
                                      ROW(cublasLtMatmul),
                                      ROW(cublasLtMatmulAlgoGetHeuristic),
                                      ROW(cublasLtMatmulDescInit_internal),
                                      ROW(cublasLtMatmulDescSetAttribute),
                                      ROW(cublasLtMatmulPreferenceInit_internal),
                                      ROW(cublasLtMatmulPreferenceSetAttribute),
                                      ROW(cublasLtMatrixLayoutInit_internal),
                                      ROW(cublasLtMatrixLayoutSetAttribute)};
    for (const named &f : functions)
        if (strcmp(f.name, name) == 0)
            return f.function;
    return NULL;
}
