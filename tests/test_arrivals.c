/* test_arrivals: exact counts, laws of the processes, and independence from how they are fetched.
 */
#include "sim/arena.h"
#include "sim/chance.h"
#include "sim/json.h"
#include "workloads/traffic.h"
#include "workloads/traffic_config.h"

#include <criterion/criterion.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct arena *memory;

static void set_up(void)
{
    struct err e = {0};
    memory = arena_create(&e);
    cr_assert(memory != NULL);
}

static void tear_down(void)
{
    arena_destroy(memory);
}

TestSuite(arrivals, .init = set_up, .fini = tear_down);

static struct traffic *must_load(const struct traffic_config *c, sim_ns horizon)
{
    struct err e = {0};
    struct traffic_frame frame = {.horizon = horizon, .time_zone = "UTC", .base_dir = ""};
    struct traffic *t = traffic_load(memory, c, &frame, &e);
    cr_assert(t != NULL, "%s: %s", e.where, e.msg);
    return t;
}

static struct traffic_config constant(double qps, const struct knob_option *how)
{
    return (struct traffic_config){.qps = {.source = TRAFFIC_CONSTANT, .constant = qps},
                                   .arrivals = {.option = how}};
}

static struct traffic_config profile(const char *list, bool linear, const struct knob_option *how)
{
    struct err e = {0};
    const struct json *points = json_parse(memory, "test", list, strlen(list), &e);
    cr_assert(points != NULL, "%s", e.msg);
    return (struct traffic_config){
        .qps = {.source = TRAFFIC_PROFILE, .profile = points, .linear = linear},
        .arrivals = {.option = how}};
}

struct all {
    sim_ns *times;
    size_t n;
};

static struct all fetch(const struct traffic *t, uint64_t seed, uint64_t entity)
{
    struct err e = {0};
    struct arrivals *a = arrivals_open(t, seed, 0, entity, &e);
    struct all got = {NULL, 0};
    size_t room = 1 << 16, n;
    do {
        got.times = realloc(got.times, (got.n + room) * sizeof *got.times);
        cr_assert(got.times != NULL);
        n = arrivals_fill(a, SIM_NEVER, got.times + got.n, room);
        got.n += n;
    } while (n == room);
    arrivals_close(a);
    for (size_t i = 1; i < got.n; i++) {
        cr_assert(got.times[i] >= got.times[i - 1]);
    }
    return got;
}

static size_t count_in(const struct all *a, sim_ns from, sim_ns to)
{
    size_t n = 0;
    for (size_t i = 0; i < a->n; i++) {
        n += a->times[i] >= from && a->times[i] < to;
    }
    return n;
}

Test(arrivals, evenly_spaced_come_at_whole_multiples_of_the_gap)
{
    static const double rates[] = {1, 3, 7, 10, 30, 55, 95, 0.25, 1000, 999};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        struct traffic_config c = constant(rates[i], &traffic_knobs_evenly);
        sim_ns horizon = 3 * SIM_HOUR + 1; /* the last falls due at 3 hours exactly */
        struct all a = fetch(must_load(&c, horizon), 1, 0);
        cr_assert_eq(a.n, (size_t)(rates[i] * 3 * 3600), "%g: %zu", rates[i], a.n);
        for (size_t k = 0; k < a.n; k++) {
            long double want = (long double)(k + 1) * 1e9L / (long double)rates[i];
            cr_assert(fabsl((long double)a.times[k] - want) <= 0.5L, "%g: request %zu at %lld",
                      rates[i], k, (long long)a.times[k]);
        }
        free(a.times);
    }
}

Test(arrivals, evenly_spaced_fill_every_window_exactly)
{
    struct traffic_config c = constant(30, &traffic_knobs_evenly);
    struct all a = fetch(must_load(&c, 2 * SIM_HOUR), 1, 0);
    for (sim_ns from = SIM_SECOND; from + 15 * SIM_SECOND <= 2 * SIM_HOUR;
         from += 7 * SIM_SECOND + 123456789) {
        cr_assert_eq(count_in(&a, from, from + 15 * SIM_SECOND), 450);
    }
    free(a.times);
}

Test(arrivals, evenly_spaced_follow_a_step_at_once)
{
    struct traffic_config c = profile(
        "[{\"at\": \"0s\", \"qps\": 1}, {\"at\": \"100s\", \"qps\": 95}, {\"at\": \"200s\", "
        "\"qps\": 0}, {\"at\": \"300s\", \"qps\": 2}]",
        false, &traffic_knobs_evenly);
    struct all a = fetch(must_load(&c, 400 * SIM_SECOND + 1), 1, 0);
    cr_assert_eq(a.n, 100 + 9500 + 200);
    cr_assert_eq(a.times[99], 100 * SIM_SECOND);
    cr_assert_eq(a.times[100], 100 * SIM_SECOND + 10526316); /* 1/95 s */
    cr_assert_eq(a.times[9599], 200 * SIM_SECOND);
    cr_assert_eq(a.times[9600], 300 * SIM_SECOND + SIM_SECOND / 2);
    free(a.times);
}

