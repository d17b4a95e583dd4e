/* runtime: memory, streams, events and graphs of the shim's one GPU. */
#include "tests/cuda_shim/inside.h"

#include <map>
#include <set>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string>
#include <sys/mman.h>
#include <vector>

#define PAGE ((size_t)4096)
#define ARENA_BYTES ((size_t)16 << 30)
#define MIB ((size_t)1 << 20)

struct work {
    double ms;
    std::function<void()> run;
};
struct shim_graph {
    std::vector<work> steps;
};
struct shim_exec {
    std::vector<work> steps;
};
struct shim_stream {
    std::vector<work> queue;
    bool recording, spoilt;
    struct shim_graph *graph;
    cudaError_t failed;
};
struct shim_event {
    struct shim_stream *stream;
    bool set;
    double ms;
};

/* Pages of a piece of device memory; what the caller got begins at `at`. */
struct piece {
    char *pages;
    size_t page_bytes, bytes;
    bool live;
};

static struct {
    int64_t calls, fail_at, live, launched, graphs;
    std::string failed_call, lost_symbol;
    int32_t devices = 1;
    size_t left = SIZE_MAX;
    char fault[512], told[512];
    cudaError_t last = cudaSuccess;
    double clock_ms;
    char *arena, *next;
    std::map<const char *, piece> pieces; /* by what the caller got */
    std::set<cudaStream_t> streams;
} state;

/* What a test may ask. */

void shim_lane_order(enum shim_order order)
{
    shim_order_now = order;
}

const char *shim_fault(void)
{
    memcpy(state.told, state.fault, sizeof state.told);
    if (shim_faulty())
        state.last = cudaSuccess; /* a new life: the real one would need a new process */
    state.fault[0] = '\0';
    return state.told;
}

bool shim_faulty(void)
{
    return state.fault[0] != '\0';
}

void shim_report(const char *fmt, ...)
{
    va_list args;
    if (shim_faulty())
        return;
    va_start(args, fmt);
    vsnprintf(state.fault, sizeof state.fault, fmt, args);
    va_end(args);
}

int64_t shim_calls(void)
{
    return state.calls;
}

void shim_fail_call(int64_t n)
{
    state.fail_at = n > 0 ? state.calls + n : 0;
    state.last = cudaSuccess;
    state.failed_call.clear();
}

const char *shim_failed_call(void)
{
    return state.failed_call.c_str();
}

void shim_devices(int32_t count)
{
    state.devices = count;
}

void shim_memory(size_t bytes)
{
    state.left = bytes;
}

void shim_lose_symbol(const char *name)
{
    state.lost_symbol = name ? name : "";
}

int64_t shim_live(void)
{
    return state.live;
}

int64_t shim_launched(void)
{
    return state.launched;
}

int64_t shim_graphs_launched(void)
{
    return state.graphs;
}

void shim_take(int64_t n)
{
    state.live += n;
}

void shim_ran(void)
{
    state.launched++;
}

bool shim_enter(const char *name)
{
    if (++state.calls != state.fail_at)
        return false;
    state.failed_call = name;
    return true;
}

/* A call that fails because the test wants it so; what gives back is done all the same. */
#define ENTER()                                                                                    \
    if (shim_enter(__func__))                                                                      \
    return state.last = cudaErrorUnknown
#define GIVE(action)                                                                               \
    bool shim_fails = shim_enter(__func__);                                                        \
    action;                                                                                        \
    return shim_fails ? cudaErrorUnknown : cudaSuccess

static cudaError_t fail(cudaError_t status)
{
    return state.last = status;
}

/* The device. */

cudaError_t cudaGetDeviceCount(int *count)
{
    ENTER();
    if (state.devices < 0)
        return fail(cudaErrorInsufficientDriver);
    *count = state.devices;
    return state.devices == 0 ? fail(cudaErrorNoDevice) : cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    ENTER();
    return device >= 0 && device < state.devices ? cudaSuccess : fail(cudaErrorInvalidDevice);
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int)
{
    ENTER();
    snprintf(p->name, sizeof p->name, "Host shim");
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr which, int)
{
    ENTER();
    *value = which == cudaDevAttrL2CacheSize ? 1 << 20 : (int)which;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char *bus, int size, int)
{
    ENTER();
    snprintf(bus, (size_t)size, "0000:07:00.0");
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    ENTER();
    *version = 11080;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    ENTER();
    *version = 11080;
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *available, size_t *total)
{
    ENTER();
    *total = 8192 * MIB;
    *available = state.left < *total ? state.left : *total;
    return cudaSuccess;
}

