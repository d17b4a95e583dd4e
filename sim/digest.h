/* digest: a 64-bit fingerprint of a sequence of numbers and texts; not cryptographic. */
#ifndef SLUICE_SIM_DIGEST_H
#define SLUICE_SIM_DIGEST_H

#include <stddef.h>
#include <stdint.h>

/* Start with {0}. Ordered: the same items in another order give another value. */
struct digest {
    uint64_t h;
    uint64_t n;
};

void digest_u64(struct digest *d, uint64_t v);
void digest_bytes(struct digest *d, const void *p, size_t n);
void digest_text(struct digest *d, const char *s);
uint64_t digest_value(const struct digest *d);

#endif
