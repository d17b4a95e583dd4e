/* test_packing: what a packed batch adds to the operators, on the shim in three orders: tokens with
 * places of their own, attention of sequences of any length, and first rows. */
#include "kernels/attention.h"
#include "kernels/embedding.h"
#include "kernels/packing.h"
#include "tests/cuda_shim/rig.h"

#include <string.h>

#define EACH_ORDER(order)                                                                          \
    for (enum shim_order order = SHIM_FORWARD; order <= SHIM_SHUFFLED; order++)

#define SEQUENCES 7
static const int32_t lengths[][SEQUENCES] = {
    {5, 5, 5, 1, 9, 8, 8}, {1, 1, 1, 1, 1, 1, 1}, {9, 9, 9, 9, 9, 9, 9}, {3, 1, 7, 9, 2, 5, 4}};
#define CASES (sizeof lengths / sizeof *lengths)

static int32_t starts_of(const int32_t *of, int32_t starts[SEQUENCES])
{
    int32_t rows = 0;
    for (int32_t b = 0; b < SEQUENCES; b++) {
        starts[b] = rows;
        rows += of[b];
    }
    return rows;
}

static int32_t *put_numbers(struct rig *r, const int32_t *from, size_t n)
{
    int32_t *at = device_take(r->device, n * sizeof *at, &r->e);
    cr_assert(at && device_put(r->device, at, from, n * sizeof *at, &r->e) == 0, "%s", r->e.msg);
    return at;
}

static void attention(const struct attention_shape *s, const int32_t *of, enum shim_order order)
{
    int32_t starts[SEQUENCES], rows = starts_of(of, starts);
    size_t width = (size_t)(s->heads * s->size);
    struct pair qkv = pair_random(3 * (size_t)rows * width, 1);
    struct pair y = pair_untouched((size_t)rows * width);
    double *scores = malloc(attention_scratch(s) * sizeof *scores);
    struct rig r = rig_create(order);
    float *x = rig_put(&r, &qkv), *out = rig_put(&r, &y);
    float *scratch = rig_scratch(&r, attention_cuda_scratch(s));
    attention_reference(s, &(struct attention_reference_data){qkv.d, of, y.d, scores, starts});
    attention_cuda(s, &(struct attention_data){x, of, out, scratch, starts}, r.device, &r.e);
    rig_get(&r, &y, out);
    pair_agrees(&y, 3e-6, "packed attention");
    device_give(r.device, scratch);
    device_give(r.device, out);
    device_give(r.device, x);
    pair_free(&qkv);
    pair_free(&y);
    free(scores);
    rig_destroy(&r, "packed attention");
}

Test(packing, attention_keeps_to_each_sequence)
{
    EACH_ORDER(order)
    for (size_t i = 0; i < CASES; i++) {
        /* fewer heads than sequences of one length, and more */
        attention(&(struct attention_shape){SEQUENCES, 9, 2, 5, PRECISION_FP32}, lengths[i], order);
        attention(&(struct attention_shape){SEQUENCES, 9, 8, 3, PRECISION_FP32}, lengths[i], order);
    }
}

Test(packing, first_rows_come_together)
{
    static const int32_t widths[] = {1, 31, 60, 300};
    EACH_ORDER(order)
    for (size_t i = 0; i < CASES; i++) {
        int32_t starts[SEQUENCES], rows = starts_of(lengths[i], starts), width = widths[i];
        struct pair x = pair_random((size_t)(rows * width), 1);
        struct pair y = pair_untouched((size_t)(SEQUENCES * width));
        struct rig r = rig_create(order);
        float *from = rig_put(&r, &x), *to = rig_put(&r, &y);
        int32_t *at = put_numbers(&r, starts, SEQUENCES);
        for (int32_t b = 0; b < SEQUENCES; b++)
            memcpy(y.d + b * width, x.d + starts[b] * width, (size_t)width * sizeof *y.d);
        packing_gather_cuda(SEQUENCES, width, &(struct packing_cuda_data){at, from, to}, r.device,
                            &r.e);
        rig_get(&r, &y, to);
        pair_agrees(&y, 0, "first rows");
        device_give(r.device, at);
        device_give(r.device, to);
        device_give(r.device, from);
        pair_free(&x);
        pair_free(&y);
        rig_destroy(&r, "first rows");
    }
}

Test(packing, a_token_has_the_place_that_it_is_told)
{
    const struct embedding_shape s = {1, 12, 33, 11, 1, PRECISION_FP32};
    static const int32_t words[12] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8};
    static const int32_t places[12] = {0, 1, 2, 0, 0, 1, 2, 3, 4, 0, 1, 0};
    const size_t h = (size_t)s.hidden;
    EACH_ORDER(order)
    {
        struct pair table = pair_random(11 * h, 1), positions = pair_random(12 * h, 2);
        struct pair kinds = pair_random(h, 3), y = pair_untouched(12 * h);
        struct rig r = rig_create(order);
        float *t = rig_put(&r, &table), *p = rig_put(&r, &positions), *k = rig_put(&r, &kinds);
        float *out = rig_put(&r, &y);
        int32_t *w = put_numbers(&r, words, 12), *at = put_numbers(&r, places, 12);
        embedding_reference(&s, &(struct embedding_tokens){words, NULL, places},
                            &(struct embedding_reference_tables){table.d, positions.d, kinds.d},
                            y.d);
        embedding_cuda(&s, &(struct embedding_cuda_data){{w, NULL, at}, {t, p, k}, out}, r.device,
                       &r.e);
        rig_get(&r, &y, out);
        pair_agrees(&y, 2e-7, "packed embedding");
        float *const taken[] = {t, p, k, out};
        for (int i = 0; i < 4; i++)
            device_give(r.device, taken[i]);
        device_give(r.device, w);
        device_give(r.device, at);
        struct pair *const pairs[] = {&table, &positions, &kinds, &y};
        for (int i = 0; i < 4; i++)
            pair_free(pairs[i]);
        rig_destroy(&r, "packed embedding");
    }
}
