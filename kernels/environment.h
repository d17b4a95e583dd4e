/* environment: what a measurement was made on; two that differ in it are not compared.
 *
 * The processor's own is read here; a GPU's comes from its backend. */
#ifndef SLUICE_KERNELS_ENVIRONMENT_H
#define SLUICE_KERNELS_ENVIRONMENT_H

#include <stddef.h>
#include <stdint.h>

#define ENVIRONMENT_TEXT 128

/* Open data. Texts are never NULL, "unknown" where the machine does not say. */
struct environment {
    char backend[16];                 /* "cpu", "cuda" */
    char device[ENVIRONMENT_TEXT];    /* the board, or the processor's model */
    char core[32];                    /* kernels in use: OpenBLAS' core type, compute capability */
    char clocks[ENVIRONMENT_TEXT];    /* how they are set: governor and limits, locked or not */
    char driver[ENVIRONMENT_TEXT];    /* of the GPU; the kernel of the system for the processor */
    char framework[ENVIRONMENT_TEXT]; /* library that multiplies */
    int32_t threads;                  /* 0 on a GPU */
    int64_t cache_bytes;              /* the last level; 0 unknown */
};

void environment_processor(struct environment *env);

/* The fields that a comparison looks at, by the names they have in results. */
struct environment_field {
    const char *name, *value;
};
#define ENVIRONMENT_FIELDS 7
/* scratch: room for the number of threads as text. */
void environment_fields(const struct environment *env,
                        struct environment_field out[ENVIRONMENT_FIELDS], char scratch[16]);

#endif