/* 0 to 10 QPS in 100 s: the cumulated rate is t^2 / 20, so request k comes at sqrt(20 k). Then
 * down to 0 in another 100 s: the mirror image. */
Test(arrivals, evenly_spaced_follow_a_ramp)
{
    struct traffic_config c =
        profile("[{\"at\": \"0s\", \"qps\": 0}, {\"at\": \"100s\", \"qps\": 10}, {\"at\": "
                "\"200s\", \"qps\": 0}]",
                true, &traffic_knobs_evenly);
    struct all a = fetch(must_load(&c, SIM_HOUR), 1, 0);
    cr_assert_eq(a.n, 1000);
    for (size_t k = 1; k <= 500; k++) {
        double up = sqrt(20.0 * (double)k);
        double down = 200 - sqrt(20.0 * (double)(500 - k));
        cr_assert_float_eq((double)a.times[k - 1] / 1e9, up, 1e-8);
        cr_assert_float_eq((double)a.times[k + 499] / 1e9, down, 1e-5, "%zu", k);
    }
    free(a.times);
}

/* Whatever a caller asks for, the stream is the same. */
Test(arrivals, do_not_depend_on_how_they_are_fetched)
{
    static const struct knob_option *const how[] = {&traffic_knobs_poisson, &traffic_knobs_evenly,
                                                    &traffic_knobs_gamma, &traffic_knobs_weibull};
    struct traffic_renewal bursty = {.cv = 2};
    struct chance dice = chance_stream(7, 0, CHANCE_TEST, 0);
    uint64_t roll = 0;
    for (size_t h = 0; h < sizeof how / sizeof *how; h++) {
        struct traffic_config c =
            profile("[{\"at\": \"0s\", \"qps\": 5}, {\"at\": \"20m\", \"qps\": 60}, {\"at\": "
                    "\"30m\", \"qps\": 0}, {\"at\": \"40m\", \"qps\": 20}]",
                    h % 2 == 0, how[h]);
        c.arrivals.config = &bursty;
        struct traffic *t = must_load(&c, 2 * SIM_HOUR);
        struct all a = fetch(t, 3, 1);
        cr_assert_gt(a.n, 50000);
        for (int round = 0; round < 20; round++) {
            struct err e = {0};
            struct arrivals *s = arrivals_open(t, 3, 0, 1, &e);
            sim_ns until = 0, out[2000];
            size_t n = 0;
            while (n < a.n) {
                size_t cap = 1 + chance_below(dice, roll++, 2000);
                size_t got = arrivals_fill(s, until, out, cap);
                cr_assert(memcmp(out, a.times + n, got * sizeof *out) == 0);
                cr_assert(got == 0 || out[got - 1] < until);
                n += got;
                if (got < cap) {
                    cr_assert(n == a.n || a.times[n] >= until);
                    until += (sim_ns)chance_below(dice, roll++, 60 * (uint64_t)SIM_SECOND);
                }
            }
            cr_assert_eq(arrivals_fill(s, SIM_NEVER, out, 10), 0);
            arrivals_close(s);
        }
        free(a.times);
    }
}

/* The share of a chi-square with n - 1 degrees that lies above: must not be extreme. */
static double chi_square(const double *count, const double *expected, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += (count[i] - expected[i]) * (count[i] - expected[i]) / expected[i];
    }
    return gsl_cdf_chisq_Q(sum, (double)n);
}

