/* test_ledger: money by resource, class and billing, exact to the micro-unit. */
#include "models/money/ledger.h"
#include "sim/chance.h"
#include "sim/money.h"
#include "sim/recorder.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

#define S SIM_SECOND
#define H SIM_HOUR

static const char *groups[] = {"pool", "other"};
static struct recorder *recorder;
static struct result result;

static struct ledger *ledger_of(size_t owners)
{
    struct err e = {0};
    struct recorder_config rc = {100 * H, 4, 16, 16, 20000, 64};
    recorder = recorder_create(&rc, &e);
    struct ledger_setup s = {16, owners, 2, groups, "CNY", recorder};
    struct ledger *l = ledger_create(&s, &e);
    cr_assert(recorder && l);
    return l;
}

static struct ledger_item item_of(uint32_t units, int64_t micro_per_hour)
{
    return (struct ledger_item){
        .resource = "pool-0",
        .type = "t",
        .zone = "z",
        .units = units,
        .micro_per_hour = micro_per_hour,
        .billing_step = S,
    };
}

static void finish(struct ledger *l, sim_ns horizon)
{
    ledger_close(l, horizon);
    recorder_close(recorder, &result);
}

static double cost(const char *what)
{
    char path[64];
    snprintf(path, sizeof path, "cost.%s", what);
    const struct figure *f = result_figure(&result, path);
    cr_assert(f, "%s", path);
    return f->value;
}

static void drop(struct ledger *l)
{
    ledger_destroy(l);
    recorder_destroy(recorder);
}

Test(ledger, follows_the_uses_of_each_unit)
{
    struct ledger *l = ledger_of(1);
    struct ledger_item four = item_of(4, 40000000); /* 10 an hour and GPU */
    ledger_open(l, 0, 0, &four);
    /* An hour of boot, then one GPU of four serves for two hours, then the node is empty. */
    ledger_use(l, 0, 1 * H, (uint32_t[]){0, 0, 0, 3, 1});
    ledger_use(l, 0, 3 * H, (uint32_t[]){4, 0, 0, 0, 0});
    ledger_end(l, 0, 4 * H, false);
    finish(l, 10 * H);
    cr_assert_float_eq(cost("total"), 160, 1e-9);
    cr_assert_float_eq(cost("byClass.starting"), 40, 1e-9);
    cr_assert_float_eq(cost("byClass.serving"), 20, 1e-9);
    cr_assert_float_eq(cost("byClass.fragmentation"), 60, 1e-9);
    cr_assert_float_eq(cost("byClass.idle"), 40, 1e-9);
    cr_assert_float_eq(cost("byResource.pool"), 160, 1e-9);
    cr_assert_float_eq(cost("perHour"), 16, 1e-9);
    cr_assert_float_eq(cost("perMonth"), 16 * 730, 1e-6);
    drop(l);
}

Test(ledger, splits_serving_by_what_was_busy)
{
    struct ledger *l = ledger_of(2);
    struct ledger_item one = item_of(1, 26000000);
    ledger_open(l, 0, 0, &one);
    ledger_use(l, 0, 0, (uint32_t[]){0, 0, 0, 0, 1, 0});
    ledger_open(l, 1, 0, &one);
    ledger_use(l, 1, 0, (uint32_t[]){0, 0, 0, 0, 0, 1});
    ledger_busy(l, 0, 1 * H);
    finish(l, 4 * H);
    cr_assert_float_eq(cost("byClass.serving"), 26 + 104, 1e-9, "a quarter of one, all of two");
    cr_assert_float_eq(cost("byClass.idle"), 78, 1e-9);
    drop(l);
}

/* Hourly billing keeps charging what is gone: a node removed at 61 min is paid for 120. */
Test(ledger, rounds_the_last_billing_step_up)
{
    static const struct {
        sim_ns step;
        double total;
    } rows[] = {{S, 26.0 * 3661 / 3600}, {H, 52}, {60 * S, 26.0 * 62 / 60}};
    for (size_t i = 0; i < 3; i++) {
        struct ledger *l = ledger_of(1);
        struct ledger_item one = item_of(1, 26000000);
        one.billing_step = rows[i].step;
        ledger_open(l, 0, 5, &one);
        ledger_end(l, 0, 5 + 3660 * S + S / 2, false);
        finish(l, 10 * H);
        cr_assert_float_eq(cost("total"), rows[i].total, 1e-6, "row %zu: %g", i, cost("total"));
        drop(l);
    }
}

