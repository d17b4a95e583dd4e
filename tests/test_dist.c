/* test_dist: from mean and cv to draws. */
#include "sim/dist.h"

#include <criterion/criterion.h>
#include <gsl/gsl_sf_gamma.h>
#include <math.h>
#include <string.h>

static const char *const names[] = {"constant",  "exponential", "uniform", "normal",
                                    "lognormal", "weibull",     "gamma"};

static struct chance stream(uint64_t entity)
{
    return chance_stream(3, 0, CHANCE_TEST, entity);
}

static struct dist make(enum dist_kind kind, double mean, double cv)
{
    struct err e = {0};
    struct dist d;
    cr_assert_eq(dist_make(&d, kind, mean, cv, &e), 0, "%s %g %g: %s", names[kind], mean, cv,
                 e.msg);
    return d;
}

/* The deviation of a mean of n is cv / sqrt n; of a deviation about cv sqrt((k - 1) / 4n) for
 * kurtosis k, taken from the draws. */
static void expect_moments(enum dist_kind kind, double mean, double cv, uint64_t entity)
{
    const uint64_t n = 200000;
    struct dist d = make(kind, mean, cv);
    double sum = 0, squares = 0, fourth = 0;
    for (uint64_t i = 0; i < n; i++) {
        double x = dist_draw(&d, stream(entity), i) / mean - 1;
        cr_assert_geq(x, -1);
        sum += x;
        squares += x * x;
        fourth += x * x * x * x;
    }
    double v = squares / (double)n;
    double error = sqrt((fourth / (double)n - v * v) / (double)n);
    cr_expect_lt(fabs(sum / (double)n), 4 * cv / sqrt((double)n) + 1e-12,
                 "%s cv %g: mean off by %g", names[kind], cv, sum / (double)n);
    cr_expect_lt(fabs(v - cv * cv), 4 * error + 1e-12, "%s cv %g: got %g", names[kind], cv,
                 sqrt(v));
    cr_expect_eq(d.mean, mean);
}

Test(dist, draws_have_the_mean_and_cv_asked_for, .timeout = 60)
{
    expect_moments(DIST_CONSTANT, 12e6, 0, 0);
    expect_moments(DIST_EXPONENTIAL, 12e6, 1, 1);
    expect_moments(DIST_UNIFORM, 12e6, 0.3, 2);
    expect_moments(DIST_UNIFORM, 12e6, 0.577, 3);
    expect_moments(DIST_NORMAL, 12e6, 0.2, 4);
    static const double cvs[] = {0.01, 0.1, 0.5, 1, 1.5};
    for (size_t i = 0; i < sizeof cvs / sizeof cvs[0]; i++) {
        expect_moments(DIST_LOGNORMAL, 45e9, cvs[i], 10 + i);
        expect_moments(DIST_WEIBULL, 45e9, cvs[i], 20 + i);
        expect_moments(DIST_GAMMA, 45e9, cvs[i], 30 + i);
    }
}

/* cv^2 of a Weibull is G(1 + 2/k) / G(1 + 1/k)^2 - 1, here by GSL's gamma function. */
Test(dist, weibull_shape_solves_its_equation)
{
    for (double cv = 0.002; cv < 400; cv *= 1.3) {
        struct dist d = make(DIST_WEIBULL, 5, cv);
        double one = gsl_sf_gamma(1 + 1 / d.a), two = gsl_sf_gamma(1 + 2 / d.a);
        cr_expect_float_eq(sqrt(two / (one * one) - 1) / cv, 1, 1e-8, "cv %g", cv);
        cr_expect_float_eq(d.b * one, 5, 1e-11, "cv %g", cv);
    }
    struct dist d = make(DIST_WEIBULL, 1, 1);
    cr_expect_float_eq(d.a, 1, 1e-12, "shape 1 is the exponential");
}

Test(dist, cv_zero_is_a_constant)
{
    for (int kind = DIST_UNIFORM; kind <= DIST_GAMMA; kind++) {
        struct dist d = make((enum dist_kind)kind, 7, 0);
        cr_expect_eq(dist_draw(&d, stream(0), 5), 7, "%s", names[kind]);
    }
    struct dist zero = {0};
    cr_expect_eq(dist_draw(&zero, stream(0), 0), 0);
    struct dist none = make(DIST_CONSTANT, 0, 0);
    cr_expect_eq(dist_draw_ns(&none, stream(0), 0), 0);
    struct dist four = dist_constant(4);
    cr_expect_eq(dist_draw(&four, stream(0), 9), 4);
    cr_expect_eq(four.mean, 4);
}

