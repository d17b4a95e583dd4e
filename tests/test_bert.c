/* test_bert: BERT's totals and values. */
#include "kernels/bert.h"
#include "kernels/engine.h"
#include "kernels/weight_random.h"
#include "sim/arena.h"

#include <criterion/criterion.h>
#include <math.h>

static struct network *plan_of(struct arena *a, const struct bert_config *c)
{
    struct err e = {0};
    struct network *n = bert_plan(a, c, &e);
    cr_assert(n, "%s", e.msg);
    return n;
}

Test(bert, base_has_the_published_totals)
{
    struct arena *a = arena_create(NULL);
    struct bert_config c = bert_base;
    struct network *n = plan_of(a, &c);
    cr_assert_eq(n->parameter_count, 109482240); /* English, pooler included */
    /* 12 layers: 128 rows x 12 x 768^2 and 2 x 12 heads x 128^2 x 64; and the pooler */
    double products = 12 * (128.0 * 12 * 768 * 768 + 2.0 * 12 * 128 * 128 * 64) + 768.0 * 768;
    cr_assert_float_eq(n->flop / 2, products, 1);
    cr_assert_float_eq(n->flop / 2e9, 11.17, 0.01);
    c.vocabulary = 21128;
    cr_assert_eq(plan_of(a, &c)->parameter_count, 102267648); /* Chinese */
    arena_destroy(a);
}

#define MANY 512

static void run(const struct network *n, const struct backend *b, const int32_t *words,
                const int32_t *lengths, double *out)
{
    uint64_t seed = 7;
    struct err e = {0};
    struct weight_source source = weight_random(&seed);
    struct engine *g = engine_create(n, b, &source, &e);
    cr_assert(g, "%s", e.msg);
    engine_tokens(g, words, lengths, &e);
    engine_forward(g, &e);
    engine_output(g, out, &e);
    engine_destroy(g);
}

Test(bert, float_agrees_with_double_with_and_without_padding)
{
    struct bert_config c = {.batch = 3,
                            .sequence = 21,
                            .layers = 3,
                            .hidden = 60,
                            .heads = 5,
                            .inner = 77,
                            .vocabulary = 101,
                            .positions = 40,
                            .segments = 2};
    int32_t words[63], lengths[3] = {21, 1, 13};
    double slow[MANY], fast[MANY], padded[MANY];
    struct arena *a = arena_create(NULL);
    struct network *n = plan_of(a, &c);
    cr_assert_eq(n->output_size, 180);
    for (int32_t i = 0; i < 63; i++)
        words[i] = i * 37 % 101;
    for (int pass = 0; pass < 2; pass++) {
        run(n, &backend_reference, words, pass ? lengths : NULL, slow);
        run(n, &backend_blas, words, pass ? lengths : NULL, fast);
        for (size_t i = 0; i < n->output_size; i++)
            cr_assert_float_eq(slow[i], fast[i], 2e-5, "pass %d, value %zu", pass, i);
    }
    /* what stands behind a sequence's end is nothing to it */
    for (int32_t i = 21 + 1; i < 42; i++)
        words[i] = 100;
    run(n, &backend_reference, words, lengths, padded);
    for (size_t i = 0; i < n->output_size; i++)
        cr_assert_float_eq(slow[i], padded[i], 1e-12);
    arena_destroy(a);
}

Test(bert, figures_out_of_range_are_refused)
{
    struct arena *a = arena_create(NULL);
    struct bert_config c = bert_base;
    struct err e = {0};
    c.sequence = 513;
    cr_assert_null(bert_plan(a, &c, &e));
    cr_assert_eq(e.code, ERR_INPUT);
    cr_assert_str_eq(e.msg, "sequence 513: allowed is 1 to 512");
    arena_destroy(a);
}

Test(bert, without_padding_the_outputs_are_the_same)
{
    struct bert_config c = {.batch = 3,
                            .sequence = 21,
                            .layers = 3,
                            .hidden = 60,
                            .heads = 5,
                            .inner = 77,
                            .vocabulary = 101,
                            .positions = 40,
                            .segments = 2};
    static const int32_t lengths[3] = {21, 1, 13};
    const struct backend *const backends[2] = {&backend_reference, &backend_blas};
    struct arena *a = arena_create(NULL);
    struct network *n = plan_of(a, &c);
    for (int i = 0; i < 2; i++) {
        double padded[MANY], packed[MANY];
        uint64_t seed = 7;
        struct err e = {0};
        struct weight_source source = weight_random(&seed);
        struct engine *g = engine_create(n, backends[i], &source, &e);
        cr_assert(g, "%s", e.msg);
        engine_random_sequences(g, 3, lengths, &e);
        engine_forward(g, &e);
        engine_output(g, padded, &e);
        engine_drop_padding(g, true);
        engine_random_sequences(g, 3, lengths, &e);
        engine_forward(g, &e);
        engine_output(g, packed, &e);
        for (size_t k = 0; k < n->output_size; k++)
            cr_expect_float_eq(padded[k], packed[k], i == 0 ? 1e-15 : 2e-5, "%s: value %zu",
                               backends[i]->name, k);
        engine_destroy(g);
    }
    double all = packing_flop(n, (const int32_t[3]){21, 21, 21});
    cr_expect_float_eq(all, n->flop, 1e-6 * n->flop);
    cr_expect(packing_flop(n, lengths) < 0.6 * n->flop);
    arena_destroy(a);
}
