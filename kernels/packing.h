/* packing: a batch of sequences without their padding.
 *
 * The true tokens of all sequences lie behind each other, so that every product, norm and GELU of a
 * BERT has as many rows as there are true tokens; attention finds each sequence by its first row.
 * A plan stays as it is: its steps are looked at through packing_step. */
#ifndef SLUICE_KERNELS_PACKING_H
#define SLUICE_KERNELS_PACKING_H

#include "kernels/network.h"

struct device;

/* rows: true tokens of the batch; 0: nothing is packed. starts: first row of each sequence. words
 * and places: each row's token and its place in its sequence. */
struct packing {
    int32_t rows;
    int32_t *starts, *words, *places;
};

/* Room for any lengths of the plan's sequences. ERR_SYSTEM when memory runs out; then, too,
 * packing_fini gives back. */
int packing_init(struct packing *p, const struct network *plan, struct err *e);
void packing_fini(struct packing *p); /* accepts {0} */

/* words: batch x sequence, of which the first lengths[b] of each sequence, at least one, count. */
void packing_set(struct packing *p, const struct network *plan, const int32_t *words,
                 const int32_t *lengths);

/* The step with the rows that are left. A step that reads only some rows, as the pooler does, reads
 * those of packing_gather instead. */
struct network_step packing_step(const struct packing *p, const struct network *plan,
                                 const struct network_step *s);
bool packing_reads_first_tokens(const struct network_step *s);
/* The first row of each sequence, row_bytes each, behind each other. */
void packing_gather(const struct packing *p, const struct network *plan, const void *x,
                    size_t row_bytes, void *out);

/* The same in device memory, queued. starts: of `batch` sequences, whose rows have `columns`. */
struct packing_cuda_data {
    const int32_t *starts;
    const float *x;
    float *y;
};
int packing_gather_cuda(int32_t batch, int32_t columns, const struct packing_cuda_data *d,
                        struct device *device, struct err *e);

/* Of one forward pass, products only; lengths as above. */
double packing_flop(const struct network *plan, const int32_t *lengths);

#endif
