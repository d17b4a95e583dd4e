/* grid: blocks, warps and lanes as fibers. */
#include "tests/cuda_shim/inside.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#define FORGET_STACK(at, bytes) ASAN_UNPOISON_MEMORY_REGION(at, bytes)
#else
#define FORGET_STACK(at, bytes) ((void)(at))
#endif

#define WARP 32
#define MAX_THREADS 1024
#define STACK_BYTES ((size_t)64 << 10)
#define GUARD_BYTES ((size_t)16 << 10)
#define MAX_SHARED ((size_t)48 << 10)
#define CANARY 0xC5
#define CANARIES 256 /* bytes before the buffer that are looked at */
#define SHARED_BYTES (MAX_SHARED + 4096)

struct shim_place shim_here;
enum shim_order shim_order_now = SHIM_FORWARD;

enum state { READY, AT_WARP, AT_BARRIER, DONE };

struct fiber {
#if defined(__x86_64__)
    void *stack_pointer;
#else
    ucontext_t context;
#endif
};

struct lane {
    struct fiber fiber;
    char *stack;
    uint3 thread;
    enum state state;
    bool started;
    /* where it waits */
    enum shim_exchange what;
    uint32_t mask;
    uint64_t value, result;
    int argument, line;
    const char *file;
};

static struct lane lanes[MAX_THREADS];
static struct lane *now; /* the lane that runs; NULL: the scheduler */
static struct fiber scheduler;
static const std::function<void()> *kernel_body;
static const struct shim_grid *grid;
static unsigned n_lanes;
static std::mt19937 dice(1);
static char *shared_page, *shared_start; /* the buffer ends where the last page ends */
static char *idle[MAX_THREADS]; /* stacks; the last one back is the first to go: it is warm */
static unsigned n_idle;
static sigjmp_buf rescue;

#if defined(__x86_64__)
/* Six registers and the stack pointer: 14 times as fast as swapcontext, which asks the kernel. */
extern "C" void shim_switch(void **save, void *to);
asm(".text\n.type shim_switch, @function\nshim_switch:\n"
    "pushq %rbp\npushq %rbx\npushq %r12\npushq %r13\npushq %r14\npushq %r15\n"
    "movq %rsp, (%rdi)\nmovq %rsi, %rsp\n"
    "popq %r15\npopq %r14\npopq %r13\npopq %r12\npopq %rbx\npopq %rbp\nret\n"
    ".size shim_switch, .-shim_switch\n");
static void change(struct fiber *from, struct fiber *to)
{
    shim_switch(&from->stack_pointer, to->stack_pointer);
}
static void prepare(struct fiber *f, char *stack, void (*run)(void))
{
    void **top = (void **)(stack + STACK_BYTES);
    *--top = NULL; /* so that the stack is aligned as after a call */
    *--top = (void *)run;
    for (int i = 0; i < 6; i++)
        *--top = NULL;
    f->stack_pointer = top;
}
#else
static void change(struct fiber *from, struct fiber *to)
{
    swapcontext(&from->context, &to->context);
}
static void prepare(struct fiber *f, char *stack, void (*run)(void))
{
    getcontext(&f->context);
    f->context.uc_stack.ss_sp = stack;
    f->context.uc_stack.ss_size = STACK_BYTES;
    f->context.uc_link = NULL;
    makecontext(&f->context, run, 0);
}
#endif

static char *guarded(size_t bytes)
{
    char *p =
        (char *)mmap(NULL, bytes + 2 * GUARD_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED || mprotect(p + GUARD_BYTES, bytes, PROT_READ | PROT_WRITE))
        abort();
    return p + GUARD_BYTES;
}

static void run_lane(void)
{
    (*kernel_body)();
    now->state = DONE;
    change(&now->fiber, &scheduler);
    abort(); /* a lane that is done does not go on */
}

static void wait(enum state state)
{
    struct lane *self = now;
    self->state = state;
    change(&self->fiber, &scheduler);
}

