/* inside: what the shim's own files share. */
#ifndef SLUICE_TESTS_CUDA_SHIM_INSIDE_H
#define SLUICE_TESTS_CUDA_SHIM_INSIDE_H

#include <cuda_runtime.h>

#include "tests/cuda_shim/shim.h"

/* Counts a call; true when the test wants it to fail. */
bool shim_enter(const char *name);
/* Keeps the first one. */
void shim_report(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
bool shim_faulty(void);

/* Work for a stream, which takes `ms` on the shim's clock. Refused with the status. */
cudaError_t shim_queue(cudaStream_t s, double ms, std::function<void()> work);
bool shim_recording(cudaStream_t s);

/* Whether [p, p + bytes) lies in one piece of device memory. */
bool shim_on_device(const void *p, size_t bytes);
/* Before work that touches device memory; it is closed again when the stream has run dry. */
void shim_memory_open(void);
/* What lies at an address that was touched in vain. */
const char *shim_memory_place(const void *p);

void shim_take(int64_t n); /* things that live */
void shim_ran(void);       /* a kernel or product */

/* Runs all blocks; what goes wrong is reported. */
void shim_run_grid(const struct shim_grid *g, const std::function<void()> &body);
extern enum shim_order shim_order_now;

#endif
