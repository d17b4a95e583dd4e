/* test_chance: draws against the distributions they are said to have, and against each other. */
#include "sim/chance.h"
#include "sim/chance_zig.h"
#include "sim/digest.h"

#include <criterion/criterion.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DRAWS 1000000

static struct chance stream(uint64_t entity)
{
    return chance_stream(7, 0, CHANCE_TEST, entity);
}

/* One row: how to draw, and what GSL says about it. */
struct law {
    const char *name;
    double (*draw)(struct chance c, uint64_t index, double a);
    double (*below)(double x, double a), (*above)(double x, double a);
    double a, mean, variance;
};

static double draw_uniform(struct chance c, uint64_t index, double a)
{
    return a * chance_uniform(c, index);
}
static double draw_exponential(struct chance c, uint64_t index, double a)
{
    return a * chance_exponential(c, index);
}
static double draw_normal(struct chance c, uint64_t index, double a)
{
    return a * chance_normal(c, index);
}
static double draw_lognormal(struct chance c, uint64_t index, double a)
{
    return chance_lognormal(c, index, 0.25, a);
}
static double uniform_below(double x, double a)
{
    return gsl_cdf_flat_P(x, 0, a);
}
static double uniform_above(double x, double a)
{
    return gsl_cdf_flat_Q(x, 0, a);
}
static double lognormal_below(double x, double a)
{
    return gsl_cdf_lognormal_P(x, 0.25, a);
}
static double lognormal_above(double x, double a)
{
    return gsl_cdf_lognormal_Q(x, 0.25, a);
}
static double weibull_below(double x, double a)
{
    return gsl_cdf_weibull_P(x, 1, a);
}
static double weibull_above(double x, double a)
{
    return gsl_cdf_weibull_Q(x, 1, a);
}
static double gamma_below(double x, double a)
{
    return gsl_cdf_gamma_P(x, a, 1);
}
static double gamma_above(double x, double a)
{
    return gsl_cdf_gamma_Q(x, a, 1);
}

/* exp(2 m + s^2) (exp(s^2) - 1) and G(1 + 2/k) - G(1 + 1/k)^2 are the textbook variances. */
static const struct law laws[] = {
    {"uniform", draw_uniform, uniform_below, uniform_above, 1, 0.5, 1.0 / 12},
    {"exponential", draw_exponential, gsl_cdf_exponential_P, gsl_cdf_exponential_Q, 1, 1, 1},
    {"normal", draw_normal, gsl_cdf_gaussian_P, gsl_cdf_gaussian_Q, 1, 0, 1},
    {"lognormal", draw_lognormal, lognormal_below, lognormal_above, 0.5, 1.4549914146182013,
     0.6012818118463706},
    {"weibull 0.7", chance_weibull, weibull_below, weibull_above, 0.7, 1.2658235060572818,
     3.4268355536531533},
    {"weibull 3", chance_weibull, weibull_below, weibull_above, 3, 0.8929795115692493,
     0.1053328848684787},
    {"gamma 0.3", chance_gamma, gamma_below, gamma_above, 0.3, 0.3, 0.3},
    {"gamma 1", chance_gamma, gamma_below, gamma_above, 1, 1, 1},
    {"gamma 4.5", chance_gamma, gamma_below, gamma_above, 4.5, 4.5, 4.5},
    {"gamma 400", chance_gamma, gamma_below, gamma_above, 400, 400, 400},
};
#define LAWS (sizeof laws / sizeof laws[0])

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Kolmogorov's D sqrt(n) of sorted x: above 1.95 once in a thousand when the law holds. */
static double kolmogorov(const struct law *law, const double *x, size_t n)
{
    double worst = 0;
    for (size_t i = 0; i < n; i++) {
        double p = law->below(x[i], law->a);
        worst = fmax(worst, fmax(p - (double)i / (double)n, (double)(i + 1) / (double)n - p));
    }
    return worst * sqrt((double)n);
}

