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

void digest_bytes(struct digest *d, const void *p, size_t n)
{
    const unsigned char *b = p;
    size_t i = 0;
    for (; i + 8 <= n; i += 8) {
        uint64_t v = 0;
        for (size_t k = 0; k < 8; k++)
            v |= (uint64_t)b[i + k] << (8 * k);
        digest_u64(d, v);
    }
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
