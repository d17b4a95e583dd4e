/* pair: the same numbers in double and in float, for operators against their reference. */
#ifndef SLUICE_TESTS_PAIR_H
#define SLUICE_TESTS_PAIR_H

#include "sim/chance.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

struct pair {
    size_t n;
    double *d;
    float *f;
};

/* What nobody has written yet: a value that no operator gives. */
#define PAIR_UNTOUCHED 12345.0

static inline struct pair pair_untouched(size_t n)
{
    struct pair p = {n, malloc((n + 1) * sizeof(double)), malloc((n + 1) * sizeof(float))};
    cr_assert(p.d && p.f);
    for (size_t i = 0; i <= n; i++) {
        p.d[i] = PAIR_UNTOUCHED;
        p.f[i] = (float)PAIR_UNTOUCHED;
    }
    return p;
}

/* Uniform in -1..1, exactly the same in both. */
static inline struct pair pair_random(size_t n, uint64_t entity)
{
    struct pair p = pair_untouched(n);
    struct chance c = chance_stream(11, 0, CHANCE_TEST, entity);
    for (size_t i = 0; i < n; i++) {
        p.f[i] = (float)(2 * chance_uniform(c, i) - 1);
        p.d[i] = (double)p.f[i];
    }
    return p;
}

static inline void pair_free(struct pair *p)
{
    free(p->d);
    free(p->f);
}

static inline double pair_error(const struct pair *p)
{
    double size = 0, worst = 0;
    for (size_t i = 0; i < p->n; i++)
        size = fmax(size, fabs(p->d[i]));
    for (size_t i = 0; i < p->n; i++)
        if (!(fabs(p->d[i] - (double)p->f[i]) <= worst)) /* NAN stays the worst */
            worst = isnan(p->f[i]) ? (double)INFINITY : fabs(p->d[i] - (double)p->f[i]);
    return size > 0 ? worst / size : worst;
}

/* Within `tolerance` of the largest value, and not a value behind the end was written. */
static inline void pair_agrees(const struct pair *p, double tolerance, const char *what)
{
    double error = pair_error(p);
    cr_assert(error <= tolerance, "%s: off by %.3g of the largest value, %.3g allowed", what, error,
              tolerance);
    cr_assert_eq(p->d[p->n], PAIR_UNTOUCHED, "%s: reference wrote behind its end", what);
    cr_assert_eq((double)p->f[p->n], PAIR_UNTOUCHED, "%s: wrote behind its end", what);
}

#endif
