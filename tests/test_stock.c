/* test_stock: spells with and without stock against their distributions, and zones that are tied.
 */
#include "models/capacity/spot.h"
#include "models/capacity/stock.h"

#include <criterion/criterion.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#define CHECK (5 * SIM_MINUTE)

static struct spot_preset weibull(void)
{
    struct spot_preset p = {.name = "m", .check = CHECK};
    struct err e = {0};
    cr_assert_eq(dist_shape(&p.stock_up, DIST_WEIBULL, 0.66, 1.5 * 3600e9, &e), 0);
    cr_assert_eq(dist_shape(&p.stock_down, DIST_WEIBULL, 0.72, 1.16 * 3600e9, &e), 0);
    return p;
}

static struct steps draw(const struct spot_preset *p, uint64_t seed, uint64_t zone, sim_ns horizon)
{
    struct steps s;
    struct err e = {0};
    struct stock_setup setup = {p, chance_stream(seed, 0, CHANCE_TEST, zone),
                                chance_stream(seed, 0, CHANCE_TEST, 1000), horizon};
    cr_assert_eq(stock_draw(&s, &setup, &e), 0);
    return s;
}

static int by_time(const void *a, const void *b)
{
    sim_ns x = *(const sim_ns *)a, y = *(const sim_ns *)b;
    return x < y ? -1 : x > y;
}

#define WINDOW (2 * SIM_DAY)
#define MOST 200000

/* Spells of a kind that begin a window before the end, so that none of interest is cut off. */
static size_t collect(const struct steps *s, bool up, sim_ns horizon, sim_ns *out, size_t n)
{
    for (size_t i = 1; i + 1 < s->n; i++)
        if ((s->value[i] > 0) == up && s->at[i] < horizon - WINDOW && n < MOST)
            out[n++] = s->at[i + 1] - s->at[i];
    return n;
}

/* At the checks the distribution of a spell is that of its Weibull exactly. */
static double distance(sim_ns *spell, size_t n, double shape, double scale_h)
{
    double worst = 0;
    size_t i = 0;
    qsort(spell, n, sizeof *spell, by_time);
    for (sim_ns t = CHECK; t <= WINDOW; t += CHECK) {
        while (i < n && spell[i] <= t)
            i++;
        double want = gsl_cdf_weibull_P((double)t / (double)SIM_HOUR, scale_h, shape);
        worst = fmax(worst, fabs((double)i / (double)n - want));
    }
    return worst;
}

/* Kolmogorov-Smirnov at 1 %, alone and tied to a region. */
Test(stock, has_spells_as_long_as_its_distributions_say)
{
    static sim_ns up[MOST], down[MOST];
    static const double ties[] = {0, 0.5};
    struct spot_preset p = weibull();
    sim_ns horizon = 60 * SIM_DAY;
    for (size_t k = 0; k < 2; k++) {
        size_t n_up = 0, n_down = 0;
        p.zone_correlation = ties[k];
        for (uint64_t seed = 0; seed < 30; seed++) {
            struct steps s = draw(&p, seed, 1, horizon);
            n_up = collect(&s, true, horizon, up, n_up);
            n_down = collect(&s, false, horizon, down, n_down);
            stock_free(&s);
        }
        cr_assert_gt(n_up, 10000);
        double d = distance(up, n_up, 0.66, 1.5);
        cr_assert_lt(d, 1.628 / sqrt((double)n_up), "up, tie %g: %g", ties[k], d);
        d = distance(down, n_down, 0.72, 1.16);
        cr_assert_lt(d, 1.628 / sqrt((double)n_down), "down, tie %g: %g", ties[k], d);
    }
}

/* Share of time with stock: mean up over mean up and down, from the start on. */
Test(stock, is_there_for_its_share_of_the_time)
{
    enum { N = 400 };
    struct spot_preset p = weibull();
    double sum = 0, squares = 0, first = 0;
    for (uint64_t seed = 0; seed < N; seed++) {
        struct steps s = draw(&p, seed, 1, 5 * SIM_DAY);
        sim_ns up = 0;
        for (size_t i = 0; i < s.n; i++)
            if (s.value[i] > 0)
                up += (i + 1 < s.n ? s.at[i + 1] : 5 * SIM_DAY) - s.at[i];
        double share = (double)up / (double)(5 * SIM_DAY);
        sum += share;
        squares += share * share;
        first += s.value[0] > 0;
        stock_free(&s);
    }
    /* On the checks a spell is rounded up to a whole one: half a check on the average. */
    double u = p.stock_up.mean + (double)CHECK / 2, d = p.stock_down.mean + (double)CHECK / 2;
    double want = u / (u + d), got = sum / N;
    double error = sqrt((squares / N - got * got) / N);
    cr_assert_float_eq(got, want, 3 * error + 0.005, "%g instead of %g", got, want);
    cr_assert_float_eq(first / N, want, 3 * sqrt(want * (1 - want) / N), "at the start: %g",
                       first / N);
}

/* A run begins in the middle of a spell: what is left of it is E[T^2] / 2 E[T] on the average,
 * longer than a whole new one where the hazard falls. */
