/* test_operators: every CUDA operator on the shim against its double reference, in three orders. */
#include "kernels/attention.h"
#include "kernels/batched_gemm.h"
#include "kernels/bias.h"
#include "kernels/conv.h"
#include "kernels/embedding.h"
#include "kernels/gelu.h"
#include "kernels/gemm.h"
#include "kernels/layer_norm.h"
#include "kernels/linear.h"
#include "kernels/pool.h"
#include "kernels/softmax.h"
#include "kernels/transpose.h"
#include "tests/cuda_shim/rig.h"

#include <stdio.h>
#include <string.h>

#define ROWS(table) (sizeof(table) / sizeof *(table))
#define EACH_ORDER(order)                                                                          \
    for (enum shim_order order = SHIM_FORWARD; order <= SHIM_SHUFFLED; order++)

/* Values, their copy on the device, and the same count again for what comes back. */
#define MAX_PAIRS 5
struct values {
    struct pair p[MAX_PAIRS];
    float *at[MAX_PAIRS];
};

static void put(struct rig *r, struct values *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        v->at[i] = rig_put(r, &v->p[i]);
}

static void give(struct rig *r, struct values *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        device_give(r->device, v->at[i]);
        pair_free(&v->p[i]);
    }
}

static void conv(const struct conv_shape *s, enum shim_order order, const char *what)
{
    size_t k = (size_t)s->cin * s->kh * s->kw, plane = (size_t)conv_hout(s) * conv_wout(s);
    size_t out = ((size_t)(s->batch - 1) * s->y_channels + s->cout) * plane;
    struct values v = {{pair_random((size_t)s->batch * s->cin * s->hin * s->win, 1),
                        pair_random((size_t)s->cout * k, 2), pair_random((size_t)s->cout, 3),
                        pair_untouched(out)},
                       {0}};
    struct rig r = rig_create(order);
    put(&r, &v, 4);
    float *scratch = conv_cuda_scratch(s) ? rig_scratch(&r, conv_cuda_scratch(s)) : NULL;
    conv_reference(s, &(struct conv_reference_data){v.p[0].d, v.p[1].d, v.p[2].d, v.p[3].d});
    conv_cuda(s, &(struct conv_data){v.at[0], v.at[1], v.at[2], v.at[3], scratch}, r.device, &r.e);
    rig_get(&r, &v.p[3], v.at[3]);
    /* channels of the wider tensor that are not ours stay as they were, in both */
    pair_agrees(&v.p[3], 1e-6 + 1e-7 * sqrt((double)k), what);
    device_give(r.device, scratch);
    give(&r, &v, 4);
    rig_destroy(&r, what);
}

static const struct {
    const char *what;
    struct conv_shape s;
} convs[] = {
    {"1x1", {1, 3, 5, 7, 4, 1, 1, 1, 0, 0, 4, false, PRECISION_FP32}},
    {"1x1, two images, slice", {2, 19, 9, 9, 5, 1, 1, 1, 0, 0, 12, true, PRECISION_FP32}},
    {"1x1, stride 2", {2, 6, 9, 8, 5, 1, 1, 2, 0, 0, 5, true, PRECISION_FP32}},
    {"3x3, stride 2, no padding", {1, 3, 15, 13, 8, 3, 3, 2, 0, 0, 8, true, PRECISION_FP32}},
    {"3x3, stride 2, padding", {3, 3, 14, 13, 8, 3, 3, 2, 1, 1, 8, true, PRECISION_FP32}},
    {"3x3, same, slice", {2, 5, 19, 17, 7, 3, 3, 1, 1, 1, 9, true, PRECISION_FP32}},
    {"5x5, same", {1, 4, 7, 7, 6, 5, 5, 1, 2, 2, 6, false, PRECISION_FP32}},
    {"1x7", {1, 13, 9, 17, 11, 1, 7, 1, 0, 3, 11, true, PRECISION_FP32}},
    {"7x1", {1, 13, 17, 9, 11, 7, 1, 1, 3, 0, 11, true, PRECISION_FP32}},
    {"image smaller than the kernel", {1, 2, 2, 3, 3, 5, 5, 1, 2, 2, 3, false, PRECISION_FP32}},
    {"one pixel", {1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, false, PRECISION_FP32}},
    {"stride 3", {1, 2, 10, 11, 3, 3, 2, 3, 1, 0, 3, false, PRECISION_FP32}},
};