Test(arrivals, poisson_counts_per_bin_pass_a_chi_square_test)
{
    /* A ramp, a step and a gap within the hour: expected counts by hand. */
    struct traffic_config c =
        profile("[{\"at\": \"0s\", \"qps\": 10}, {\"at\": \"1000s\", \"qps\": 50}, {\"at\": "
                "\"2000s\", \"qps\": 20}]",
                true, &traffic_knobs_poisson);
    enum { BINS = 36 };
    double expected[BINS], p_of_seed[40];
    for (size_t i = 0; i < BINS; i++) {
        double middle = 100 * (double)i + 50;
        double rate = middle < 1000   ? 10 + 0.04 * middle
                      : middle < 2000 ? 50 - 0.03 * (middle - 1000)
                                      : 20;
        expected[i] = 100 * rate;
    }
    struct traffic *t = must_load(&c, SIM_HOUR);
    cr_assert_float_eq(traffic_expected(t), 30000 + 35000 + 32000, 1e-6);
    size_t low = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        struct all a = fetch(t, seed, 0);
        double count[BINS] = {0};
        for (size_t i = 0; i < a.n; i++) {
            count[a.times[i] / (100 * SIM_SECOND)]++;
        }
        p_of_seed[seed] = chi_square(count, expected, BINS);
        low += p_of_seed[seed] < 0.05;
        cr_assert(p_of_seed[seed] > 1e-4 && p_of_seed[seed] < 0.9999, "seed %d: p %g", (int)seed,
                  p_of_seed[seed]);
        free(a.times);
    }
    cr_assert_leq(low, 7, "%zu of 40 seeds below 0.05", low); /* P(more than 7) = 0.0007 */
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Kolmogorov-Smirnov distance times sqrt(n): above 1.95 in one case of a thousand. */
static double ks(double *x, size_t n, double (*cdf)(double))
{
    qsort(x, n, sizeof *x, by_value);
    double far = 0;
    for (size_t i = 0; i < n; i++) {
        double f = cdf(x[i]);
        double above = (double)(i + 1) / (double)n - f, below = f - (double)i / (double)n;
        far = fmax(far, fmax(above, below));
    }
    return far * sqrt((double)n);
}

static double exponential_cdf(double x)
{
    return gsl_cdf_exponential_P(x, 1);
}

static double gamma_cdf(double x)
{
    return gsl_cdf_gamma_P(x, 0.25, 4); /* cv 2 */
}

static double weibull_cdf(double x)
{
    /* Shape 0.542690 has cv 2: found by gsl_sf_gamma; the scale makes the mean 1. */
    return gsl_cdf_weibull_P(x, 1 / tgamma(1 + 1 / 0.5426900), 0.5426900);
}

Test(arrivals, gaps_have_the_distribution_that_was_asked_for)
{
    static const struct {
        const struct knob_option *how;
        double (*cdf)(double);
        double cv;
    } rows[] = {{&traffic_knobs_poisson, exponential_cdf, 1},
                {&traffic_knobs_gamma, gamma_cdf, 2},
                {&traffic_knobs_weibull, weibull_cdf, 2}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct traffic_renewal renewal = {.cv = rows[r].cv};
        /* Slow, so that few gaps round to the same nanosecond: gamma has many that are tiny. */
        struct traffic_config c = constant(0.001, rows[r].how);
        c.arrivals.config = &renewal;
        struct all a = fetch(must_load(&c, 1000 * SIM_DAY), 5, 0);
        double *gap = malloc(a.n * sizeof *gap), sum = 0, squares = 0;
        for (size_t i = 0; i < a.n; i++) {
            gap[i] = (double)(a.times[i] - (i > 0 ? a.times[i - 1] : 0)) * 0.001 / 1e9;
            sum += gap[i];
            squares += gap[i] * gap[i];
        }
        double mean = sum / (double)a.n, n = (double)a.n;
        double cv = sqrt(squares / n - mean * mean) / mean;
        cr_assert_float_eq(mean, 1, 3.5 * rows[r].cv / sqrt(n), "row %zu: mean %g", r, mean);
        cr_assert_float_eq(cv, rows[r].cv, 0.02 * rows[r].cv, "row %zu: cv %g", r, cv);
        double d = ks(gap, a.n, rows[r].cdf);
        cr_assert_lt(d, 1.95, "row %zu: distance %g", r, d);
        free(gap);
        free(a.times);
    }
}

/* The rate stretches the same draws: twice the rate halves every time, and another service, seed
 * or replication is another stream. */
Test(arrivals, request_i_is_a_function_of_draw_i_and_the_rate)
{
    struct traffic_config slow = constant(20, &traffic_knobs_poisson),
                          fast = constant(40, &traffic_knobs_poisson);
    struct all a = fetch(must_load(&slow, SIM_HOUR), 9, 4);
    struct all b = fetch(must_load(&fast, SIM_HOUR), 9, 4);
    for (size_t i = 0; i < 20000; i++) {
        cr_assert(llabs(a.times[i] - 2 * b.times[i]) <= 2);
    }
    struct chance c = chance_stream(9, 0, CHANCE_ARRIVAL, 4);
    double sum = 0;
    for (size_t i = 0; i < 20000; i++) {
        sum += chance_exponential(c, i);
        cr_assert(fabs((double)a.times[i] - sum / 20 * 1e9) <= 1);
    }
    struct all other = fetch(must_load(&slow, SIM_HOUR), 9, 5);
    cr_assert_neq(a.times[0], other.times[0]);
    free(a.times);
    free(b.times);
    free(other.times);
}