cudaError_t cudaGetLastError(void)
{
    ENTER();
    cudaError_t last = state.last;
    state.last = cudaSuccess;
    return last;
}

const char *cudaGetErrorString(cudaError_t status)
{
    switch (status) {
    case cudaSuccess:
        return "no error";
    case cudaErrorMemoryAllocation:
        return "out of memory";
    case cudaErrorInsufficientDriver:
        return "CUDA driver version is insufficient for CUDA runtime version";
    case cudaErrorNoDevice:
        return "no CUDA-capable device is detected";
    default:
        return "an error of the shim";
    }
}

const char *cudaGetErrorName(cudaError_t status)
{
    static char name[32];
    snprintf(name, sizeof name, "error %d", (int)status);
    return name;
}

/* Memory. */

static bool memory_is_open;

static void protect(int how)
{
    for (auto &p : state.pieces)
        if (p.second.live)
            mprotect(p.second.pages, p.second.page_bytes, how);
    memory_is_open = how != PROT_NONE;
}

void shim_memory_open(void)
{
    if (!memory_is_open)
        protect(PROT_READ | PROT_WRITE);
}

/* The pages of one piece, for work that touches no other. */
static void protect_piece(const void *p, int how)
{
    auto after = state.pieces.upper_bound((const char *)p);
    auto &f = *--after;
    if (!memory_is_open)
        mprotect(f.second.pages, f.second.page_bytes, how);
}

static bool capturing; /* some stream records */

static bool no_piece_lives(void)
{
    for (auto &p : state.pieces)
        if (p.second.live)
            return false;
    return true;
}

/* NAN. A piece larger than any test's values is a workspace: its end is enough, and it is touched
 * page by page only there. */
static void poison(char *pages, size_t bytes)
{
    size_t n = bytes > 24 * MIB ? MIB / 4 : bytes;
    memset(pages + bytes - n, 0xFF, n);
    if (n < bytes)
        memset(pages, 0xFF, PAGE);
}

