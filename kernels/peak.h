/* peak: what the processor can do at most, measured in the same run as what it did. */
#ifndef SLUICE_KERNELS_PEAK_H
#define SLUICE_KERNELS_PEAK_H

#include "sim/err.h"

#include <stdint.h>

struct peak {
    double gflops;   /* of a large square product in FP32 */
    double gb_per_s; /* of y = a x + y over memory that no cache holds, 10^9 bytes; 0: unknown */
    int64_t cache_bytes; /* last level, as given */
};

/* With OpenBLAS' threads as they are set; takes about half a second, and cache_bytes x 8 of memory
 * for the vectors (at least 64 MiB). most_s: repeats no more behind it, and leaves gb_per_s 0 where
 * it is too short for the vectors; may be infinite. */
int peak_measure(int64_t cache_bytes, double most_s, struct peak *out, struct err *e);
/* What was reached somewhere else is no less than the peak. */
void peak_raise(struct peak *p, double gflops, double gb_per_s);

#endif
