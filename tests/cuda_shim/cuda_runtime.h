/* cuda_runtime: the part of the CUDA runtime's API that the kernels use, on the processor.
 *
 * Names and numbers are those of CUDA 11.8's own header of this name. */
#ifndef SLUICE_TESTS_CUDA_SHIM_CUDA_RUNTIME_H
#define SLUICE_TESTS_CUDA_SHIM_CUDA_RUNTIME_H

#include <functional>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <tuple>

#define __global__ static
#define __device__
#define __host__
#define __forceinline__ inline

struct uint3 {
    unsigned x, y, z;
};
struct dim3 {
    unsigned x, y, z;
    dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_)
    {
    }
};
struct float4 {
    float x, y, z, w;
};

enum cudaError_t {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorInsufficientDriver = 35,
    cudaErrorNoDevice = 100,
    cudaErrorInvalidDevice = 101,
    cudaErrorInvalidResourceHandle = 400,
    cudaErrorNotReady = 600,
    cudaErrorLaunchFailure = 719,
    cudaErrorStreamCaptureUnsupported = 900,
    cudaErrorStreamCaptureInvalidated = 901,
    cudaErrorUnknown = 999,
};
enum cudaMemcpyKind { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2 };
enum cudaDeviceAttr {
    cudaDevAttrClockRate = 13,
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrMemoryClockRate = 36,
    cudaDevAttrGlobalMemoryBusWidth = 37,
    cudaDevAttrL2CacheSize = 38,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76,
};
enum cudaStreamCaptureMode { cudaStreamCaptureModeThreadLocal = 1 };
#define cudaStreamNonBlocking 1U

typedef struct shim_stream *cudaStream_t;
typedef struct shim_event *cudaEvent_t;
typedef struct shim_graph *cudaGraph_t;
typedef struct shim_exec *cudaGraphExec_t;
struct cudaDeviceProp {
    char name[256];
};

cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int device);
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr which, int device);
cudaError_t cudaDeviceGetPCIBusId(char *bus, int size, int device);
cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaRuntimeGetVersion(int *version);
cudaError_t cudaMemGetInfo(size_t *available, size_t *total);
cudaError_t cudaGetLastError(void);
const char *cudaGetErrorString(cudaError_t status);
const char *cudaGetErrorName(cudaError_t status);
cudaError_t cudaMalloc(void **p, size_t bytes);
cudaError_t cudaFree(void *p);
cudaError_t cudaMallocHost(void **p, size_t bytes);
cudaError_t cudaFreeHost(void *p);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t s);
cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t s);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *s, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t s);
cudaError_t cudaStreamSynchronize(cudaStream_t s);
cudaError_t cudaStreamBeginCapture(cudaStream_t s, cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t s, cudaGraph_t *g);
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *x, cudaGraph_t g,
                                          unsigned long long flags);
cudaError_t cudaGraphLaunch(cudaGraphExec_t x, cudaStream_t s);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t x);
cudaError_t cudaGraphDestroy(cudaGraph_t g);
cudaError_t cudaEventCreate(cudaEvent_t *v);
cudaError_t cudaEventDestroy(cudaEvent_t v);
cudaError_t cudaEventRecord(cudaEvent_t v, cudaStream_t s);
cudaError_t cudaEventSynchronize(cudaEvent_t v);
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to);

/* Inside a kernel. */
struct shim_place {
    uint3 thread, block;
    dim3 threads, blocks;
};
extern struct shim_place shim_here;
#define threadIdx (shim_here.thread)
#define blockIdx (shim_here.block)
#define blockDim (shim_here.threads)
#define gridDim (shim_here.blocks)

enum shim_exchange {
    SHIM_SYNC,
    SHIM_XOR,
    SHIM_UP,
    SHIM_DOWN,
    SHIM_FROM,
    SHIM_BALLOT,
    SHIM_ANY,
    SHIM_ALL
};
void *shim_shared(void);
void shim_barrier(const char *file, int line);
/* Waits for the warp's other lanes of the mask; the result is the exchanged value. */
uint64_t shim_warp(enum shim_exchange what, uint32_t mask, uint64_t value, int argument, int line);

template <class T>
static inline T shim_shuffle(enum shim_exchange what, uint32_t mask, T value, int argument,
                             int line)
{
    static_assert(sizeof(T) <= sizeof(uint64_t), "a shuffled value has at most 8 bytes");
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof value);
    bits = shim_warp(what, mask, bits, argument, line);
    memcpy(&value, &bits, sizeof value);
    return value;
}

#define SHIM_SHARED shim_shared()
#define __syncthreads() shim_barrier(__FILE__, __LINE__)
#define __syncwarp(mask) ((void)shim_warp(SHIM_SYNC, (mask), 0, 0, __LINE__))
#define __shfl_xor_sync(mask, value, n) shim_shuffle(SHIM_XOR, (mask), (value), (n), __LINE__)
#define __shfl_up_sync(mask, value, n) shim_shuffle(SHIM_UP, (mask), (value), (n), __LINE__)
#define __shfl_down_sync(mask, value, n) shim_shuffle(SHIM_DOWN, (mask), (value), (n), __LINE__)
#define __shfl_sync(mask, value, n) shim_shuffle(SHIM_FROM, (mask), (value), (n), __LINE__)
#define __ballot_sync(mask, p) ((unsigned)shim_warp(SHIM_BALLOT, (mask), (p) != 0, 0, __LINE__))
#define __any_sync(mask, p) ((int)shim_warp(SHIM_ANY, (mask), (p) != 0, 0, __LINE__))
#define __all_sync(mask, p) ((int)shim_warp(SHIM_ALL, (mask), (p) != 0, 0, __LINE__))

template <class T> static inline T atomicAdd(T *at, T value)
{
    T before = *at;
    *at += value;
    return before;
}

/* A launch: arguments are copied now, as the real ones are; the kernel runs when somebody waits. */
struct shim_grid {
    const char *kernel;
    dim3 blocks, threads;
    size_t shared_bytes;
};
void shim_launch(const struct shim_grid *g, cudaStream_t s, std::function<void()> body);

template <class... P, class... A>
static inline void shim_launch_with(const struct shim_grid *g, cudaStream_t s, void (*kernel)(P...),
                                    A... a)
{
    std::tuple<P...> arguments(a...);
    shim_launch(g, s, [=] { std::apply(kernel, arguments); });
}

#define SHIM_LAUNCH(kernel, grid, stream, ...)                                                     \
    [&] {                                                                                          \
        auto shim_of = (grid);                                                                     \
        struct shim_grid shim_as = {#kernel, shim_of.blocks, shim_of.threads,                      \
                                    shim_of.shared_bytes};                                         \
        shim_launch_with(&shim_as, stream, kernel, __VA_ARGS__);                                   \
    }()

void *shim_dlopen(const char *name);
void *shim_dlsym(void *library, const char *name);
char *shim_dlerror(void);
int shim_dlclose(void *library);
#define SHIM_DLOPEN(name, flags) shim_dlopen(((void)(flags), (name)))
#define SHIM_DLSYM shim_dlsym
#define SHIM_DLERROR shim_dlerror
#define SHIM_DLCLOSE shim_dlclose

#endif
