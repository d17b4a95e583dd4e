/* digest: a 64-bit fingerprint of a sequence of numbers and texts. */
#include "sim/digest.h"

#include <string.h>

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 32)) * UINT64_C(0xD6E8FEB86659FD93);
    x = (x ^ (x >> 32)) * UINT64_C(0xD6E8FEB86659FD93);
    return x ^ (x >> 32);
}

void digest_u64(struct digest *d, uint64_t v)
{
    d->n++;
    /* The mixed item keeps 0 from being absorbed; the odd factor makes the order count. */
    d->h = (d->h ^ mix(v + d->n * UINT64_C(0x9E3779B97F4A7C15))) * UINT64_C(0xD1342543DE82EF95);
    d->h ^= d->h >> 29;
}

/* Little-endian on every machine. Compilers make one load of it only when it is written out. */
static uint64_t eight(const unsigned char *b)
{
    return (uint64_t)b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 | (uint64_t)b[3] << 24 |
           (uint64_t)b[4] << 32 | (uint64_t)b[5] << 40 | (uint64_t)b[6] << 48 |
           (uint64_t)b[7] << 56;
}

void digest_bytes(struct digest *d, const void *p, size_t n)
{
    const unsigned char *b = p;
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        digest_u64(d, eight(b + i));
    uint64_t rest = 0;
    for (size_t k = 0; i + k < n; k++)
        rest |= (uint64_t)b[i + k] << (8 * k);
    digest_u64(d, rest);
    digest_u64(d, n); /* "ab", "c" differs from "a", "bc" */
}

void digest_text(struct digest *d, const char *s)
{
    digest_bytes(d, s, strlen(s));
}

uint64_t digest_value(const struct digest *d)
{
    return mix(d->h ^ mix(d->n));
}