/* The same figures must come from every compiler and every x86-64 level. */
Test(arrivals, have_the_recorded_bits)
{
    static const struct {
        const struct knob_option *how;
        size_t n;
        sim_ns first, middle, last;
        uint64_t hash;
    } rows[] = {
        {&traffic_knobs_poisson, 2428453, 85843042, INT64_C(53104842293466),
         INT64_C(107999984244151), UINT64_C(0xb1563766a6aec6c2)},
        {&traffic_knobs_evenly, 2429401, 90881215, INT64_C(53076181818182),
         INT64_C(107999955311779), UINT64_C(0xadf2eb6fa9bd2958)},
        {&traffic_knobs_gamma, 2430900, 1192966, INT64_C(53080482715239), INT64_C(107999946086049),
         UINT64_C(0x2994e51360671b4a)},
        {&traffic_knobs_weibull, 2427932, 64660255, INT64_C(53132700235019),
         INT64_C(107999867039756), UINT64_C(0x30c7b60931718332)},
    };
    struct traffic_renewal renewal = {.cv = 1.5};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct traffic_config c =
            profile("[{\"at\": \"0s\", \"qps\": 10}, {\"at\": \"10m\", \"qps\": 50.5}, {\"at\": "
                    "\"50m\", \"qps\": 20}]",
                    true, rows[r].how);
        c.arrivals.config = &renewal;
        c.growth_per_month = 0.5;
        c.scale = 1.1;
        struct all a = fetch(must_load(&c, 30 * SIM_HOUR), 1, 0);
        uint64_t hash = UINT64_C(14695981039346656037);
        for (size_t i = 0; i < a.n; i++) {
            hash = (hash ^ (uint64_t)a.times[i]) * UINT64_C(1099511628211);
        }
        cr_assert(
            a.n == rows[r].n && a.times[0] == rows[r].first && a.times[a.n / 2] == rows[r].middle &&
                a.times[a.n - 1] == rows[r].last && hash == rows[r].hash,
            "row %zu: %zu, %lld, %lld, %lld, 0x%llx", r, a.n, (long long)a.times[0],
            (long long)a.times[a.n / 2], (long long)a.times[a.n - 1], (unsigned long long)hash);
        free(a.times);
    }
}

Test(arrivals, extreme_burstiness_and_no_traffic_at_all_end)
{
    struct traffic_renewal renewal = {.cv = 20};
    struct traffic_config c = constant(5, &traffic_knobs_gamma);
    c.arrivals.config = &renewal;
    struct all a = fetch(must_load(&c, 10 * SIM_HOUR), 1, 0);
    cr_assert(a.n > 20000);
    free(a.times);
    struct traffic_config none = constant(0, &traffic_knobs_poisson);
    a = fetch(must_load(&none, 365 * SIM_DAY), 1, 0);
    cr_assert_eq(a.n, 0);
    free(a.times);
}

Test(arrivals, of_a_list_come_back_as_they_are)
{
    struct err e = {0};
    sim_ns times[1500], out[1500];
    for (size_t i = 0; i < 1500; i++) {
        times[i] = (sim_ns)(i / 3) * 10;
    }
    struct arrivals *a = arrivals_of_list(times, 1500, &e);
    cr_assert_eq(arrivals_fill(a, 0, out, 1500), 0);
    cr_assert_eq(arrivals_fill(a, 10, out, 1500), 3);
    cr_assert_eq(arrivals_fill(a, 11, out, 1), 1);
    cr_assert_eq(arrivals_fill(a, SIM_NEVER, out, 1500), 1496);
    cr_assert(memcmp(out, times + 4, 1496 * sizeof *out) == 0);
    cr_assert_eq(arrivals_fill(a, SIM_NEVER, out, 1500), 0);
    arrivals_close(a);
    a = arrivals_of_list(NULL, 0, &e);
    cr_assert_eq(arrivals_fill(a, SIM_NEVER, out, 1), 0);
    arrivals_close(a);
    arrivals_close(NULL);
}

Test(arrivals, of_closed_loop_traffic_are_none)
{
    struct err e = {0};
    struct traffic_config c = {.clients = 50, .think_time = dist_constant(1e9)};
    struct traffic *t = must_load(&c, SIM_HOUR);
    struct arrivals *a = arrivals_open(t, 1, 0, 0, &e);
    sim_ns out;
    cr_assert_eq(arrivals_fill(a, SIM_NEVER, &out, 1), 0);
    cr_assert_eq(traffic_clients(t), 50);
    cr_assert_eq(traffic_think_time(t)->mean, 1e9);
    cr_assert(isnan(traffic_qps(t, 0)));
    arrivals_close(a);
}
