/* attention: softmax(Q K^T / sqrt(size)) V for every head of every sequence.
 *
 * A token's row of qkv holds its query, key and value, `heads * size` values each, as one product
 * with three stacked weight matrices leaves them; a row of y holds the heads' results side by
 * side. Heads are multiplied where they lie: nothing is transposed or copied. */
#ifndef SLUICE_KERNELS_ATTENTION_H
#define SLUICE_KERNELS_ATTENTION_H

#include "kernels/precision.h"

#include <stddef.h>
#include <stdint.h>

struct device;
struct err;
struct parallel;

struct attention_shape {
    int32_t batch, sequence, heads, size;
    enum precision precision;
};

/* lengths: true tokens of each sequence, 1..sequence; keys behind them are masked. NULL: all.
 * scores: attention_scratch values for each thread. starts: NULL, or the row in which each sequence
 * begins; then the sequences follow each other without their padding, and lengths is given. */
struct attention_reference_data {
    const double *qkv;
    const int32_t *lengths;
    double *y, *scores;
    const int32_t *starts;
};
struct attention_data {
    const float *qkv;
    const int32_t *lengths;
    float *y, *scores;
    const int32_t *starts;
};

size_t attention_scratch(const struct attention_shape *s);
/* Head by head and token by token; does not use the products of the version below. */
void attention_reference(const struct attention_shape *s, const struct attention_reference_data *d);
/* Two products and a softmax for each head of each sequence, shared out among the threads (NULL:
 * none but the caller's); OpenBLAS should have one thread then. */
void attention_blas(const struct attention_shape *s, const struct attention_data *d,
                    struct parallel *threads);
double attention_flop(const struct attention_shape *s); /* of both products */

/* In device memory, queued: two strided-batched products a sequence, or a head where there are
 * fewer heads than sequences, and one softmax. scores: attention_cuda_scratch values. With starts,
 * they and the lengths lie in this process's memory, and neighbours of one length are multiplied
 * together as if there were no others. */
size_t attention_cuda_scratch(const struct attention_shape *s);
int attention_cuda(const struct attention_shape *s, const struct attention_data *d,
                   struct device *device, struct err *e);

#endif
