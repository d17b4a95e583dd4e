/* test_life_fit: parameters found again from draws that have them, with and without censoring. */
#include "sim/chance.h"
#include "sim/life_fit.h"

#include <criterion/criterion.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <string.h>

#define N 4000
static struct life lives[N];

/* Weibull lives by the library's inverse transform; cut at `until` hours. */
static void draw(double shape, double scale, double until)
{
    struct chance c = chance_stream(11, 0, CHANCE_TEST, 1);
    for (uint64_t i = 0; i < N; i++) {
        double t = scale * pow(-log(chance_uniform(c, i)), 1 / shape);
        lives[i] = (struct life){fmin(t, until), t <= until};
    }
}

Test(life_fit, finds_the_weibull_that_lives_were_drawn_from)
{
    static const struct {
        double shape, scale, until;
    } rows[] = {{0.595, 1.745, 1e9}, {0.595, 1.745, 2}, {1, 3, 4}, {2.5, 10, 1e9}};
    for (size_t i = 0; i < 4; i++) {
        struct life_fit f;
        struct err e = {0};
        draw(rows[i].shape, rows[i].scale, rows[i].until);
        cr_assert_eq(life_fit_weibull(lives, N, 0, &f, &e), 0, "%s", e.msg);
        cr_assert(f.shape.low < rows[i].shape && rows[i].shape < f.shape.high, "row %zu: %g", i,
                  f.shape.value);
        cr_assert(f.scale_hours.low < rows[i].scale && rows[i].scale < f.scale_hours.high,
                  "row %zu: %g", i, f.scale_hours.value);
        cr_assert_lt(f.shape.high / f.shape.low, 1.1, "4000 lives tell it closely");
        cr_assert_lt(f.distance, 1.628 / sqrt((double)f.ended), "row %zu: %g", i, f.distance);
        cr_assert_float_eq(f.mean_hours, f.scale_hours.value * tgamma(1 + 1 / f.shape.value), 1e-6);
    }
}

/* Intervals that are right nineteen times of twenty: of 200 samples at least 180 hold the truth
 * (a binomial of 0.95 falls below with less than one in a thousand). */
Test(life_fit, has_intervals_that_hold_the_truth)
{
    enum { SAMPLES = 200, SIZE = 150 };
    size_t held = 0;
    for (uint64_t s = 0; s < SAMPLES; s++) {
        struct chance c = chance_stream(5, s, CHANCE_TEST, 2);
        struct life_fit f;
        struct err e = {0};
        for (uint64_t i = 0; i < SIZE; i++) {
            double t = 2 * pow(-log(chance_uniform(c, i)), 1 / 0.7);
            lives[i] = (struct life){fmin(t, 5), t <= 5};
        }
        cr_assert_eq(life_fit_weibull(lives, SIZE, 0, &f, &e), 0);
        held += f.shape.low <= 0.7 && 0.7 <= f.shape.high;
    }
    cr_assert(held >= 180 && held < 200, "%zu", held);
}

/* By hand: three lives of 1, 2 and 4 h, the second censored. Up to 1 h: one end in 3 h; from 1 to
 * 3 h: none in 1 + 2 h; then one in 1 h. Kaplan-Meier: 1/3, 1/3, 1. */
Test(life_fit, counts_ends_and_exposure_by_age)
{
    struct life three[] = {{1, true}, {2, false}, {4, true}};
    static const double ages[] = {0, 1, 3};
    struct life_rate r[3];
    double ended[3];
    life_fit_rates(three, 3, ages, r, 3);
    cr_assert(r[0].ended == 1 && r[0].exposed_hours == 3);
    cr_assert(r[1].ended == 0 && r[1].exposed_hours == 3);
    cr_assert(r[2].ended == 1 && r[2].exposed_hours == 1);
    cr_assert_float_eq(r[0].per_hour.value, 1.0 / 3, 1e-12);
    /* Exact Poisson interval of one event: 0.0253 to 5.572; of none: up to 3.689. */
    cr_assert_float_eq(r[0].per_hour.low, 0.0253 / 3, 1e-4);
    cr_assert_float_eq(r[0].per_hour.high, 5.572 / 3, 1e-3);
    cr_assert_float_eq(r[1].per_hour.high, 3.689 / 3, 1e-3);
    life_fit_ended(three, 3, ended);
    cr_assert_float_eq(ended[0], 1.0 / 3, 1e-12);
    cr_assert_float_eq(ended[1], 1.0 / 3, 1e-12);
    cr_assert_float_eq(ended[2], 1, 1e-12);
}

