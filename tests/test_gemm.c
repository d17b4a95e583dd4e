/* test_gemm: the matrix product by hand, and OpenBLAS against the reference within the bound that
 * rounding allows. */
#include "kernels/gemm.h"
#include "sim/chance.h"

#include <criterion/criterion.h>
#include <math.h>
#include <signal.h>
#include <string.h>

#define SIDE_MOST 129
#define CELLS_MOST (SIDE_MOST * SIDE_MOST)

/* The same matrices in both precisions; every value is a float, so that no input is rounded. */
struct product {
    float a[CELLS_MOST], b[CELLS_MOST], c[CELLS_MOST + 1];
    double a64[CELLS_MOST], b64[CELLS_MOST], c64[CELLS_MOST + 1];
    double abs_a[CELLS_MOST], abs_b[CELLS_MOST], abs_c[CELLS_MOST];
};

static struct product p;
static const float sentinel = 12345;

static void fill(float *single, double *full, double *absolute, uint64_t entity)
{
    struct chance chance = chance_stream(7, 0, CHANCE_TEST, entity);
    for (size_t i = 0; i < CELLS_MOST; i++) {
        single[i] = (float)chance_normal(chance, i);
        full[i] = (double)single[i];
        absolute[i] = fabs(full[i]);
    }
}

static void play(const struct gemm_shape *s)
{
    size_t cells = (size_t)s->m * (size_t)s->n;
    for (size_t i = 0; i < cells; i++) {
        p.c[i] = NAN; /* what was there must not matter */
        p.c64[i] = (double)NAN;
    }
    p.c[cells] = sentinel;
    p.c64[cells] = (double)sentinel;
    gemm_reference(s, p.a64, p.b64, p.c64);
    gemm_reference(s, p.abs_a, p.abs_b, p.abs_c);
    gemm_blas(s, p.a, p.b, p.c);
}

/* In any order of summation, with or without fused operations, an inner product of length k is off
 * by at most k u / (1 - k u) times the sum of the absolute products, with u = 2^-24 in single
 * precision: N. Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition (2002),
 * equation 3.5. */
static void expect_within_rounding(const struct gemm_shape *s)
{
    size_t cells = (size_t)s->m * (size_t)s->n;
    double ku = s->k * 0x1p-24, bound = ku / (1 - ku) + 0x1p-50;
    for (size_t i = 0; i < cells; i++) {
        double off = fabs((double)p.c[i] - p.c64[i]);
        cr_assert(off <= bound * p.abs_c[i], "%d x %d x %d%s, cell %zu: %g and %g", s->m, s->n,
                  s->k, s->b_transposed ? " transposed" : "", i, (double)p.c[i], p.c64[i]);
    }
    cr_assert_eq(p.c[cells], sentinel, "OpenBLAS wrote behind C");
    cr_assert_eq(p.c64[cells], (double)sentinel, "the reference wrote behind C");
}

Test(gemm, multiplies_two_by_three_as_by_hand)
{
    static const double a[] = {1, 2, 3, 4, 5, 6}, b[] = {7, 8, 9, 10, 11, 12};
    static const double b_turned[] = {7, 9, 11, 8, 10, 12};
    static const double expected[] = {58, 64, 139, 154};
    static const float a32[] = {1, 2, 3, 4, 5, 6}, b32[] = {7, 8, 9, 10, 11, 12};
    static const float b32_turned[] = {7, 9, 11, 8, 10, 12};
    double c[4];
    float c32[4];
    for (int turned = 0; turned < 2; turned++) {
        struct gemm_shape s = {.m = 2, .n = 2, .k = 3, .b_transposed = turned};
        gemm_reference(&s, a, turned ? b_turned : b, c);
        gemm_blas(&s, a32, turned ? b32_turned : b32, c32);
        for (int i = 0; i < 4; i++) {
            cr_expect_eq(c[i], expected[i], "reference, cell %d: %g", i, c[i]);
            cr_expect_eq((double)c32[i], expected[i], "OpenBLAS, cell %d", i);
        }
    }
}

Test(gemm, a_row_times_a_column_and_a_column_times_a_row)
{
    static const float x[] = {1, -2, 3}, y[] = {4, 5, 6};
    static const float outer[] = {4, 5, 6, -8, -10, -12, 12, 15, 18};
    float inner, c[9];
    gemm_blas(&(struct gemm_shape){.m = 1, .n = 1, .k = 3}, x, y, &inner);
    cr_expect_eq(inner, 12.0F);
    gemm_blas(&(struct gemm_shape){.m = 3, .n = 3, .k = 1}, x, y, c);
    for (int i = 0; i < 9; i++)
        cr_expect_eq(c[i], outer[i], "cell %d", i);
}

/* Sizes around those of vector registers and of OpenBLAS' inner kernels. */
Test(gemm, blas_agrees_with_the_reference_at_all_small_and_odd_sizes)
{
    static const int32_t sides[] = {1, 2, 3, 4, 5, 7, 8, 9, 11, 13, 15, 16, 17};
    const size_t n = sizeof sides / sizeof *sides;
    fill(p.a, p.a64, p.abs_a, 1);
    fill(p.b, p.b64, p.abs_b, 2);
    for (size_t i = 0; i < 2 * n * n * n; i++) {
        struct gemm_shape s = {.m = sides[i / 2 % n],
                               .n = sides[i / 2 / n % n],
                               .k = sides[i / 2 / n / n],
                               .b_transposed = i % 2};
        play(&s);
        expect_within_rounding(&s);
    }
}

Test(gemm, blas_agrees_with_the_reference_across_its_blocks)
{
    static const struct gemm_shape shapes[] = {{64, 65, 129, false},
                                               {129, 127, 128, true},
                                               {1, 129, 129, false},
                                               {129, 1, 129, true},
                                               {129, 129, 1, false}};
    fill(p.a, p.a64, p.abs_a, 3);
    fill(p.b, p.b64, p.abs_b, 4);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        play(&shapes[i]);
        expect_within_rounding(&shapes[i]);
    }
}

Test(gemm, counts_a_multiplication_and_an_addition_for_each_step)
{
    cr_expect_eq(gemm_flop(&(struct gemm_shape){.m = 2, .n = 2, .k = 3}), 24.0);
    struct gemm_shape large = {.m = 1 << 20, .n = 1 << 20, .k = 1 << 20};
    cr_expect_eq(gemm_flop(&large), 0x1p61, "no integer may overflow on the way");
}

Test(gemm, tells_the_kernels_and_threads_in_use)
{
    cr_expect_gt(strlen(gemm_blas_core()), 0);
    cr_expect_eq(gemm_blas_threads(1), 1);
    cr_expect_eq(gemm_blas_threads(0), 1, "0 only asks");
}

Test(gemm, refuses_an_empty_matrix, .signal = SIGABRT)
{
    double x = 1, c;
    gemm_reference(&(struct gemm_shape){.m = 1, .n = 0, .k = 1}, &x, &x, &c);
}