void shim_barrier(const char *file, int line)
{
    now->file = file;
    now->line = line;
    wait(AT_BARRIER);
}

uint64_t shim_warp(enum shim_exchange what, uint32_t mask, uint64_t value, int argument, int line)
{
    struct lane *self = now;
    self->what = what;
    self->mask = mask;
    self->value = value;
    self->argument = argument;
    self->line = line;
    wait(AT_WARP);
    return self->result;
}

void *shim_shared(void)
{
    return shared_start;
}

/* 0..n-1 in the order of this run, as i -> (i * step + first) mod n with a step that shares no
 * factor with n; the shuffled one is another each time. No memory is taken: a kernel that is given
 * up would not give it back. */
struct order {
    unsigned n, step, first;
};

static struct order order(unsigned n)
{
    struct order o = {n, 1, 0};
    if (shim_order_now == SHIM_REVERSED)
        o = {n, n - 1U, n - 1U};
    if (shim_order_now == SHIM_SHUFFLED) {
        o.first = (unsigned)dice() % n;
        do
            o.step = 1 + (unsigned)dice() % n;
        while (std::gcd(o.step, o.n) != 1);
    }
    return o;
}

static unsigned at(const struct order *o, unsigned i)
{
    return shim_order_now == SHIM_FORWARD ? i
                                          : (unsigned)(((uint64_t)i * o->step + o->first) % o->n);
}

/* Where the fault is: kernel, block and warp. */
static const char *place(unsigned warp)
{
    static char text[256];
    const uint3 *b = &shim_here.block;
    snprintf(text, sizeof text, "kernel %s, block (%u,%u,%u), warp %u", grid->kernel, b->x, b->y,
             b->z, warp);
    return text;
}

static void release(struct lane *l)
{
    if (l->stack)
        idle[n_idle++] = l->stack;
    l->stack = NULL;
}

static void resume(struct lane *l)
{
    if (!l->started) {
        l->stack = n_idle > 0 ? idle[--n_idle] : guarded(STACK_BYTES);
        prepare(&l->fiber, l->stack, run_lane);
        l->started = true;
    }
    l->state = READY;
    shim_here.thread = l->thread;
    now = l;
    change(&scheduler, &l->fiber);
    now = NULL;
    if (l->state == DONE)
        release(l);
}

static uint64_t exchanged(unsigned first, unsigned lane)
{
    const struct lane *l = &lanes[first + lane];
    uint64_t votes = 0;
    unsigned from = lane;
    for (unsigned i = 0; i < WARP; i++)
        if (l->mask >> i & 1U && lanes[first + i].value)
            votes |= 1ULL << i;
    switch (l->what) {
    case SHIM_SYNC:
        return 0;
    case SHIM_BALLOT:
        return votes;
    case SHIM_ANY:
        return votes != 0;
    case SHIM_ALL:
        return votes == l->mask;
    case SHIM_XOR:
        from = lane ^ (unsigned)l->argument;
        break;
    case SHIM_UP:
        from = lane < (unsigned)l->argument ? lane : lane - (unsigned)l->argument;
        break;
    case SHIM_DOWN:
        from = lane + (unsigned)l->argument < WARP ? lane + (unsigned)l->argument : lane;
        break;
    case SHIM_FROM:
        from = (unsigned)l->argument % WARP;
        break;
    }
    if (from >= WARP || !(l->mask >> from & 1U)) {
        shim_report("%s: lane %u reads lane %u, which is not in its mask %08x", place(first / WARP),
                    lane, from, l->mask);
        return 0;
    }
    return lanes[first + from].value;
}