Test(stock, begins_in_the_middle_of_a_spell)
{
    enum { N = 4000 };
    struct spot_preset p = weibull();
    double sum = 0, squares = 0, n = 0;
    for (uint64_t seed = 0; seed < N; seed++) {
        struct steps s = draw(&p, seed, 1, 20 * SIM_DAY);
        if (s.value[0] > 0 && s.n > 1) {
            double hours = (double)s.at[1] / (double)SIM_HOUR;
            sum += hours;
            squares += hours * hours;
            n++;
        }
        stock_free(&s);
    }
    double k = 0.66, fresh = 1.5 * tgamma(1 + 1 / k);
    double want = 1.5 * tgamma(1 + 2 / k) / tgamma(1 + 1 / k) / 2, got = sum / n;
    double error = sqrt((squares / n - got * got) / n);
    cr_assert_float_eq(got, want, 3 * error + 0.05, "%g +- %g instead of %g", got, error, want);
    cr_assert_gt(want - fresh, 10 * error, "so that the two can be told apart");
}

static bool is_up(const struct steps *s, sim_ns at)
{
    return steps_at(s, at) > 0;
}

/* Memoryless zones, by hand: with the chance r both look at one number and fall together, else
 * each by itself with p. */
Test(stock, ends_in_both_zones_at_once_as_told)
{
    static const double ties[] = {0, 0.367, 0.8};
    struct spot_preset p = {.name = "m", .check = CHECK};
    p.stock_up = (struct dist){.kind = DIST_EXPONENTIAL, .mean = 2 * 3600e9};
    p.stock_down = (struct dist){.kind = DIST_EXPONENTIAL, .mean = 1 * 3600e9};
    double fall = 1 - exp(-1.0 / 24);
    for (size_t k = 0; k < 3; k++) {
        size_t falls = 0, both = 0;
        p.zone_correlation = ties[k];
        for (uint64_t seed = 0; seed < 60; seed++) {
            struct steps a = draw(&p, seed, 1, 30 * SIM_DAY), b = draw(&p, seed, 2, 30 * SIM_DAY);
            for (sim_ns t = CHECK; t < 30 * SIM_DAY; t += CHECK) {
                bool falls_now = is_up(&a, t - CHECK) && !is_up(&a, t) && is_up(&b, t - CHECK);
                falls += falls_now;
                both += falls_now && !is_up(&b, t);
            }
            stock_free(&a);
            stock_free(&b);
        }
        double want = ties[k] + (1 - ties[k]) * fall, got = (double)both / (double)falls;
        cr_assert_float_eq(got, want, 2.576 * sqrt(want * (1 - want) / (double)falls),
                           "tie %g: %g instead of %g", ties[k], got, want);
    }
}

/* The chain of two tied memoryless zones, solved step by step: the correlation (phi) of having
 * stock. */
static double phi_of(double r, double p, double q)
{
    double s[4] = {0.25, 0.25, 0.25, 0.25}; /* both up, only a, only b, none */
    for (int i = 0; i < 100000; i++) {
        double uu = s[0], ud = s[1], du = s[2], dd = s[3];
        double none[4] = {(1 - p) * (1 - p), p * (1 - q), p * q, (1 - p) * q};
        /* One number for both: up falls below p, down ends above 1 - q: never both for small ones.
         */
        s[0] = uu * (r * (1 - p) + (1 - r) * none[0]) + (ud + du) * (r * q + (1 - r) * none[3]) +
               dd * (r * q + (1 - r) * q * q);
        s[1] = uu * (1 - r) * p * (1 - p) + ud * (r * (1 - p - q) + (1 - r) * (1 - p) * (1 - q)) +
               du * (1 - r) * p * q + dd * (1 - r) * q * (1 - q);
        s[2] = uu * (1 - r) * p * (1 - p) + du * (r * (1 - p - q) + (1 - r) * (1 - p) * (1 - q)) +
               ud * (1 - r) * p * q + dd * (1 - r) * q * (1 - q);
        s[3] = 1 - s[0] - s[1] - s[2];
    }
    double up = s[0] + s[1];
    return (s[0] - up * up) / (up * (1 - up));
}

Test(stock, correlates_the_zones_of_a_region_as_far_as_the_tie_says)
{
    enum { N = 60 };
    struct spot_preset p = {.name = "m", .check = CHECK, .zone_correlation = 0.5};
    p.stock_up = (struct dist){.kind = DIST_EXPONENTIAL, .mean = 2 * 3600e9};
    p.stock_down = (struct dist){.kind = DIST_EXPONENTIAL, .mean = 1 * 3600e9};
    double sum = 0, squares = 0;
    for (uint64_t seed = 0; seed < N; seed++) {
        struct steps a = draw(&p, seed, 1, 30 * SIM_DAY), b = draw(&p, seed, 2, 30 * SIM_DAY);
        double n = 0, x = 0, y = 0, xy = 0;
        for (sim_ns t = 0; t < 30 * SIM_DAY; t += CHECK, n++) {
            x += is_up(&a, t);
            y += is_up(&b, t);
            xy += is_up(&a, t) && is_up(&b, t);
        }
        double phi = (xy / n - x * y / n / n) / sqrt(x / n * (1 - x / n) * y / n * (1 - y / n));
        sum += phi;
        squares += phi * phi;
        stock_free(&a);
        stock_free(&b);
    }
    double want = phi_of(0.5, 1 - exp(-1.0 / 24), 1 - exp(-1.0 / 12)), got = sum / N;
    double error = sqrt((squares / N - got * got) / (N - 1));
    cr_assert_float_eq(got, want, 2.66 * error, "%g +- %g instead of %g", got, error, want);
    cr_assert_gt(want, 0.3);
}
