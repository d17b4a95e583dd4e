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

/* Tokens set one after another in one engine: the last output. */
struct batch {
    const int32_t *lengths;
    bool drop;
};

static void play_batches(const struct network *n, const struct backend *b,
                         const struct batch *batches, size_t count, double *out)
{
    uint64_t seed = 7;
    struct err e = {0};
    struct weight_source source = weight_random(&seed);
    struct engine *g = engine_create(n, b, &source, &e);
    int32_t words[PLAY_MANY];
    cr_assert(g && n->tokens <= PLAY_MANY, "%s", e.msg);
    for (int32_t i = 0; i < n->tokens; i++)
        words[i] = i * 37 % n->vocabulary;
    for (size_t i = 0; i < count; i++) {
        engine_drop_padding(g, batches[i].drop);
        int rc = engine_tokens(g, words, batches[i].lengths, &e) || engine_forward(g, &e) ||
                 engine_output(g, out, &e);
        cr_assert_eq(rc, 0, "%s %s", e.msg, shim_fault());
    }
    engine_destroy(g);
    const char *fault = shim_fault();
    cr_assert_str_empty(fault, "%s", fault);
    cr_assert_eq(shim_live(), 0, "%lld things were not given back", (long long)shim_live());
}

/* Lengths odd and even, 1 and the whole, neighbours alike and not. */
static const int32_t packed_lengths[4][9] = {{7, 7, 7, 1, 21, 20, 20, 13, 3},
                                             {1, 1, 1, 1, 1, 1, 1, 1, 1},
                                             {21, 21, 21, 21, 21, 21, 21, 21, 21},
                                             {5, 19, 2, 17, 21, 1, 9, 9, 9}};

Test(networks, a_packed_batch_is_that_of_the_processor_and_of_the_padded_reference)
{
    struct err e = {0};
    struct arena *a = arena_create(&e);
    struct bert_config c = play_bert;
    double right[PLAY_MANY], host[PLAY_MANY], out[PLAY_MANY];
    c.layers = 2;
    for (c.batch = 3; c.batch <= 9; c.batch += 6) { /* fewer sequences than heads, and more */
        const struct network *n = bert_plan(a, &c, &e);
        for (int i = 0; i < 4; i++) {
            struct batch padded = {packed_lengths[i], false}, packed = {packed_lengths[i], true};
            play_batches(n, &backend_reference, &padded, 1, right);
            play_batches(n, &backend_blas, &packed, 1, host);
            for (enum shim_order o = SHIM_FORWARD; o <= SHIM_SHUFFLED; o++) {
                struct backend b = play_with(o == SHIM_SHUFFLED ? &play_recorded : &play_steps);
                shim_lane_order(o);
                play_batches(n, &b, &packed, 1, out);
                cr_expect_lt(distance(right, out, n->output_size), 1e-5, "%d in order %d", i, o);
                cr_expect_lt(distance(host, out, n->output_size), 1e-5, "%d in order %d", i, o);
            }
        }
    }
    arena_destroy(a);
}

/* What was packed before leaves nothing behind: neither rows, nor a graph. */
Test(networks, batches_packed_and_padded_may_follow_each_other)
{
    struct err e = {0};
    struct arena *a = arena_create(&e);
    const struct network *n = bert_plan(a, &play_bert, &e);
    const struct batch batches[] = {{packed_lengths[0], true},
                                    {packed_lengths[3], true},
                                    {packed_lengths[3], false},
                                    {NULL, true},
                                    {packed_lengths[1], true}};
    double right[PLAY_MANY], out[PLAY_MANY];
    for (size_t count = 1; count <= 5; count++) {
        struct batch padded = {batches[count - 1].lengths, false};
        play_batches(n, &backend_reference, &padded, 1, right);
        for (int graph = 0; graph < 2; graph++) {
            struct backend b = play_with(graph ? &play_recorded : &play_steps);
            play_batches(n, &b, batches, count, out);
            cr_expect_lt(distance(right, out, n->output_size), 1e-5, "%zu, graph %d", count, graph);
        }
    }
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
