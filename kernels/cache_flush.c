/* cache_flush: a write to each line of a large block. */
#include "kernels/cache_flush.h"

#include <stdlib.h>
#include <string.h>

#define LINE_BYTES 64
#define MOST_BYTES ((size_t)1 << 30)

int cache_flush_init(struct cache_flush *f, int64_t cache_bytes, struct err *e)
{
    size_t n = cache_bytes > 0 ? (size_t)cache_bytes * 2 : (size_t)64 << 20;
    n = n < MOST_BYTES ? n : MOST_BYTES;
    *f = (struct cache_flush){malloc(n), n};
    if (!f->bytes)
        return err_set(e, ERR_SYSTEM, NULL, "out of memory for emptying the cache");
    memset(f->bytes, 1, n);
    return 0;
}

void cache_flush_fini(struct cache_flush *f)
{
    free(f->bytes);
    *f = (struct cache_flush){0};
}

void cache_flush(struct cache_flush *f)
{
    volatile unsigned char *bytes = f->bytes;
    for (size_t i = 0; i < f->n; i += LINE_BYTES)
        bytes[i] = (unsigned char)(bytes[i] + 1);
}