/* Lanes of one mask that all wait for each other go on. True when some did. */
static bool meet(unsigned first, unsigned lane)
{
    const struct lane *l = &lanes[first + lane];
    uint32_t mask = l->mask;
    if (!(mask >> lane & 1U)) {
        shim_report("%s: lane %u is not in its own mask %08x", place(first / WARP), lane, mask);
        return false;
    }
    for (unsigned i = 0; i < WARP; i++) {
        const struct lane *o = &lanes[first + i];
        if (mask >> i & 1U && (first + i >= n_lanes || o->state != AT_WARP || o->mask != mask ||
                               o->what != l->what || o->line != l->line))
            return false;
    }
    for (unsigned i = 0; i < WARP; i++)
        if (mask >> i & 1U)
            lanes[first + i].result = exchanged(first, i);
    for (unsigned i = 0; i < WARP; i++)
        if (mask >> i & 1U)
            lanes[first + i].state = READY;
    return true;
}

static const char *doing(const struct lane *l, char *text, size_t size)
{
    if (l->state == AT_BARRIER)
        snprintf(text, size, "waits at the barrier of line %d", l->line);
    else if (l->state == AT_WARP)
        snprintf(text, size, "is at the warp operation of line %d", l->line);
    else
        snprintf(text, size, "has returned");
    return text;
}

/* Nobody of the warp can go on, and one of them waits for lanes that will not come. */
static void report_split(unsigned first, unsigned lane)
{
    const struct lane *l = &lanes[first + lane];
    char text[64];
    for (unsigned i = 0; i < WARP; i++) {
        if (!(l->mask >> i & 1U))
            continue;
        if (first + i >= n_lanes) {
            shim_report("%s: lane %u waits at line %d for lane %u, which the block does not have",
                        place(first / WARP), lane, l->line, i);
            return;
        }
        const struct lane *o = &lanes[first + i];
        if (o->state != AT_WARP || o->line != l->line || o->mask != l->mask) {
            shim_report("%s: the warp is split: lane %u is at the warp operation of line %d, lane "
                        "%u %s",
                        place(first / WARP), lane, l->line, i, doing(o, text, sizeof text));
            return;
        }
    }
    shim_report("%s: lanes of one warp operation at line %d disagree", place(first / WARP),
                l->line);
}

/* Runs a warp until all its lanes are at the barrier or done. False: a fault. */
static bool run_warp(unsigned warp)
{
    unsigned first = warp * WARP, count = std::min<unsigned>(WARP, n_lanes - first);
    for (;;) {
        bool met = false, waiting = false;
        unsigned stuck = 0;
        struct order o = order(count);
        for (unsigned i = 0; i < count; i++) {
            struct lane *l = &lanes[first + at(&o, i)];
            if (l->state == READY)
                resume(l);
        }
        for (unsigned i = 0; i < count && !shim_faulty(); i++)
            if (lanes[first + i].state == AT_WARP) {
                stuck = i;
                waiting = true;
                met = meet(first, i) || met;
            }
        if (shim_faulty())
            return false;
        if (!waiting)
            return true;
        if (!met) {
            report_split(first, stuck);
            return false;
        }
    }
}

/* All warps have stopped. True when the block goes on; a fault when only a part of it could. */
static bool pass_barrier(void)
{
    const struct lane *at = NULL, *gone = NULL;
    for (unsigned i = 0; i < n_lanes; i++) {
        const struct lane *l = &lanes[i];
        if (l->state == DONE)
            gone = l;
        else if (at && (at->line != l->line || at->file != l->file)) {
            shim_report("%s: divergent barrier: thread %d waits at line %d, thread %u at line %d",
                        place(i / WARP), (int)(at - lanes), at->line, i, l->line);
            return false;
        } else
            at = at ? at : l;
    }
    if (at && gone)
        shim_report("%s: thread %d waits at the barrier of line %d, but thread %d has returned",
                    place((unsigned)(gone - lanes) / WARP), (int)(at - lanes), at->line,
                    (int)(gone - lanes));
    if (!at || gone)
        return false;
    for (unsigned i = 0; i < n_lanes; i++)
        lanes[i].state = READY;
    return true;
}

/* Bytes that no thread wrote are NAN, huge, or huge and negative, by the order of the lanes. */
static void poison_shared(void)
{
    static const int patterns[SHIM_ORDERS] = {0xFF, 0x7E, 0xFE};
    char *end = shared_start + grid->shared_bytes;
    memset(shared_start - CANARIES, CANARY, CANARIES);
    memset(end, CANARY, (size_t)(shared_page + SHARED_BYTES - end));
    memset(shared_start, patterns[shim_order_now], grid->shared_bytes);
}

