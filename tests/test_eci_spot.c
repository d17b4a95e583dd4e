/* test_eci_spot: recorded prices and stock, batches and tied zones for preemptible container
 * instances, as whole runs. */
#include "tests/fixture_scenario.h"

#include <criterion/criterion.h>
#include <string.h>

static size_t lines(const struct fixture_scenario *p, const char *what, sim_ns at)
{
    size_t n = 0;
    for (size_t i = 0; i < p->r->n_entries; i++)
        n += strcmp(p->r->entries[i].what, what) == 0 && (at < 0 || p->r->entries[i].at == at);
    return n;
}

static size_t bills_in(const struct fixture_scenario *p, const char *zone)
{
    size_t n = 0;
    for (size_t i = 0; i < p->r->n_bills; i++)
        n += strcmp(p->r->bills[i].zone, zone) == 0;
    return n;
}

/* The worked example of the ECS documentation (2021-07-19), whose rules ECI shares: 1.5 for the
 * protected hour, whatever the 2.5 at 08:30; 1.8 and 1.6 for half an hour each; released at 10:00,
 * when the market asks for 3 and the bid is 2. */
Test(eci_spot, the_billing_example_of_the_document_holds_for_an_instance)
{
#define EXAMPLE                                                                                    \
    "virtualNode.spotStrategy=SpotWithPriceLimit", "virtualNode.spotPriceLimit=2 CNY",             \
        "virtualNode.spotPriceTraces=[{\"file\": \"ecs-spot-billing.csv\", \"align\": \"clock\"}]"
    struct fixture_scenario p = PLAY("eci-spot", EXAMPLE, "virtualNode.spotNotice=0s");
    cr_assert_float_eq(fixture_value(&p, "cost.byBilling.eciSpot"), 3.2, 1e-6);
    cr_assert_eq(fixture_value(&p, "eci.created"), 1, "the market stays above the bid");
    cr_assert_eq(lines(&p, "Expired", 2 * SIM_HOUR), 1);
    fixture_stop(&p);
    p = PLAY("eci-spot", EXAMPLE);
    cr_assert_float_eq(fixture_value(&p, "cost.byBilling.eciSpot"), 3.2 + 2 * 0.05, 1e-6,
                       "three minutes of notice at the bid");
    fixture_stop(&p);
}

/* Each zone has its own prices: two hours at 8 in h; in i an hour and a half at 6, then 9. */
Test(eci_spot, each_zone_has_its_own_recorded_price)
{
#define PRICES "virtualNode.spotPriceTraces=[{\"file\": \"eci-spot-prices.csv\"}]"
    struct fixture_scenario p = PLAY("eci-spot", PRICES, "horizon=2h");
    cr_assert_float_eq(fixture_value(&p, "cost.total"), 16, 1e-6);
    fixture_stop(&p);
    p = PLAY("eci-spot", PRICES, "horizon=2h", "virtualNode.zones=[\"cn-hangzhou-i\"]");
    cr_assert_float_eq(fixture_value(&p, "cost.total"), 1.5 * 6 + 0.5 * 9, 1e-6);
    fixture_stop(&p);
}

/* Zone h has room for two until 90 min, for none until 150 min and for one then (where the file has
 * its largest number, 3, it tells no limit). Of four, two go there; their hour is over at 90 min,
 * so their notices go out then, and both are replaced in zone i. */
#define STOCK                                                                                      \
    "virtualNode.spotAvailabilityTraces=[{\"file\": \"eci-spot-stock.csv\", \"after\": \"hold\"}]"
#define FOUR "services.bert.initialReplicas=0", "services.bert.autoscaler.fixed=4"
Test(eci_spot, a_zone_holds_no_more_than_was_recorded)
{
    struct fixture_scenario p = PLAY("eci-spot", STOCK, FOUR);
    cr_assert_eq(bills_in(&p, "cn-hangzhou-h"), 2);
    cr_assert_eq(bills_in(&p, "cn-hangzhou-i"), 4, "two at first, two in their place");
    cr_assert_eq(lines(&p, "SpotToBeReleased", 90 * SIM_MINUTE), 2);
    cr_assert_eq(lines(&p, "Expired", 93 * SIM_MINUTE), 2);
    cr_assert_eq(lines(&p, "SpotToBeReleased", -1), 2);
    fixture_stop(&p);
}

