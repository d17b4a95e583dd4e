/* test_batch: machines and zones that are lost together, as a pool's own arithmetic draws them. */
#include "models/capacity/batch.h"
#include "models/capacity/catalog.h"
#include "models/capacity/group.h"
#include "models/capacity/nodes.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#define HORIZON (8 * SIM_DAY)

/* A pool of one type in two zones of one region. */
static const char *types[] = {"one"}, *zones[] = {"h", "i"};
static struct instance_type machines[] = {{.name = "one",
                                           .gpu = "V100",
                                           .gpus = 1,
                                           .vcpu = 8,
                                           .memory = INT64_C(32) << 30,
                                           .kubernetes_node = true}};
static struct price prices[] = {
    {.type = "one", .billing = PRICE_ON_DEMAND, .per_hour = {26000000, "CNY"}}};
static struct spot_hazard steep[] = {{0, .93}, {SIM_HOUR, .285}, {4 * SIM_HOUR, .077}};
static struct spot_hazard flat[] = {{0, .384}};
static struct spot_preset market[1];
static struct catalog_part part = {
    .instances = {machines, 1}, .prices = {prices, 1}, .spots = {market, 1}};
static const struct catalog catalog = {&part, 1};
static struct pool_config pool;

static void set_market(struct spot_hazard *hazards, size_t n)
{
    market[0] = (struct spot_preset){
        .name = "m",
        .hazards = {hazards, n},
        .check = 5 * SIM_MINUTE,
        .price_share = 0.3,
        .price_low = 0.1,
        .price_high = 1,
        .batch_all = 0.4,
        .batch_few = 0.1,
    };
    pool = (struct pool_config){.name = "p",
                                .region = "r",
                                .zones = {zones, 2},
                                .instance_types = {types, 1},
                                .spot_market = "m",
                                .spot_strategy = POOL_AS_PRICE_GOES,
                                .boot = dist_constant(1e9)};
}

static struct group play(uint64_t seed)
{
    struct group g;
    struct err e = {0};
    struct group_setup s = {
        .config = &pool, .catalog = &catalog, .currency = "CNY", .horizon = HORIZON, .seed = seed};
    cr_assert_eq(group_init(&g, &s, &e), 0, "%s: %s", e.where, e.msg);
    return g;
}

static struct group_end end_of(const struct group *g, uint32_t number, uint32_t zone)
{
    struct node n = {.billing = PRICE_SPOT, .number = number, .zone = zone, .bought = 0};
    return group_loss(g, &n, HORIZON);
}

static int by_time(const void *a, const void *b)
{
    sim_ns x = *(const sim_ns *)a, y = *(const sim_ns *)b;
    return x < y ? -1 : x > y;
}

/* Cumulative hazard of `steep` by hand. */
static double cumulative(double h)
{
    return .93 * fmin(h, 1) + .285 * fmax(0, fmin(h, 4) - 1) + .077 * fmax(0, h - 4);
}

/* Kolmogorov-Smirnov at 1 %, one machine a seed, whatever share of its losses comes in batches. */
Test(batch, leaves_each_machine_the_hazards_of_its_table)
{
    enum { N = 3000 };
    static const struct {
        double share, all, few;
    } rows[] = {{0.5, 0.4, 0.1}, {1, 1, 0.1}, {1, 0, 0.3}};
    static sim_ns loss[N];
    set_market(steep, 3);
    for (size_t r = 0; r < 3; r++) {
        market[0].batch_share = rows[r].share;
        market[0].batch_all = rows[r].all;
        market[0].batch_few = rows[r].few;
        for (uint64_t seed = 0; seed < N; seed++) {
            struct group g = play(seed + 100000 * r);
            loss[seed] = end_of(&g, 0, 0).at;
            group_fini(&g);
        }
        qsort(loss, N, sizeof *loss, by_time);
        double worst = 0;
        size_t i = 0;
        for (sim_ns t = 5 * SIM_MINUTE; t < HORIZON; t += 5 * SIM_MINUTE) {
            while (i < N && loss[i] <= t)
                i++;
            double want = 1 - exp(-cumulative((double)t / (double)SIM_HOUR));
            worst = fmax(worst, fabs((double)i / N - want));
        }
        cr_assert_lt(worst, 1.628 / sqrt(N), "row %zu: distance %g", r, worst);
    }
}

/* The first event that takes one of sixteen alike, over many seeds: how many it takes. Its kinds
 * come at these rates, by hand: single losses 16 (1 - b) h; batches b h / E with E = a + (1 - a) f,
 * of which the share a takes all. Means and shares lie within three standard errors. */
