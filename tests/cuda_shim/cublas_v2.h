/* cublas_v2: the part of cuBLAS' API that the kernels use; numbers are those of version 11. */
#ifndef SLUICE_TESTS_CUDA_SHIM_CUBLAS_V2_H
#define SLUICE_TESTS_CUDA_SHIM_CUBLAS_V2_H

#include <cuda_runtime.h>

#define CUBLAS_VER_MAJOR 11

enum cublasStatus_t {
    CUBLAS_STATUS_SUCCESS = 0,
    CUBLAS_STATUS_INVALID_VALUE = 7,
    CUBLAS_STATUS_ARCH_MISMATCH = 8,
    CUBLAS_STATUS_INTERNAL_ERROR = 14,
    CUBLAS_STATUS_NOT_SUPPORTED = 15,
};
enum cublasOperation_t { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1 };
enum cublasComputeType_t { CUBLAS_COMPUTE_32F = 68 };
enum cudaDataType_t { CUDA_R_32F = 0 };
typedef cudaDataType_t cudaDataType;
typedef struct shim_blas *cublasHandle_t;

cublasStatus_t cublasCreate_v2(cublasHandle_t *h);
cublasStatus_t cublasDestroy_v2(cublasHandle_t h);
cublasStatus_t cublasGetVersion_v2(cublasHandle_t h, int *version);
cublasStatus_t cublasSetStream_v2(cublasHandle_t h, cudaStream_t s);
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t h, void *workspace, size_t bytes);
cublasStatus_t cublasSgemmStridedBatched(cublasHandle_t h, cublasOperation_t op_a,
                                         cublasOperation_t op_b, int m, int n, int k,
                                         const float *alpha, const float *a, int lda,
                                         long long a_step, const float *b, int ldb,
                                         long long b_step, const float *beta, float *c, int ldc,
                                         long long c_step, int count);

#endif
