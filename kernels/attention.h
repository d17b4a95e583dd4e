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

struct attention_shape {
    int32_t batch, sequence, heads, size;
    enum precision precision;
};

/* lengths: true tokens of each sequence, 1..sequence; keys behind them are masked. NULL: all.
 * scores: attention_scratch values. */
struct attention_reference_data {
    const double *qkv;
    const int32_t *lengths;
    double *y, *scores;
};
struct attention_data {
    const float *qkv;
    const int32_t *lengths;
    float *y, *scores;
};

size_t attention_scratch(const struct attention_shape *s);
/* Head by head and token by token; does not use the products of the version below. */
void attention_reference(const struct attention_shape *s, const struct attention_reference_data *d);
/* Strided-batched products over the heads of one sequence after the other. */
void attention_blas(const struct attention_shape *s, const struct attention_data *d);
double attention_flop(const struct attention_shape *s); /* of both products */

/* In device memory, queued: two strided-batched products a sequence, or a head where there are
 * fewer heads than sequences, and one softmax. scores: attention_cuda_scratch values. */
size_t attention_cuda_scratch(const struct attention_shape *s);
int attention_cuda(const struct attention_shape *s, const struct attention_data *d,
                   struct device *device, struct err *e);

#endif
