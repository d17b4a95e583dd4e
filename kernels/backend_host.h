/* backend_host: memory of the backends that calculate in this process. */
#ifndef SLUICE_KERNELS_BACKEND_HOST_H
#define SLUICE_KERNELS_BACKEND_HOST_H

#include "kernels/backend.h"

/* What backend.h asks of open, close and tokens; values are value_size bytes each. */
int backend_host_open(const struct network *plan, struct backend_memory *m, size_t value_size,
                      struct err *e);
void backend_host_close(struct backend_memory *m);
int backend_host_tokens(const struct network *plan, struct backend_memory *m,
                        const struct backend_tokens *t, struct err *e);

#endif