Test(batch, takes_mostly_few_or_all)
{
    enum { MACHINES = 16, N = 3000 };
    double b = 0.95, a = 0.49, f = 0.1, e = a + (1 - a) * f;
    double some = 1 - pow(1 - f, MACHINES);
    double singles = MACHINES * (1 - b), whole = a * b / e, few = (1 - a) * b / e * some;
    double share = whole / (singles + whole + few);
    double mean = MACHINES / (singles + whole + few);
    set_market(flat, 1);
    market[0].batch_share = b;
    market[0].batch_all = a;
    market[0].batch_few = f;
    size_t sizes[MACHINES + 1] = {0};
    for (uint64_t seed = 0; seed < N; seed++) {
        struct group g = play(seed);
        sim_ns at[MACHINES], first = SIM_NEVER;
        size_t taken = 0;
        for (uint32_t m = 0; m < MACHINES; m++) {
            at[m] = end_of(&g, m, 0).at;
            first = at[m] < first ? at[m] : first;
        }
        for (size_t m = 0; m < MACHINES; m++)
            taken += at[m] == first;
        sizes[taken]++;
        group_fini(&g);
    }
    double sum = 0, squares = 0;
    for (size_t k = 0; k <= MACHINES; k++) {
        sum += (double)(k * sizes[k]);
        squares += (double)(k * k * sizes[k]);
    }
    double got = sum / N, error = sqrt((squares / N - got * got) / N);
    /* Two single losses at one check, or a batch of few that is all, are rare. */
    cr_assert_float_eq(got, mean, 3 * error + 0.1, "%g machines instead of %g", got, mean);
    double all = (double)sizes[MACHINES] / N;
    cr_assert_float_eq(all, share, 3 * sqrt(share * (1 - share) / N), "%g instead of %g", all,
                       share);
    cr_assert_float_eq(mean, 6.7, 0.1, "as the machines of us-east-2b");
    cr_assert_lt(sizes[8], sizes[1] / 10, "few or all, not half");
}

/* Of the batches that end a machine in one zone the share zoneCorrelation ends one in the other at
 * the same moment: a 99 % interval over many seeds. */
Test(batch, ties_zones_of_a_region_as_told)
{
    enum { N = 3000 };
    static const double targets[] = {0, 0.225, 0.367, 1};
    set_market(flat, 1);
    market[0].batch_share = 1;
    market[0].batch_all = 1;
    for (size_t r = 0; r < 4; r++) {
        size_t ends = 0, both = 0;
        market[0].zone_correlation = targets[r];
        for (uint64_t seed = 0; seed < N; seed++) {
            struct group g = play(seed);
            sim_ns h = end_of(&g, 0, 0).at, i = end_of(&g, 1, 1).at;
            ends += h <= i; /* the other is there until then */
            both += h == i;
            group_fini(&g);
        }
        double p = targets[r], got = (double)both / (double)ends;
        cr_assert_float_eq(got, p, 2.576 * sqrt(p * (1 - p) / (double)ends) + 1e-12,
                           "%g instead of %g", got, p);
    }
}

Test(batch, spares_protected_machines)
{
    set_market(flat, 1);
    market[0].batch_share = 1;
    market[0].protection = 6 * SIM_HOUR;
    pool.spot_duration_h = 6;
    for (uint64_t seed = 0; seed < 500; seed++) {
        struct group g = play(seed);
        cr_assert_geq(end_of(&g, 0, 0).at, 6 * SIM_HOUR);
        group_fini(&g);
    }
}

/* All that go with one batch wait for the same stock. */
Test(batch, closes_the_zone_once_for_all_that_it_takes)
{
    set_market(flat, 1);
    market[0].batch_share = 1;
    market[0].batch_all = 1;
    market[0].stock_out_share = 1;
    market[0].stock_out = (struct dist){.kind = DIST_EXPONENTIAL, .mean = 3600e9};
    struct group g = play(1);
    struct node a = {.billing = PRICE_SPOT, .number = 0}, b = {.billing = PRICE_SPOT, .number = 1};
    a.batch = group_loss(&g, &a, HORIZON).batch;
    b.batch = group_loss(&g, &b, HORIZON).batch;
    cr_assert(a.batch > 0 && a.batch == b.batch);
    sim_ns first = group_stock_after_loss(&g, &a, SIM_HOUR);
    cr_assert_gt(first, 0);
    cr_assert_eq(group_stock_after_loss(&g, &b, SIM_HOUR), first);
    group_fini(&g);
}
