/* device: the one door to the CUDA runtime. */
#include "kernels/device.cuh"
#include "kernels/device_blas.cuh"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Copies go through pinned memory of this size, so that they are fast and what they copy may
 * change as soon as they return. */
#define DEVICE_STAGE_BYTES ((size_t)4 << 20)

struct device {
    struct device_info info;
    int32_t number;
    cudaStream_t stream;
    cudaEvent_t marks[2];
    struct device_blas *blas;
    char *stage;
    char *flush; /* twice the second level cache; taken at the first flush */
};

struct device_graph {
    cudaGraphExec_t exec;
};

/* "cudaMalloc" of "cudaMalloc(&p, bytes)". */
static int name_length(const char *call)
{
    const char *end = strchr(call, '(');
    return end ? (int)(end - call) : (int)strlen(call);
}

int device_status(cudaError_t status, const char *call, struct err *e)
{
    if (status == cudaSuccess)
        return 0;
    return err_set(e, ERR_SYSTEM, NULL, "CUDA: %.*s: %s (%s)", name_length(call), call,
                   cudaGetErrorString(status), cudaGetErrorName(status));
}

int device_blas_status(cublasStatus_t status, const char *call, struct err *e)
{
    const char *arrow =
        strstr(call, "->"); /* calls go through a table of the library's functions */
    call = arrow ? arrow + 2 : call;
    if (status == CUBLAS_STATUS_SUCCESS)
        return 0;
    return err_set(e, ERR_SYSTEM, NULL, "cuBLAS: %.*s: status %d", name_length(call), call,
                   (int)status);
}

cudaStream_t device_stream(const struct device *d)
{
    return d->stream;
}

struct device_blas *device_blas_of(const struct device *d)
{
    return d->blas;
}

int32_t device_count(struct err *e)
{
    int count = 0;
    if (DEVICE_TRY(cudaGetDeviceCount(&count), e))
        return -1;
    if (count < 1)
        return err_set(e, ERR_SYSTEM, NULL, "CUDA: the driver shows no GPU");
    return count;
}

static int attribute(const struct device *d, enum cudaDeviceAttr which, int *value, struct err *e)
{
    return DEVICE_TRY(cudaDeviceGetAttribute(value, which, d->number), e);
}

static int read_attributes(struct device *d, struct err *e)
{
    struct device_info *i = &d->info;
    int clock_khz = 0, memory_khz = 0, l2 = 0;
    if (attribute(d, cudaDevAttrComputeCapabilityMajor, &i->compute_major, e) ||
        attribute(d, cudaDevAttrComputeCapabilityMinor, &i->compute_minor, e) ||
        attribute(d, cudaDevAttrMultiProcessorCount, &i->multiprocessors, e) ||
        attribute(d, cudaDevAttrL2CacheSize, &l2, e) ||
        attribute(d, cudaDevAttrClockRate, &clock_khz, e) ||
        attribute(d, cudaDevAttrMemoryClockRate, &memory_khz, e) ||
        attribute(d, cudaDevAttrGlobalMemoryBusWidth, &i->memory_bus_bits, e))
        return -1;
    i->l2_bytes = (size_t)l2;
    i->clock_mhz = clock_khz * 1e-3;
    i->memory_clock_mhz = memory_khz * 1e-3;
    return 0;
}

static int read_info(struct device *d, struct err *e)
{
    struct cudaDeviceProp p;
    struct device_info *i = &d->info;
    if (DEVICE_TRY(cudaGetDeviceProperties(&p, d->number), e) ||
        DEVICE_TRY(cudaDeviceGetPCIBusId(i->bus, (int)sizeof i->bus, d->number), e) ||
        DEVICE_TRY(cudaMemGetInfo(&i->free_bytes, &i->memory_bytes), e) ||
        DEVICE_TRY(cudaDriverGetVersion(&i->driver), e) ||
        DEVICE_TRY(cudaRuntimeGetVersion(&i->runtime), e) || read_attributes(d, e))
        return -1;
    snprintf(i->name, sizeof i->name, "%.*s", (int)sizeof i->name - 1, p.name);
    return 0;
}

static int start(struct device *d, struct err *e)
{
    int32_t count = device_count(e);
    if (count < 0)
        return -1;
    if (d->number < 0 || d->number >= count)
        return err_set(e, ERR_SYSTEM, NULL, "CUDA: there is no GPU %d; the driver shows 0 to %d",
                       d->number, count - 1);
    if (DEVICE_TRY(cudaSetDevice(d->number), e) || read_info(d, e) ||
        DEVICE_TRY(cudaStreamCreateWithFlags(&d->stream, cudaStreamNonBlocking), e) ||
        DEVICE_TRY(cudaEventCreate(&d->marks[0]), e) ||
        DEVICE_TRY(cudaEventCreate(&d->marks[1]), e) ||
        DEVICE_TRY(cudaMallocHost((void **)&d->stage, DEVICE_STAGE_BYTES), e))
        return -1;
    d->blas = device_blas_create(d, e);
    d->info.blas = d->blas ? d->blas->version : 0;
    return d->blas ? 0 : -1;
}

struct device *device_create(int32_t number, struct err *e)
{
    struct device *d = (struct device *)calloc(1, sizeof *d);
    if (!d) {
        err_set(e, ERR_SYSTEM, NULL, "out of memory for a device");
        return NULL;
    }
    d->number = number;
    if (start(d, e) == 0)
        return d;
    device_destroy(d);
    return NULL;
}

