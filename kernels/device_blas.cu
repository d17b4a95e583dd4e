/* device_blas: the one door to cuBLAS. */
#include "kernels/device_blas.cuh"

#include "kernels/device.cuh"

extern "C" {
#include "kernels/device_blas.h"
#include "kernels/gemm_table.h"
}

#include <dlfcn.h>
#include <stdlib.h>

#ifndef __CUDACC__
#define dlopen SHIM_DLOPEN /* the host shim's library, whose absence can be planted too */
#define dlsym SHIM_DLSYM
#define dlerror SHIM_DLERROR
#define dlclose SHIM_DLCLOSE
#endif

#define TEXT_OF(value) #value
#define NAME_WITH(name, version) name ".so." TEXT_OF(version)
#define LIBRARY(name) NAME_WITH(name, CUBLAS_VER_MAJOR)

static int find(void *library, const char *name, void **function, struct err *e)
{
    *function = dlsym(library, name);
    if (*function)
        return 0;
    return err_set(e, ERR_SYSTEM, NULL, "cuBLAS: the library has no function %s", name);
}

static int open_library(const char *name, void **library, struct err *e)
{
    *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (*library)
        return 0;
    const char *why = dlerror();
    return err_set(e, ERR_SYSTEM, NULL, "cuBLAS: %s", why ? why : name);
}

static int open_libraries(struct device_blas *b, struct err *e)
{
    if (open_library(LIBRARY("libcublas"), &b->library, e) ||
        open_library(LIBRARY("libcublasLt"), &b->light_library, e))
        return -1;
#define FIND(name)                                                                                 \
    if (find(b->library, #name, (void **)&b->name, e))                                             \
        return -1;
    DEVICE_BLAS_FUNCTIONS(FIND)
#undef FIND
#define FIND(name)                                                                                 \
    if (find(b->light_library, #name, (void **)&b->name, e))                                       \
        return -1;
    DEVICE_BLAS_LIGHT_FUNCTIONS(FIND)
#undef FIND
    return 0;
}

/* An own workspace: a recorded graph may not meet an allocation of the library. */
static int start(struct device_blas *b, struct err *e)
{
    int version = 0;
    if (DEVICE_TRY(cudaMalloc(&b->workspace, DEVICE_BLAS_WORKSPACE), e) ||
        DEVICE_BLAS(b->cublasCreate_v2(&b->handle), e) ||
        DEVICE_BLAS(b->cublasGetVersion_v2(b->handle, &version), e) ||
        DEVICE_BLAS(b->cublasSetStream_v2(b->handle, device_stream(b->device)), e) ||
        DEVICE_BLAS(b->cublasSetWorkspace_v2(b->handle, b->workspace, DEVICE_BLAS_WORKSPACE), e) ||
        DEVICE_BLAS(b->cublasLtCreate(&b->light), e))
        return -1;
    b->version = version;
    return 0;
}

struct device_blas *device_blas_create(struct device *d, struct err *e)
{
    struct device_blas *b = (struct device_blas *)calloc(1, sizeof *b);
    if (!b) {
        err_set(e, ERR_SYSTEM, NULL, "out of memory for cuBLAS");
        return NULL;
    }
    b->device = d;
    if (open_libraries(b, e) == 0 && start(b, e) == 0)
        return b;
    device_blas_destroy(b);
    return NULL;
}

void device_blas_destroy(struct device_blas *b)
{
    struct err ignored = {};
    if (!b)
        return;
    if (b->light)
        DEVICE_BLAS(b->cublasLtDestroy(b->light), &ignored);
    if (b->handle)
        DEVICE_BLAS(b->cublasDestroy_v2(b->handle), &ignored);
    device_give(b->device, b->workspace);
    if (b->light_library)
        dlclose(b->light_library);
    if (b->library)
        dlclose(b->library);
    free(b);
}

void device_blas_algorithms(struct device *d, struct gemm_table *t)
{
    device_blas_of(d)->algorithms = t;
}

void device_blas_search(struct device *d, bool on)
{
    device_blas_of(d)->searches = on;
}
