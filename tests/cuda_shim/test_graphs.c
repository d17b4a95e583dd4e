/* test_graphs: recorded graphs and searched products, on the shim. */
#include "kernels/gemm_table.h"
#include "sim/arena.h"
#include "tests/cuda_shim/play.h"
#include "tests/temp_file.h"

#include <string.h>

Test(graphs, a_graph_replays_every_kernel_with_new_inputs)
{
    struct err e = {0};
    struct arena *a = arena_create(&e);
    const struct network *n = bert_plan(a, &play_bert, &e);
    uint64_t seed = 7;
    struct weight_source source = weight_random(&seed);
    struct backend backends[2] = {play_with(&play_steps), play_with(&play_recorded)};
    int64_t ran[2];
    double out[2][PLAY_MANY];
    for (int i = 0; i < 2; i++) {
        struct engine *g = engine_create(n, &backends[i], &source, &e);
        cr_assert(g, "%s", e.msg);
        for (uint64_t input = 1; input <= 2; input++) {
            int64_t before = shim_launched(), graphs = shim_graphs_launched();
            cr_assert_eq(engine_random_input(g, input, &e) || engine_forward(g, &e), 0);
            ran[i] = shim_launched() - before;
            cr_assert_eq(shim_graphs_launched() - graphs, i);
        }
        cr_assert_eq(engine_output(g, out[i], &e), 0);
        engine_destroy(g);
    }
    cr_assert_eq(ran[0], ran[1], "the graph holds as many kernels and products as the steps");
    cr_assert_gt(ran[0], 10);
    cr_assert_eq(memcmp(out[0], out[1], n->output_size * sizeof **out), 0);
    arena_destroy(a);
}

Test(graphs, large_batches_are_not_recorded)
{
    struct err e = {0};
    struct arena *a = arena_create(&e);
    struct bert_config c = play_bert;
    double out[PLAY_MANY];
    c.batch = 9;
    play_network(bert_plan(a, &c, &e), &backend_cuda, NULL, out);
    cr_assert_eq(shim_graphs_launched(), 0);
    arena_destroy(a);
}

Test(graphs, a_search_is_kept_in_its_file_and_used)
{
    struct err e = {0};
    struct arena *a = arena_create(&e);
    struct temp_file file = temp_text("");
    const struct network *n = bert_plan(a, &play_bert, &e);
    struct backend_cuda_config c = {.graph_batch = 8, .algorithms = file.path};
    struct backend b = play_with(&c), plain = play_with(&play_recorded);
    double out[PLAY_MANY], right[PLAY_MANY];
    struct gemm_table *t = gemm_table_create("Host shim", 111103, &e);
    temp_drop(&file);
    play_network(n, &plain, NULL, right);
    play_network(n, &b, NULL, out);
    cr_assert_eq(memcmp(out, right, n->output_size * sizeof *out), 0);
    cr_assert_eq(gemm_table_load(t, file.path, &e), 0, "%s: %s", e.where, e.msg);
    size_t shapes = 0; /* some of them come at two alignments */
    for (size_t i = 0; i < t->count; i++)
        shapes += gemm_table_find(t, &t->rows[i].shape, 256) == &t->rows[i];
    cr_assert_eq(shapes, 7, "%zu: four dense layers, the pooler, two products of attention",
                 shapes);
    size_t searched = 0;
    for (size_t i = 0; i < t->count; i++) {
        const struct gemm_choice *r = &t->rows[i];
        cr_assert(r->own == (r->shape.n % 2 == 1), "no algorithm is offered for an odd width");
        cr_assert_float_eq(r->own_time_s, 1e-3, 1e-9);
        if (!r->own) {
            cr_assert_eq(r->algorithm[1], 1, "the fastest that runs");
            cr_assert_float_eq(r->time_s, 0.5e-3, 1e-9);
            searched++;
        }
    }
    cr_assert_gt(searched, 0);
    int64_t first = shim_launched();
    play_network(n, &b, NULL, out); /* finds all it needs */
    int64_t with_table = shim_launched() - first;
    first = shim_launched();
    play_network(n, &plain, NULL, out);
    cr_assert_lt(with_table, 2 * (shim_launched() - first), "nothing is searched for twice");
    gemm_table_destroy(t);
    temp_drop(&file);
    arena_destroy(a);
}

Test(graphs, a_table_of_another_gpu_is_refused)
{
    struct err e = {0};
    struct arena *a = arena_create(&e);
    uint64_t seed = 7;
    struct weight_source source = weight_random(&seed);
    struct temp_file file = temp_text("{\"schema\": \"sluice.gemmAlgorithms/1\", \"device\": "
                                      "\"Tesla P4\", \"cublas\": 111103, \"products\": []}");
    struct backend_cuda_config c = {.algorithms = file.path};
    struct backend b = play_with(&c);
    cr_assert_null(engine_create(bert_plan(a, &play_bert, &e), &b, &source, &e));
    cr_assert_eq(e.code, ERR_INPUT);
    cr_assert(strstr(e.msg, "another GPU"), "%s", e.msg);
    cr_assert_eq(shim_live(), 0);
    temp_drop(&file);
    arena_destroy(a);
}

/* Fewer rows, and as many kernels: the padding is left out of the work, not masked. */
Test(graphs, a_packed_batch_launches_as_much_and_multiplies_less)
{
    struct err e = {0};
    struct arena *a = arena_create(&e);
    struct bert_config c = play_bert;
    uint64_t seed = 7;
    struct weight_source source = weight_random(&seed);
    struct temp_file file = temp_text("");
    const int32_t lengths[3] = {5, 5, 5};
    c.layers = 1;
    const struct network *n = bert_plan(a, &c, &e);
    struct backend_cuda_config config = {.graph_batch = 8, .algorithms = file.path};
    struct backend b = play_with(&config);
    struct gemm_table *t = gemm_table_create("Host shim", 111103, &e);
    int32_t words[PLAY_MANY] = {0};
    int64_t ran[2];
    temp_drop(&file);
    struct engine *g = engine_create(n, &b, &source, &e);
    cr_assert(g, "%s", e.msg);
    for (int packed = 0; packed < 2; packed++) {
        engine_drop_padding(g, packed);
        cr_assert_eq(engine_tokens(g, words, lengths, &e), 0, "%s", e.msg);
        int64_t before = shim_launched(), graphs = shim_graphs_launched();
        cr_assert_eq(engine_forward(g, &e), 0);
        ran[packed] = shim_launched() - before;
        cr_expect_eq(shim_graphs_launched() - graphs, 1, "packed %d", packed);
    }
    cr_expect_eq(ran[1], ran[0] + 1, "the gathering of the first rows: %lld, %lld",
                 (long long)ran[0], (long long)ran[1]);
    engine_destroy(g);
    /* the search has met products of 15 rows beside those of 63 */
    cr_assert_eq(gemm_table_load(t, file.path, &e), 0, "%s", e.msg);
    size_t few = 0, many = 0;
    for (size_t i = 0; i < t->count; i++) {
        few += t->rows[i].shape.m == 15;
        many += t->rows[i].shape.m == 63;
    }
    cr_expect(few >= 4 && few == many, "%zu and %zu", few, many);
    gemm_table_destroy(t);
    remove(file.path);
    arena_destroy(a);
}
