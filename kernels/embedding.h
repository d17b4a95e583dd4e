/* embedding: a row for each token: word + position + segment, as BERT begins. */
#ifndef SLUICE_KERNELS_EMBEDDING_H
#define SLUICE_KERNELS_EMBEDDING_H

#include "kernels/precision.h"

#include <stdint.h>

struct device;
struct err;

struct embedding_shape {
    int32_t batch, sequence, hidden;
    int32_t vocabulary, segments; /* rows of the tables; positions has at least `sequence` */
    enum precision precision;
};

/* words: batch x sequence numbers of tokens, each in 0..vocabulary-1; kinds likewise in
 * 0..segments-1, or NULL: all 0. places: each token's row of the positions, or NULL: its place in
 * its sequence. A number outside its table is the caller's mistake. */
struct embedding_tokens {
    const int32_t *words, *kinds, *places;
};
struct embedding_reference_tables {
    const double *words, *positions, *kinds;
};
struct embedding_tables {
    const float *words, *positions, *kinds;
};

/* y: batch x sequence rows of `hidden` values. */
void embedding_reference(const struct embedding_shape *s, const struct embedding_tokens *t,
                         const struct embedding_reference_tables *tables, double *y);
void embedding_float(const struct embedding_shape *s, const struct embedding_tokens *t,
                     const struct embedding_tables *tables, float *y);

/* In device memory, queued. A word outside its table gives a row of NAN: a device cannot assert. */
struct embedding_cuda_data {
    struct embedding_tokens tokens;
    struct embedding_tables tables;
    float *y;
};
int embedding_cuda(const struct embedding_shape *s, const struct embedding_cuda_data *d,
                   struct device *device, struct err *e);

#endif
