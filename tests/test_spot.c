/* test_spot: hazards, protection, prices and stock of a spot market. */
#include "models/capacity/spot.h"
#include "models/money/price.h"
#include "sim/money.h"

#include <criterion/criterion.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

static struct spot_hazard medium_rows[] = {
    {0, .93},
    {15 * SIM_MINUTE, .77},
    {30 * SIM_MINUTE, .49},
    {SIM_HOUR, .285},
    {2 * SIM_HOUR, .198},
    {4 * SIM_HOUR, .077},
    {8 * SIM_HOUR, .102},
    {16 * SIM_HOUR, .113},
    {24 * SIM_HOUR, .043},
    {48 * SIM_HOUR, .028},
};

static struct spot_preset medium(void)
{
    return (struct spot_preset){
        .name = "medium",
        .hazards = {medium_rows, sizeof medium_rows / sizeof medium_rows[0]},
        .check = 5 * SIM_MINUTE,
        .price_share = 0.3,
        .price_low = 0.1,
        .price_high = 1,
    };
}

static struct spot_terms terms_of(uint64_t machine, sim_ns protection)
{
    return (struct spot_terms){
        .protection = protection,
        .share = 1,
        .chance = chance_stream(7, 0, CHANCE_TEST, machine),
    };
}

Test(spot, looks_a_rate_up_by_age)
{
    struct spot_preset p = medium();
    cr_assert_float_eq(spot_hazard_at(&p, 0), .93, 0);
    cr_assert_float_eq(spot_hazard_at(&p, SIM_HOUR - 1), .49, 0);
    cr_assert_float_eq(spot_hazard_at(&p, SIM_HOUR), .285, 0);
    cr_assert_float_eq(spot_hazard_at(&p, 1000 * SIM_HOUR), .028, 0);
}

Test(spot, loses_nothing_in_the_protected_hour_and_then_only_at_checks)
{
    struct spot_preset p = medium();
    struct spot_hazard harsh = {0, 500};
    p.hazards = (struct knob_list){&harsh, 1};
    sim_ns bought = 12345;
    for (uint64_t m = 0; m < 1000; m++) {
        struct spot_terms t = terms_of(m, SIM_HOUR);
        sim_ns at = spot_loss_at(&p, &t, bought, SIM_DAY);
        cr_assert_eq(at, bought + SIM_HOUR + p.check, "p = 1 - exp(-500/12) is 1");
    }
    p = medium();
    for (uint64_t m = 0; m < 1000; m++) {
        struct spot_terms t = terms_of(m, SIM_HOUR);
        sim_ns at = spot_loss_at(&p, &t, bought, SIM_DAY);
        if (at == SIM_NEVER)
            continue;
        cr_assert_geq(at, bought + SIM_HOUR + p.check);
        cr_assert_eq((at - bought) % p.check, 0);
    }
}

static int by_time(const void *a, const void *b)
{
    sim_ns x = *(const sim_ns *)a, y = *(const sim_ns *)b;
    return x < y ? -1 : x > y;
}

/* Survival to a check: the product of exp(-h/12) over the checks before it, with h from the
 * table: an independent sum with libm. */
static double survival(const struct spot_preset *p, sim_ns protection, sim_ns age)
{
    double sum = 0;
    for (sim_ns t = protection + p->check; t <= age; t += p->check)
        sum += spot_hazard_at(p, t - p->check / 2) * (double)p->check / (double)SIM_HOUR;
    return exp(-sum);
}

static double distance(const struct spot_preset *p, sim_ns protection, const sim_ns *loss, size_t n,
                       sim_ns until)
{
    double worst = 0;
    size_t i = 0;
    for (sim_ns t = protection + p->check; t < until; t += p->check) {
        while (i < n && loss[i] <= t)
            i++;
        double d = fabs((double)i / (double)n - (1 - survival(p, protection, t)));
        worst = d > worst ? d : worst;
    }
    return worst;
}

/* Kolmogorov-Smirnov at 1 %: 1.628 / sqrt(n). */
Test(spot, loses_machines_as_fast_as_its_table_says)
{
    enum { N = 20000 };
    static sim_ns loss[N];
    struct spot_preset p = medium();
    static const sim_ns protections[] = {0, SIM_HOUR};
    for (size_t k = 0; k < 2; k++) {
        for (uint64_t m = 0; m < N; m++) {
            struct spot_terms t = terms_of(m + k * N, protections[k]);
            loss[m] = spot_loss_at(&p, &t, 0, 30 * SIM_DAY);
        }
        qsort(loss, N, sizeof *loss, by_time);
        double d = distance(&p, protections[k], loss, N, 30 * SIM_DAY);
        cr_assert_lt(d, 1.628 / sqrt(N), "protection %zu h: distance %g", k, d);
    }
}

