/* cache_flush: puts everything else out of the processor's caches, before an isolated run. */
#ifndef SLUICE_KERNELS_CACHE_FLUSH_H
#define SLUICE_KERNELS_CACHE_FLUSH_H

#include "sim/err.h"

#include <stddef.h>
#include <stdint.h>

struct cache_flush {
    unsigned char *bytes;
    size_t n;
};

/* cache_bytes: of the last level; 0: unknown, 32 MiB are taken. ERR_SYSTEM without memory. */
int cache_flush_init(struct cache_flush *f, int64_t cache_bytes, struct err *e);
void cache_flush_fini(struct cache_flush *f); /* accepts zeroed memory */
/* Writes twice as much as the cache holds, a line at a time. */
void cache_flush(struct cache_flush *f);

#endif
