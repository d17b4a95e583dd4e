/* test_attention: attention by strided-batched products against one token after the other. */
#include "kernels/attention.h"
#include "tests/pair.h"

static void compare(const struct attention_shape *s, const int32_t *lengths)
{
    size_t width = (size_t)s->heads * s->size, tokens = (size_t)s->batch * s->sequence;
    struct pair qkv = pair_random(tokens * 3 * width, 1), y = pair_untouched(tokens * width);
    struct pair scores = pair_untouched(attention_scratch(s));
    attention_reference(s, &(struct attention_reference_data){qkv.d, lengths, y.d, scores.d, NULL});
    attention_blas(s, &(struct attention_data){qkv.f, lengths, y.f, scores.f, NULL}, NULL);
    pair_agrees(&y, 2e-6, "attention");
    pair_free(&qkv);
    pair_free(&y);
    pair_free(&scores);
}

Test(attention, products_give_what_single_tokens_give)
{
    static const struct attention_shape shapes[] = {{1, 1, 1, 1, PRECISION_FP32},
                                                    {2, 7, 3, 5, PRECISION_FP32},
                                                    {3, 33, 2, 64, PRECISION_FP32},
                                                    {1, 128, 12, 64, PRECISION_FP32}};
    static const int32_t lengths[3] = {1, 7, 4};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        compare(&shapes[i], NULL);
    compare(&shapes[1], lengths);
    compare(&shapes[2], lengths);
}

Test(attention, equal_scores_give_the_mean_of_the_true_tokens)
{
    /* one head of size 1, queries 0: every key counts the same, values 1 2 3, length 2 */
    float qkv[9] = {0, 5, 1, 0, -5, 2, 0, 1, 30}, y[3], scores[9];
    int32_t length = 2;
    struct attention_shape s = {1, 3, 1, 1, PRECISION_FP32};
    attention_blas(&s, &(struct attention_data){qkv, &length, y, scores, NULL}, NULL);
    for (int i = 0; i < 3; i++)
        cr_assert_float_eq(y[i], 1.5F, 1e-6F);
}
