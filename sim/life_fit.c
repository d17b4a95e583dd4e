/* life_fit: how long things live, from lives of which some were still going on. */
#include "sim/life_fit.h"

#include <assert.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_roots.h>
#include <gsl/gsl_sf_gamma.h>
#include <math.h>
#include <stdlib.h>

#define SHAPE_LEAST 0.02
#define SHAPE_MOST 100.0
#define NORMAL_95 1.959963984540054

struct sample {
    const struct life *lives;
    size_t n, ended;
    double unit;     /* longest life: powers stay in range */
    double mean_log; /* of the ended ones, in units */
};

static int shorter(const void *a, const void *b)
{
    const struct life *p = a, *q = b;
    if (p->hours != q->hours)
        return p->hours < q->hours ? -1 : 1;
    return q->ended - p->ended; /* ends before those that go on */
}

static int make_sample(struct sample *s, struct life *lives, size_t n, struct err *e)
{
    *s = (struct sample){.lives = lives, .n = n};
    qsort(lives, n, sizeof *lives, shorter);
    for (size_t i = 0; i < n; i++) {
        assert(lives[i].hours > 0);
        s->ended += lives[i].ended;
    }
    if (s->ended < 5)
        return err_set(e, ERR_INPUT, NULL, "%zu of %zu have ended; a fit needs five at least",
                       s->ended, n);
    s->unit = lives[n - 1].hours;
    if (lives[0].hours == s->unit)
        return err_set(e, ERR_INPUT, NULL, "all last %g hours; there is nothing to fit", s->unit);
    for (size_t i = 0; i < n; i++)
        if (lives[i].ended)
            s->mean_log += log(lives[i].hours / s->unit) / (double)s->ended;
    return 0;
}

/* Sums of t^k, and of t^k log t. */
static void powers(const struct sample *s, double k, double *sum, double *sum_log)
{
    *sum = *sum_log = 0;
    for (size_t i = 0; i < s->n; i++) {
        double t = s->lives[i].hours / s->unit, power = pow(t, k);
        *sum += power;
        *sum_log += power * log(t);
    }
}

/* Zero at the likeliest shape: the derivative of the likelihood, the scale put in. */
static double slope(double k, void *sample)
{
    const struct sample *s = sample;
    double sum, sum_log;
    powers(s, k, &sum, &sum_log);
    return 1 / k + s->mean_log - sum_log / sum;
}

static int solve(struct sample *s, double *shape, struct err *e)
{
    gsl_function f = {slope, s};
    double low = SHAPE_LEAST, high = SHAPE_MOST;
    if (slope(low, s) <= 0 || slope(high, s) >= 0)
        return err_set(e, ERR_INPUT, NULL, "no Weibull of a shape in %g..%g fits", SHAPE_LEAST,
                       SHAPE_MOST);
    gsl_root_fsolver *r = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);
    if (!r)
        return err_set(e, ERR_SYSTEM, NULL, "out of memory for a fit");
    gsl_root_fsolver_set(r, &f, low, high);
    for (int i = 0; i < 200; i++) {
        gsl_root_fsolver_iterate(r);
        low = gsl_root_fsolver_x_lower(r);
        high = gsl_root_fsolver_x_upper(r);
        if (gsl_root_test_interval(low, high, 0, 1e-12) == GSL_SUCCESS)
            break;
    }
    *shape = gsl_root_fsolver_root(r);
    gsl_root_fsolver_free(r);
    return 0;
}

static struct life_figure on_log_scale(double value, double variance)
{
    double half = NORMAL_95 * sqrt(variance) / value;
    return (struct life_figure){value, value * exp(-half), value * exp(half)};
}

/* Inverse of the observed information in shape and scale; at the maximum the sum of (t/scale)^k is
 * the number of ends. */
static void find_intervals(const struct sample *s, double k, double scale, struct life_fit *out)
{
    double d = (double)s->ended, cross = 0, square = 0;
    for (size_t i = 0; i < s->n; i++) {
        double x = s->lives[i].hours / scale, power = pow(x, k), l = log(x);
        cross += power * l;
        square += power * l * l;
    }
    double kk = d / (k * k) + square, ks = -k / scale * cross, ss = d * k * k / (scale * scale);
    double determinant = kk * ss - ks * ks;
    out->shape = on_log_scale(k, ss / determinant);
    out->scale_hours = on_log_scale(scale, kk / determinant);
}

/* Wilson and Hilferty's cube for many degrees, where the library's inverse does not converge. */
double life_fit_chi_square(double p, double degrees)
{
    if (degrees <= 2000)
        return gsl_cdf_chisq_Pinv(p, degrees);
    double part = 2 / (9 * degrees);
    return degrees * pow(1 - part + gsl_cdf_ugaussian_Pinv(p) * sqrt(part), 3);
}

