/* device: one GPU with its stream, its products, its memory and its graphs.
 *
 * All work is queued on the device's one stream and runs in order; device_wait, device_put and
 * device_get wait for it. Every call that fails says which CUDA call said what (ERR_SYSTEM). Only
 * builds with CUDA have the bodies (HAVE_CUDA). */
#ifndef SLUICE_KERNELS_DEVICE_H
#define SLUICE_KERNELS_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct device;
struct device_graph;
struct err;

struct device_info {
    char name[96];
    char bus[32]; /* PCI place, "0000:65:00.0": how nvml.h finds the same card */
    int32_t compute_major, compute_minor;
    int32_t multiprocessors;
    size_t memory_bytes, free_bytes, l2_bytes;
    double clock_mhz, memory_clock_mhz; /* highest; 0 when the runtime does not tell */
    int32_t memory_bus_bits;
    int32_t driver, runtime; /* highest CUDA that the driver runs, and the one built with: 11080 */
    int32_t blas;            /* version of cuBLAS, as it writes it */
};

/* GPUs that the driver shows. -1 and ERR_SYSTEM when there is none, or no driver. */
int32_t device_count(struct err *e);
struct device *device_create(int32_t number, struct err *e);
void device_destroy(struct device *d); /* accepts NULL; memory and graphs must be given back */
const struct device_info *device_info(const struct device *d);

/* Cleared memory of the device, 256 byte aligned. The message of a failure says what was free. */
void *device_take(struct device *d, size_t bytes, struct err *e);
void device_give(struct device *d, void *memory); /* accepts NULL */
int device_put(struct device *d, void *to, const void *from, size_t bytes, struct err *e);
int device_get(struct device *d, void *to, const void *from, size_t bytes, struct err *e);
int device_wait(struct device *d, struct err *e);
/* Overwrites more than the second level cache, so that what runs next finds it cold. */
int device_flush(struct device *d, struct err *e);

/* Between device_record and device_recorded nothing runs: what is queued becomes the graph. After a
 * failure in between, device_recorded must be called all the same; it then returns NULL. */
int device_record(struct device *d, struct err *e);
struct device_graph *device_recorded(struct device *d, struct err *e);
int device_replay(struct device *d, struct device_graph *g, struct err *e);
void device_graph_destroy(struct device_graph *g); /* accepts NULL */

/* Time on the device between two marks, 0 and 1, set in the stream's order. */
int device_mark(struct device *d, int which, struct err *e);
int device_between(struct device *d, double *seconds, struct err *e);

#endif