Test(operators, convolution_gives_the_plain_sum)
{
    EACH_ORDER(order)
    for (size_t i = 0; i < ROWS(convs); i++)
        conv(&convs[i].s, order, convs[i].what);
}

/* fmaxf would take the number and hide the fault. */
Test(operators, what_is_no_number_passes_relu_and_the_largest)
{
    struct conv_shape c = {1, 1, 1, 4, 1, 1, 1, 1, 0, 0, 1, true, PRECISION_FP32};
    struct pool_shape l = {1, 1, 1, 4, 1, 4, 1, 0, 0, 1, POOL_MAX, true, PRECISION_FP32};
    struct bias_shape b = {1, 4, BIAS_RELU, PRECISION_FP32};
    for (size_t i = 0; i < 4; i++) {
        struct values v = {{pair_random(4, 1), pair_random(1, 2), pair_random(1, 3),
                            pair_untouched(4), pair_untouched(1)},
                           {0}};
        struct pair none = pair_random(4, 1);
        struct rig r = rig_create(SHIM_FORWARD);
        v.p[0].f[i] = NAN;
        put(&r, &v, 5);
        conv_cuda(&c, &(struct conv_data){v.at[0], v.at[1], v.at[2], v.at[3], NULL}, r.device,
                  &r.e);
        pool_cuda(&l, &(struct pool_cuda_data){v.at[0], v.at[4]}, r.device, &r.e);
        rig_get(&r, &v.p[3], v.at[3]);
        rig_get(&r, &v.p[4], v.at[4]);
        cr_expect(isnan(v.p[3].f[i]) && isnan(v.p[4].f[0]), "%zu", i);
        bias_cuda(&b, &(struct bias_cuda_data){v.at[3], v.at[0]}, r.device, &r.e);
        rig_get(&r, &none, v.at[0]);
        cr_expect(isnan(none.f[i]), "%zu", i);
        pair_free(&none);
        give(&r, &v, 5);
        rig_destroy(&r, "no number");
    }
}

Test(operators, convolution_takes_as_many_images_as_its_scratch_holds)
{
    /* 32 channels of 147 x 147 with 3 x 3: 6.2 million values an image, and 64 million fit */
    struct conv_shape s = {32, 32, 147, 147, 64, 3, 3, 1, 1, 1, 64, true, PRECISION_FP32};
    cr_assert_eq(conv_cuda_scratch(&s), (size_t)10 * 32 * 9 * 147 * 147);
    s.batch = 3;
    cr_assert_eq(conv_cuda_scratch(&s), (size_t)3 * 32 * 9 * 147 * 147);
    s.kh = s.kw = 1;
    s.pad_h = s.pad_w = 0;
    cr_assert_eq(conv_cuda_scratch(&s), 0, "1x1 multiplies the images where they lie");
}

static void pool(const struct pool_shape *s, enum shim_order order)
{
    size_t plane = (size_t)pool_hout(s) * pool_wout(s);
    size_t out = ((size_t)(s->batch - 1) * s->y_channels + s->channels) * plane;
    struct values v = {
        {pair_random((size_t)s->batch * s->channels * s->hin * s->win, 1), pair_untouched(out)},
        {0}};
    struct rig r = rig_create(order);
    char what[96];
    snprintf(what, sizeof what, "pool %dx%d, stride %d, padding %d %d, kind %d %d", s->kh, s->kw,
             s->stride, s->pad_h, s->pad_w, s->kind, s->count_padding);
    put(&r, &v, 2);
    pool_reference(s, v.p[0].d, v.p[1].d);
    pool_cuda(s, &(struct pool_cuda_data){v.at[0], v.at[1]}, r.device, &r.e);
    rig_get(&r, &v.p[1], v.at[1]);
    pair_agrees(&v.p[1], 1e-6, what);
    give(&r, &v, 2);
    rig_destroy(&r, what);
}