static struct life_figure poisson_rate(size_t events, double hours)
{
    double n = (double)events;
    struct life_figure f = {n / hours, 0, life_fit_chi_square(0.975, 2 * n + 2) / 2 / hours};
    if (events > 0)
        f.low = life_fit_chi_square(0.025, 2 * n) / 2 / hours;
    return f;
}

void life_fit_ended(const struct life *lives, size_t n, double *out)
{
    double alive = 1;
    for (size_t i = 0; i < n; i++) {
        assert(i == 0 || lives[i].hours >= lives[i - 1].hours);
        if (lives[i].ended)
            alive *= 1 - 1 / (double)(n - i);
        out[i] = 1 - alive;
    }
}

/* Largest gap between the estimate, before and after its steps, and a model's share of ends. A life
 * that was seen by ticks ended up to half of one later or earlier: only its step counts. */
static double distance(const struct life_sample *s,
                       double (*share)(const void *model, double hours), const void *model)
{
    double alive = 1, worst = 0;
    for (size_t i = 0; i < s->n;) {
        double hours = s->lives[i].hours, before = 1 - alive;
        double want = share(model, hours + s->tick_hours / 2);
        for (; i < s->n && s->lives[i].hours == hours; i++)
            if (s->lives[i].ended)
                alive *= 1 - 1 / (double)(s->n - i);
        if (1 - alive == before)
            continue; /* only censored ones */
        worst = fmax(worst, fabs(1 - alive - want));
        if (s->tick_hours == 0)
            worst = fmax(worst, fabs(before - want));
    }
    return worst;
}

static double weibull_share(const void *model, double hours)
{
    const struct life_fit *f = model;
    return gsl_cdf_weibull_P(hours, f->scale_hours.value, f->shape.value);
}

double life_fit_p_value(double d, size_t n)
{
    double root = sqrt((double)n), x = (root + 0.12 + 0.11 / root) * d, sum = 0;
    for (int j = 1; j <= 100; j++)
        sum += (j % 2 ? 2 : -2) * exp(-2.0 * j * j * x * x);
    return x < 0.2 ? 1 : fmin(1, fmax(0, sum));
}

int life_fit_weibull(struct life *lives, size_t n, double tick_hours, struct life_fit *out,
                     struct err *e)
{
    struct life_sample seen = {lives, n, tick_hours};
    struct sample s;
    double shape = 1, sum, sum_log, hours = 0;
    assert(lives && out);
    if (make_sample(&s, lives, n, e) || solve(&s, &shape, e))
        return -1;
    powers(&s, shape, &sum, &sum_log);
    double scale = s.unit * pow(sum / (double)s.ended, 1 / shape);
    *out = (struct life_fit){.n = n, .ended = s.ended};
    find_intervals(&s, shape, scale, out);
    for (size_t i = 0; i < n; i++)
        hours += lives[i].hours;
    out->per_hour = poisson_rate(s.ended, hours);
    out->mean_hours = scale * gsl_sf_gamma(1 + 1 / shape);
    out->distance = distance(&seen, weibull_share, out);
    out->p_value = life_fit_p_value(out->distance, s.ended);
    return 0;
}

/* ---- rates by age ---- */

void life_fit_rates(const struct life *lives, size_t n_lives, const double *ages,
                    struct life_rate *rates, size_t n)
{
    assert(n > 0 && ages[0] == 0);
    for (size_t k = 0; k < n; k++) {
        double from = ages[k], to = k + 1 < n ? ages[k + 1] : HUGE_VAL;
        rates[k] = (struct life_rate){.from_hours = from};
        for (size_t i = 0; i < n_lives; i++) {
            double t = lives[i].hours;
            rates[k].exposed_hours += t > from ? fmin(t, to) - from : 0;
            rates[k].ended += lives[i].ended && t > from && t <= to;
        }
        if (rates[k].exposed_hours > 0)
            rates[k].per_hour = poisson_rate(rates[k].ended, rates[k].exposed_hours);
    }
}

struct table {
    const struct life_rate *rates;
    size_t n;
};

static double table_share(const void *model, double hours)
{
    const struct table *t = model;
    double sum = 0;
    for (size_t k = 0; k < t->n && t->rates[k].from_hours < hours; k++) {
        double to = k + 1 < t->n ? fmin(hours, t->rates[k + 1].from_hours) : hours;
        sum += t->rates[k].per_hour.value * (to - t->rates[k].from_hours);
    }
    return 1 - exp(-sum);
}

double life_fit_distance_of_rates(const struct life_sample *s, const struct life_rate *rates,
                                  size_t n)
{
    struct table t = {rates, n};
    return distance(s, table_share, &t);
}
