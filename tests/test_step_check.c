/* test_step_check: each kind of step against the double reference, and a backend that is wrong. */
#include "kernels/backend.h"
#include "kernels/bert.h"
#include "kernels/inception.h"
#include "kernels/step_check.h"
#include "kernels/weight_random.h"
#include "sim/arena.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

/* Spoils one value of every result of the backend that it stands in for. */
static struct backend wrong;
static size_t spoiled_at;
static double spoiled_by;

static int spoil(const struct network *plan, struct backend_memory *m, struct err *e)
{
    if (backend_blas.forward(plan, m, e))
        return -1;
    float *y = (float *)m->activations + (plan->n_steps == 1 ? spoiled_at : 0);
    *y = spoiled_by > 0 ? *y + (float)spoiled_by : NAN;
    return 0;
}

static const struct network *tiny(struct arena *a, struct err *e)
{
    struct bert_config c = bert_base;
    c.batch = c.layers = c.heads = 2;
    c.sequence = 5;
    c.hidden = 24;
    c.inner = 31;
    c.vocabulary = 40;
    return bert_plan(a, &c, e);
}

static int check(const struct network *plan, const struct backend *b, struct step_check *out,
                 struct err *e)
{
    uint64_t seed = 3;
    struct weight_source weights = weight_random(&seed);
    struct arena *a = arena_create(e); /* lives until the test's process ends */
    return step_check(a, &(struct step_bench_subject){plan, b, &weights, 3}, out, e);
}

Test(step_check, every_kind_of_step_of_both_networks_agrees)
{
    struct err e = {0};
    struct arena *a = arena_create(&e);
    struct inception_config image = inception_usual;
    struct step_check c;
    image.image = 75;
    image.classes = 17;
    const struct network *plans[] = {tiny(a, &e), inception_plan(a, &image, &e)};
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(check(plans[i], &backend_blas, &c, &e), 0, "%s", e.msg);
        cr_expect(c.steps > 5 && c.steps < plans[i]->n_steps, "%zu", c.steps);
        cr_expect(c.worst > 0 && c.worst < 5e-6 && c.worst_name, "%g", c.worst);
        for (size_t k = 0; k < plans[i]->n_steps; k++)
            cr_expect(c.errors[k] >= 0 && c.errors[k] <= c.worst);
    }
    arena_destroy(a);
}

/* Wherever the wrong value lies: in the result, or in what the step should have left alone. */
Test(step_check, a_wrong_value_anywhere_is_found_and_its_step_named)
{
    struct err e = {0};
    struct arena *a = arena_create(&e);
    const struct network *plan = tiny(a, &e);
    struct step_check c;
    wrong = backend_blas;
    wrong.forward = spoil;
    spoiled_by = 0.01;
    for (spoiled_at = 0; spoiled_at < plan->activations; spoiled_at += plan->activations / 7) {
        e = (struct err){0};
        cr_expect_eq(check(plan, &wrong, &c, &e), -1, "%zu", spoiled_at);
        cr_expect_eq(e.code, ERR_SYSTEM);
        cr_expect(strstr(e.msg, plan->steps[0].name) && strstr(e.msg, "double reference"), "%s",
                  e.msg);
    }
    spoiled_by = 0;
    spoiled_at = 0;
    e = (struct err){0};
    cr_expect_eq(check(plan, &wrong, &c, &e), -1);
    cr_expect(strstr(e.msg, "is not finite"), "%s", e.msg);
    arena_destroy(a);
}
