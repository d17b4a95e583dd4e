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
    struct step_bench b;
    struct err e = {0};
    struct arena *a = arena_create(&e);
    size_t steps = 0;
    double flop = 0, share = 0;
    cr_assert_eq(step_bench(a, &m, &backend_blas, &step_bench_usual, &b, &e), 0, "%s", e.msg);
    const struct network *plan = network_source_plan(a, &m, &e);
    for (size_t i = 0; i < b.n; i++) {
        steps += b.rows[i].count;
        share += b.rows[i].share;
        cr_expect(b.rows[i].time_s > 0 && b.rows[i].cold_s > 0 && b.rows[i].bytes > 0 &&
                  b.rows[i].flop > 0);
        cr_expect(i == 0 || b.rows[i].share <= b.rows[i - 1].share);
        if (b.rows[i].kind == STEP_LINEAR || b.rows[i].kind == STEP_ATTENTION)
            flop += b.rows[i].flop * (double)b.rows[i].count;
    }
    cr_expect_eq(steps, plan->n_steps);
    cr_expect(b.n < steps, "two layers have the same shapes");
    cr_expect_float_eq(share, 1, 1e-9);
    cr_expect_float_eq(flop, plan->flop, 1);
    arena_destroy(a);
}

Test(step_bench, a_linear_step_moves_its_weights_input_and_output)
{
    struct network_choice m = {.name = "bert_tiny", .batch = 1, .sequence = 4, .seed = 1};
    struct step_bench b;
    struct err e = {0};
    struct arena *a = arena_create(&e);
    size_t found = 0;
    cr_assert_eq(step_bench(a, &m, &backend_blas, &step_bench_usual, &b, &e), 0);
    for (size_t i = 0; i < b.n; i++)
        /* feed-forward up: 4 tokens x 128 into 512 */
        if (b.rows[i].flop == 2.0 * 4 * 128 * 512 && b.rows[i].count == 2) {
            found += b.rows[i].bytes == 4.0 * (4 * 128 + (128 + 1) * 512 + 4 * 512);
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

/* The clock alone decides how much there is time for; with none at all one row is always there. */
Test(step_bench, steps_that_would_begin_too_late_are_left_out_and_counted)
{
    struct network_choice m = {.name = "bert_tiny", .batch = 1, .sequence = 4, .seed = 1};
    struct step_bench_rule rule = step_bench_usual;
    struct step_bench all, none;
    struct err e = {0};
    struct arena *a = arena_create(&e);
    cr_assert_eq(step_bench(a, &m, &backend_blas, &rule, &all, &e), 0);
    cr_expect_eq(all.left_out, 0);
    rule.most_s = 0;
    cr_assert_eq(step_bench(a, &m, &backend_blas, &rule, &none, &e), 0);
    cr_expect_eq(none.n, 1);
    cr_expect(none.left_out > 0 && none.rows[0].samples == 1 && none.rows[0].share == 1);
    arena_destroy(a);
}

Test(step_bench, a_median_has_its_quartiles_its_interval_and_its_environment)
{
    struct network_choice m = {.name = "bert_tiny", .batch = 1, .sequence = 4, .seed = 1};
    struct step_bench b;
    struct err e = {0};
    struct arena *a = arena_create(&e);
    cr_assert_eq(step_bench(a, &m, &backend_blas, &step_bench_usual, &b, &e), 0);
    for (size_t i = 0; i < b.n; i++) {
        const struct step_bench_row *r = &b.rows[i];
        cr_expect(r->low_s <= r->time_s && r->time_s <= r->high_s);
        cr_expect(r->median.low_s <= r->median.value_s && r->median.value_s <= r->median.high_s);
        cr_expect(r->samples >= 7 && !r->throttled);
    }
    cr_expect_str_eq(b.environment.backend, "cpu");
    cr_expect_eq(b.gpu.samples, 0);
    arena_destroy(a);
}