/* Anderson and Darling's A^2, which weighs the tails: above 6 once in a thousand. */
static double anderson(const struct law *law, const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (2.0 * (double)i + 1) *
               (log(law->below(x[i], law->a)) + log(law->above(x[n - 1 - i], law->a)));
    return -(double)n - sum / (double)n;
}

Test(chance, draws_follow_the_distributions_of_gsl, .timeout = 120)
{
    double *x = malloc(DRAWS * sizeof *x);
    for (size_t k = 0; k < LAWS; k++) {
        const struct law *law = &laws[k];
        for (uint64_t i = 0; i < DRAWS; i++)
            x[i] = law->draw(stream(100 + k), i, law->a);
        qsort(x, DRAWS, sizeof *x, ascending);
        double d = kolmogorov(law, x, DRAWS), a2 = anderson(law, x, DRAWS);
        cr_expect_lt(d, 1.95, "%s: D sqrt(n) = %g", law->name, d);
        cr_expect_lt(a2, 6.0, "%s: A^2 = %g", law->name, a2);
    }
    free(x);
}

Test(chance, draws_have_the_mean_and_variance_of_the_textbook, .timeout = 60)
{
    for (size_t k = 0; k < LAWS; k++) {
        const struct law *law = &laws[k];
        double sum = 0, squares = 0, fourth = 0;
        for (uint64_t i = 0; i < DRAWS; i++) {
            double d = law->draw(stream(200 + k), i, law->a) - law->mean;
            sum += d;
            squares += d * d;
            fourth += d * d * d * d;
        }
        double n = DRAWS, variance = squares / n;
        double error_of_mean = sqrt(law->variance / n);
        double error_of_variance = sqrt((fourth / n - variance * variance) / n);
        cr_expect_lt(fabs(sum / n), 4 * error_of_mean, "%s: mean off by %g", law->name, sum / n);
        cr_expect_lt(fabs(variance - law->variance), 4 * error_of_variance, "%s: variance %g",
                     law->name, variance);
    }
}

/* Where the ziggurat's rare paths lead: beyond r of the exponential once in 2202 draws. */
Test(chance, tails_beyond_the_ziggurat_have_their_weight, .timeout = 60)
{
    const uint64_t n = 6000000;
    double e_beyond = 0, e_far = 0, n_beyond = 0, n_sign = 0, e_sum = 0, n_sum = 0;
    for (uint64_t i = 0; i < n; i++) {
        double e = chance_exponential(stream(1), i);
        if (e > CHANCE_ZIG_EXPONENTIAL_TAIL) {
            e_beyond++;
            e_sum += e - CHANCE_ZIG_EXPONENTIAL_TAIL;
            e_far += e > 2 * CHANCE_ZIG_EXPONENTIAL_TAIL;
        }
        double x = chance_normal(stream(2), i);
        if (fabs(x) > CHANCE_ZIG_NORMAL_TAIL) {
            n_beyond++;
            n_sum += fabs(x) - CHANCE_ZIG_NORMAL_TAIL;
        }
        n_sign += x > 0;
    }
    double e_want = (double)n * exp(-CHANCE_ZIG_EXPONENTIAL_TAIL);
    double n_want = (double)n * 2 * gsl_cdf_ugaussian_Q(CHANCE_ZIG_NORMAL_TAIL);
    cr_expect_lt(fabs(e_beyond - e_want), 4 * sqrt(e_want));
    cr_expect_lt(fabs(e_sum / e_beyond - 1), 4 / sqrt(e_beyond), "no memory beyond r");
    cr_expect_lt(e_far, 20, "1 is expected beyond 2 r");
    cr_expect_lt(fabs(n_beyond - n_want), 4 * sqrt(n_want));
    /* Mean excess of a normal beyond r: density over tail, less r; about as wide as its mean. */
    double excess = gsl_ran_ugaussian_pdf(CHANCE_ZIG_NORMAL_TAIL) /
                        gsl_cdf_ugaussian_Q(CHANCE_ZIG_NORMAL_TAIL) -
                    CHANCE_ZIG_NORMAL_TAIL;
    cr_expect_lt(fabs(n_sum / n_beyond - excess), 4 * excess / sqrt(n_beyond), "%g", excess);
    cr_expect_lt(fabs(n_sign - 0.5 * (double)n), 2 * sqrt((double)n));
}

