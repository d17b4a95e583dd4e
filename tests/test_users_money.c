/* test_users_money: what people in this job ask of money, as whole runs (USERS 40, 41, 42). */
#include "reports/page.h"
#include "sim/money.h"
#include "sim/text.h"
#include "tests/fixture_scenario.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static int64_t micro(double units)
{
    return (int64_t)llround(units * 1e6);
}

static int64_t sum_below(const struct result *r, const char *head)
{
    int64_t sum = 0;
    for (size_t i = 0; i < r->n_figures; i++)
        if (strncmp(r->figures[i].path, head, strlen(head)) == 0)
            sum += micro(r->figures[i].value);
    return sum;
}

/* 40: the total is the sum of pools, of classes and of the bills, and no saving exceeds it. */
Test(users_money, adds_up_over_pools_classes_and_bills)
{
    struct fixture_scenario p =
        PLAY("robust", "replications=1", "horizon=12h", "nodePools.p.spotMarket=scarce",
             "nodePools.p.onDemandPercentageAboveBaseCapacity=30",
             "nodePools.p.compensateWithOnDemand=true", "services.a.autoscaler.fixed=3");
    int64_t total = micro(fixture_value(&p, "cost.total")), bills = 0;
    for (size_t i = 0; i < p.r->n_bills; i++)
        bills += money_for(p.r->bills[i].micro_per_hour, p.r->bills[i].to - p.r->bills[i].from);
    cr_assert_gt(total, 0);
    cr_assert_eq(bills, total);
    cr_assert_eq(sum_below(p.r, "cost.byResource."), total);
    cr_assert_eq(sum_below(p.r, "cost.byClass."), total);
    cr_assert_eq(sum_below(p.r, "cost.byBilling."), total);
    double savable = fixture_value(&p, "cost.savable");
    cr_assert(savable >= 0 && micro(savable) <= total);
    cr_assert_float_eq(
        savable, fixture_value(&p, "cost.total") - fixture_value(&p, "cost.baselines.clairvoyant"),
        1e-6);
    fixture_stop(&p);
}

/* 41: machines and prices of one's own are two rows of a file. Two nodes at 7.2 CNY for 10 h. */
Test(users_money, takes_instances_and_prices_of_a_users_own_file)
{
    struct fixture_scenario p = PLAY("users-own", "seed=1");
    cr_assert_float_eq(fixture_value(&p, "cost.total"), 2 * 7.2 * 10, 1e-9);
    cr_assert_float_eq(fixture_value(&p, "cost.perMonth"), 2 * 7.2 * 730, 1e-6);
    cr_assert_str_eq(p.r->bills[0].type, "acme.gpu1");
    cr_assert(p.r->holds, "%s", p.r->verdict);
    fixture_stop(&p);
}

/* What nobody sells by a document is named: the subscription is half of on demand, assumed. */
Test(users_money, lists_the_prices_that_the_answer_rests_on)
{
    struct fixture_scenario p = PLAY("robust", "replications=1");
    const struct result_assumption *half = NULL, *list = NULL;
    for (size_t i = 0; i < p.r->n_assumptions; i++) {
        const struct result_assumption *a = &p.r->assumptions[i];
        half = strcmp(a->path, "prices.ecs.gn6v-c8g1.2xlarge.subscription") == 0 ? a : half;
        list = strcmp(a->path, "prices.ecs.gn6v-c8g1.2xlarge.onDemand") == 0 ? a : list;
    }
    cr_assert(half && list);
    cr_assert_str_eq(half->quality, "assumed");
    cr_assert_str_eq(half->value, "13 CNY an hour");
    cr_assert(strstr(half->source, "half of the on-demand price"), "%s", half->source);
    cr_assert_str_eq(list->quality, "third-party");
    fixture_stop(&p);
}

/* 42: the page has the cost of an hour and of a thousand requests: 14.40 CNY, and 14.4 CNY for
 * 36,000 requests. */
Test(users_money, shows_cost_an_hour_and_a_thousand_requests_on_the_page)
{
    struct fixture_scenario p = PLAY("users-own", "seed=1");
    struct text page = {0};
    struct err e = {0};
    cr_assert_float_eq(fixture_value(&p, "cost.perHour"), 14.4, 1e-9);
    cr_assert_float_eq(fixture_value(&p, "cost.per1k"), 0.4, 1e-3);
    cr_assert_eq(page_html(p.r, &page, &e), 0);
    cr_assert(strstr(page.s, "14.40\xC2\xA0"
                             "CNY an hour"));
    cr_assert(strstr(page.s, "0.4\xC2\xA0"
                             "CNY for a thousand requests"));
    text_fini(&page);
    fixture_stop(&p);
}

