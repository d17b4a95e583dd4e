/* test_conv: convolution by products of patches against the plain sum. */
#include "kernels/conv.h"
#include "kernels/parallel.h"
#include "sim/err.h"
#include "tests/pair.h"

#include <math.h>

#define ROWS(table) (sizeof(table) / sizeof *(table))

static void compare(const struct conv_shape *s, const char *what)
{
    size_t k = (size_t)s->cin * s->kh * s->kw, plane = (size_t)conv_hout(s) * conv_wout(s);
    struct pair x = pair_random((size_t)s->batch * s->cin * s->hin * s->win, 1);
    struct pair w = pair_random((size_t)s->cout * k, 2), b = pair_random((size_t)s->cout, 3);
    struct pair y = pair_untouched(((size_t)(s->batch - 1) * s->y_channels + s->cout) * plane);
    struct err e = {0};
    struct parallel *threads = parallel_create(2, &e);
    float *scratch = malloc((2 * conv_scratch(s) + 1) * sizeof *scratch);
    conv_reference(s, &(struct conv_reference_data){x.d, w.d, b.d, y.d});
    conv_blas(s, &(struct conv_data){x.f, w.f, b.f, y.f, conv_scratch(s) ? scratch : NULL},
              threads);
    /* channels of the wider tensor that are not ours stay as they were, in both */
    pair_agrees(&y, 1e-6 + 1e-7 * sqrt((double)k), what);
    free(scratch);
    parallel_destroy(threads);
    pair_free(&x);
    pair_free(&w);
    pair_free(&b);
    pair_free(&y);
}

static const struct {
    const char *what;
    struct conv_shape s;
} shapes[] = {
    {"1x1", {1, 3, 5, 7, 4, 1, 1, 1, 0, 0, 4, false, PRECISION_FP32}},
    {"1x1, two images, slice", {2, 19, 9, 9, 5, 1, 1, 1, 0, 0, 12, true, PRECISION_FP32}},
    {"1x1, stride 2", {2, 6, 9, 8, 5, 1, 1, 2, 0, 0, 5, true, PRECISION_FP32}},
    {"3x3, stride 2, no padding", {1, 3, 15, 13, 8, 3, 3, 2, 0, 0, 8, true, PRECISION_FP32}},
    {"3x3, stride 2, padding", {3, 3, 14, 13, 8, 3, 3, 2, 1, 1, 8, true, PRECISION_FP32}},
    {"3x3, same", {2, 5, 11, 6, 7, 3, 3, 1, 1, 1, 9, true, PRECISION_FP32}},
    {"5x5, same", {1, 4, 7, 7, 6, 5, 5, 1, 2, 2, 6, false, PRECISION_FP32}},
    {"1x7", {1, 13, 9, 17, 11, 1, 7, 1, 0, 3, 11, true, PRECISION_FP32}},
    {"7x1", {1, 13, 17, 9, 11, 7, 1, 1, 3, 0, 11, true, PRECISION_FP32}},
    {"image smaller than the kernel", {1, 2, 2, 3, 3, 5, 5, 1, 2, 2, 3, false, PRECISION_FP32}},
    {"one pixel", {1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, false, PRECISION_FP32}},
    {"stride 3", {1, 2, 10, 11, 3, 3, 2, 3, 1, 0, 3, false, PRECISION_FP32}},
    {"tiles of pixels", {2, 3, 31, 33, 5, 3, 3, 1, 1, 1, 5, true, PRECISION_FP32}},
    {"tiles of pixels, 1x1", {1, 7, 40, 31, 6, 1, 1, 1, 0, 0, 6, true, PRECISION_FP32}},
    {"tiles of channels", {2, 6, 8, 8, 205, 3, 3, 1, 1, 1, 205, true, PRECISION_FP32}},
    {"tiles of channels, 1x1", {1, 33, 8, 8, 210, 1, 1, 1, 0, 0, 210, true, PRECISION_FP32}},
    {"same width, other height", {1, 4, 20, 17, 7, 4, 3, 1, 2, 1, 7, true, PRECISION_FP32}},
    {"several panels", {1, 150, 40, 37, 3, 5, 5, 1, 2, 2, 3, true, PRECISION_FP32}},
};

Test(conv, gives_the_plain_sum_for_every_shape)
{
    for (size_t i = 0; i < ROWS(shapes); i++)
        compare(&shapes[i].s, shapes[i].what);
}

Test(conv, gives_the_plain_sum_for_any_small_shape)
{
    struct chance c = chance_stream(5, 0, CHANCE_TEST, 0);
    for (uint64_t i = 0; i < 300; i++) {
        int32_t at[10];
        for (uint64_t j = 0; j < ROWS(at); j++)
            at[j] = (int32_t)chance_below(c, i * ROWS(at) + j, 5);
        struct conv_shape s = {1 + at[0] % 2,       1 + at[1],           8 + at[2], 8 + 3 * at[3],
                               1 + at[4],           1 + at[5],           1 + at[6], 1 + at[7] % 3,
                               at[8] % (at[5] + 1), at[9] % (at[6] + 1), 6 + at[0], at[1] > 2,
                               PRECISION_FP32};
        compare(&s, "random shape");
    }
}

