/* test_network: places of tensors. */
#include "kernels/bert.h"
#include "kernels/inception.h"
#include "sim/arena.h"

#include <criterion/criterion.h>

/* No two tensors that live at the same time share a value. */
static void check(const struct network *n)
{
    for (size_t i = 0; i < n->n_tensors; i++) {
        const struct network_tensor *a = &n->tensors[i];
        cr_assert(a->at + a->size <= n->activations);
        for (size_t j = 0; j < i; j++) {
            const struct network_tensor *b = &n->tensors[j];
            if (a->first <= b->last && b->first <= a->last)
                cr_assert(a->at + a->size <= b->at || b->at + b->size <= a->at,
                          "tensors %zu and %zu overlap", i, j);
        }
    }
}

Test(network, tensors_that_live_together_do_not_overlap)
{
    struct arena *a = arena_create(NULL);
    struct err e = {0};
    struct inception_config c = inception_usual;
    for (c.batch = 1; c.batch <= 4; c.batch += 3)
        check(inception_plan(a, &c, &e));
    check(bert_plan(a, &bert_base, &e));
    cr_assert_eq(e.code, ERR_NONE);
    arena_destroy(a);
}

Test(network, dead_tensors_give_their_place_to_others)
{
    /* the largest input with its output, 2 x 32 x 147 x 147 + 64 x 147 x 147, and the image */
    struct arena *a = arena_create(NULL);
    struct err e = {0};
    const struct network *n = inception_plan(a, &inception_usual, &e);
    size_t all = 0;
    for (size_t i = 0; i < n->n_tensors; i++)
        all += n->tensors[i].size;
    cr_assert(n->activations < all / 3, "%zu of %zu", n->activations, all);
    arena_destroy(a);
}

Test(network, weights_fill_the_parameters_without_a_gap)
{
    struct arena *a = arena_create(NULL);
    struct err e = {0};
    const struct network *n = inception_plan(a, &inception_usual, &e);
    size_t at = 0;
    for (size_t i = 0; i < n->n_weights; i++) {
        const struct network_weight *w = &n->weights[i];
        cr_assert_eq(w->at, at);
        at += weight_count(&w->weight);
        if (w->norm[0]) {
            cr_assert_eq(w->bias_at, at);
            at += (size_t)w->weight.extents[0];
        }
    }
    cr_assert_eq(at, n->parameters);
    arena_destroy(a);
}