Test(ledger, changes_price_and_keeps_the_premium_apart)
{
    struct ledger *l = ledger_of(1);
    struct ledger_item spot = item_of(1, 1500000);
    spot.billing = PRICE_SPOT;
    ledger_open(l, 0, 0, &spot);
    ledger_price(l, 0, 1 * H, 1800000);
    ledger_price(l, 0, 1 * H + H / 2, 1600000);
    ledger_end(l, 0, 2 * H, false); /* 3.2: the example of the ECS documentation */
    struct ledger_item instead = item_of(1, 26000000);
    instead.premium_micro_per_hour = 18200000;
    instead.group = 1;
    ledger_open(l, 1, 0, &instead);
    ledger_end(l, 1, 1 * H, false);
    finish(l, 10 * H);
    cr_assert_float_eq(cost("byBilling.spot"), 3.2, 1e-9);
    cr_assert_float_eq(cost("byBilling.onDemand"), 26, 1e-9);
    cr_assert_float_eq(cost("byClass.onDemandPremium"), 18.2, 1e-9);
    cr_assert_float_eq(cost("byResource.other"), 26, 1e-9);
    cr_assert_eq(result.n_bills, 4);
    drop(l);
}

Test(ledger, calls_a_node_that_never_held_a_pod_a_duplicate)
{
    struct ledger *l = ledger_of(1);
    struct ledger_item one = item_of(1, 26000000);
    ledger_open(l, 0, 0, &one);
    ledger_use(l, 0, H / 2, (uint32_t[]){1, 0, 0, 0, 0});
    ledger_end(l, 0, 1 * H, true);
    finish(l, 10 * H);
    cr_assert_float_eq(cost("byClass.duplicateScaleUp"), 26, 1e-9);
    cr_assert_float_eq(cost("byClass.idle"), 0, 0);
    drop(l);
}

/* Odd prices and times: nothing may be lost between the parts. The laws are asserted inside; here
 * the bills are added up from the result, as a reader would. */
Test(ledger, adds_up_in_micro_units_whatever_happens)
{
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct ledger *l = ledger_of(3);
        struct chance c = chance_stream(seed, 0, CHANCE_TEST, 0);
        uint64_t k = 0;
        sim_ns now = 0;
        for (uint32_t i = 0; i < 12; i++) {
            uint32_t units = 1 + (uint32_t)chance_below(c, k++, 8);
            struct ledger_item item = item_of(units, (int64_t)chance_below(c, k++, 99999999));
            item.premium_micro_per_hour = item.micro_per_hour / 3;
            item.group = (uint32_t)chance_below(c, k++, 2);
            item.billing = (enum price_billing)chance_below(c, k++, 2);
            ledger_open(l, i, now, &item);
            for (int j = 0; j < 5; j++) {
                now += (sim_ns)chance_below(c, k++, 5 * (uint64_t)H);
                uint32_t uses[LEDGER_USES + 3] = {0};
                for (uint32_t u = 0; u < item.units; u++)
                    uses[chance_below(c, k++, LEDGER_USES + 3)]++;
                ledger_use(l, i, now, uses);
                if (chance_below(c, k++, 2))
                    ledger_price(l, i, now, (int64_t)chance_below(c, k++, 99999999));
            }
            if (chance_below(c, k++, 2))
                ledger_end(l, i, now, chance_below(c, k++, 4) == 0);
        }
        ledger_busy(l, 0, (int64_t)chance_below(c, k++, 10 * (uint64_t)H));
        finish(l, now + 1);
        int64_t sum = 0;
        for (size_t i = 0; i < result.n_bills; i++) {
            const struct result_bill *b = &result.bills[i];
            cr_assert_eq(b->amount_micro, money_for(b->micro_per_hour, b->to - b->from));
            sum += b->amount_micro;
        }
        cr_assert_eq(sum, ledger_total_micro(l), "seed %llu", (unsigned long long)seed);
        cr_assert_float_eq(cost("total"), (double)sum / 1e6, 1e-6);
        drop(l);
    }
}
