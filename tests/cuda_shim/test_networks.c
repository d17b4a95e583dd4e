/* test_networks: whole networks on the shim against the double reference; graphs; searches. */
#include "kernels/bert.h"
#include "kernels/engine.h"
#include "kernels/gemm_table.h"
#include "kernels/inception.h"
#include "kernels/weight_random.h"
#include "sim/arena.h"
#include "tests/cuda_shim/rig.h"
#include "tests/temp_file.h"

#include <string.h>

#define MANY 1024

/* The network's output by a backend; nothing is left of the device afterwards. */
static void run(const struct network *n, const struct backend *b, const int32_t *lengths,
                double *out)
{
    uint64_t seed = 7;
    struct err e = {0};
    struct weight_source source = weight_random(&seed);
    struct engine *g = engine_create(n, b, &source, &e);
    cr_assert(g, "%s", e.msg);
    int rc = engine_random_input(g, 3, &e);
    if (lengths) {
        int32_t words[MANY];
        for (int32_t i = 0; i < n->tokens; i++)
            words[i] = i * 37 % n->vocabulary;
        rc = rc || engine_tokens(g, words, lengths, &e);
    }
    rc = rc || engine_forward(g, &e) || engine_output(g, out, &e);
    cr_assert_eq(rc, 0, "%s %s", e.msg, shim_fault());
    engine_destroy(g);
    const char *fault = shim_fault();
    cr_assert_str_empty(fault, "%s", fault);
    cr_assert_eq(shim_live(), 0, "%lld things were not given back", (long long)shim_live());
}

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

static struct backend with(const struct backend_cuda_config *c)
{
    struct backend b = backend_cuda;
    b.config = c;
    return b;
}

static const struct backend_cuda_config step_by_step = {.graph_batch = 0},
                                        recorded = {.graph_batch = 8};

static void agrees(const struct network *n, const int32_t *lengths, const char *what)
{
    double right[MANY], out[MANY];
    cr_assert(n->output_size <= MANY);
    run(n, &backend_reference, lengths, right);
    for (enum shim_order o = SHIM_FORWARD; o <= SHIM_SHUFFLED; o++) {
        struct backend b = with(o == SHIM_SHUFFLED ? &recorded : &step_by_step);
        shim_lane_order(o);
        run(n, &b, lengths, out);
        double off = distance(right, out, n->output_size);
        cr_assert(off < 1e-5, "%s: off by %g in order %d", what, off, (int)o);
    }
}

static const struct bert_config small = {.batch = 3,
                                         .sequence = 21,
                                         .layers = 1,
                                         .hidden = 60,
                                         .heads = 5,
                                         .inner = 77,
                                         .vocabulary = 101,
                                         .positions = 40,
                                         .segments = 2};

Test(networks, a_bert_layer_agrees_with_double)
{
    struct err e = {0};
    struct arena *a = arena_create(&e);
    const int32_t lengths[3] = {21, 1, 13};
    const struct network *n = bert_plan(a, &small, &e);
    agrees(n, NULL, "BERT");
    agrees(n, lengths, "BERT with padding");
    arena_destroy(a);
}

/* As many sequences as heads and more: products step over sequences instead. */
Test(networks, several_bert_layers_agree_with_double_for_a_large_batch)
{
    struct err e = {0};
    struct arena *a = arena_create(&e);
    struct bert_config c = small;
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

Test(networks, a_graph_replays_every_kernel_with_new_inputs)
{
    struct err e = {0};
    struct arena *a = arena_create(&e);
    const struct network *n = bert_plan(a, &small, &e);
    uint64_t seed = 7;
    struct weight_source source = weight_random(&seed);
    struct backend backends[2] = {with(&step_by_step), with(&recorded)};
    int64_t ran[2];
    double out[2][MANY];
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

Test(networks, large_batches_are_not_recorded)
{
    struct err e = {0};
    struct arena *a = arena_create(&e);
    struct bert_config c = small;
    double out[MANY];
    c.batch = 9;
    run(bert_plan(a, &c, &e), &backend_cuda, NULL, out);
    cr_assert_eq(shim_graphs_launched(), 0);
    arena_destroy(a);
}

Test(networks, a_search_is_kept_in_its_file_and_used)
{
    struct err e = {0};
    struct arena *a = arena_create(&e);
    struct temp_file file = temp_text("");
    const struct network *n = bert_plan(a, &small, &e);
    struct backend_cuda_config c = {.graph_batch = 8, .algorithms = file.path};
    struct backend b = with(&c), plain = with(&recorded);
    double out[MANY], right[MANY];
    struct gemm_table *t = gemm_table_create("Host shim", 111103, &e);
    temp_drop(&file);
    run(n, &plain, NULL, right);
    run(n, &b, NULL, out);
    cr_assert_eq(memcmp(out, right, n->output_size * sizeof *out), 0);
    cr_assert_eq(gemm_table_load(t, file.path, &e), 0, "%s: %s", e.where, e.msg);
    cr_assert_eq(t->count, 7, "%zu: four dense layers, the pooler, two products of attention",
                 t->count);
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
    run(n, &b, NULL, out); /* finds all it needs */
    int64_t with_table = shim_launched() - first;
    first = shim_launched();
    run(n, &plain, NULL, out);
    cr_assert_lt(with_table, 2 * (shim_launched() - first), "nothing is searched for twice");
    gemm_table_destroy(t);
    temp_drop(&file);
    arena_destroy(a);
}

Test(networks, a_table_of_another_gpu_is_refused)
{
    struct err e = {0};
    struct arena *a = arena_create(&e);
    uint64_t seed = 7;
    struct weight_source source = weight_random(&seed);
    struct temp_file file = temp_text("{\"schema\": \"sluice.gemmAlgorithms/1\", \"device\": "
                                      "\"Tesla P4\", \"cublas\": 111103, \"products\": []}");
    struct backend_cuda_config c = {.algorithms = file.path};
    struct backend b = with(&c);
    cr_assert_null(engine_create(bert_plan(a, &small, &e), &b, &source, &e));
    cr_assert_eq(e.code, ERR_INPUT);
    cr_assert(strstr(e.msg, "another GPU"), "%s", e.msg);
    cr_assert_eq(shim_live(), 0);
    temp_drop(&file);
    arena_destroy(a);
}
