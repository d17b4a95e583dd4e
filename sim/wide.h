/* wide: a * b / c with a 128-bit product, so that no intermediate overflows. */
#ifndef SLUICE_SIM_WIDE_H
#define SLUICE_SIM_WIDE_H

#include <stdint.h>

#if !defined(__GNUC__)
#error "sim/wide.h needs a 128-bit product"
#endif
__extension__ typedef unsigned __int128 wide_u128;

/* ceil(a * b / c), UINT64_MAX when it does not fit; c > 0. The common case, a product below 2^64,
 * costs one 64-bit division. */
static inline uint64_t wide_muldiv_up(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t low;
    if (!__builtin_mul_overflow(a, b, &low))
        return low / c + (low % c != 0);
    wide_u128 product = (wide_u128)a * b + (c - 1);
    wide_u128 result = product / c;
    return result > UINT64_MAX ? UINT64_MAX : (uint64_t)result;
}

#endif