/* What cannot be given back any more is nobody's loss: the error that matters came earlier. */
void device_destroy(struct device *d)
{
    struct err ignored = {};
    if (!d)
        return;
    device_blas_destroy(d->blas);
    device_give(d, d->flush);
    if (d->stage)
        DEVICE_TRY(cudaFreeHost(d->stage), &ignored);
    for (int i = 0; i < 2; i++)
        if (d->marks[i])
            DEVICE_TRY(cudaEventDestroy(d->marks[i]), &ignored);
    if (d->stream)
        DEVICE_TRY(cudaStreamDestroy(d->stream), &ignored);
    free(d);
}

const struct device_info *device_info(const struct device *d)
{
    return &d->info;
}

void *device_take(struct device *d, size_t bytes, struct err *e)
{
    void *p = NULL;
    size_t available = 0, total = 0;
    cudaError_t status = cudaMalloc(&p, bytes ? bytes : 1);
    if (status == cudaErrorMemoryAllocation) {
        struct err ignored = {};
        (void)cudaGetLastError(); /* it would be reported again by the next launch */
        DEVICE_TRY(cudaMemGetInfo(&available, &total), &ignored);
        err_set(e, ERR_SYSTEM, NULL, "CUDA: %zu MiB are wanted on %s, %zu of its %zu MiB are free",
                bytes >> 20, d->info.name, available >> 20, total >> 20);
        return NULL;
    }
    if (device_status(status, "cudaMalloc", e))
        return NULL;
    if (DEVICE_TRY(cudaMemsetAsync(p, 0, bytes ? bytes : 1, d->stream), e) == 0 &&
        device_wait(d, e) == 0)
        return p;
    device_give(d, p);
    return NULL;
}

void device_give(struct device *d, void *memory)
{
    struct err ignored = {};
    (void)d;
    if (memory)
        DEVICE_TRY(cudaFree(memory), &ignored);
}

int device_put(struct device *d, void *to, const void *from, size_t bytes, struct err *e)
{
    for (size_t at = 0; at < bytes; at += DEVICE_STAGE_BYTES) {
        size_t n = bytes - at < DEVICE_STAGE_BYTES ? bytes - at : DEVICE_STAGE_BYTES;
        memcpy(d->stage, (const char *)from + at, n);
        if (DEVICE_TRY(
                cudaMemcpyAsync((char *)to + at, d->stage, n, cudaMemcpyHostToDevice, d->stream),
                e) ||
            device_wait(d, e))
            return -1;
    }
    return 0;
}

int device_get(struct device *d, void *to, const void *from, size_t bytes, struct err *e)
{
    for (size_t at = 0; at < bytes; at += DEVICE_STAGE_BYTES) {
        size_t n = bytes - at < DEVICE_STAGE_BYTES ? bytes - at : DEVICE_STAGE_BYTES;
        if (DEVICE_TRY(cudaMemcpyAsync(d->stage, (const char *)from + at, n, cudaMemcpyDeviceToHost,
                                       d->stream),
                       e) ||
            device_wait(d, e))
            return -1;
        memcpy((char *)to + at, d->stage, n);
    }
    return 0;
}

int device_wait(struct device *d, struct err *e)
{
    return DEVICE_TRY(cudaStreamSynchronize(d->stream), e);
}

int device_flush(struct device *d, struct err *e)
{
    size_t bytes = 2 * d->info.l2_bytes;
    if (bytes == 0)
        return 0;
    if (!d->flush && !(d->flush = (char *)device_take(d, bytes, e)))
        return -1;
    return DEVICE_TRY(cudaMemsetAsync(d->flush, 1, bytes, d->stream), e) || device_wait(d, e) ? -1
                                                                                              : 0;
}

int device_record(struct device *d, struct err *e)
{
    return DEVICE_TRY(cudaStreamBeginCapture(d->stream, cudaStreamCaptureModeThreadLocal), e);
}

struct device_graph *device_recorded(struct device *d, struct err *e)
{
    struct err ignored = {};
    cudaGraph_t graph = NULL;
    struct device_graph *g = (struct device_graph *)calloc(1, sizeof *g);
    int rc = DEVICE_TRY(cudaStreamEndCapture(d->stream, &graph), e);
    if (!g)
        rc = err_set(e, ERR_SYSTEM, NULL, "out of memory for a graph");
    if (e->code != ERR_NONE) /* of a step that was to be recorded: the graph is not whole */
        rc = -1;
    if (rc == 0)
        rc = DEVICE_TRY(cudaGraphInstantiateWithFlags(&g->exec, graph, 0), e);
    if (graph)
        DEVICE_TRY(cudaGraphDestroy(graph), &ignored);
    if (rc == 0)
        return g;
    free(g);
    return NULL;
}

int device_replay(struct device *d, struct device_graph *g, struct err *e)
{
    return DEVICE_TRY(cudaGraphLaunch(g->exec, d->stream), e);
}

void device_graph_destroy(struct device_graph *g)
{
    struct err ignored = {};
    if (g)
        DEVICE_TRY(cudaGraphExecDestroy(g->exec), &ignored);
    free(g);
}

int device_mark(struct device *d, int which, struct err *e)
{
    assert(which == 0 || which == 1);
    return DEVICE_TRY(cudaEventRecord(d->marks[which], d->stream), e);
}

int device_between(struct device *d, double *seconds, struct err *e)
{
    float ms = 0;
    if (DEVICE_TRY(cudaEventSynchronize(d->marks[1]), e) ||
        DEVICE_TRY(cudaEventElapsedTime(&ms, d->marks[0], d->marks[1]), e))
        return -1;
    *seconds = (double)ms * 1e-3;
    return 0;
}
