/* test_otherwise: what the same demand would have cost with other ways to get GPUs, by hand. */
#include "models/capacity/otherwise.h"

#include "models/capacity/catalog.h"
#include "models/capacity/cluster_config.h"
#include "models/capacity/eci.h"
#include "models/capacity/pod_shape.h"
#include "models/capacity/spot_trace.h"
#include "models/capacity/steps.h"
#include "tests/fixture_scenario.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#define H SIM_HOUR
#define CNY(x) ((struct money){(int64_t)((x)*1000000), "CNY"})

static struct instance_type machines[] = {
    {.name = "one", .gpu = "V100", .gpus = 1, .vcpu = 8, .memory = INT64_C(32) << 30},
    {.name = "four", .gpu = "V100", .gpus = 4, .vcpu = 32, .memory = INT64_C(128) << 30},
    {.name = "t4", .gpu = "T4", .gpus = 1, .vcpu = 4, .memory = INT64_C(15) << 30},
};
static struct spot_preset market[] = {{.name = "m", .price_share = 0.3, .protection = 6 * H}};
static struct catalog_eci_spec specs[] = {
    {.vcpu = 8, .memory = INT64_C(32) << 30, .gpu = "V100", .gpus = 1, .type = "one"},
    {.vcpu = 32, .memory = INT64_C(128) << 30, .gpu = "V100", .gpus = 4, .type = "four"},
};
static struct price prices[] = {
    {.type = "one", .billing = PRICE_ON_DEMAND},
    {.type = "four", .billing = PRICE_ON_DEMAND},
    {.type = "one", .billing = PRICE_SUBSCRIPTION},
    {.type = "t4", .billing = PRICE_ON_DEMAND},
};
static struct catalog_part part = {
    .instances = {machines, 3},
    .prices = {prices, 4},
    .spots = {market, 1},
    .eci_specs = {specs, 2},
};
static const struct catalog catalog = {&part, 1};

static const char *types[] = {"one", "four", "t4"}, *kinds[] = {"V100", "T4"};
static struct pool_config pool;
static struct cluster_config config = {.pools = {&pool, 1}};
static struct pod_shape shape;
static struct otherwise_demand demand;
static const char *why;

/* A T4 takes half as long again. */
static double alone(const void *self, uint32_t owner, const char *gpu)
{
    (void)self;
    (void)owner;
    return strcmp(gpu, "V100") == 0 ? 40e6 : 60e6;
}

/* Seven pods at the peak of ten hours, 20 pod hours in all, on V100. */
static struct otherwise plain(void)
{
    prices[0].per_hour = CNY(26);
    prices[1].per_hour = CNY(100);
    prices[2].per_hour = CNY(13);
    prices[3].per_hour = CNY(12);
    pool = (struct pool_config){.name = "p", .instance_types = {types, 3}, .spot_duration_h = 1};
    config.traces = NULL;
    shape = (struct pod_shape){.gpus = 1, .gpu_types = {kinds, 2}};
    demand = (struct otherwise_demand){.peak = 7, .pod_ns = 20 * H, .gpu = "V100", .worth = 1};
    return (struct otherwise){
        .config = &config,
        .catalog = &catalog,
        .currency = "CNY",
        .shapes = &shape,
        .demand = &demand,
        .n_owners = 1,
        .peak_gpus = 7,
        .horizon = 10 * H,
        .alone_ns = alone,
    };
}

Test(otherwise, pays_for_the_peak_all_along_with_the_cheapest_machines_of_the_kind)
{
    struct otherwise o = plain();
    cr_assert_eq(otherwise_on_demand_peak(&o, &why), CNY(7 * 26 * 10).micro,
                 "against 2 x 100 x 10; a T4 is another kind");
    o.peak_gpus = 8;
    cr_assert_eq(otherwise_on_demand_peak(&o, &why), CNY(2 * 100 * 10).micro,
                 "two machines of four");
    cr_assert_eq(otherwise_subscription_peak(&o, &why), CNY(8 * 13 * 10).micro,
                 "`four` has no such price");
    demand.gpu = "T4";
    cr_assert_eq(otherwise_on_demand_peak(&o, &why), CNY(8 * 12 * 10).micro);
    cr_assert_eq(otherwise_subscription_peak(&o, &why), -1);
    cr_assert(strstr(why, "subscription"), "%s", why);
}

/* Half of the time on T4, where a pod does two thirds of what it does on a V100. */
Test(otherwise, counts_what_was_held_on_a_slower_kind_for_what_it_did)
{
    struct otherwise o = plain();
    demand.worth = 5.0 / 6;
    cr_assert_eq(otherwise_on_demand_peak(&o, &why), CNY(6 * 26 * 10).micro, "7 x 5/6, rounded up");
    cr_assert_float_eq((double)otherwise_eci_only(&o, &why), 26e6 * 20 * 5 / 6, 2);
}

Test(otherwise, gives_every_wanted_pod_an_instance_of_its_kind)
{
    struct otherwise o = plain();
    cr_assert_eq(otherwise_eci_only(&o, &why), CNY(20 * 26).micro);
    shape.cpu_milli = 9000;
    cr_assert_eq(otherwise_eci_only(&o, &why), CNY(20 * 100).micro, "the smallest that fits");
    /* ECI has no T4: V100, and two thirds as many of them. */
    shape.cpu_milli = 0;
    demand.gpu = "T4";
    cr_assert_float_eq((double)otherwise_eci_only(&o, &why), 26e6 * 20 * 2 / 3, 2);
    o.alone_ns = NULL;
    cr_assert_eq(otherwise_eci_only(&o, &why), -1);
    cr_assert(strstr(why, "service time on another kind is not given"), "%s", why);
}