static void check_layers(const struct chance_zig_layer *t, double (*density)(double), double area)
{
    for (int i = 0; i < CHANCE_ZIG_LAYERS; i++) {
        double x = t[i].width * 0x1p53, next = t[i + 1].width * 0x1p53;
        double inside = floor(next / x * 0x1p53);
        cr_expect_leq(fabs((double)t[i].accept - inside), 2, "accept of layer %d", i);
        double got = i == 0 ? x * t[1].height : x * (t[i + 1].height - t[i].height);
        cr_expect_float_eq(got / area, 1, 1e-11, "area of layer %d", i);
        if (i > 0)
            cr_expect_float_eq(t[i].height / density(x), 1, 1e-14, "height of layer %d", i);
    }
    cr_expect_eq(t[CHANCE_ZIG_LAYERS].width, 0);
    cr_expect_eq(t[CHANCE_ZIG_LAYERS].height, 1);
}

static double exponential_density(double x)
{
    return exp(-x);
}
static double normal_density(double x)
{
    return exp(-0.5 * x * x);
}

/* The areas are v of Marsaglia and Tsang (2000), table 1 and section 3. */
Test(chance, layers_have_equal_area)
{
    check_layers(chance_zig_exponential, exponential_density, 0.0039496598225815571993);
    check_layers(chance_zig_normal, normal_density, 0.00492867323399);
    cr_expect_eq(chance_zig_exponential[1].width * 0x1p53, CHANCE_ZIG_EXPONENTIAL_TAIL);
    cr_expect_eq(chance_zig_normal[1].width * 0x1p53, CHANCE_ZIG_NORMAL_TAIL);
}

Test(chance, logarithm_is_exact_to_fourteen_digits)
{
    double worst = 0;
    for (uint64_t i = 0; i < 3000000; i++) {
        double wide = exp((chance_uniform(stream(3), i) - 0.5) * 1417);
        double near_one = 1 + (chance_uniform(stream(4), i) - 0.5) * ldexp(1, -(int)(i % 51));
        double x = i % 2 ? wide : near_one;
        if (x != 1)
            worst =
                fmax(worst, (double)fabsl((long double)chance_log(x) / logl((long double)x) - 1));
    }
    cr_assert_lt(worst, 1e-15, "%g", worst);
    cr_assert_eq(chance_log(1), 0);
    const double edges[] = {5e-324, 2.2e-308, 0.70710678118654752, 0.70710678118654757, 1.7e308};
    for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++)
        cr_expect_float_eq(chance_log(edges[i]) / log(edges[i]), 1, 1e-15, "log %g", edges[i]);
}

Test(chance, exponential_function_is_exact_to_fourteen_digits)
{
    double worst = 0;
    for (uint64_t i = 0; i < 3000000; i++) {
        double x = (chance_uniform(stream(5), i) - 0.5) * (i % 2 ? 1416 : 1);
        worst = fmax(worst, (double)fabsl((long double)chance_exp(x) / expl((long double)x) - 1));
    }
    cr_assert_lt(worst, 1e-15, "%g", worst);
    cr_assert_eq(chance_exp(0), 1);
    cr_assert_eq(chance_exp(-0.0), 1);
    cr_assert_eq(chance_exp(-1e300), 0);
    cr_assert_eq(chance_exp(-(double)INFINITY), 0);
    cr_assert_eq(chance_exp(1e300), 1.7976931348623157e308);
    cr_assert_eq(chance_exp(709.79), 1.7976931348623157e308);
    cr_assert_float_eq(chance_exp(709.78) / exp(709.78), 1, 1e-13);
    cr_assert_float_eq(chance_exp(-740) / exp(-740), 1, 0.05, "subnormal");
}

Test(chance, block_form_gives_the_same_bits)
{
    static double block[5000];
    chance_exponentials(stream(6), 1000, block, 5000);
    for (uint64_t i = 0; i < 5000; i++)
        cr_assert_eq(block[i], chance_exponential(stream(6), 1000 + i));
}

