/* test_embedding: rows of three tables against double. */
#include "kernels/embedding.h"
#include "tests/pair.h"

Test(embedding, adds_word_position_and_kind)
{
    struct embedding_shape s = {2, 3, 5, 11, 2, PRECISION_FP32};
    struct pair words = pair_random(55, 1), positions = pair_random(15, 2),
                kinds = pair_random(10, 3);
    struct pair y = pair_untouched(30);
    int32_t tokens[6] = {0, 10, 3, 7, 7, 1}, kind[6] = {0, 1, 1, 0, 0, 1};
    for (int with = 0; with < 2; with++) {
        struct embedding_tokens t = {tokens, with ? kind : NULL, NULL};
        embedding_reference(
            &s, &t, &(struct embedding_reference_tables){words.d, positions.d, kinds.d}, y.d);
        embedding_float(&s, &t, &(struct embedding_tables){words.f, positions.f, kinds.f}, y.f);
        pair_agrees(&y, 1e-6, "embedding");
        /* second sequence's second token: word 7, position 1, kind 0 */
        cr_assert_float_eq(y.d[4 * 5 + 2], words.d[7 * 5 + 2] + positions.d[5 + 2] + kinds.d[2],
                           1e-12);
    }
    pair_free(&words);
    pair_free(&positions);
    pair_free(&kinds);
    pair_free(&y);
}
