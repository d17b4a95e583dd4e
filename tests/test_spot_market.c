/* test_spot_market: losses, stock and availability in whole runs. */
#include "tests/fixture_scenario.h"
#include "tests/shared_data.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_NODES 20000
#define WINDOW (2 * SIM_DAY)

static sim_ns bought[MOST_NODES], gone[MOST_NODES];

static size_t number_of(const char *subject)
{
    const char *dash = strrchr(subject, '-');
    size_t n = dash ? (size_t)strtoul(dash + 1, NULL, 10) : MOST_NODES;
    cr_assert_lt(n, (size_t)MOST_NODES, "%s", subject);
    return n;
}

/* Times of purchase and notice of each node, from the log. The number of nodes. */
static size_t read_lives(const struct fixture_scenario *p)
{
    size_t n = 0;
    for (size_t i = 0; i < MOST_NODES; i++)
        bought[i] = gone[i] = SIM_NEVER;
    for (size_t i = 0; i < p->r->n_entries; i++) {
        const struct result_entry *entry = &p->r->entries[i];
        if (strcmp(entry->what, "bought") == 0 ||
            strcmp(entry->what, "there from the start") == 0) {
            size_t k = number_of(entry->subject);
            bought[k] = entry->at;
            n = k + 1 > n ? k + 1 : n;
        }
        if (strcmp(entry->what, "spot notice") == 0)
            gone[number_of(entry->subject)] = entry->at;
    }
    return n;
}

static int by_time(const void *a, const void *b)
{
    sim_ns x = *(const sim_ns *)a, y = *(const sim_ns *)b;
    return x < y ? -1 : x > y;
}

/* Cumulative hazard of the market `wear`, the table of `medium`, from the protection on. */
static double cumulative(double from, double to)
{
    static const double age[] = {0, .25, .5, 1, 2, 4, 8, 16, 24, 48};
    static const double rate[] = {.93, .77, .49, .285, .198, .077, .102, .113, .043, .028};
    double sum = 0;
    for (size_t i = 0; i < 10; i++) {
        double end = i < 9 ? age[i + 1] : 1e9;
        double low = fmax(from, age[i]), high = fmin(to, end);
        sum += high > low ? rate[i] * (high - low) : 0;
    }
    return sum;
}

/* A run of sixty machines over three weeks: thousands of lives, each seen for at least two days.
 * Kolmogorov-Smirnov at 1 %, without and with a protected hour. */
Test(spot_market, loses_the_nodes_of_a_run_as_its_table_says)
{
    static const char *const protections[] = {"nodePools.cheap.spotDuration=0",
                                              "nodePools.cheap.spotDuration=1"};
    for (size_t h = 0; h < 2; h++) {
        struct fixture_scenario p =
            PLAY("spot-stock", protections[h], "horizon=21d", "nodePools.cheap.spotMarket=wear",
                 "nodePools.cheap.spotAvailabilityTraces=[]", "nodePools.cheap.minSize=60",
                 "nodePools.cheap.maxSize=60", "limits.logEntries=1000000");
        size_t n = read_lives(&p), lives = 0, i = 0;
        static sim_ns life[MOST_NODES];
        for (size_t k = 0; k < n; k++)
            if (bought[k] < 21 * SIM_DAY - WINDOW)
                life[lives++] = gone[k] == SIM_NEVER ? SIM_NEVER : gone[k] - bought[k];
        fixture_stop(&p);
        cr_assert_gt(lives, 2000, "%zu", lives);
        qsort(life, lives, sizeof *life, by_time);
        double worst = 0;
        for (sim_ns t = 5 * SIM_MINUTE; t <= WINDOW; t += 5 * SIM_MINUTE) {
            while (i < lives && life[i] <= t)
                i++;
            double want = 1 - exp(-cumulative((double)h, (double)t / (double)SIM_HOUR));
            worst = fmax(worst, fabs((double)i / (double)lives - want));
        }
        cr_assert_lt(worst, 1.628 / sqrt((double)lives), "%zu lives, %zu h protected: %g", lives, h,
                     worst);
    }
}

static size_t notices(const struct fixture_scenario *p, sim_ns at)
{
    size_t n = 0;
    for (size_t i = 0; i < p->r->n_entries; i++)
        n += p->r->entries[i].at == at && strcmp(p->r->entries[i].what, "spot notice") == 0;
    return n;
}

/* Room for 16 (no limit), 3 from 2 h on, none at 3 h, no limit again from 3.5 h, 2 from 4.5 h on;
 * eight machines from the start, protected for an hour. */
