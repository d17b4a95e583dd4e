/* test_transpose: stacks of matrices turned. */
#include "kernels/transpose.h"
#include "tests/pair.h"

Test(transpose, exchanges_rows_and_columns_of_each_matrix)
{
    static const struct transpose_shape shapes[] = {{1, 1, 1, PRECISION_FP32},
                                                    {2, 3, 50, PRECISION_FP32},
                                                    {3, 17, 33, PRECISION_FP32},
                                                    {1, 16, 16, PRECISION_FP32}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const struct transpose_shape *s = &shapes[i],
                                     back = {s->count, s->columns, s->rows, PRECISION_FP32};
        size_t n = (size_t)s->count * s->rows * s->columns;
        struct pair x = pair_random(n, 1), y = pair_untouched(n), z = pair_untouched(n);
        transpose_reference(s, x.d, y.d);
        transpose_float(s, x.f, y.f);
        pair_agrees(&y, 0, "transpose");
        transpose_float(&back, y.f, z.f);
        for (size_t j = 0; j < n; j++)
            cr_assert_eq(z.f[j], x.f[j]);
        pair_free(&x);
        pair_free(&y);
        pair_free(&z);
    }
}

Test(transpose, turns_pixels_into_planes)
{
    struct transpose_shape s = {1, 2, 3, PRECISION_FP32};
    const float pixels[6] = {1, 10, 100, 2, 20, 200}, expected[6] = {1, 2, 10, 20, 100, 200};
    float planes[6];
    transpose_float(&s, pixels, planes);
    for (int i = 0; i < 6; i++)
        cr_assert_eq(planes[i], expected[i]);
}
