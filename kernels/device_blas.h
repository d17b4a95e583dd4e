/* device_blas: how the products of a device choose their algorithms. */
#ifndef SLUICE_KERNELS_DEVICE_BLAS_H
#define SLUICE_KERNELS_DEVICE_BLAS_H

#include <stdbool.h>

struct device;
struct gemm_table;

/* Products of this device look up their algorithms in t, which outlives it; NULL: the library's own
 * choice. */
void device_blas_algorithms(struct device *d, struct gemm_table *t);
/* While set, a product whose shape the table does not hold is searched for before it is queued. */
void device_blas_search(struct device *d, bool on);

#endif