cudaError_t cudaMalloc(void **p, size_t bytes)
{
    ENTER();
    if (capturing)
        return fail(cudaErrorStreamCaptureUnsupported);
    if (bytes > state.left)
        return fail(cudaErrorMemoryAllocation);
    if (!state.arena)
        state.next = state.arena = (char *)mmap(NULL, ARENA_BYTES, PROT_NONE,
                                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    size_t used = (bytes + 15) / 16 * 16, pages = (used + PAGE - 1) / PAGE * PAGE;
    if (no_piece_lives()) { /* a new life: places may come again */
        state.pieces.clear();
        state.next = state.arena;
    }
    if (state.next + pages + 2 * PAGE > state.arena + ARENA_BYTES)
        return fail(cudaErrorMemoryAllocation);
    piece fresh = {state.next + PAGE, pages, bytes, true};
    state.next += pages + PAGE; /* a page that is never touched on both sides */
    mprotect(fresh.pages, pages, PROT_READ | PROT_WRITE);
    poison(fresh.pages, pages);
    mprotect(fresh.pages, pages, PROT_NONE);
    char *at = fresh.pages + pages - used;
    state.pieces[at] = fresh;
    if (state.left != SIZE_MAX)
        state.left -= bytes;
    state.live++;
    *p = at;
    return cudaSuccess;
}

/* Bytes behind the end, up to the guard page, must be as they were. */
static void check_end(const char *at, const piece &f)
{
    for (const char *end = at + f.bytes; end < f.pages + f.page_bytes; end++)
        if (*end != (char)0xFF)
            shim_report("device memory was written out of bounds, %ld bytes behind %zu",
                        (long)(end - at - (long)f.bytes), f.bytes);
    for (const char *before = f.pages; before < at && before < f.pages + PAGE; before++)
        if (*before != (char)0xFF)
            shim_report("device memory was written out of bounds, %ld bytes before its start",
                        (long)(at - before));
}

bool shim_on_device(const void *p, size_t bytes)
{
    auto after = state.pieces.upper_bound((const char *)p);
    if (after == state.pieces.begin())
        return false;
    auto &f = *--after;
    return f.second.live && (const char *)p + bytes <= f.first + f.second.bytes;
}

const char *shim_memory_place(const void *p)
{
    const char *at = (const char *)p;
    if (!state.arena || at < state.arena || at >= state.arena + ARENA_BYTES)
        return "no memory at all";
    for (auto &f : state.pieces)
        if (at >= f.second.pages && at < f.second.pages + f.second.page_bytes)
            return f.second.live ? "device memory" : "device memory that was given back";
    return "device memory";
}

cudaError_t cudaMallocHost(void **p, size_t bytes)
{
    ENTER();
    *p = malloc(bytes);
    memset(*p, 0xFF, bytes < MIB / 4 ? bytes : MIB / 4);
    state.live++;
    return cudaSuccess;
}

cudaError_t cudaFreeHost(void *p)
{
    GIVE(free(p); state.live--);
}

/* Streams. */

bool shim_recording(cudaStream_t s)
{
    return s && s->recording;
}

cudaError_t shim_queue(cudaStream_t s, double ms, std::function<void()> run)
{
    if (!s) {
        shim_report("work on the default stream");
        return fail(cudaErrorInvalidResourceHandle);
    }
    (s->recording ? s->graph->steps : s->queue).push_back({ms, run});
    return cudaSuccess;
}

static void drain(cudaStream_t s)
{
    std::vector<work> queue;
    queue.swap(s->queue);
    for (auto &w : queue) {
        if (s->failed != cudaSuccess)
            break;
        w.run();
        state.clock_ms += w.ms;
        if (shim_faulty())
            s->failed = cudaErrorLaunchFailure; /* and stays, as the real one does */
    }
    if (memory_is_open)
        protect(PROT_NONE);
}

/* Waits for all work, as the real one does. Freed pages are never used again: a later touch is a
 * fault. */
cudaError_t cudaFree(void *p)
{
    bool fails = shim_enter(__func__);
    for (cudaStream_t s : state.streams)
        drain(s);
    auto found = state.pieces.find((char *)p);
    if (found == state.pieces.end() || !found->second.live) {
        shim_report("cudaFree of what is no live device memory");
        return fail(cudaErrorInvalidValue);
    }
    piece &f = found->second;
    mprotect(f.pages, f.page_bytes, PROT_READ);
    check_end(found->first, f);
    mprotect(f.pages, f.page_bytes, PROT_NONE);
    madvise(f.pages, f.page_bytes, MADV_DONTNEED);
    f.live = false;
    state.live--;
    return fails ? cudaErrorUnknown : cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *s, unsigned)
{
    ENTER();
    *s = new shim_stream();
    state.streams.insert(*s);
    state.live++;
    return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t s)
{
    GIVE(drain(s); state.streams.erase(s); delete s; state.live--);
}

cudaError_t cudaStreamSynchronize(cudaStream_t s)
{
    ENTER();
    if (s->recording) {
        s->spoilt = true;
        return fail(cudaErrorStreamCaptureUnsupported);
    }
    drain(s);
    return s->failed == cudaSuccess ? cudaSuccess : fail(s->failed);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t s)
{
    ENTER();
    bool put = kind == cudaMemcpyHostToDevice;
    if (!shim_on_device(put ? to : from, bytes) || shim_on_device(put ? from : to, 1)) {
        shim_report("cudaMemcpyAsync of %zu bytes: not between host and device, or out of bounds",
                    bytes);
        return fail(cudaErrorInvalidValue);
    }
    return shim_queue(s, 1e-3, [=] {
        protect_piece(put ? to : from, PROT_READ | PROT_WRITE);
        memcpy(to, from, bytes);
        protect_piece(put ? to : from, PROT_NONE);
    });
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t s)
{
    ENTER();
    if (!shim_on_device(to, bytes)) {
        shim_report("cudaMemsetAsync of %zu bytes: out of bounds", bytes);
        return fail(cudaErrorInvalidValue);
    }
    return shim_queue(s, 1e-3, [=] {
        protect_piece(to, PROT_READ | PROT_WRITE);
        memset(to, value, bytes);
        protect_piece(to, PROT_NONE);
    });
}

void shim_launch(const struct shim_grid *g, cudaStream_t s, std::function<void()> body)
{
    size_t threads = (size_t)g->threads.x * g->threads.y * g->threads.z;
    struct shim_grid copy = *g;
    if (threads < 1 || threads > 1024 || g->threads.z > 64 || g->blocks.x < 1 || g->blocks.y < 1 ||
        g->blocks.z < 1 || g->blocks.x > 0x7fffffff || g->blocks.y > 65535 || g->blocks.z > 65535 ||
        g->shared_bytes > (48U << 10)) {
        state.last = cudaErrorInvalidConfiguration;
        return;
    }
    shim_queue(s, 1e-2, [copy, body] {
        shim_ran();
        shim_memory_open();
        shim_run_grid(&copy, body);
    });
}

/* Graphs. */

cudaError_t cudaStreamBeginCapture(cudaStream_t s, cudaStreamCaptureMode)
{
    ENTER();
    s->recording = capturing = true;
    s->spoilt = false;
    s->graph = new shim_graph();
    state.live++;
    return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t s, cudaGraph_t *g)
{
    bool fails = shim_enter(__func__);
    if (!s->recording)
        return fail(cudaErrorInvalidValue);
    s->recording = capturing = false;
    *g = s->graph;
    s->graph = NULL;
    if (!fails && !s->spoilt)
        return cudaSuccess;
    delete *g;
    *g = NULL;
    state.live--;
    return fail(s->spoilt ? cudaErrorStreamCaptureInvalidated : cudaErrorUnknown);
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *x, cudaGraph_t g, unsigned long long)
{
    ENTER();
    *x = new shim_exec{g->steps};
    state.live++;
    return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t x, cudaStream_t s)
{
    ENTER();
    for (auto &w : x->steps)
        s->queue.push_back(w);
    state.graphs++;
    return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t x)
{
    GIVE(delete x; state.live--);
}

cudaError_t cudaGraphDestroy(cudaGraph_t g)
{
    GIVE(delete g; state.live--);
}

/* Events, on the clock of the work that has run. */

cudaError_t cudaEventCreate(cudaEvent_t *v)
{
    ENTER();
    *v = new shim_event();
    state.live++;
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t v)
{
    GIVE(delete v; state.live--);
}

cudaError_t cudaEventRecord(cudaEvent_t v, cudaStream_t s)
{
    ENTER();
    v->stream = s;
    v->set = false;
    return shim_queue(s, 0, [v] {
        v->set = true;
        v->ms = state.clock_ms;
    });
}

cudaError_t cudaEventSynchronize(cudaEvent_t v)
{
    ENTER();
    if (!v->set)
        drain(v->stream);
    return v->stream->failed == cudaSuccess ? cudaSuccess : fail(v->stream->failed);
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to)
{
    ENTER();
    if (!from->set || !to->set)
        return fail(cudaErrorNotReady);
    *ms = (float)(to->ms - from->ms);
    return cudaSuccess;
}

/* The dynamic linker: libraries of the shim itself. */

void *shim_find_function(const char *name); /* blas.cc */

static char linker_message[128];

void *shim_dlopen(const char *name)
{
    bool fails = shim_enter("dlopen");
    if (fails || (!state.lost_symbol.empty() && strstr(name, state.lost_symbol.c_str()))) {
        snprintf(linker_message, sizeof linker_message, "%s: cannot open shared object file", name);
        return NULL;
    }
    state.live++;
    return new std::string(name);
}

void *shim_dlsym(void *library, const char *name)
{
    (void)library;
    return shim_enter("dlsym") || name == state.lost_symbol ? NULL : shim_find_function(name);
}

char *shim_dlerror(void)
{
    return linker_message;
}

int shim_dlclose(void *library)
{
    delete (std::string *)library;
    state.live--;
    return 0;
}
