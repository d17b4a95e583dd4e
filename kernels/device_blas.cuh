/* device_blas: cuBLAS and cuBLASLt of one device, opened when the device is.
 *
 * The libraries are opened by name at run time: linked, they would cost every start of the program
 * 0.12 s and 200 MB (measured with 13.1), for a part that few runs use. */
#ifndef SLUICE_KERNELS_DEVICE_BLAS_CUH
#define SLUICE_KERNELS_DEVICE_BLAS_CUH

#include <cublasLt.h>
#include <cublas_v2.h>

struct device;
struct err;
struct gemm_table;

#define DEVICE_BLAS_FUNCTIONS(X)                                                                   \
    X(cublasCreate_v2)                                                                             \
    X(cublasDestroy_v2)                                                                            \
    X(cublasGetVersion_v2)                                                                         \
    X(cublasSetStream_v2)                                                                          \
    X(cublasSetWorkspace_v2)                                                                       \
    X(cublasSgemmStridedBatched)
#define DEVICE_BLAS_LIGHT_FUNCTIONS(X)                                                             \
    X(cublasLtCreate)                                                                              \
    X(cublasLtDestroy)                                                                             \
    X(cublasLtMatmul)                                                                              \
    X(cublasLtMatmulAlgoGetHeuristic)                                                              \
    X(cublasLtMatmulDescInit_internal)                                                             \
    X(cublasLtMatmulDescSetAttribute)                                                              \
    X(cublasLtMatmulPreferenceInit_internal)                                                       \
    X(cublasLtMatmulPreferenceSetAttribute)                                                        \
    X(cublasLtMatrixLayoutInit_internal)                                                           \
    X(cublasLtMatrixLayoutSetAttribute)

/* 32 MiB: what the libraries' fastest algorithms ask for at most. */
#define DEVICE_BLAS_WORKSPACE ((size_t)32 << 20)

struct device_blas {
    void *library, *light_library;
    cublasHandle_t handle;
    cublasLtHandle_t light;
    void *workspace;
    int32_t version;
    struct device *device;
    struct gemm_table *algorithms; /* borrowed; NULL: the library chooses */
    bool searches;
#define DEVICE_BLAS_POINTER(name) decltype(&::name) name;
    DEVICE_BLAS_FUNCTIONS(DEVICE_BLAS_POINTER)
    DEVICE_BLAS_LIGHT_FUNCTIONS(DEVICE_BLAS_POINTER)
#undef DEVICE_BLAS_POINTER
};

struct device_blas *device_blas_create(struct device *d, struct err *e);
void device_blas_destroy(struct device_blas *b); /* accepts NULL */
struct device_blas *device_blas_of(const struct device *d);

#endif
