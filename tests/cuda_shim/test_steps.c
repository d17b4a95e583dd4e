/* test_steps: every operator of the networks as `sluice bench kernels --backend cuda` has it, on
 * the shim: checked against the double reference, timed by events, with a cold cache and a warm
 * one.
 *
 * On the shim's clock a kernel takes 10 us, a product of cuBLAS 1 ms. */
#include "kernels/inception.h"
#include "kernels/step_bench.h"
#include "kernels/step_check.h"
#include "sim/arena.h"
#include "tests/cuda_shim/play.h"

#include <string.h>

#define KERNEL_S 1e-5
#define PRODUCT_S 1e-3

static const struct step_bench_rule quick = {
    .each = {.min_s = 0, .max_s = 10, .min_samples = 3, .spread = 0.5},
    .cold_runs = 2,
    .most_s = 1e6};

static uint64_t seed = 7;

static int check(struct arena *a, const struct network *n, const struct backend *b,
                 struct step_check *out, struct err *e)
{
    struct weight_source weights = weight_random(&seed);
    return step_check(a, &(struct step_bench_subject){n, b, &weights, 3}, out, e);
}

static int measure(struct arena *a, const struct network *n, const struct backend *b,
                   struct step_bench *out, struct err *e)
{
    struct weight_source weights = weight_random(&seed);
    return step_bench_plan(a, &(struct step_bench_subject){n, b, &weights, 3}, &quick, out, e);
}

static void nothing_is_left(void)
{
    const char *fault = shim_fault();
    cr_assert_str_empty(fault, "%s", fault);
    cr_assert_eq(shim_live(), 0, "%lld things were not given back", (long long)shim_live());
}

Test(steps, every_operator_of_both_networks_agrees_with_double, .timeout = 120)
{
    struct err e = {0};
    struct arena *a = arena_create(&e);
    struct inception_config image = inception_usual;
    struct step_check c;
    image.image = 75;
    image.classes = 17;
    const struct network *plans[] = {bert_plan(a, &play_bert, &e), inception_plan(a, &image, &e)};
    for (int i = 0; i < 2; i++) {
        struct backend b = play_with(i ? &play_recorded : &play_steps);
        shim_lane_order(i ? SHIM_SHUFFLED : SHIM_REVERSED);
        cr_assert_eq(check(a, plans[i], &b, &c, &e), 0, "%s", e.msg);
        cr_expect(c.steps > 7 && c.worst > 0 && c.worst < 5e-6, "%zu: %g", c.steps, c.worst);
        nothing_is_left();
    }
    arena_destroy(a);
}

/* A flush that fell into the time would make the cold one longer by its own. */
Test(steps, times_are_those_of_the_device_alone)
{
    struct err e = {0};
    struct arena *a = arena_create(&e);
    struct backend b = play_with(&play_recorded);
    struct step_bench s;
    size_t seen = 0;
    cr_assert_eq(measure(a, bert_plan(a, &play_bert, &e), &b, &s, &e), 0, "%s", e.msg);
    for (size_t i = 0; i < s.n; i++) {
        const struct step_bench_row *r = &s.rows[i];
        double right = r->kind == STEP_LINEAR      ? PRODUCT_S + KERNEL_S
                       : r->kind == STEP_ATTENTION ? 2 * 3 * PRODUCT_S + KERNEL_S
                                                   : KERNEL_S;
        cr_expect_float_eq(r->time_s, right, 1e-3 * right, "%s: %g", r->name, r->time_s);
        cr_expect_float_eq(r->cold_s, right, 1e-3 * right, "%s cold: %g", r->name, r->cold_s);
        cr_expect(r->stable && r->samples == 3 && r->median.value_s == r->time_s);
        seen |= (size_t)1 << r->kind;
    }
    cr_expect_eq(s.left_out, 0);
    cr_expect_eq(seen, 1U << STEP_LINEAR | 1U << STEP_ATTENTION | 1U << STEP_LAYER_NORM |
                           1U << STEP_EMBEDDING);
    cr_expect_str_eq(s.environment.backend, "cuda");
    cr_expect_str_eq(s.environment.device, s.device.name);
    cr_expect(s.device.peak_flop_per_s > 0);
    nothing_is_left();
    arena_destroy(a);
}

/* Giving back fails in silence. */
static bool harmless(const char *call)
{
    return strstr(call, "Free") || strstr(call, "Destroy") || strstr(call, "dlclose");
}

/* Whichever call of CUDA fails on the way: a message, and everything is given back. */
Test(steps, failing_calls_are_told_and_leave_nothing_behind, .timeout = 120)
{
    struct err e = {0};
    struct arena *a = arena_create(&e);
    struct bert_config c = play_bert;
    struct step_bench s;
    struct step_check k;
    c.batch = 1;
    c.sequence = 3;
    c.hidden = 10;
    c.inner = 7;
    const struct network *n = bert_plan(a, &c, &e);
    struct backend b = play_with(&play_steps);
    for (int what = 0; what < 2; what++) {
        size_t told = 0;
        for (int64_t i = 1;; i += 5) {
            e = (struct err){0};
            shim_fail_call(i);
            int rc = what ? measure(a, n, &b, &s, &e) : check(a, n, &b, &k, &e);
            const char *failed = shim_failed_call();
            shim_fault();
            cr_assert_eq(shim_live(), 0, "%s: %lld things were not given back", failed,
                         (long long)shim_live());
            if (!failed[0])
                break; /* more calls than there are */
            cr_assert_eq(rc, harmless(failed) ? 0 : -1, "%s: %s", failed, e.msg);
            cr_assert(rc == 0 || e.code == ERR_SYSTEM, "%s: %s", failed, e.msg);
            told += rc != 0;
        }
        shim_fail_call(0);
        cr_expect_gt(told, 20);
    }
    arena_destroy(a);
}