/* Two hours of protection: the platform waits for their end, at its next check. */
Test(eci_spot, protected_instances_go_once_their_time_is_over)
{
    struct fixture_scenario p =
        PLAY("eci-spot", STOCK, FOUR, "virtualNode.spotProtection=2h", "horizon=150m");
    const struct result_entry *first = fixture_line(&p, "bert-", "SpotToBeReleased", NULL, 0);
    cr_assert(first);
    cr_assert(first->at > 2 * SIM_HOUR && first->at <= 2 * SIM_HOUR + 6 * SIM_MINUTE, "%lld s",
              (long long)(first->at / SIM_SECOND));
    cr_assert_eq(lines(&p, "SpotToBeReleased", -1), 2);
    cr_assert_gt(lines(&p, "short of stock", -1), 1);
    fixture_stop(&p);
}

/* What the dice of a zone say, they say to nodes and to instances alike: each batch that takes
 * nodes takes instances of the same zone at the same moment, when it takes all. */
Test(eci_spot, a_batch_takes_instances_and_nodes_of_a_zone_together)
{
#define BATCHES                                                                                    \
    "horizon=10d", "virtualNode.spotMarket=bulkScarce", "virtualNode.spotProtection=0s",           \
        "virtualNode.zones=[\"cn-hangzhou-h\"]", FOUR, "limits.logEntries=100000"
    struct fixture_scenario p = PLAY("eci-spot", BATCHES);
    size_t together = 0;
    for (size_t i = 0; i < p.r->n_entries; i++) {
        const struct result_entry *e = &p.r->entries[i];
        if (strcmp(e->what, "SpotToBeReleased") == 0 && strstr(e->reason, "with others"))
            together += lines(&p, "SpotToBeReleased", e->at) == 4;
    }
    cr_assert_gt(together, 4, "%zu", together);
    struct fixture_scenario mixed =
        PLAY("eci-spot", BATCHES,
             "nodePools=[{\"name\": \"n\", \"zones\": [\"cn-hangzhou-h\"], \"instanceTypes\": "
             "[\"ecs.gn6v-c8g1.2xlarge\"], \"minSize\": 4, \"maxSize\": 4, \"initialSize\": 4, "
             "\"onDemandPercentageAboveBaseCapacity\": 0, \"compensateWithOnDemand\": false, "
             "\"spotDuration\": 0, \"spotMarket\": \"bulkScarce\"}]");
    size_t same = 0;
    for (size_t i = 0; i < mixed.r->n_entries; i++) {
        const struct result_entry *e = &mixed.r->entries[i];
        if (strcmp(e->what, "spot notice") == 0 && strstr(e->reason, "with others"))
            same += lines(&mixed, "SpotToBeReleased", e->at) > 0;
    }
    cr_assert_gt(same, 4, "%zu", same);
    fixture_stop(&p);
    fixture_stop(&mixed);
}

/* A market of spells: at the end of one all unprotected instances of the zone go at once, and the
 * zone has none until the next. */
Test(eci_spot, a_market_may_be_a_course_of_stock)
{
    struct fixture_scenario p =
        PLAY("eci-spot", "horizon=5d", "virtualNode.spotMarket=stockScarce", FOUR,
             "virtualNode.spotProtection=0s", "virtualNode.zones=[\"cn-hangzhou-h\"]",
             "limits.logEntries=100000");
    const struct result_entry *first = fixture_line(&p, "bert-", "SpotToBeReleased", NULL, 0);
    cr_assert(first);
    cr_assert_eq(lines(&p, "SpotToBeReleased", first->at), 4);
    cr_assert_gt(fixture_value(&p, "eci.expired"), 20);
    fixture_stop(&p);
}