Test(spot_market, takes_what_is_beyond_a_recorded_stock)
{
    struct fixture_scenario p = PLAY("spot-stock", "seed=3");
    cr_assert_eq(notices(&p, 2 * SIM_HOUR), 5);
    cr_assert_eq(notices(&p, 3 * SIM_HOUR), 3);
    cr_assert(fixture_line(&p, "cheap", "short of stock",
                           "zone cn-hangzhou-h has room for 3 spot nodes, 8 are there; 5", 0));
    cr_assert(fixture_line(&p, "cheap", "no node", "spot is out of stock", 2 * SIM_HOUR));
    const struct result_entry *again = fixture_line(&p, NULL, "bought", NULL, 2 * SIM_HOUR);
    cr_assert(again && again->at >= 3 * SIM_HOUR + 30 * SIM_MINUTE &&
                  again->at <= 3 * SIM_HOUR + 35 * SIM_MINUTE,
              "the pool fills up at its next try once there is stock");
    /* Bought at most five minutes after 3.5 h, so protected at 4.5 h: the six beyond the two go at
     * the first check after their hour. */
    cr_assert_eq(notices(&p, 4 * SIM_HOUR + 30 * SIM_MINUTE) +
                     notices(&p, 4 * SIM_HOUR + 35 * SIM_MINUTE),
                 6);
    cr_assert_float_eq(fixture_value(&p, "nodes.preemptions"), 14, 0);
    fixture_stop(&p);
}

/* Protected for two hours, those that were bought at 3.5 h stay on at 4.5 h, beyond the stock. */
Test(spot_market, keeps_protected_machines_beyond_the_stock)
{
    struct fixture_scenario p = PLAY("spot-stock", "nodePools.cheap.spotDuration=2");
    cr_assert_eq(notices(&p, 2 * SIM_HOUR), 5);
    const struct result_entry *next =
        fixture_line(&p, NULL, "spot notice", NULL, 3 * SIM_HOUR + SIM_SECOND);
    cr_assert(next && next->at >= 5 * SIM_HOUR + 30 * SIM_MINUTE &&
              next->at <= 5 * SIM_HOUR + 40 * SIM_MINUTE);
    cr_assert_eq(notices(&p, next->at), 6);
    fixture_stop(&p);
}

Test(spot_market, goes_on_demand_while_the_recorded_stock_is_out)
{
    struct fixture_scenario p = PLAY("spot-stock", "nodePools.cheap.compensateWithOnDemand=true");
    const struct result_entry *line =
        fixture_line(&p, NULL, "bought", "onDemand in place of spot: spot is out of stock", 0);
    cr_assert(line && line->at >= 2 * SIM_HOUR + 300 * SIM_SECOND);
    fixture_stop(&p);
}

/* Zones whose stock comes and goes: whole zones go at once, and two zones of a region together more
 * often when they are tied. */
Test(spot_market, loses_whole_zones_when_their_stock_ends)
{
    struct fixture_scenario p =
        PLAY("spot-stock", "horizon=7d", "nodePools.cheap.spotMarket=stockScarce",
             "nodePools.cheap.spotAvailabilityTraces=[]", "limits.logEntries=100000");
    size_t moments = 0, whole = 0;
    for (size_t i = 0; i < p.r->n_entries; i++) {
        const struct result_entry *entry = &p.r->entries[i];
        if (strcmp(entry->what, "short of stock") == 0) {
            moments++;
            whole += strstr(entry->reason, "has room for 0 spot nodes") != NULL;
        }
    }
    cr_assert_gt(moments, 10);
    cr_assert_eq(whole, moments);
    fixture_stop(&p);
}

/* Sixteen machines for three weeks under bulkMedium: losses of few and of all, hardly of half. */
Test(spot_market, loses_the_nodes_of_a_run_in_batches_of_few_or_all)
{
    struct fixture_scenario p =
        PLAY("spot-stock", "horizon=21d", "nodePools.cheap.spotMarket=bulkMedium",
             "nodePools.cheap.spotAvailabilityTraces=[]", "nodePools.cheap.minSize=16",
             "nodePools.cheap.maxSize=16", "limits.logEntries=1000000");
    size_t sizes[17] = {0};
    sim_ns last = -1;
    for (size_t i = 0; i < p.r->n_entries; i++) {
        const struct result_entry *entry = &p.r->entries[i];
        if (strcmp(entry->what, "spot notice") != 0 || entry->at == last)
            continue;
        last = entry->at;
        sizes[notices(&p, last)]++;
    }
    size_t few = sizes[1] + sizes[2] + sizes[3], half = sizes[7] + sizes[8] + sizes[9];
    cr_assert_gt(few, 20, "%zu", few);
    cr_assert_gt(sizes[16], 20, "%zu", sizes[16]);
    cr_assert_lt(half, few / 4, "%zu", half);
    cr_assert(fixture_line(&p, NULL, "spot notice", "with others of its zone", 0));
    fixture_stop(&p);
}

