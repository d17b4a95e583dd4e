/* device: what the .cu files share: launches, shared memory, sums over a warp, checked calls.
 *
 * The files are compiled by nvcc, and by a C++ compiler against the host shim of tests/cuda_shim,
 * which runs the same kernels on the processor. They keep to the API of CUDA 11.8, and to one
 * dynamic buffer of shared memory a kernel. */
#ifndef SLUICE_KERNELS_DEVICE_CUH
#define SLUICE_KERNELS_DEVICE_CUH

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cublas_v2.h>
#include <cuda_runtime.h>

extern "C" {
#include "kernels/device.h"
#include "sim/err.h"
}

/* The one place through which statuses of CUDA and cuBLAS pass: 0, or -1 with e. */
int device_status(cudaError_t status, const char *call, struct err *e);
int device_blas_status(cublasStatus_t status, const char *call, struct err *e);
#define DEVICE_TRY(call, e) device_status((call), #call, (e))
#define DEVICE_BLAS(call, e) device_blas_status((call), #call, (e))

cudaStream_t device_stream(const struct device *d);

#ifdef __CUDACC__
#define DEVICE_LAUNCH(kernel, grid, stream, ...)                                                   \
    kernel<<<(grid).blocks, (grid).threads, (grid).shared_bytes, stream>>>(__VA_ARGS__)
extern __shared__ float4 device_shared_memory[];
#else
#define DEVICE_LAUNCH SHIM_LAUNCH
#define device_shared_memory SHIM_SHARED
#endif

struct device_grid {
    dim3 blocks, threads;
    size_t shared_bytes;
};

/* Queues the kernel; 0, or -1 with e when the launch itself was refused. */
#define DEVICE_RUN(kernel, grid, d, e, ...)                                                        \
    (DEVICE_LAUNCH(kernel, grid, device_stream(d), __VA_ARGS__),                                   \
     device_status(cudaGetLastError(), #kernel, (e)))

/* The block's shared memory as values of a type. */
#define DEVICE_SHARED(type) reinterpret_cast<type *>(device_shared_memory)

#define DEVICE_WARP 32
#define DEVICE_SHUFFLE_XOR(value, lanes) __shfl_xor_sync(0xffffffffU, (value), (lanes))

/* Over all 32 lanes, which must all come here; every lane gets the result. */
static inline __device__ float device_warp_sum(float value)
{
    for (int lanes = DEVICE_WARP / 2; lanes > 0; lanes /= 2)
        value += DEVICE_SHUFFLE_XOR(value, lanes);
    return value;
}

static inline __device__ float device_warp_max(float value)
{
    for (int lanes = DEVICE_WARP / 2; lanes > 0; lanes /= 2)
        value = fmaxf(value, DEVICE_SHUFFLE_XOR(value, lanes));
    return value;
}

/* Blocks of `threads` that cover n. */
static inline unsigned device_blocks(size_t n, size_t threads)
{
    size_t blocks = (n + threads - 1) / threads;
    assert(blocks >= 1 && blocks <= 0x7fffffff);
    return (unsigned)blocks;
}

/* Threads of a block that works on n values: whole warps, at most 256. */
static inline unsigned device_threads(size_t n)
{
    size_t warps = (n + DEVICE_WARP - 1) / DEVICE_WARP;
    return (unsigned)(DEVICE_WARP * (warps < 1 ? 1 : warps > 8 ? 8 : warps));
}

#endif