Test(operators, pooling_follows_both_padding_rules)
{
    static const int32_t windows[][8] = {
        /* batch, channels, hin, win, kh, kw, stride, pad */
        {1, 3, 17, 19, 3, 3, 2, 0}, {2, 5, 9, 9, 3, 3, 1, 1}, {1, 7, 8, 8, 8, 8, 1, 0},
        {3, 2, 7, 5, 5, 3, 1, 2},   {1, 1, 1, 1, 1, 1, 1, 0}, {2, 3, 10, 11, 4, 2, 3, 1},
    };
    EACH_ORDER(order)
    for (size_t i = 0; i < ROWS(windows); i++)
        for (int kind = 0; kind < 3; kind++) {
            const int32_t *w = windows[i];
            struct pool_shape s = {w[0],
                                   w[1],
                                   w[2],
                                   w[3],
                                   w[4],
                                   w[5],
                                   w[6],
                                   w[7],
                                   w[7] < w[5] ? w[7] : 0,
                                   w[1] + kind,
                                   kind == 0 ? POOL_MAX : POOL_MEAN,
                                   kind == 1,
                                   PRECISION_FP32};
            pool(&s, order);
        }
}

static const int32_t matrices[][2] = {{1, 1},   {3, 7},    {5, 31},  {2, 32},  {9, 33},
                                      {4, 100}, {17, 128}, {3, 257}, {2, 777}, {6, 768}};

Test(operators, softmax_masks_the_ends_of_its_rows)
{
    EACH_ORDER(order)
    for (size_t i = 0; i < ROWS(matrices); i++) {
        int32_t rows = 4 * matrices[i][0], columns = matrices[i][1];
        int32_t lengths[2] = {columns, (columns + 1) / 2};
        size_t half = (size_t)rows / 2 * (size_t)columns;
        struct softmax_shape s = {rows / 2, columns, columns, 3.7, PRECISION_FP32}, both = s;
        struct values v = {{pair_random(2 * half, i)}, {0}};
        struct rig r = rig_create(order);
        put(&r, &v, 1);
        int32_t *at = device_take(r.device, sizeof lengths, &r.e);
        device_put(r.device, at, lengths, sizeof lengths, &r.e);
        for (size_t part = 0; part < 2; part++) {
            s.length = lengths[part];
            softmax_reference(&s, v.p[0].d + part * half);
        }
        both.rows = rows;
        softmax_cuda(&both, &(struct softmax_cuda_data){v.at[0], at, rows / 2}, r.device, &r.e);
        rig_get(&r, &v.p[0], v.at[0]);
        pair_agrees(&v.p[0], 2e-6, "softmax");
        device_give(r.device, at);
        give(&r, &v, 1);
        rig_destroy(&r, "softmax");
    }
}

Test(operators, softmax_takes_one_length_for_all_and_large_scores)
{
    EACH_ORDER(order)
    {
        struct softmax_shape s = {5, 40, 37, 900.0, PRECISION_FP32};
        struct values v = {{pair_random(200, 1)}, {0}};
        struct rig r = rig_create(order);
        put(&r, &v, 1);
        softmax_reference(&s, v.p[0].d);
        softmax_cuda(&s, &(struct softmax_cuda_data){v.at[0], NULL, 0}, r.device, &r.e);
        rig_get(&r, &v.p[0], v.at[0]);
        pair_agrees(&v.p[0], 1e-4, "softmax of scores up to 900"); /* exp of rounded scores */
        give(&r, &v, 1);
        rig_destroy(&r, "softmax");
    }
}

static void layer_norm(int32_t rows, int32_t columns, bool residual, enum shim_order order)
{
    size_t n = (size_t)rows * (size_t)columns;
    struct layer_norm_shape s = {rows, columns, 1e-12, PRECISION_FP32};
    struct values v = {{pair_random(n, 1), pair_random(n, 2), pair_random((size_t)columns, 3),
                        pair_random((size_t)columns, 4), pair_untouched(n)},
                       {0}};
    struct rig r = rig_create(order);
    char what[64];
    snprintf(what, sizeof what, "layer norm of %d x %d", rows, columns);
    put(&r, &v, 5);
    if (columns == 1)
        s.eps = 1e-3; /* a single value has no deviation but eps */
    layer_norm_reference(&s,
                         &(struct layer_norm_reference_data){v.p[0].d, residual ? v.p[1].d : NULL,
                                                             v.p[2].d, v.p[3].d, v.p[4].d});
    layer_norm_cuda(
        &s,
        &(struct layer_norm_data){v.at[0], residual ? v.at[1] : NULL, v.at[2], v.at[3], v.at[4]},
        r.device, &r.e);
    rig_get(&r, &v.p[4], v.at[4]);
    pair_agrees(&v.p[4], 2e-6, what);
    give(&r, &v, 5);
    rig_destroy(&r, what);
}

