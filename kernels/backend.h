/* backend: who runs a network's steps, and in whose memory. */
#ifndef SLUICE_KERNELS_BACKEND_H
#define SLUICE_KERNELS_BACKEND_H

#include "kernels/network.h"
#include "kernels/packing.h"

struct device;
struct parallel;

/* Values of the backend's own type, where the backend calculates: memory of this process, or of
 * `device`. The tokens of a network beside them; lengths may be NULL: all tokens are true. */
struct backend_memory {
    void *parameters, *activations, *scratch;
    int32_t *words, *lengths;
    const int32_t *kinds; /* always NULL so far: every token is of kind 0 */
    struct device *device;
    struct parallel *threads; /* of backend_blas */
    struct packing packing;   /* rows 0: the padding is calculated with */
    void *own;                /* whatever else the backend keeps */
};

/* n values from `at` on in one of the memories. */
struct backend_span {
    void *base;
    size_t at, n;
};

/* Words of all tokens of the batch, and true tokens of each sequence or NULL: all. drop_padding: a
 * backend may leave out what lies behind them; what it gives for true tokens is the same. */
struct backend_tokens {
    const int32_t *words, *lengths;
    bool drop_padding;
};

/* What calculates, for reports; "" and 0 where the backend cannot tell. */
struct backend_device {
    char name[96];     /* "Tesla P4", or the kernels that OpenBLAS uses */
    char software[96]; /* "CUDA 11.8, driver 12.4, cuBLAS 11.11.3" */
    char bus[32];      /* PCI place, for nvml.h */
    size_t cache_bytes;
    size_t refused; /* stored algorithms that the library would not run: its own choice did */
    double peak_flop_per_s, peak_bytes_per_s; /* FP32 and memory at the highest clocks */
};

/* Settings of backend_cuda. */
struct backend_cuda_config {
    int32_t device;         /* number of the GPU */
    int32_t graph_batch;    /* batches up to this size run as one recorded graph; 0: none */
    const char *algorithms; /* file of searched products: read, completed by a search, written;
                             * NULL: the library chooses */
};
extern const struct backend_cuda_config backend_cuda_usual;

/* A copy with another config is another backend. */
struct backend {
    const char *name;
    const void *config;
    /* Takes all memory of a plan and clears it; after a failure too, close gives it back. */
    int (*open)(const struct backend *b, const struct network *plan, struct backend_memory *m,
                struct err *e);
    void (*close)(struct backend_memory *m); /* accepts cleared memory */
    int (*store)(const struct backend_memory *m, const struct backend_span *to, const double *from,
                 struct err *e);
    int (*load)(const struct backend_memory *m, const struct backend_span *from, double *to,
                struct err *e);
    int (*tokens)(const struct network *plan, struct backend_memory *m,
                  const struct backend_tokens *t, struct err *e);
    /* All steps; returns when the output is there. */
    int (*forward)(const struct network *plan, struct backend_memory *m, struct err *e);
    /* All steps `runs` times back to back, and the time of them all by the device's own clock.
     * NULL: the device has none, forward's time is as good. */
    int (*timed)(const struct network *plan, struct backend_memory *m, int32_t runs,
                 double *seconds, struct err *e);
    void (*describe)(const struct backend_memory *m, struct backend_device *out);
    /* Makes the next run find the device's cache cold; NULL where that is not offered. */
    int (*flush)(const struct backend_memory *m, struct err *e);
};

extern const struct backend backend_reference; /* double, as the formulas are written; slow */
extern const struct backend backend_blas;      /* float, OpenBLAS */
extern const struct backend backend_cuda;      /* float, one GPU; only in builds with CUDA */

/* "cpu", "cuda", or "auto": a GPU when there is one, else the processor, and *why tells what is
 * missing (code 0 otherwise). For "cuda" NULL and ERR_SYSTEM without a GPU, its driver or a build
 * with CUDA, in words that name the CPU backend; ERR_INPUT for another name. */
const struct backend *backend_find(const char *name, struct err *why, struct err *e);

#endif
