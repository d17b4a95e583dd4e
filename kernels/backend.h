/* backend: who runs a network's steps. */
#ifndef SLUICE_KERNELS_BACKEND_H
#define SLUICE_KERNELS_BACKEND_H

#include "kernels/network.h"

/* Values of the backend's own type. The inputs of a network of tokens beside them. */
struct backend_memory {
    void *parameters, *activations, *scratch;
    const int32_t *words, *kinds, *lengths; /* kinds and lengths may be NULL */
};

struct backend {
    const char *name;
    size_t value_size;
    void (*store)(void *to, size_t at, const double *from, size_t n);
    void (*load)(const void *from, size_t at, double *to, size_t n);
    void (*run)(const struct network_step *s, const struct backend_memory *m);
};

extern const struct backend backend_reference; /* double, as the formulas are written; slow */
extern const struct backend backend_blas;      /* float, OpenBLAS */

#endif
