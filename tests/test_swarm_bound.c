/* test_swarm_bound: the lower bound of one configuration is below the bill of any other that serves
 * as much: over random variations of pools, billing, markets and jobs. */
#include "tests/dice.h"
#include "tests/fixture_scenario.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

#define SCENARIOS 8
#define VARIATIONS 6

struct played {
    double bill, bound, served, completed;
    char words[900];
};

static const char *one_of(struct dice *d, const char *const *all, int n)
{
    return all[dice_int(d, 0, n - 1)];
}

/* What is asked is the same in all variations; what is bought for it is not. The bound is that of
 * the pools' kinds and markets, so every variation can have V100 and T4, at one spot price. */
static void play(struct dice *d, const char *asked, struct played *out)
{
    static const char *const markets[] = {"calm", "medium", "scarce", "plentiful"};
    static const char *const types[] = {"\"ecs.gn6v-c8g1.2xlarge\", \"ecs.gn6i-c4g1.xlarge\"",
                                        "\"ecs.gn6i-c4g1.xlarge\", \"ecs.gn6v-c8g1.2xlarge\"",
                                        "\"ecs.gn6v-c8g1.8xlarge\", \"ecs.gn6i-c4g1.xlarge\""};
    static const char *const nodes[] = {"virtualNode=null",
                                        "virtualNode={\"burstResource\": \"eci\"}"};
    char pools[512], fixed[64];
    snprintf(pools, sizeof pools,
             "nodePools=[{\"name\": \"p\", \"instanceTypes\": [%s], \"initialSize\": %d, "
             "\"maxSize\": %d, \"spotMarket\": \"%s\", \"spotDuration\": %d, "
             "\"onDemandPercentageAboveBaseCapacity\": %d, \"compensateWithOnDemand\": %s}]",
             one_of(d, types, 3), (int)dice_int(d, 0, 2), (int)dice_int(d, 2, 8),
             one_of(d, markets, 4), (int)dice_int(d, 0, 1), (int)dice_int(d, 0, 2) * 50,
             dice_flag(d) ? "true" : "false");
    snprintf(fixed, sizeof fixed, "services.a.autoscaler.fixed=%d", (int)dice_int(d, 0, 3));
    const char *node = one_of(d, nodes, 2);
    const char *sets[] = {
        "replications=1", "services.a.initialReplicas=1", asked, pools, fixed, node, NULL};
    struct fixture_scenario p = fixture_play("otherwise", sets);
    out->bill = fixture_value(&p, "cost.total");
    out->bound = result_value(p.r, "cost.baselines.clairvoyant", 0);
    out->served = fixture_value(&p, "requests.served");
    out->completed = fixture_value(&p, "jobs.completed");
    snprintf(out->words, sizeof out->words, "%s %s %s %s", asked, pools, fixed, node);
    fixture_stop(&p);
}

Test(swarm_bound, no_other_configuration_that_does_as_much_is_below_the_bound)
{
    static struct played all[VARIATIONS];
    size_t compared = 0;
    for (uint64_t s = 0; s < SCENARIOS; s++) {
        struct dice d = dice_of(770000 + s);
        char asked[160];
        snprintf(
            asked, sizeof asked,
            "jobs=[{\"name\": \"j\", \"runTime\": \"%dm\", \"count\": %d, \"every\": \"%dm\"}]",
            (int)dice_int(&d, 5, 200), (int)dice_int(&d, 1, 12), (int)dice_int(&d, 1, 20));
        for (size_t i = 0; i < VARIATIONS; i++)
            play(&d, asked, &all[i]);
        for (size_t i = 0; i < VARIATIONS; i++)
            for (size_t k = 0; k < VARIATIONS; k++) {
                bool as_much =
                    all[k].served >= all[i].served && all[k].completed >= all[i].completed;
                compared += as_much && k != i;
                cr_assert(!as_much || all[i].bound <= all[k].bill * (1 + 1e-9) + 1e-6,
                          "scenario %llu: bound %g of %s; bill %g of %s", (unsigned long long)s,
                          all[i].bound, all[i].words, all[k].bill, all[k].words);
            }
    }
    cr_assert_gt(compared, SCENARIOS * VARIATIONS, "%zu pairs", compared);
}
