/* test_batched_gemm: products at fixed distances against the triple loop. */
#include "kernels/batched_gemm.h"
#include "tests/pair.h"

Test(batched_gemm, products_inside_wider_rows_agree_and_touch_nothing_else)
{
    for (int transposed = 0; transposed < 2; transposed++) {
        struct batched_gemm_shape s = {3,  4,  5,  6,  transposed,    7, transposed ? 9 : 8,
                                       11, 30, 60, 50, PRECISION_FP32};
        struct pair a = pair_random(90, 1), b = pair_random(200, 2), c = pair_untouched(150);
        batched_gemm_reference(&s, &(struct batched_gemm_reference_data){a.d, b.d, c.d});
        batched_gemm_blas(&s, &(struct batched_gemm_data){a.f, b.f, c.f});
        for (size_t i = 0; i < 150; i++) {
            bool ours = i % 50 < 44 && i % 50 % 11 < 5;
            cr_assert_eq(c.d[i] == PAIR_UNTOUCHED, !ours, "value %zu", i);
            cr_assert_float_eq(c.d[i], (double)c.f[i], 1e-5);
        }
        pair_free(&a);
        pair_free(&b);
        pair_free(&c);
    }
}