/* The recorded counts of us-east-2b over sixteen probes, replayed on a pool of sixteen. The trace
 * itself loses 910 machines in 136 steps; the pool holds no more than what it could buy back. */
Test(spot_market, replays_a_recorded_zone)
{
    static const char name[] =
        "data/nolicence-spot-skypilot/availability/16-node/aws-08-27-2023/us-east-2b_v100_1.json";
    char path[512], set[700];

    if (!shared_data_path(path, sizeof path, name))
        return;
    snprintf(set, sizeof set, "nodePools.cheap.spotAvailabilityTraces=[{\"file\": \"%s\"}]", path);
    struct fixture_scenario p =
        PLAY("spot-stock", set, "horizon=11d", "nodePools.cheap.minSize=16",
             "nodePools.cheap.maxSize=16", "nodePools.cheap.spotDuration=0");
    double lost = fixture_value(&p, "nodes.preemptions");
    cr_assert(lost > 700 && lost <= 910, "%g", lost);
    double hours = fixture_value(&p, "nodes.hours.spot");
    cr_assert(hours > 8 * 264 && hours < 9.5 * 264, "mean of the trace: 8.8 machines; %g",
              hours / 264);
    fixture_stop(&p);
}

#define ROWS "catalog=[\"spot-rows.catalog.json\"]"
#define ON_ECI "virtualNode={\"burstResource\":\"eci_only\"}"
#define SPOT_ECI                                                                                   \
    "virtualNode={\"burstResource\":\"eci_only\",\"spotStrategy\":\"SpotAsPriceGo\","              \
    "\"spotMarket\":\"calm\"}"
#define LIKE_V100 "services.bert.pod={\"cpu\":\"4\",\"memory\":\"20Gi\"}"

/* Price rows by billing go before what the market or the machine of the size would cost: calm asks
 * 0.3 of 26 CNY, which is 7.8. */
Test(spot_market, price_rows_are_what_is_paid)
{
    static const struct {
        const char *rows, *node, *strategy;
        int64_t micro;
    } rows[] = {
        {"seed=1", "seed=1", "nodePools.elastic.onDemandPercentageAboveBaseCapacity=0", 7800000},
        {ROWS, "seed=1", "nodePools.elastic.onDemandPercentageAboveBaseCapacity=0", 3100000},
        {ROWS, "seed=1", "nodePools.elastic.onDemandPercentageAboveBaseCapacity=100", 26000000},
        {"seed=1", ON_ECI, "seed=1", 26000000},
        {ROWS, ON_ECI, "seed=1", 5000000},
        {"seed=1", SPOT_ECI, "seed=1", 7800000},
        {ROWS, SPOT_ECI, "seed=1", 1000000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture_scenario p =
            PLAY("users-pool", rows[i].rows, rows[i].node, rows[i].strategy, LIKE_V100,
                 "nodePools.elastic.initialSize=0", "services.bert.initialReplicas=0",
                 "services.bert.autoscaler={\"fixed\":1}", "robustness=0");
        cr_assert_gt(p.r->n_bills, 0, "row %zu", i);
        cr_expect_eq(p.r->bills[0].micro_per_hour, rows[i].micro, "row %zu: %lld", i,
                     (long long)p.r->bills[0].micro_per_hour);
        fixture_stop(&p);
    }
}

/* A market that moves does so around what the row states. */
Test(spot_market, moving_prices_move_around_the_row)
{
    struct fixture_scenario p = PLAY(
        "users-pool", ROWS, "nodePools.elastic.spotMarket=moving", "horizon=48h",
        "nodePools.elastic.onDemandPercentageAboveBaseCapacity=0", "nodePools.elastic.minSize=1",
        "services.bert.autoscaler={\"fixed\":1}", "robustness=0");
    double low = 1e18, high = 0;
    for (size_t i = 0; i < p.r->n_bills; i++) {
        double micro = (double)p.r->bills[i].micro_per_hour;
        low = micro < low ? micro : low;
        high = micro > high ? micro : high;
    }
    cr_expect(low >= 1e6 && high <= 3.1e6 / 0.3 * 1.01, "%g..%g", low, high);
    cr_expect(high > low, "it never moves");
    fixture_stop(&p);
}