Test(dist, impossible_pairs_are_refused_with_what_is_allowed)
{
    static const struct {
        enum dist_kind kind;
        double mean, cv;
        const char *says;
    } rows[] = {
        {DIST_EXPONENTIAL, 0, 0, "mean 0 must be a finite number above 0"},
        {DIST_EXPONENTIAL, -3, 0, "mean -3 must be"},
        {DIST_GAMMA, (double)INFINITY, 1, "mean inf must be"},
        {DIST_GAMMA, (double)NAN, 1, "must be a finite number"},
        {DIST_LOGNORMAL, 1, -0.5, "cv -0.5 is outside 0..1000"},
        {DIST_LOGNORMAL, 1, (double)NAN, "is outside 0..1000"},
        {DIST_UNIFORM, 1, 0.6, "at most 0.577"},
        {DIST_NORMAL, 1, 0.6, "at most 0.5"},
        {DIST_WEIBULL, 1, 500, "0.00129..429"},
        {DIST_WEIBULL, 1, 0.001, "0.00129..429"},
        {DIST_GAMMA, 1, 101, "0.0001..100"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct err e = {0};
        struct dist d;
        cr_expect_eq(dist_make(&d, rows[i].kind, rows[i].mean, rows[i].cv, &e), -1);
        cr_expect_eq(e.code, ERR_INPUT);
        cr_expect(strstr(e.msg, rows[i].says), "%s", e.msg);
    }
}

Test(dist, lognormal_by_median_has_half_its_draws_below)
{
    struct dist d = dist_lognormal_median(90e9, 0.4);
    uint64_t below = 0;
    for (uint64_t i = 0; i < 100000; i++)
        below += dist_draw(&d, stream(50), i) < 90e9;
    cr_expect_float_eq((double)below / 100000, 0.5, 0.007);
    cr_expect_float_eq(d.mean, 90e9 * exp(0.08), 1);
}

Test(dist, nanoseconds_are_rounded_and_saturate)
{
    static const struct {
        double value;
        int64_t ns;
    } rows[] = {{1.4999, 1}, {1.5, 2}, {0.49, 0}, {1e30, INT64_C(1) << 62}, {0x1p61, 1LL << 61}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct dist d = dist_constant(rows[i].value);
        cr_expect_eq(dist_draw_ns(&d, stream(0), 0), rows[i].ns, "%g", rows[i].value);
    }
}

Test(dist, normal_is_cut_at_zero)
{
    struct dist d = {.kind = DIST_NORMAL, .a = 0, .b = 1, .mean = 0};
    uint64_t zeros = 0;
    for (uint64_t i = 0; i < 10000; i++)
        zeros += dist_draw(&d, stream(60), i) == 0;
    cr_expect_float_eq((double)zeros / 10000, 0.5, 0.02);
}

Test(dist, what_was_measured_is_drawn_with_its_quantiles_and_mean)
{
    static const struct dist_point points[] = {{0, 1}, {0.5, 2}, {0.9, 2.5}, {1, 10}};
    const uint64_t n = 200000;
    struct err e = {0};
    struct dist d;
    /* mean of the points: 0.5 x 1.5 + 0.4 x 2.25 + 0.1 x 6.25 = 2.275 */
    cr_assert_eq(dist_measured(&d, 4550, points, 4, &e), 0);
    double sum = 0;
    uint64_t below_median = 0, below_p90 = 0;
    for (uint64_t i = 0; i < n; i++) {
        double x = dist_draw(&d, stream(9), i);
        cr_assert(x >= 2000 && x <= 20000);
        sum += x;
        below_median += x <= 4000;
        below_p90 += x <= 5000;
    }
    cr_expect_float_eq(sum / (double)n, 4550, 4550 * 0.01);
    cr_expect_float_eq((double)below_median / (double)n, 0.5, 0.005);
    cr_expect_float_eq((double)below_p90 / (double)n, 0.9, 0.005);
    cr_expect_eq(dist_least(&d), 2000);
    cr_expect_eq(d.mean, 4550);
}

Test(dist, measured_points_that_make_no_distribution_are_refused)
{
    static const struct {
        struct dist_point p[3];
        const char *msg;
    } bad[] = {
        {{{0.1, 1}, {0.5, 2}, {1, 3}}, "at least two points from share 0 to share 1"},
        {{{0, 1}, {0.5, 2}, {0.9, 3}}, "at least two points from share 0 to share 1"},
        {{{0, 0}, {0.5, 2}, {1, 3}}, "point 0: a value is above 0"},
        {{{0, 1}, {0, 2}, {1, 3}}, "point 1: shares ascend"},
        {{{0, 1}, {0.5, 0.5}, {1, 3}}, "point 1: values do not fall"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct err e = {0};
        struct dist d;
        cr_expect_eq(dist_measured(&d, 1, bad[i].p, 3, &e), -1);
        cr_expect_str_eq(e.msg, bad[i].msg);
    }
}
