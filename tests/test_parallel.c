/* test_parallel: every piece once, and networks that do not see the number of threads. */
#include "kernels/bert.h"
#include "kernels/engine.h"
#include "kernels/gemm.h"
#include "kernels/inception.h"
#include "kernels/parallel.h"
#include "kernels/weight_random.h"
#include "sim/arena.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define MOST 300

struct count {
    int32_t threads;
    int times[MOST]; /* each written by its own piece */
    int by[64];      /* each written by its own thread */
};

static void count(void *self, size_t piece, int32_t thread)
{
    struct count *c = self;
    cr_assert(thread >= 0 && thread < c->threads);
    c->times[piece]++;
    c->by[thread]++;
}

Test(parallel, does_every_piece_once_for_any_number_of_threads, .timeout = 60)
{
    for (int32_t threads = 1; threads <= 5; threads++) {
        struct err e = {0};
        struct parallel *p = parallel_create(threads, &e);
        cr_assert(p, "%s", e.msg);
        cr_assert_eq(parallel_threads(p), threads);
        for (size_t round = 0; round < 400; round++) {
            struct count c = {.threads = threads};
            size_t pieces = round * 7 % MOST;
            int sum = 0;
            parallel_run(p, pieces, count, &c);
            for (size_t i = 0; i < MOST; i++)
                cr_assert_eq(c.times[i], i < pieces, "%zu pieces by %d: piece %zu", pieces, threads,
                             i);
            for (size_t i = 0; i < 64; i++)
                sum += c.by[i];
            cr_assert_eq((size_t)sum, pieces);
        }
        parallel_destroy(p);
    }
}

Test(parallel, without_a_pool_the_caller_does_all)
{
    struct count c = {.threads = 1};
    parallel_run(NULL, 9, count, &c);
    cr_assert_eq(c.by[0], 9);
    cr_assert_eq(parallel_threads(NULL), 1);
    parallel_destroy(NULL);
}

Test(parallel, cuts_into_even_pieces_without_a_gap)
{
    static const size_t table[][3] = {/* size, least, pieces */
                                      {1, 128, 1},    {255, 128, 1},   {256, 128, 2},
                                      {511, 128, 2},  {512, 128, 4},   {1023, 128, 4},
                                      {1024, 128, 8}, {2303, 128, 16}, {7, 1, 4}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        cr_expect_eq(parallel_pieces(table[i][0], table[i][1]), table[i][2], "row %zu", i);
    for (size_t size = 0; size < 40; size++)
        for (size_t pieces = 1; pieces < 12; pieces++) {
            cr_assert_eq(parallel_begin(size, pieces, 0), 0);
            cr_assert_eq(parallel_begin(size, pieces, pieces), size);
            for (size_t i = 0; i < pieces; i++) {
                size_t n = parallel_begin(size, pieces, i + 1) - parallel_begin(size, pieces, i);
                cr_assert(n == size / pieces || n == size / pieces + 1);
            }
        }
}

/* On the heap: free it. */
static double *output_with(const struct network *n, int32_t threads)
{
    uint64_t seed = 5;
    struct err e = {0};
    struct weight_source source = weight_random(&seed);
    double *out = malloc(n->output_size * sizeof *out);
    gemm_blas_threads(threads);
    struct engine *g = engine_create(n, &backend_blas, &source, &e);
    cr_assert(out && g, "%s", e.msg);
    engine_random_input(g, 3, &e);
    engine_forward(g, &e);
    engine_output(g, out, &e);
    cr_assert_eq(gemm_blas_threads(0), threads, "OpenBLAS has its threads again");
    engine_destroy(g);
    return out;
}

static void same_bytes(const struct network *n)
{
    double *one = output_with(n, 1);
    for (int32_t threads = 2; threads <= 5; threads++) {
        double *more = output_with(n, threads);
        cr_expect_eq(memcmp(one, more, n->output_size * sizeof *one), 0, "%s: %d threads", n->model,
                     threads);
        free(more);
    }
    free(one);
}

Test(parallel, networks_give_the_same_bytes_with_any_number_of_threads, .timeout = 120)
{
    struct err e = {0};
    struct arena *a = arena_create(&e);
    struct inception_config image = {.batch = 1, .image = 139, .classes = 50};
    struct bert_config text = bert_base;
    same_bytes(inception_plan(a, &image, &e));
    image.batch = 3;
    image.image = 75;
    same_bytes(inception_plan(a, &image, &e));
    text.layers = 2;
    text.batch = 3;
    text.sequence = 100;
    text.vocabulary = 500;
    same_bytes(bert_plan(a, &text, &e));
    arena_destroy(a);
}