Test(operators, layer_norm_adds_its_residual)
{
    EACH_ORDER(order)
    for (size_t i = 0; i < ROWS(matrices); i++)
        layer_norm(matrices[i][0], matrices[i][1], i % 2 == 0, order);
}

Test(operators, gelu_is_the_exact_one)
{
    EACH_ORDER(order)
    for (size_t i = 0; i < ROWS(matrices); i++) {
        struct gelu_shape s = {matrices[i][0], matrices[i][1], PRECISION_FP32};
        size_t n = (size_t)s.rows * (size_t)s.columns;
        struct values v = {{pair_random((size_t)s.columns, 1), pair_random(n, 2)}, {0}};
        struct rig r = rig_create(order);
        for (size_t j = 0; j < n; j++) { /* -6..6: all of the curve */
            v.p[1].f[j] *= 6;
            v.p[1].d[j] = (double)v.p[1].f[j];
        }
        put(&r, &v, 2);
        gelu_reference(&s, v.p[0].d, v.p[1].d);
        gelu_cuda(&s, &(struct gelu_cuda_data){v.at[0], v.at[1]}, r.device, &r.e);
        rig_get(&r, &v.p[1], v.at[1]);
        pair_agrees(&v.p[1], 5e-7, "gelu");
        give(&r, &v, 2);
        rig_destroy(&r, "gelu");
    }
}

Test(operators, bias_comes_with_each_activation)
{
    EACH_ORDER(order)
    for (size_t i = 0; i < ROWS(matrices); i++)
        for (enum bias_activation a = BIAS_ONLY; a <= BIAS_TANH; a++) {
            struct bias_shape s = {matrices[i][0], matrices[i][1], a, PRECISION_FP32};
            size_t n = (size_t)s.rows * (size_t)s.columns;
            struct values v = {{pair_random((size_t)s.columns, 1), pair_random(n, 2)}, {0}};
            struct rig r = rig_create(order);
            put(&r, &v, 2);
            bias_reference(&s, v.p[0].d, v.p[1].d);
            bias_cuda(&s, &(struct bias_cuda_data){v.at[0], v.at[1]}, r.device, &r.e);
            rig_get(&r, &v.p[1], v.at[1]);
            pair_agrees(&v.p[1], 5e-7, "bias");
            give(&r, &v, 2);
            rig_destroy(&r, "bias");
        }
}

Test(operators, transposition_exchanges_rows_and_columns)
{
    static const int32_t stacks[][3] = {{1, 1, 1},   {2, 3, 5},    {1, 32, 32}, {3, 33, 31},
                                        {1, 8, 100}, {2, 65, 129}, {1, 1, 77}};
    EACH_ORDER(order)
    for (size_t i = 0; i < ROWS(stacks); i++) {
        struct transpose_shape s = {stacks[i][0], stacks[i][1], stacks[i][2], PRECISION_FP32};
        size_t n = (size_t)s.count * (size_t)s.rows * (size_t)s.columns;
        struct values v = {{pair_random(n, 1), pair_untouched(n)}, {0}};
        struct rig r = rig_create(order);
        put(&r, &v, 2);
        transpose_reference(&s, v.p[0].d, v.p[1].d);
        transpose_cuda(&s, &(struct transpose_cuda_data){v.at[0], v.at[1]}, r.device, &r.e);
        rig_get(&r, &v.p[1], v.at[1]);
        pair_agrees(&v.p[1], 0, "transpose");
        give(&r, &v, 2);
        rig_destroy(&r, "transpose");
    }
}