/* The buffer may end up to 15 bytes before its guard page: a float4 must be aligned. */
static void check_canaries(void)
{
    const char *start = shared_start, *end = start + grid->shared_bytes;
    for (const char *c = start - CANARIES; c < shared_page + SHARED_BYTES; c++)
        if (c == start)
            c = end - 1;
        else if (*c != (char)CANARY) {
            shim_report("%s: shared memory was written out of bounds, at byte %ld of %zu", place(0),
                        (long)(c - start), grid->shared_bytes);
            return;
        }
}

static void run_block(void)
{
    unsigned warps = (n_lanes + WARP - 1) / WARP;
    poison_shared();
    for (unsigned i = 0; i < n_lanes; i++) {
        lanes[i].state = READY;
        lanes[i].started = false;
        lanes[i].thread = {i % grid->threads.x, i / grid->threads.x % grid->threads.y,
                           i / grid->threads.x / grid->threads.y};
    }
    do {
        struct order o = order(warps);
        for (unsigned w = 0; w < warps; w++)
            if (!run_warp(at(&o, w)))
                return;
    } while (pass_barrier());
    check_canaries();
}

/* A touch of memory that is not there: the launch is given up, with a report. */
static void on_fault(int signal, siginfo_t *info, void *context)
{
    (void)context;
    if (!now) {
        static const char text[] =
            "shim: the host touched memory that is the device's, or nobody's\n";
        if (write(2, text, sizeof text - 1) > 0)
            ::signal(signal, SIG_DFL);
        return;
    }
    const char *at = (const char *)info->si_addr;
    bool shared = at >= shared_page - GUARD_BYTES && at < shared_page + SHARED_BYTES + GUARD_BYTES;
    bool stack = at >= now->stack - GUARD_BYTES && at < now->stack;
    shim_report("%s, thread (%u,%u,%u): out of bounds: %s", place((unsigned)(now - lanes) / WARP),
                now->thread.x, now->thread.y, now->thread.z,
                shared  ? "shared memory"
                : stack ? "its stack"
                        : shim_memory_place(at));
    siglongjmp(rescue, 1);
}

static void prepare_process(void)
{
    static char stack[64 << 10];
    stack_t alternative = {};
    struct sigaction action = {};
    shared_page = guarded(SHARED_BYTES);
    alternative.ss_sp = stack;
    alternative.ss_size = sizeof stack;
    sigaltstack(&alternative, NULL);
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
}

/* A kernel that was given up leaves its fibers where they were. */
static void abandon(void)
{
    now = NULL;
    for (unsigned i = 0; i < n_lanes; i++) {
        if (lanes[i].stack)
            FORGET_STACK(lanes[i].stack, STACK_BYTES);
        release(&lanes[i]);
    }
}

static void run_blocks(const struct shim_grid *g)
{
    unsigned n = g->blocks.x * g->blocks.y * g->blocks.z;
    struct order o = order(n);
    for (unsigned i = 0; i < n && !shim_faulty(); i++) {
        unsigned b = at(&o, i);
        shim_here.block = {b % g->blocks.x, b / g->blocks.x % g->blocks.y,
                           b / g->blocks.x / g->blocks.y};
        run_block();
    }
}

void shim_run_grid(const struct shim_grid *g, const std::function<void()> &body)
{
    if (!shared_page)
        prepare_process();
    grid = g;
    kernel_body = &body;
    n_lanes = g->threads.x * g->threads.y * g->threads.z;
    shared_start = shared_page + SHARED_BYTES - (g->shared_bytes + 15) / 16 * 16;
    shim_here.threads = g->threads;
    shim_here.blocks = g->blocks;
    if (sigsetjmp(rescue, 1) == 0)
        run_blocks(g);
    if (shim_faulty())
        abandon();
}
