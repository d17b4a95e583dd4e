/* test_keda: between zero and some, fallbacks and jobs. */
#include "models/control/keda.h"

#include <criterion/criterion.h>

#define S SIM_SECOND

struct row {
    struct keda_object o;
    struct keda_look l;
    int32_t want;
    enum keda_rule rule;
};

#define COOL .cooldown = 300 * S

Test(keda, steps_between_zero_and_some)
{
    static const struct row rows[] = {
        {{COOL}, {.current = 0, .triggers_active = true}, 1, KEDA_ACTIVATES},
        {{.min = 3, COOL}, {.current = 0, .triggers_active = true}, 3, KEDA_ACTIVATES},
        {{.min = 3, COOL}, {.current = 2, .triggers_active = true}, 2, KEDA_KEEPS},
        {{.min = 3, .has_idle = true, COOL},
         {.current = 2, .triggers_active = true},
         3,
         KEDA_ACTIVATES},
        {{.force_activation = true, COOL}, {.current = 0}, 1, KEDA_ACTIVATES},
        {{COOL}, {.current = 4, .was_active = true, .last_active_age = 300 * S}, 4, KEDA_COOLS},
        {{COOL}, {.current = 4, .was_active = true, .last_active_age = 300 * S + 1}, 0, KEDA_IDLES},
        {{COOL}, {.current = 4, .created_age = 1}, 0, KEDA_IDLES},
        {{.initial_cooldown = 60 * S, COOL}, {.current = 4, .created_age = 60 * S}, 4, KEDA_COOLS},
        {{.min = 2, COOL}, {.current = 4, .created_age = 1}, 4, KEDA_KEEPS},
        {{.min = 2, COOL}, {.current = 1}, 2, KEDA_LIFTS},
        {{.min = 5, .has_idle = true, .idle = 1, COOL},
         {.current = 9, .created_age = 1},
         1,
         KEDA_IDLES},
        {{.min = 5, .has_idle = true, .idle = 1, COOL},
         {.current = 1, .created_age = 1},
         1,
         KEDA_KEEPS},
        {{COOL}, {.current = 4, .scaler_error = true, .created_age = 1}, 4, KEDA_ERROR},
        {{.has_fallback = true, .fallback = 6, COOL},
         {.current = 4, .scaler_error = true},
         6,
         KEDA_FALLS_BACK},
        {{.has_fallback = true, .fallback = 6, COOL},
         {.current = 4, .scaler_error = true, .triggers_active = true},
         4,
         KEDA_KEEPS},
        {{.paused = true, COOL}, {.current = 0, .triggers_active = true}, 0, KEDA_PAUSED},
        {{.pause_scale_in = true, COOL}, {.current = 4, .created_age = 1}, 4, KEDA_PAUSED},
        {{.pause_scale_in = true, COOL},
         {.current = 0, .triggers_active = true},
         1,
         KEDA_ACTIVATES},
        {{.pause_scale_out = true, .min = 2, COOL}, {.current = 1}, 1, KEDA_PAUSED},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct keda_decision d = keda_step(&rows[i].o, &rows[i].l);
        cr_expect_eq(d.replicas, rows[i].want, "row %zu: %d", i, (int)d.replicas);
        cr_expect_eq(d.rule, rows[i].rule, "row %zu: %s", i, keda_rule_name(d.rule));
    }
}

Test(keda, fallback_needs_more_failures_than_the_threshold)
{
    cr_expect_not(keda_falls_back(3, 3));
    cr_expect(keda_falls_back(4, 3));
    cr_expect_eq(keda_fallback_replicas(KEDA_STATIC, 5, 8), 5);
    cr_expect_eq(keda_fallback_replicas(KEDA_CURRENT, 5, 8), 8);
    cr_expect_eq(keda_fallback_replicas(KEDA_CURRENT_IF_HIGHER, 5, 8), 8);
    cr_expect_eq(keda_fallback_replicas(KEDA_CURRENT_IF_HIGHER, 5, 3), 5);
    cr_expect_eq(keda_fallback_replicas(KEDA_CURRENT_IF_LOWER, 5, 3), 3);
    cr_expect_eq(keda_fallback_replicas(KEDA_CURRENT_IF_LOWER, 5, 8), 5);
    cr_expect_eq(keda_fallback_replicas(KEDA_CURRENT, 5, -1), 5);
}

Test(keda, strategies_of_jobs)
{
    struct {
        struct keda_jobs j;
        int64_t most, to;
    } rows[] = {
        {{.strategy = KEDA_DEFAULT, .max_scale = 3, .running = 2, .max_replicas = 5}, 1, 0},
        {{.strategy = KEDA_DEFAULT, .max_scale = 1, .running = 2, .max_replicas = 5}, -1, 0},
        {{.strategy = KEDA_CUSTOM,
          .max_scale = 9,
          .running = 3,
          .max_replicas = 20,
          .queue_deduction = 2,
          .running_share = 0.5},
         6,
         0},
        {{.strategy = KEDA_CUSTOM, .max_scale = 90, .running = 3, .max_replicas = 20}, 20, 0},
        {{.strategy = KEDA_ACCURATE,
          .max_scale = 3,
          .running = 4,
          .pending = 2,
          .max_replicas = 10},
         1,
         0},
        {{.strategy = KEDA_ACCURATE, .max_scale = 5, .running = 4, .pending = 2, .max_replicas = 5},
         1,
         0},
        {{.strategy = KEDA_ACCURATE, .max_scale = 3, .running = 4, .pending = 2, .max_replicas = 5},
         1,
         0},
        {{.strategy = KEDA_ACCURATE, .max_scale = 3, .running = 4, .pending = 2, .max_replicas = 6},
         1,
         0},
        {{.strategy = KEDA_EAGER, .max_scale = 4, .running = 1, .pending = 6, .max_replicas = 10},
         3,
         10},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct keda_plan p = keda_strategy_plan(&rows[i].j);
        cr_expect_eq(p.effective_max, rows[i].most, "row %zu: %lld", i, (long long)p.effective_max);
        cr_expect_eq(p.scale_to, rows[i].to, "row %zu", i);
    }
    struct keda_jobs few = {.running = 1, .min_replicas = 4, .max_replicas = 9, .max_scale = 7};
    cr_expect_eq(keda_jobs_plan(&few).effective_max, 3);
    few.running = 6;
    cr_expect_eq(keda_jobs_plan(&few).effective_max, 5, "those up to min do not count");
}
