/* shim: CUDA on the processor, for tests: what a test may set, plant and ask.
 *
 * The .cu files are compiled by a C++ compiler against the headers of this folder. Each thread of a
 * kernel is a fiber; blocks run one after another; lanes run until their next warp operation or
 * barrier, in an order that the test chooses. Shared and device memory are poisoned and end at a
 * page that cannot be touched. Streams keep their work until somebody waits for it, so a result
 * that is read too early is not there. One thread, one process: state is global. */
#ifndef SLUICE_TESTS_CUDA_SHIM_SHIM_H
#define SLUICE_TESTS_CUDA_SHIM_SHIM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of lanes in a warp, warps in a block and blocks in a grid. */
enum shim_order { SHIM_FORWARD, SHIM_REVERSED, SHIM_SHUFFLED };
#define SHIM_ORDERS 3

void shim_lane_order(enum shim_order order);

/* What the kernels did wrong first, with kernel, block and warp; "" when nothing. Reading it
 * forgets it. */
const char *shim_fault(void);

/* Calls of the CUDA runtime, cuBLAS and the dynamic linker so far. The n-th call from now on (from
 * 1) reports a failure; 0: none does. */
int64_t shim_calls(void);
void shim_fail_call(int64_t n);
const char *shim_failed_call(void); /* name of the call that was made to fail, or "" */
/* As if the machine had no driver, or no GPU. */
void shim_devices(int32_t count); /* -1: no driver; 1 when not called */
/* Device memory that is left; SIZE_MAX when not called. */
void shim_memory(size_t bytes);
/* The next search for a library or a function of this name fails. NULL: none. */
void shim_lose_symbol(const char *name);

/* Memory, streams, events, graphs and handles that were taken and not given back. */
int64_t shim_live(void);
/* Kernels and products that have run, those of a graph included; and whole graphs. */
int64_t shim_launched(void);
int64_t shim_graphs_launched(void);

#ifdef __cplusplus
}
#endif
#endif
