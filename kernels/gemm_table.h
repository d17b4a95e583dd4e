/* gemm_table: which algorithm multiplies which shape fastest on one kind of GPU, kept in a file. */
#ifndef SLUICE_KERNELS_GEMM_TABLE_H
#define SLUICE_KERNELS_GEMM_TABLE_H

#include "kernels/batched_gemm.h"

struct arena;
struct err;

/* 37 products make Inception-v3 and 7 make BERT; each batch has its own. */
#define GEMM_TABLE_ROWS 1024

/* A choice: the library's own (`own`), or one of cuBLASLt's algorithms as it writes them. */
struct gemm_choice {
    struct batched_gemm_shape shape;
    bool own;
    int32_t alignment; /* bytes of the least aligned of the three operands: it runs at no less */
    uint64_t algorithm[8];
    uint64_t workspace_bytes;
    double time_s, own_time_s; /* of one product, of the chosen and of the library's own */
};

/* Algorithms are numbers of one version of the library, good on one kind of GPU. */
struct gemm_table {
    char device[96];
    int32_t library;       /* cuBLAS' version */
    size_t count, refused; /* refused: rows that the library did not run after all */
    struct gemm_choice rows[GEMM_TABLE_ROWS];
};

struct gemm_table *gemm_table_create(const char *device, int32_t library, struct err *e);
void gemm_table_destroy(struct gemm_table *t); /* accepts NULL */

/* The row of exactly this shape that runs with operands so aligned, or NULL. t may be NULL. */
const struct gemm_choice *gemm_table_find(const struct gemm_table *t,
                                          const struct batched_gemm_shape *s, int32_t alignment);
/* The library refused to run a row of the table: its own choice takes its place. */
void gemm_table_refuse(struct gemm_table *t, const struct gemm_choice *c);
/* False when the table is full; products go on with the library's own choice. */
bool gemm_table_add(struct gemm_table *t, const struct gemm_choice *c);

/* Adds the file's rows. ERR_INPUT with its place when the file is no such table, or is one of
 * another GPU or library: then a search must be made anew. */
int gemm_table_load(struct gemm_table *t, const char *path, struct err *e);
/* Writes a new file and puts it in the place of the old one. */
int gemm_table_save(const struct gemm_table *t, const char *path, struct err *e);

#endif