/* The pooled fit of the probes: shape 0.595, scale 1.745 h. At the checks it is the Weibull itself.
 */
Test(spot, loses_machines_by_a_weibull_of_decreasing_hazard)
{
    enum { N = 20000 };
    static sim_ns loss[N];
    struct spot_preset p = medium();
    struct err e = {0};
    p.hazards = (struct knob_list){NULL, 0};
    cr_assert_eq(dist_shape(&p.lifetime, DIST_WEIBULL, 0.595, 1.745 * 3600e9, &e), 0);
    for (uint64_t m = 0; m < N; m++) {
        struct spot_terms t = terms_of(m, SIM_HOUR);
        loss[m] = spot_loss_at(&p, &t, 0, 30 * SIM_DAY);
    }
    qsort(loss, N, sizeof *loss, by_time);
    double worst = 0, spared = gsl_cdf_weibull_Q(1, 1.745, 0.595);
    size_t i = 0;
    for (sim_ns t = SIM_HOUR + p.check; t < 30 * SIM_DAY; t += p.check) {
        while (i < N && loss[i] <= t)
            i++;
        double age = (double)t / (double)SIM_HOUR;
        double want = 1 - gsl_cdf_weibull_Q(age, 1.745, 0.595) / spared;
        worst = fmax(worst, fabs((double)i / N - want));
    }
    cr_assert_lt(worst, 1.628 / sqrt(N), "distance %g", worst);
    cr_assert_eq(spot_highest_hazard(&p), spot_hazard_at(&p, 0));
    cr_assert_gt(spot_hazard_at(&p, 0), spot_hazard_at(&p, SIM_HOUR));
}

/* Created 08:00; market 1.5, 2.5 at 08:30, 1.8 at 09:00, 1.6 at 09:30, 3 at 10:00; bid 2. Charged
 * so far: 0.75, 1.5, 2.4, 3.2, and released at 10:00 (ECS documentation, 2021-07-19). The 2.5
 * changes nothing: the first hour is protected, in its price too. */
Test(spot, bills_and_releases_as_the_ecs_example)
{
    static const int64_t prices[] = {150000, 250000, 180000, 160000, 300000};
    static const int64_t want[] = {750000, 1500000, 2400000, 3200000};
    struct spot_preset p = medium();
    struct spot_hazard none = {0, 0};
    p.hazards = (struct knob_list){&none, 1};
    p.price_step = 30 * SIM_MINUTE;
    struct spot_terms t = terms_of(1, SIM_HOUR);
    t.bid = (struct spot_bid){{prices, 5, NULL, p.price_step}, 10000000, 2000000};
    sim_ns released = spot_loss_at(&p, &t, 0, SIM_DAY);
    cr_assert_eq(released, 2 * SIM_HOUR);
    int64_t charged = 0;
    for (size_t i = 0; i < 4; i++) {
        sim_ns from = (sim_ns)i * p.price_step;
        sim_ns priced = from < SIM_HOUR ? 0 : from;
        charged += money_for(spot_price_at(&t.bid, priced), p.price_step);
        cr_assert_eq(charged, want[i], "half hour %zu: %lld", i, (long long)charged);
    }
}

Test(spot, keeps_its_price_in_its_range_and_near_its_mean)
{
    enum { N = 20000 };
    static int64_t price[N];
    struct spot_preset p = medium();
    p.price_reversion = 0.1;
    p.price_deviation = 0.02;
    p.price_low = 0.2;
    p.price_high = 0.4;
    spot_prices(&p, chance_stream(7, 0, CHANCE_TEST, 1), price, N);
    double sum = 0;
    int moved = 0;
    for (size_t i = 0; i < N; i++) {
        cr_assert(price[i] >= 200000 && price[i] <= 400000, "%lld", (long long)price[i]);
        sum += (double)price[i];
        moved += i > 0 && price[i] != price[i - 1];
    }
    cr_assert_float_eq(sum / N, 300000, 5000);
    cr_assert_gt(moved, N / 2);
    p.price_deviation = 0;
    spot_prices(&p, chance_stream(7, 0, CHANCE_TEST, 1), price, 100);
    for (size_t i = 0; i < 100; i++)
        cr_assert_eq(price[i], 300000);
}

Test(spot, runs_out_of_stock_after_the_stated_share_of_losses)
{
    struct spot_preset p = medium();
    p.stock_out_share = 0.4;
    p.stock_out = dist_constant(7200e9);
    int out = 0;
    for (uint64_t i = 0; i < 10000; i++) {
        sim_ns t = spot_stock_out(&p, chance_stream(7, 0, CHANCE_TEST, i));
        cr_assert(t == 0 || t == 2 * SIM_HOUR);
        out += t > 0;
    }
    cr_assert(out > 3800 && out < 4200, "%d", out);
}