/* What nothing is promised about does not hold: no SLO, or no request in any window. */
Test(users_money, does_not_call_holding_what_was_not_judged)
{
    struct fixture_scenario none = PLAY("users-own", "services.a.slo=null");
    cr_assert(!none.r->judged && !none.r->holds);
    cr_assert(strstr(none.r->verdict, "no SLO is set"), "%s", none.r->verdict);
    fixture_stop(&none);
    struct fixture_scenario silent = PLAY("users-own", "services.a.traffic.qps=0");
    cr_assert(!silent.r->judged && !silent.r->holds);
    cr_assert(strstr(silent.r->verdict, "cannot be judged"), "%s", silent.r->verdict);
    cr_assert(fixture_finding(&silent, "windows-without-requests"));
    fixture_stop(&silent);
}

/* A price in USD counts in a scenario in CNY only by a rate: 2 x 2.2 x 7 x 10. */
Test(users_money, uses_prices_of_another_currency_by_a_rate_alone)
{
    struct fixture_scenario p = PLAY("robust", "replications=1", "horizon=10h",
                                     "nodePools.p.instanceTypes=[\"p3.2xlarge\"]",
                                     "exchangeRates.USD=\"7\"", "budget=null");
    cr_assert_float_eq(fixture_value(&p, "cost.total"), 2 * 3.06 * 7 * 10, 1e-4);
    cr_assert_str_eq(p.r->bills[0].currency, "CNY");
    fixture_stop(&p);
}

/* A run on container instances alone has its yardsticks too. */
Test(users_money, compares_container_instances_with_machines)
{
    struct fixture_scenario p =
        PLAY("robust", "replications=1", "horizon=10h", "nodePools=null", "clusterAutoscaler=null",
             "virtualNode.burstResource=eci_only", "budget=null");
    cr_assert_float_eq(fixture_value(&p, "cost.baselines.onDemandPeak"), 2 * 26 * 10, 1e-6);
    cr_assert_float_eq(fixture_value(&p, "cost.baselines.subscriptionPeak"), 2 * 13 * 10, 1e-6);
    cr_assert_float_eq(fixture_value(&p, "cost.baselines.eciOnly"), fixture_value(&p, "cost.total"),
                       1e-4);
    cr_assert_gt(fixture_value(&p, "cost.baselines.clairvoyant"), 0);
    fixture_stop(&p);
}

/* All nodes on demand, though a market sells them at 0.3 of the price. */
Test(users_money, knows_the_same_machines_as_perfect_spot)
{
    struct fixture_scenario p =
        PLAY("robust", "replications=1", "horizon=10h", "nodePools.p.spotMarket=calm",
             "nodePools.p.onDemandPercentageAboveBaseCapacity=100", "budget=null");
    cr_assert_float_eq(fixture_value(&p, "cost.total"), 2 * 26 * 10, 1e-6);
    cr_assert_float_eq(fixture_value(&p, "cost.baselines.perfectSpot"), 0.3 * 2 * 26 * 10, 1e-6);
    fixture_stop(&p);
}

/* One request a second, 70 ms each, on a node that is there, as is the pod: 7 % of the time it
 * works. The first window in which a request is served ends at 60 s, the last begins at 3540 s. A
 * new machine would take 90 + 60 s and a start; requests wait for 60 s, or 70 s when two tries
 * fail to connect. So nobody serves them without a machine from 130 s at the latest until 3540 s
 * less the 70 ms of the last request, whatever the policy. All is bought on demand, though the pool
 * names a market: as spot without protection it costs 0.27 of that. */
Test(users_money, the_bound_holds_a_machine_while_requests_keep_coming)
{
    struct fixture_scenario p = PLAY("users-pool", "services.bert.traffic.qps=1",
                                     "services.bert.autoscaler={\"fixed\": 1}");
    double hour = fixture_value(&p, "cost.baselines.onDemandPeak");
    double bound = fixture_value(&p, "cost.baselines.clairvoyant");
    double least = 0.27 * (3540 - 0.07 - (60 + 70)) / 3600;
    cr_assert_float_eq(bound / hour, least, 1e-4, "%g of an hour, not %g", bound / hour, least);
    cr_assert_leq(bound, fixture_value(&p, "cost.total"));
    fixture_stop(&p);
    /* Who may wait for ever can be served at the end, in one go. */
    p = PLAY("users-pool", "services.bert.traffic.qps=1", "services.bert.autoscaler={\"fixed\": 1}",
             "services.bert.ingress.timeout=0s");
    bound = fixture_value(&p, "cost.baselines.clairvoyant");
    cr_assert_float_eq(bound / hour, 0.27 * 0.07, 0.005, "%g of an hour", bound / hour);
    fixture_stop(&p);
}