Test(life_fit, sees_when_a_model_does_not_fit)
{
    struct life_fit f;
    struct err e = {0};
    struct life_rate flat = {0, 1, 1, {0.1, 0, 0}};
    draw(0.5, 1, 1e9);
    cr_assert_eq(life_fit_weibull(lives, N, 0, &f, &e), 0);
    cr_assert_gt(life_fit_distance_of_rates(&(struct life_sample){lives, N, 0}, &flat, 1), 0.3);
    cr_assert_lt(life_fit_p_value(0.3, N), 1e-6);
    /* Half the lives end at 1 h sharp, the others at 2 to 3 h: no Weibull. */
    for (size_t i = 0; i < N; i++)
        lives[i] = (struct life){i % 2 ? 1 : 2 + (double)i / N, true};
    cr_assert_eq(life_fit_weibull(lives, N, 0, &f, &e), 0);
    cr_assert_lt(f.p_value, 0.01);
}

/* Lives that are seen each three minutes alone: against a smooth model their steps would look like
 * a misfit. */
Test(life_fit, forgives_what_ticks_hide)
{
    struct life_fit f;
    struct err e = {0};
    double tick = 0.05;
    draw(0.9, 1, 1e9);
    for (size_t i = 0; i < N; i++)
        lives[i].hours = tick * fmax(1, floor(lives[i].hours / tick + 0.5));
    cr_assert_eq(life_fit_weibull(lives, N, 0, &f, &e), 0);
    double blind = f.distance;
    cr_assert_eq(life_fit_weibull(lives, N, tick, &f, &e), 0);
    cr_assert_lt(f.distance, blind / 2);
    cr_assert_lt(f.distance, 0.05);
}

/* Quantiles of a table: 5 degrees 12.833; for very many the normal's, 1e5 + 1.96 sqrt(2e5). */
Test(life_fit, has_chi_square_quantiles)
{
    cr_assert_float_eq(life_fit_chi_square(0.975, 5), 12.833, 1e-3);
    cr_assert_float_eq(life_fit_chi_square(0.975, 2001), gsl_cdf_chisq_Pinv(0.975, 2000), 2);
    cr_assert_float_eq(life_fit_chi_square(0.975, 1e5), 1e5 + 1.96 * sqrt(2e5), 3);
}

/* Kolmogorov's distribution: 1.628 has a tail of 1 %, 1.358 of 5 %. */
Test(life_fit, has_kolmogorovs_tail)
{
    cr_assert_float_eq(life_fit_p_value(1.628 / 1000, 1000000), 0.01, 2e-4);
    cr_assert_float_eq(life_fit_p_value(1.358 / 1000, 1000000), 0.05, 5e-4);
    cr_assert_float_eq(life_fit_p_value(0, 100), 1, 0);
}

Test(life_fit, refuses_too_little)
{
    struct life few[] = {{1, true}, {2, true}, {3, true}, {4, true}, {5, false}};
    struct life same[] = {{1, true}, {1, true}, {1, true}, {1, true}, {1, true}};
    struct life_fit f;
    struct err e = {0};
    cr_assert_eq(life_fit_weibull(few, 5, 0, &f, &e), -1);
    cr_assert(strstr(e.msg, "4 of 5 have ended"), "%s", e.msg);
    e = (struct err){0};
    cr_assert_eq(life_fit_weibull(same, 5, 0, &f, &e), -1);
    cr_assert(strstr(e.msg, "all last 1 hours"), "%s", e.msg);
}
