/* test_step_bench: steps one by one; no time is judged. */
#include "kernels/backend.h"
#include "kernels/cache_flush.h"
#include "kernels/step_bench.h"
#include "sim/arena.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

Test(step_bench, every_step_is_counted_in_a_row_of_its_shape)
{
    struct network_choice m = {.name = "bert_tiny", .batch = 1, .sequence = 4, .seed = 1};
    struct step_bench_row *rows;
    struct err e = {0};
    struct arena *a = arena_create(&e);
    size_t n, steps = 0;
    double flop = 0, share = 0;
    cr_assert_eq(step_bench(a, &m, &backend_blas, &rows, &n, &e), 0, "%s", e.msg);
    const struct network *plan = network_source_plan(a, &m, &e);
    for (size_t i = 0; i < n; i++) {
        steps += rows[i].count;
        share += rows[i].share;
        cr_expect(rows[i].time_s > 0 && rows[i].cold_s > 0 && rows[i].bytes > 0 &&
                  rows[i].flop > 0);
        cr_expect(i == 0 || rows[i].share <= rows[i - 1].share);
        if (rows[i].kind == STEP_LINEAR || rows[i].kind == STEP_ATTENTION)
            flop += rows[i].flop * (double)rows[i].count;
    }
    cr_expect_eq(steps, plan->n_steps);
    cr_expect(n < steps, "two layers have the same shapes");
    cr_expect_float_eq(share, 1, 1e-9);
    cr_expect_float_eq(flop, plan->flop, 1);
    arena_destroy(a);
}

Test(step_bench, a_linear_step_moves_its_weights_input_and_output)
{
    struct network_choice m = {.name = "bert_tiny", .batch = 1, .sequence = 4, .seed = 1};
    struct step_bench_row *rows;
    struct err e = {0};
    struct arena *a = arena_create(&e);
    size_t n, found = 0;
    cr_assert_eq(step_bench(a, &m, &backend_blas, &rows, &n, &e), 0);
    for (size_t i = 0; i < n; i++)
        /* feed-forward up: 4 tokens x 128 into 512 */
        if (rows[i].flop == 2.0 * 4 * 128 * 512 && rows[i].count == 2) {
            found += rows[i].bytes == 4.0 * (4 * 128 + (128 + 1) * 512 + 4 * 512);
        }
    cr_expect_eq(found, 1);
    arena_destroy(a);
}

Test(step_bench, a_cache_is_emptied_by_more_than_it_holds)
{
    struct cache_flush f;
    struct err e = {0};
    cr_assert_eq(cache_flush_init(&f, 1 << 20, &e), 0);
    cr_expect_eq(f.n, 2u << 20);
    cache_flush(&f);
    cr_expect_eq(f.bytes[0], 2);
    cr_expect_eq(f.bytes[f.n - 64], 2);
    cache_flush_fini(&f);
    cache_flush_fini(&f);
}