Test(operators, embedding_adds_three_rows)
{
    static const int32_t hiddens[] = {1, 31, 60, 300};
    EACH_ORDER(order)
    for (size_t i = 0; i < ROWS(hiddens); i++) {
        struct embedding_shape s = {3, 5, hiddens[i], 11, 2, PRECISION_FP32};
        size_t h = (size_t)s.hidden;
        int32_t tokens[30];
        struct values v = {{pair_random(11 * h, 1), pair_random(6 * h, 2), pair_random(2 * h, 3),
                            pair_untouched(15 * h)},
                           {0}};
        struct rig r = rig_create(order);
        for (int32_t j = 0; j < 30; j++)
            tokens[j] = j < 15 ? j * 7 % 11 : j % 2;
        put(&r, &v, 4);
        int32_t *at = device_take(r.device, sizeof tokens, &r.e);
        device_put(r.device, at, tokens, sizeof tokens, &r.e);
        for (int kinds = 0; kinds < 2; kinds++) {
            struct embedding_tokens host = {tokens, kinds ? tokens + 15 : NULL, NULL};
            struct embedding_cuda_data d = {
                {at, kinds ? at + 15 : NULL, NULL}, {v.at[0], v.at[1], v.at[2]}, v.at[3]};
            embedding_reference(&s, &host,
                                &(struct embedding_reference_tables){v.p[0].d, v.p[1].d, v.p[2].d},
                                v.p[3].d);
            embedding_cuda(&s, &d, r.device, &r.e);
            rig_get(&r, &v.p[3], v.at[3]);
            pair_agrees(&v.p[3], 2e-7, "embedding");
        }
        device_give(r.device, at);
        give(&r, &v, 4);
        rig_destroy(&r, "embedding");
    }
}

Test(operators, embedding_of_an_unknown_word_is_not_a_number)
{
    struct embedding_shape s = {1, 2, 3, 4, 1, PRECISION_FP32};
    const int32_t words[2] = {3, 4};
    struct values v = {
        {pair_random(12, 1), pair_random(6, 2), pair_random(3, 3), pair_random(6, 4)}, {0}};
    struct rig r = rig_create(SHIM_FORWARD);
    put(&r, &v, 4);
    int32_t *at = device_take(r.device, sizeof words, &r.e);
    device_put(r.device, at, words, sizeof words, &r.e);
    struct embedding_cuda_data d = {{at, NULL, NULL}, {v.at[0], v.at[1], v.at[2]}, v.at[3]};
    embedding_cuda(&s, &d, r.device, &r.e);
    rig_get(&r, &v.p[3], v.at[3]);
    for (int i = 0; i < 6; i++)
        cr_assert_eq(isnan(v.p[3].f[i]) != 0, i >= 3);
    device_give(r.device, at);
    give(&r, &v, 4);
    rig_destroy(&r, "embedding");
}

static void linear(const struct linear_shape *s, enum shim_order order)
{
    size_t m = (size_t)s->rows, k = (size_t)s->inputs, n = (size_t)s->outputs;
    struct values v = {{pair_random((m - 1) * (size_t)s->x_row + k, 1), pair_random(n * k, 2),
                        pair_random(n, 3), pair_untouched(m * n)},
                       {0}};
    struct rig r = rig_create(order);
    put(&r, &v, 4);
    linear_reference(s, &(struct linear_reference_data){v.p[0].d, v.p[1].d, v.p[2].d, v.p[3].d});
    linear_cuda(s, &(struct linear_data){v.at[0], v.at[1], v.at[2], v.at[3]}, r.device, &r.e);
    rig_get(&r, &v.p[3], v.at[3]);
    pair_agrees(&v.p[3], 1e-6 + 1e-7 * sqrt((double)k), "linear");
    give(&r, &v, 4);
    rig_destroy(&r, "linear");
}

Test(operators, dense_layers_end_in_each_activation)
{
    EACH_ORDER(order)
    for (enum linear_activation a = LINEAR_PLAIN; a <= LINEAR_GELU; a++) {
        linear(&(struct linear_shape){7, 13, 35, 13, a, PRECISION_FP32}, order);
        linear(&(struct linear_shape){3, 64, 300, 200, a, PRECISION_FP32}, order);
        linear(&(struct linear_shape){1, 1, 1, 1, a, PRECISION_FP32}, order);
    }
}