Test(chance, uniform_and_exponential_are_never_at_the_edge)
{
    for (uint64_t i = 0; i < 1000000; i++) {
        double u = chance_uniform(stream(8), i);
        cr_assert(u > 0 && u < 1);
        cr_assert_gt(chance_exponential(stream(9), i), 0);
    }
}

/* Number of bits that two words do not share; 32 on average for independent ones. */
static double distance(uint64_t a, uint64_t b)
{
    int n = 0;
    for (uint64_t x = a ^ b; x; x &= x - 1)
        n++;
    return n;
}

static uint64_t bits_of(const uint64_t part[5])
{
    struct chance c = chance_stream(part[0], part[1], (enum chance_purpose)part[2], part[3]);
    return chance_bits(c, part[4]);
}

Test(chance, every_bit_of_an_identity_changes_half_of_the_draw)
{
    for (int part = 0; part < 5; part++) {
        for (int bit = 0; bit < (part == 2 ? 4 : 64); bit++) {
            double sum = 0;
            for (uint64_t i = 0; i < 1000; i++) {
                uint64_t at[5] = {1 + i % 3, i % 7, 1 + i % 8, i, 3 * i};
                uint64_t before = bits_of(at);
                at[part] ^= UINT64_C(1) << bit;
                sum += distance(before, bits_of(at));
            }
            /* deviation of a mean of 1000 is 4 / sqrt 1000 = 0.126 */
            cr_expect_float_eq(sum / 1000, 32, 0.7, "part %d bit %d: %g", part, bit, sum / 1000);
        }
    }
}

/* How two neighbours are found; each kind of nearness is tested the same way. */
static double at_index(uint64_t i)
{
    return chance_uniform(stream(11), i);
}
static double at_entity(uint64_t i)
{
    return chance_uniform(stream(i), 5);
}
static double at_replication(uint64_t i)
{
    return chance_uniform(chance_stream(1, i, CHANCE_ARRIVAL, 0), 0);
}
static double at_seed(uint64_t i)
{
    return chance_uniform(chance_stream(i, 0, CHANCE_ARRIVAL, 0), 0);
}
static double at_sub(uint64_t i)
{
    return chance_uniform(chance_sub(stream(12), i), 0);
}
static double at_sub_and_parent(uint64_t i)
{
    return i % 2 ? chance_uniform(stream(13), i / 2)
                 : chance_uniform(chance_sub(stream(13), i / 2), 0);
}
static double at_purpose(uint64_t i)
{
    return chance_uniform(chance_stream(1, 0, (enum chance_purpose)(1 + i % 10), i / 10), 0);
}
static double at_gamma(uint64_t i)
{
    return gsl_cdf_gamma_P(chance_gamma(stream(14), i, 2.5), 2.5, 1);
}
static double at_normal(uint64_t i)
{
    return gsl_cdf_ugaussian_P(chance_normal(stream(15), i));
}

#define GRID 32

/* Chi-square of neighbouring pairs over a GRID x GRID board, as a deviation from its mean. */
static double pair_deviation(const double *u, size_t n, size_t lag)
{
    static double cell[GRID][GRID];
    memset(cell, 0, sizeof cell);
    for (size_t i = 0; i + lag < n; i++)
        cell[(int)(u[i] * GRID)][(int)(u[i + lag] * GRID)]++;
    double want = (double)(n - lag) / (GRID * GRID), chi2 = 0;
    for (int a = 0; a < GRID; a++)
        for (int b = 0; b < GRID; b++)
            chi2 += (cell[a][b] - want) * (cell[a][b] - want) / want;
    double degrees = GRID * GRID - 1;
    return (chi2 - degrees) / sqrt(2 * degrees);
}

static double correlation(const double *u, size_t n, size_t lag)
{
    double sum = 0;
    for (size_t i = 0; i + lag < n; i++)
        sum += (u[i] - 0.5) * (u[i + lag] - 0.5);
    return 12 * sum / sqrt((double)(n - lag));
}