Test(otherwise, of_pods_that_never_had_a_place_counts_the_first_kind_they_could_get)
{
    struct otherwise o = plain();
    demand.gpu = NULL;
    cr_assert_str_eq(otherwise_gpu(&o, 0), "V100");
    shape.gpu_types = (struct knob_texts){&kinds[1], 1};
    cr_assert_str_eq(otherwise_gpu(&o, 0), "T4");
}

/* One at 0 h for 3 h, one at 2 h for 2 h, one at 3 h: two at once. */
Test(otherwise, jobs_want_gpus_from_their_arrival_to_their_end)
{
    static const struct otherwise_interval jobs[] = {
        {0, 3 * H, 0}, {2 * H, 4 * H, 0}, {3 * H, 5 * H, 0}};
    struct otherwise o = plain();
    demand = (struct otherwise_demand){.pod_ns = 7 * H, .gpu = "V100", .worth = 1};
    o.peak_gpus = 0;
    o.jobs = jobs;
    o.n_jobs = 3;
    cr_assert_eq(otherwise_on_demand_peak(&o, &why), CNY(2 * 26 * 10).micro);
    cr_assert_eq(otherwise_eci_only(&o, &why), CNY(7 * 26).micro);
}

/* At 0.3 of the list; recorded prices take its place: 2 for 4 of 10 hours, then 7 for 6. */
Test(otherwise, perfect_spot_is_the_demand_at_the_mean_price)
{
    static const sim_ns at[] = {0, 4 * H};
    static const int64_t values[] = {2000000, 7000000};
    static const struct steps none = {0};
    struct otherwise o = plain();
    const char *zones[] = {"z"};
    cr_assert_eq(otherwise_perfect_spot(&o, &why), -1, "no pool buys spot");
    pool.spot_market = "m";
    pool.zones = (struct knob_texts){zones, 1};
    cr_assert_eq(otherwise_perfect_spot(&o, &why), CNY(20 * 7.5).micro, "a quarter of `four`");
    const struct steps recorded[] = {{values, 2, at, 0}, none, none};
    const struct spot_traces traces = {.prices = recorded};
    const struct spot_traces *of_pools[] = {&traces};
    config.traces = of_pools;
    cr_assert_eq(otherwise_perfect_spot(&o, &why), CNY(20 * 5).micro);
}

/* ---- whole runs ---- */

/* Stock for one of the four that are wanted: what would serve them is four machines, and the line
 * of 624 for one GPU was another question's answer. */
Test(otherwise, follows_what_is_wanted_not_what_could_be_had)
{
    struct fixture_scenario p = PLAY("otherwise", "nodePools.p.stockLimits=[{\"most\": 1}]");
    cr_assert_float_eq(fixture_value(&p, "cost.total"), 26 * 10, 1e-6);
    cr_assert_float_eq(fixture_value(&p, "cost.baselines.onDemandPeak"), 4 * 26 * 10, 1e-6);
    cr_assert_float_eq(fixture_value(&p, "cost.baselines.eciOnly"), 4 * 26 * 10, 1e-6);
    fixture_stop(&p);
}

/* P4 and T4 are cheaper an hour and slower; what was held is V100. */
Test(otherwise, does_not_swap_the_gpu_for_a_slower_one)
{
    struct fixture_scenario p =
        PLAY("otherwise",
             "nodePools.p.instanceTypes=[\"ecs.gn6v-c8g1.2xlarge\", \"ecs.gn6i-c4g1.xlarge\"]");
    cr_assert_float_eq(fixture_value(&p, "cost.total"), 4 * 26 * 10, 1e-6);
    cr_assert_float_eq(fixture_value(&p, "cost.baselines.onDemandPeak"), 4 * 26 * 10, 1e-6);
    cr_assert_float_eq(fixture_value(&p, "cost.baselines.eciOnly"), 4 * 26 * 10, 1e-6);
    fixture_stop(&p);
}

/* Twenty runs of two hours at 0.3 of 26, each with its start; a market that takes machines back
 * makes runs begin anew, a perfect one does not. */
Test(otherwise, perfect_spot_repeats_no_run)
{
    struct fixture_scenario p = PLAY(
        "otherwise", "services=null", "nodePools.p.initialSize=0", "nodePools.p.maxSize=20",
        "nodePools.p.spotMarket=awsHeldHigh", "nodePools.p.onDemandPercentageAboveBaseCapacity=0",
        "jobs=[{\"name\": \"a\", \"runTime\": \"2h\", \"count\": 20}]");
    double work = 20 * 2 * 26 * 0.3, spot = fixture_value(&p, "cost.baselines.perfectSpot");
    cr_assert_gt(fixture_value(&p, "nodes.preemptions"), 0);
    cr_assert(spot > work && spot < 1.05 * work, "%g against %g", spot, work);
    fixture_stop(&p);
}

/* ECI has no T4 of 8 vCPU: a job's run time there is not known, and the line is left out aloud. */
Test(otherwise, says_what_it_leaves_out)
{
    struct fixture_scenario p =
        PLAY("otherwise", "services=null", "nodePools.p.initialSize=0",
             "nodePools.p.instanceTypes=[\"ecs.gn6i-c4g1.xlarge\"]",
             "jobs=[{\"name\": \"a\", \"runTime\": \"2h\", \"pod\": {\"gpuTypes\": [\"T4\"]}}]");
    cr_assert(isnan(result_value(p.r, "cost.baselines.eciOnly", (double)NAN)));
    bool said = false;
    for (size_t i = 0; i < p.r->n_findings; i++)
        said = said || (strcmp(p.r->findings[i].code, "baseline-left-out") == 0 &&
                        strstr(p.r->findings[i].text, "'ECI only' is left out"));
    cr_assert(said);
    fixture_stop(&p);
}
