/* step_check: one step at a time on two backends. */
#include "kernels/step_check.h"

#include "kernels/engine.h"
#include "sim/arena.h"

#include <math.h>
#include <string.h>

struct pair {
    const struct network *plan;
    struct engine *device, *reference;
    double *before, *got, *right; /* all activations */
};

static int open_pair(struct arena *a, const struct step_bench_subject *s, struct pair *p,
                     struct err *e)
{
    size_t n = s->plan->activations;
    *p = (struct pair){.plan = s->plan,
                       .before = arena_take(a, n, sizeof(double), e),
                       .got = arena_take(a, n, sizeof(double), e),
                       .right = arena_take(a, n, sizeof(double), e)};
    if (!p->before || !p->got || !p->right)
        return -1;
    p->device = engine_create(s->plan, s->backend, s->weights, e);
    p->reference = p->device ? engine_create(s->plan, &backend_reference, s->weights, e) : NULL;
    if (!p->reference || engine_random_input(p->device, s->seed, e) ||
        engine_random_input(p->reference, s->seed, e))
        return -1;
    return 0;
}

static void close_pair(struct pair *p)
{
    engine_destroy(p->device);
    engine_destroy(p->reference);
}

/* What the reference changed says how large this step's values are. */
static double compare(const struct pair *p, size_t step, struct err *e)
{
    const char *name = p->plan->steps[step].name;
    double size = 0, worst = 0;
    for (size_t i = 0; i < p->plan->activations; i++) {
        if (!isfinite(p->got[i])) {
            err_set(e, ERR_SYSTEM, NULL, "%s, %s: the result is not finite", p->plan->model, name);
            return -1;
        }
        if (p->right[i] != p->before[i])
            size = fmax(size, fabs(p->right[i]));
        worst = fmax(worst, fabs(p->right[i] - p->got[i]));
    }
    double error = size > 0 ? worst / size : worst;
    if (error <= STEP_CHECK_TOLERANCE)
        return error;
    err_set(e, ERR_SYSTEM, NULL, "%s, %s: the result differs from the double reference by %.2g",
            p->plan->model, name, error);
    return -1;
}

/* The step's error, or below 0 with e. The backend goes on with its own result. */
static double check_one(struct pair *p, size_t step, struct err *e)
{
    if (engine_read_all(p->device, p->before, e) || engine_write_all(p->reference, p->before, e) ||
        engine_step(p->device, step, e) || engine_step(p->reference, step, e) ||
        engine_read_all(p->device, p->got, e) || engine_read_all(p->reference, p->right, e))
        return -1;
    return compare(p, step, e);
}

static size_t first_alike(const struct network *plan, size_t step)
{
    size_t i = 0;
    while (!step_bench_alike(&plan->steps[i], &plan->steps[step]))
        i++;
    return i;
}

static int check_all(struct pair *p, struct step_check *out, struct err *e)
{
    for (size_t i = 0; i < p->plan->n_steps; i++) {
        size_t first = first_alike(p->plan, i);
        if (first < i) {
            out->errors[i] = out->errors[first];
            if (engine_step(p->device, i, e))
                return -1;
            continue;
        }
        out->errors[i] = check_one(p, i, e);
        if (!(out->errors[i] >= 0))
            return -1;
        if (out->steps++ == 0 || out->errors[i] > out->worst) {
            out->worst = out->errors[i];
            out->worst_name = p->plan->steps[i].name;
        }
    }
    return 0;
}

int step_check(struct arena *a, const struct step_bench_subject *s, struct step_check *out,
               struct err *e)
{
    struct pair p;
    *out = (struct step_check){.errors = arena_take(a, s->plan->n_steps, sizeof(double), e)};
    if (!out->errors)
        return -1;
    int rc = open_pair(a, s, &p, e) || check_all(&p, out, e) ? -1 : 0;
    close_pair(&p);
    return rc;
}