Test(conv, the_reference_gives_values_worked_out_by_hand)
{
    /* 3x3 image 1..9, 2x2 kernel 1 2 3 4, padding 1, stride 2: corners of the padded image */
    double x[9], w[4] = {1, 2, 3, 4}, bias = 0.5, y[4];
    struct conv_shape s = {1, 1, 3, 3, 1, 2, 2, 2, 1, 1, 1, false, PRECISION_FP32};
    for (int i = 0; i < 9; i++)
        x[i] = i + 1;
    conv_reference(&s, &(struct conv_reference_data){x, w, &bias, y});
    cr_assert_eq(conv_hout(&s), 2);
    cr_assert_float_eq(y[0], 4 * 1 + 0.5, 1e-12);
    cr_assert_float_eq(y[1], 3 * 2 + 4 * 3 + 0.5, 1e-12);
    cr_assert_float_eq(y[2], 2 * 4 + 4 * 7 + 0.5, 1e-12);
    cr_assert_float_eq(y[3], 1 * 5 + 2 * 6 + 3 * 8 + 4 * 9 + 0.5, 1e-12);
}

Test(conv, what_is_no_number_passes_relu)
{
    double x[4] = {1, (double)NAN, -2, 3}, w = 1, bias = 0, y[4];
    float x_f[4] = {1, NAN, -2, 3}, w_f = 1, bias_f = 0, y_f[4];
    struct conv_shape s = {1, 1, 2, 2, 1, 1, 1, 1, 0, 0, 1, true, PRECISION_FP32};
    conv_reference(&s, &(struct conv_reference_data){x, &w, &bias, y});
    conv_blas(&s, &(struct conv_data){x_f, &w_f, &bias_f, y_f, NULL}, NULL);
    cr_expect(isnan(y[1]) && isnan(y_f[1]));
    cr_expect(y[2] == 0 && y_f[2] == 0 && y[3] == 3 && y_f[3] == 3);
}

Test(conv, a_folded_norm_equals_the_norm_behind_the_convolution)
{
    struct conv_shape s = {1, 3, 6, 6, 4, 3, 3, 1, 1, 1, 4, false, PRECISION_FP32};
    struct pair x = pair_random(108, 1), w = pair_random(108, 2), n = pair_random(16, 3);
    struct pair plain = pair_untouched(144), folded = pair_untouched(144);
    double bias[4] = {0, 0, 0, 0};
    for (size_t i = 12; i < 16; i++)
        n.f[i] = 1.5F + n.f[i];
    for (int with_gain = 0; with_gain < 2; with_gain++) {
        struct conv_norm norm = {with_gain ? n.f : NULL, n.f + 4, n.f + 8, n.f + 12, 1e-3};
        for (size_t o = 0; o < 4; o++)
            bias[o] = 0;
        conv_reference(&s, &(struct conv_reference_data){x.d, w.d, bias, plain.d});
        for (size_t i = 0; i < 144; i++) {
            size_t o = i / 36;
            plain.d[i] = (plain.d[i] - (double)norm.mean[o]) /
                             sqrt((double)norm.variance[o] + norm.eps) *
                             (with_gain ? (double)n.f[o] : 1) +
                         (double)norm.beta[o];
        }
        struct pair copy = pair_random(108, 2);
        conv_fold(&norm, 4, 27, copy.d, bias);
        conv_reference(&s, &(struct conv_reference_data){x.d, copy.d, bias, folded.d});
        for (size_t i = 0; i < 144; i++)
            cr_assert_float_eq(folded.d[i], plain.d[i], 1e-12);
        pair_free(&copy);
    }
    pair_free(&x);
    pair_free(&w);
    pair_free(&n);
    pair_free(&plain);
    pair_free(&folded);
}

Test(conv, slices_side_by_side_are_a_concatenation)
{
    struct conv_shape s = {2, 3, 5, 5, 4, 3, 3, 1, 1, 1, 10, true, PRECISION_FP32}, alone = s;
    struct pair x = pair_random(150, 1), w = pair_random(108, 2), b = pair_random(4, 3);
    struct pair whole = pair_untouched(2 * 10 * 25), part = pair_untouched(2 * 4 * 25);
    float scratch[27 * 25];
    alone.y_channels = 4;
    conv_blas(&alone, &(struct conv_data){x.f, w.f, b.f, part.f, scratch}, NULL);
    for (size_t first = 0; first < 8; first += 4)
        conv_blas(&s, &(struct conv_data){x.f, w.f, b.f, whole.f + first * 25, scratch}, NULL);
    for (size_t n = 0; n < 2; n++)
        for (size_t c = 0; c < 10; c++)
            for (size_t i = 0; i < 25; i++)
                cr_assert_eq(whole.f[(n * 10 + c) * 25 + i],
                             c < 8 ? part.f[(n * 4 + c % 4) * 25 + i] : (float)PAIR_UNTOUCHED);
    pair_free(&x);
    pair_free(&w);
    pair_free(&b);
    pair_free(&whole);
    pair_free(&part);
}

Test(conv, counts_the_work_of_a_known_layer)
{
    /* torchvision's Inception-v3, Conv2d_2b_3x3: 398,297,088 multiply-adds */
    struct conv_shape s = {1, 32, 147, 147, 64, 3, 3, 1, 1, 1, 64, true, PRECISION_FP32};
    cr_assert_eq(conv_flop(&s), 2.0 * 398297088);
    cr_assert_eq(conv_hout(&s), 147);
}
