/* test_digest: what must and must not change a fingerprint. */
#include "sim/digest.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static uint64_t of_numbers(const uint64_t *v, size_t n)
{
    struct digest d = {0};
    for (size_t i = 0; i < n; i++)
        digest_u64(&d, v[i]);
    return digest_value(&d);
}

static uint64_t of_texts(const char *a, const char *b)
{
    struct digest d = {0};
    digest_text(&d, a);
    digest_text(&d, b);
    return digest_value(&d);
}

Test(digest, tells_order_number_and_content_apart)
{
    const uint64_t ab[] = {1, 2}, ba[] = {2, 1}, zeros[] = {0, 0, 0};
    cr_expect_neq(of_numbers(ab, 2), of_numbers(ba, 2));
    cr_expect_neq(of_numbers(zeros, 1), of_numbers(zeros, 2));
    cr_expect_neq(of_numbers(zeros, 0), of_numbers(zeros, 1));
    cr_expect_eq(of_numbers(ab, 2), of_numbers(ab, 2));
    cr_expect_neq(of_texts("ab", "c"), of_texts("a", "bc"));
    cr_expect_neq(of_texts("", "a"), of_texts("a", ""));
    cr_expect_neq(of_texts("12345678", ""), of_texts("1234567", "8"));
}

Test(digest, has_a_value_that_may_be_written_down)
{
    cr_expect_eq(of_texts("hpa bert", "4 -> 8"), UINT64_C(0x7837d0204a16f359), "0x%016llx",
                 (unsigned long long)of_texts("hpa bert", "4 -> 8"));
}

Test(digest, does_not_depend_on_where_the_bytes_lie)
{
    char room[64];
    uint64_t first = 0;
    for (size_t shift = 0; shift < 9; shift++) {
        struct digest d = {0};
        for (size_t i = 0; i < 21; i++)
            room[shift + i] = (char)('a' + i);
        digest_bytes(&d, room + shift, 21);
        if (shift == 0)
            first = digest_value(&d);
        cr_expect_eq(digest_value(&d), first);
    }
}

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Near inputs, as control logs have them; a collision among 2^19 values of 64 bits is one in
 * 2^27 by chance. */
Test(digest, near_inputs_do_not_collide)
{
    enum { SIDE = 724, N = SIDE * SIDE };
    uint64_t *v = malloc(N * sizeof *v);
    for (uint64_t a = 0; a < SIDE; a++) {
        for (uint64_t b = 0; b < SIDE; b++) {
            const uint64_t pair[] = {a * 15000000000u, b};
            v[a * SIDE + b] = of_numbers(pair, 2);
        }
    }
    qsort(v, N, sizeof *v, ascending);
    for (size_t i = 1; i < N; i++)
        cr_assert_neq(v[i - 1], v[i]);
    free(v);
}
