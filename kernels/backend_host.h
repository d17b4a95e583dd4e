/* backend_host: memory of the backends that calculate in this process. */
#ifndef SLUICE_KERNELS_BACKEND_HOST_H
#define SLUICE_KERNELS_BACKEND_HOST_H

#include "kernels/backend.h"
#include "kernels/embedding.h"

/* What backend.h asks of open, close and tokens; values are value_size bytes each. */
int backend_host_open(const struct network *plan, struct backend_memory *m, size_t value_size,
                      struct err *e);
void backend_host_close(struct backend_memory *m);
int backend_host_tokens(const struct network *plan, struct backend_memory *m,
                        const struct backend_tokens *t, struct err *e);

/* The words and places that the embedding reads: all of them, or the true ones alone. */
struct embedding_tokens backend_host_words(const struct backend_memory *m);

/* One step; inputs: what its x is a place in. */
typedef void backend_host_step(const struct network_step *s, const struct backend_memory *m,
                               const void *inputs);

/* All steps one after the other, over the rows of true tokens alone where padding is left out. */
void backend_host_forward(const struct network *plan, struct backend_memory *m, size_t value_size,
                          backend_host_step *run);

#endif
