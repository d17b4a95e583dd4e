/* test_networks: whole networks against the double reference: on the shim in three orders, and on a
 * GPU where kernels/check_gpu.sh builds them for one. */
#include "kernels/inception.h"
#include "sim/arena.h"
#include "tests/cuda_shim/play.h"

/* Largest difference over the largest value. */
static double distance(const double *x, const double *y, size_t n)
{
    double size = 0, worst = 0;
    for (size_t i = 0; i < n; i++) {
        cr_assert(isfinite(x[i]) && isfinite(y[i]));
        size = fmax(size, fabs(x[i]));
        worst = fmax(worst, fabs(x[i] - y[i]));
    }
    cr_assert(size > 0);
    return worst / size;
}

static void agrees(const struct network *n, const int32_t *lengths, const char *what)
{
    double right[PLAY_MANY], out[PLAY_MANY];
    cr_assert(n->output_size <= PLAY_MANY);
    play_network(n, &backend_reference, lengths, right);
    for (enum shim_order o = SHIM_FORWARD; o <= SHIM_SHUFFLED; o++) {
        struct backend b = play_with(o == SHIM_SHUFFLED ? &play_recorded : &play_steps);
        shim_lane_order(o);
        play_network(n, &b, lengths, out);
        double off = distance(right, out, n->output_size);
        cr_assert(off < 1e-5, "%s: off by %g in order %d", what, off, (int)o);
    }
}

Test(networks, a_bert_layer_agrees_with_double)
{
    struct err e = {0};
    struct arena *a = arena_create(&e);
    const int32_t lengths[3] = {21, 1, 13};
    const struct network *n = bert_plan(a, &play_bert, &e);
    agrees(n, NULL, "BERT");
    agrees(n, lengths, "BERT with padding");
    arena_destroy(a);
}

/* As many sequences as heads and more: products step over sequences instead. */
Test(networks, several_bert_layers_agree_with_double_for_a_large_batch)
{
    struct err e = {0};
    struct arena *a = arena_create(&e);
    struct bert_config c = play_bert;
    int32_t lengths[9];
    c.batch = 9;
    c.layers = 2;
    for (int32_t i = 0; i < 9; i++)
        lengths[i] = 1 + i * 5 % 21;
    agrees(bert_plan(a, &c, &e), lengths, "BERT");
    arena_destroy(a);
}

/* 75 pixels: the smallest image that still has every block. */
Test(networks, inception_agrees_with_double_block_by_block, .timeout = 120)
{
    struct err e = {0};
    struct arena *a = arena_create(&e);
    struct inception_config c = inception_usual;
    c.image = 75;
    c.classes = 17;
    agrees(inception_plan(a, &c, &e), NULL, "Inception-v3");
    arena_destroy(a);
}