static void attention(const struct attention_shape *s, const int32_t *lengths,
                      enum shim_order order)
{
    size_t rows = (size_t)s->batch * (size_t)s->sequence, width = (size_t)(s->heads * s->size);
    struct values v = {{pair_random(3 * rows * width, 1), pair_untouched(rows * width)}, {0}};
    double *scores = malloc(attention_scratch(s) * sizeof *scores);
    struct rig r = rig_create(order);
    put(&r, &v, 2);
    float *scratch = rig_scratch(&r, attention_cuda_scratch(s));
    int32_t *at = device_take(r.device, (size_t)s->batch * sizeof *at, &r.e);
    if (lengths)
        device_put(r.device, at, lengths, (size_t)s->batch * sizeof *at, &r.e);
    attention_reference(
        s, &(struct attention_reference_data){v.p[0].d, lengths, v.p[1].d, scores, NULL});
    attention_cuda(s,
                   &(struct attention_data){v.at[0], lengths ? at : NULL, v.at[1], scratch, NULL},
                   r.device, &r.e);
    rig_get(&r, &v.p[1], v.at[1]);
    pair_agrees(&v.p[1], 3e-6, "attention");
    device_give(r.device, scratch);
    device_give(r.device, at);
    give(&r, &v, 2);
    free(scores);
    rig_destroy(&r, "attention");
}

Test(operators, attention_masks_what_lies_behind_a_sequence)
{
    static const struct attention_shape shapes[] = {
        {1, 1, 1, 1, PRECISION_FP32},   {1, 33, 3, 7, PRECISION_FP32},
        {2, 21, 5, 12, PRECISION_FP32}, {7, 10, 2, 5, PRECISION_FP32},
        {3, 40, 3, 8, PRECISION_FP32},  {4, 5, 4, 64, PRECISION_FP32}};
    EACH_ORDER(order)
    for (size_t i = 0; i < ROWS(shapes); i++) {
        int32_t lengths[8];
        for (int32_t b = 0; b < 8; b++)
            lengths[b] = 1 + b * 5 % shapes[i].sequence;
        attention(&shapes[i], NULL, order);
        attention(&shapes[i], lengths, order);
    }
}

static void gemm(const struct gemm_shape *s)
{
    size_t m = (size_t)s->m, n = (size_t)s->n, k = (size_t)s->k;
    struct values v = {{pair_random(m * k, 1), pair_random(n * k, 2), pair_untouched(m * n)}, {0}};
    struct rig r = rig_create(SHIM_FORWARD);
    put(&r, &v, 3);
    gemm_reference(s, v.p[0].d, v.p[1].d, v.p[2].d);
    gemm_cuda(s, &(struct gemm_cuda_data){v.at[0], v.at[1], v.at[2]}, r.device, &r.e);
    rig_get(&r, &v.p[2], v.at[2]);
    pair_agrees(&v.p[2], 1e-6 + 1e-7 * sqrt((double)k), "gemm");
    give(&r, &v, 3);
    rig_destroy(&r, "gemm");
}

Test(operators, products_are_those_of_row_major_matrices)
{
    static const int32_t shapes[][3] = {{1, 1, 1}, {3, 5, 7}, {64, 33, 100}, {17, 128, 1}};
    for (size_t i = 0; i < ROWS(shapes); i++)
        for (int t = 0; t < 2; t++)
            gemm(&(struct gemm_shape){shapes[i][0], shapes[i][1], shapes[i][2], t == 1});
}

Test(operators, batched_products_step_as_they_are_told)
{
    struct batched_gemm_shape s = {3, 4, 5, 6, false, 8, 7, 9, 40, 50, 60, PRECISION_FP32};
    struct values v = {{pair_random(2 * 40 + 3 * 8 + 6, 1), pair_random(2 * 50 + 5 * 7 + 5, 2),
                        pair_untouched(2 * 60 + 3 * 9 + 5)},
                       {0}};
    struct rig r = rig_create(SHIM_FORWARD);
    put(&r, &v, 3);
    batched_gemm_reference(&s, &(struct batched_gemm_reference_data){v.p[0].d, v.p[1].d, v.p[2].d});
    batched_gemm_cuda(&s, &(struct batched_gemm_data){v.at[0], v.at[1], v.at[2]}, r.device, &r.e);
    rig_get(&r, &v.p[2], v.at[2]);
    pair_agrees(&v.p[2], 1e-6, "batched gemm");
    give(&r, &v, 3);
    rig_destroy(&r, "batched gemm");
}
