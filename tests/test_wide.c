/* test_wide: products that do not fit into 64 bits. */
#include "sim/wide.h"

#include <criterion/criterion.h>

Test(wide, rounds_up_and_does_not_overflow)
{
    static const struct {
        uint64_t a, b, c, expected;
    } rows[] = {
        {0, 5, 16, 0},
        {1, 1, 16, 1},
        {32, 3, 16, 6},
        {33, 3, 16, 7},
        {UINT64_C(1) << 63, 16, 16, UINT64_C(1) << 63},
        {(UINT64_C(1) << 63) + 1, 17, 16, UINT64_C(0x8800000000000002)}, /* 2^63 + 2^59 + 17/16 */
        {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX},
        {UINT64_MAX, UINT64_MAX, 1, UINT64_MAX}, /* does not fit */
        {UINT64_MAX, 1, 2, UINT64_C(1) << 63},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_eq(wide_muldiv_up(rows[i].a, rows[i].b, rows[i].c), rows[i].expected,
                     "row %zu: %llx", i,
                     (unsigned long long)wide_muldiv_up(rows[i].a, rows[i].b, rows[i].c));
}
