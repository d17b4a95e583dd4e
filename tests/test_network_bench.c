/* test_network_bench: a small network under each load; no time is judged. */
#include "kernels/backend.h"
#include "kernels/network_bench.h"
#include "sim/arena.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static struct network_bench_setup small(void)
{
    struct network_bench_setup s = {
        .model = {.name = "bert_tiny", .batch = 2, .sequence = 5, .seed = 1},
        .backend = &backend_blas,
        .load = load_usual,
        .logged_share = 0.5};
    s.load.min_s = 0.01;
    s.load.max_s = 1;
    s.load.min_queries = 20;
    s.load.qps = 2000;
    return s;
}

Test(network_bench, every_scenario_gives_samples_and_equal_outputs)
{
    for (int i = 0; i < LOAD_SCENARIOS; i++) {
        struct network_bench_setup s = small();
        struct network_bench b;
        struct err e = {0};
        struct arena *a = arena_create(&e);
        s.load.scenario = (enum load_scenario)i;
        cr_assert_eq(network_bench(a, &s, &b, &e), 0, "%s", e.msg);
        cr_expect(b.load.queries >= 10, "%s: %zu", load_names[i], b.load.queries);
        cr_expect_eq(b.latency.samples, b.load.queries);
        cr_expect(b.service.p50.value_s > 0 && b.latency.p50.value_s > 0);
        cr_expect(b.logged >= 2 && b.logged <= 64, "%zu", b.logged);
        cr_expect(isnan(b.reference_error));
        cr_expect_eq(b.sequence, 5);
        cr_expect(b.gflops > 0 && b.load.items_per_s > 0);
        arena_destroy(a);
    }
}

Test(network_bench, accuracy_compares_with_the_double_reference)
{
    struct network_bench_setup s = small();
    struct network_bench b;
    struct err e = {0};
    struct arena *a = arena_create(&e);
    s.accuracy = true;
    cr_assert_eq(network_bench(a, &s, &b, &e), 0, "%s", e.msg);
    cr_expect(b.reference_error > 0 && b.reference_error < 1e-4, "%g", b.reference_error);
    arena_destroy(a);
}

/* 3 of 5 tokens: the output is still the reference's, which keeps the padding, and the counted work
 * is that of 3/5 of the rows and 9/25 of the attention. */
Test(network_bench, padding_is_left_out_and_both_times_are_told)
{
    struct network_bench_setup s = small();
    struct network_bench whole, part;
    struct err e = {0};
    struct arena *a = arena_create(&e);
    s.accuracy = true;
    cr_assert_eq(network_bench(a, &s, &whole, &e), 0, "%s", e.msg);
    s.model.tokens = 3;
    cr_assert_eq(network_bench(a, &s, &part, &e), 0, "%s", e.msg);
    cr_expect(part.reference_error > 0 && part.reference_error < 1e-4, "%g", part.reference_error);
    cr_expect(part.flop > 0.36 * whole.flop && part.flop < 0.61 * whole.flop);
    cr_expect_eq(part.tokens, 3);
    cr_expect(part.packed_s > 0 && part.padded_s > 0);
    cr_expect(whole.packed_s == 0 && whole.padded_s == 0);
    arena_destroy(a);
}

Test(network_bench, an_unknown_model_names_the_nearest)
{
    static const char *const names[] = {"bert_bas", "inception", "bert_large"};
    for (int i = 0; i < 3; i++) {
        struct network_bench_setup s = small();
        struct network_bench b;
        struct err e = {0};
        struct arena *a = arena_create(&e);
        s.model.name = names[i];
        cr_expect_eq(network_bench(a, &s, &b, &e), -1);
        cr_expect_eq(e.code, ERR_INPUT);
        cr_expect(strstr(e.msg, "allowed is: inception_v3, bert_base, bert_tiny"), "%s", e.msg);
        arena_destroy(a);
    }
}

/* However little time there is: the load has a query, the rest is left out, and nothing is waited
 * for. With time for all of it the peak is no less than what the run reached. */
Test(network_bench, what_there_is_no_time_for_is_left_out)
{
    for (int i = 0; i < LOAD_SCENARIOS; i++) {
        struct network_bench_setup s = small();
        struct network_bench b;
        struct err e = {0};
        struct arena *a = arena_create(&e);
        s.load.scenario = (enum load_scenario)i;
        s.load.min_s = 1;
        s.load.max_s = 2;
        s.model.tokens = 3;
        s.peak = true;
        s.most_s = i == LOAD_SERVER ? 0.05 : 1e-9;
        cr_assert_eq(network_bench(a, &s, &b, &e), 0, "%s", e.msg);
        cr_expect(b.load.queries >= 1);
        cr_expect_not(b.load.long_enough);
        cr_expect(b.peak.gflops == 0 && b.products.rounds == 0);
        cr_expect(b.spent_s > 0);
        arena_destroy(a);
    }
}

Test(network_bench, no_run_is_faster_than_the_peak)
{
    struct network_bench_setup s = small();
    struct network_bench b;
    struct err e = {0};
    struct arena *a = arena_create(&e);
    s.peak = true;
    cr_assert_eq(network_bench(a, &s, &b, &e), 0, "%s", e.msg);
    cr_expect(b.peak.gflops >= b.gflops && b.gflops > 0);
    cr_expect(b.peak.gflops >= b.flop / b.products.products_s * 1e-9);
    arena_destroy(a);
}