Test(chance, neighbours_of_any_kind_are_independent, .timeout = 120)
{
    static const struct {
        const char *name;
        double (*at)(uint64_t i);
    } kinds[] = {
        {"index", at_index},     {"entity", at_entity}, {"replication", at_replication},
        {"seed", at_seed},       {"sub", at_sub},       {"sub and parent", at_sub_and_parent},
        {"purpose", at_purpose}, {"gamma", at_gamma},   {"normal", at_normal},
    };
    const size_t n = 500000;
    double *u = malloc(n * sizeof *u);
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        for (size_t i = 0; i < n; i++)
            u[i] = kinds[k].at(i);
        for (size_t lag = 1; lag <= 12; lag++) {
            double r = correlation(u, n, lag), chi2 = pair_deviation(u, n, lag);
            cr_expect_lt(fabs(r), 4.2, "%s lag %zu: correlation %g sigma", kinds[k].name, lag, r);
            cr_expect_lt(fabs(chi2), 5, "%s lag %zu: pairs %g sigma", kinds[k].name, lag, chi2);
        }
    }
    free(u);
}

/* SplitMix64's streams are pieces of one cycle: this key is 3 steps along the first one's. */
Test(chance, streams_that_overlap_in_the_cycle_still_differ)
{
    double sum = 0;
    for (uint64_t i = 0; i < 1000; i++) {
        struct chance one = stream(i);
        struct chance two = {.key = one.key + 3 * UINT64_C(0x9E3779B97F4A7C15)};
        sum += distance(chance_bits(one, i + 3), chance_bits(two, i));
    }
    cr_assert_float_eq(sum / 1000, 32, 1.0, "%g", sum / 1000);
}

Test(chance, below_is_even_also_where_it_rejects_often)
{
    double count[10] = {0}, n = 1000000;
    for (uint64_t i = 0; i < 1000000; i++)
        count[chance_below(stream(20), i, 10)]++;
    for (int k = 0; k < 10; k++)
        cr_expect_lt(fabs(count[k] - n / 10), 4 * sqrt(n * 0.09), "%d: %g", k, count[k]);

    /* n = 3/4 of 2^64 rejects a quarter; without it the multiples of 3 would come half the time. */
    double rest[3] = {0};
    for (uint64_t i = 0; i < 1000000; i++)
        rest[chance_below(stream(21), i, UINT64_C(3) << 62) % 3]++;
    for (int k = 0; k < 3; k++)
        cr_expect_lt(fabs(rest[k] - n / 3), 4 * sqrt(n * 2 / 9), "%d: %g", k, rest[k]);
    cr_expect_eq(chance_below(stream(22), 0, 1), 0);
    for (uint64_t i = 0; i < 1000; i++)
        cr_expect_lt(chance_below(stream(22), i, UINT64_MAX), UINT64_MAX);
}

static void digest_double(struct digest *d, double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    digest_u64(d, u);
}

/* The same bits with every compiler and every x86-64 level: a change here changes every result,
 * so it must come with a new model version. */
Test(chance, a_hundred_thousand_draws_have_the_recorded_bits)
{
    static const uint64_t golden[] = {
        0xcb9e8c21f48c1314, 0x700e0a79e8433eea, 0x93c74cb8bf00aba2, 0x837e236b4b54d639,
        0x9989cee0bf44b551, 0x114aaf08e5f7fc18, 0x7813ea781febc658, 0x74401e253e96e732,
        0x5f47339f48a8789a, 0xb9e24cc496a7cff7, 0x5f8ae879f3b31bfc,
    };
    for (size_t k = 0; k <= LAWS; k++) {
        struct digest d = {0};
        for (uint64_t i = 0; i < 100000; i++) {
            if (k < LAWS)
                digest_double(&d, laws[k].draw(stream(k), i, laws[k].a));
            else
                digest_u64(&d, chance_below(chance_sub(stream(k), i), i, 1 + i * i));
        }
        const char *name = k < LAWS ? laws[k].name : "below";
        cr_expect_eq(digest_value(&d), golden[k], "%s: 0x%016llx", name,
                     (unsigned long long)digest_value(&d));
    }
}
