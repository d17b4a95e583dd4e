/* test_users_bound: what the lower bound of a whole run takes for necessary. */
#include "tests/fixture_scenario.h"

#include <criterion/criterion.h>

#define CHEAPEST (26 * 0.3) /* an hour of spot in a market without protection */

/* Runs that machines were lost under are no work that had to be done: only those of jobs that ended
 * well, 2 h each, and their containers' starts. */
Test(users_bound, runs_that_were_lost_are_not_necessary)
{
    struct fixture_scenario p =
        PLAY("otherwise", "services=null", "horizon=6h", "nodePools.p.initialSize=0",
             "nodePools.p.maxSize=20", "nodePools.p.spotMarket=awsHeldHigh",
             "nodePools.p.onDemandPercentageAboveBaseCapacity=0",
             "jobs=[{\"name\": \"a\", \"runTime\": \"2h\", \"count\": 20, \"every\": \"1m\"}]");
    double done = fixture_value(&p, "jobs.completed") * 2 * CHEAPEST;
    double bound = fixture_value(&p, "cost.baselines.clairvoyant");
    cr_assert_gt(fixture_value(&p, "jobs.gpuSeconds.lost.cut"), 3600);
    cr_assert(bound >= done && bound < 1.05 * done + 1, "%g for %g of work", bound, done);
    fixture_stop(&p);
}

/* One V100 serves 25 requests of 40 ms a second and is asked for 26 with a time-out of a second:
 * much of its work is for requests that nobody waits for any more. */
Test(users_bound, work_for_requests_that_timed_out_is_not_necessary)
{
    struct fixture_scenario p =
        PLAY("otherwise", "horizon=1h", "services.a.autoscaler.fixed=1",
             "services.a.initialReplicas=1", "services.a.traffic.qps=26",
             "services.a.ingress.timeout=1s", "nodePools.p.initialSize=1", "nodePools.p.maxSize=1");
    double served = fixture_value(&p, "requests.served") * 0.04 / 3600 * 26;
    double bound = fixture_value(&p, "cost.baselines.clairvoyant");
    cr_assert_gt(fixture_value(&p, "requests.failed.timeout"), 0);
    cr_assert(bound <= served + 1e-6, "%g for %g of work", bound, served);
    fixture_stop(&p);
}

/* An ElasticWorkload has a bound too: its pods differ, and none holds less than one GPU. */
Test(users_bound, pods_that_differ_have_one_too)
{
    struct fixture_scenario p = PLAY("elastic", "robustness=0");
    double bound = fixture_value(&p, "cost.baselines.clairvoyant");
    cr_assert(bound > 0 && bound < fixture_value(&p, "cost.total"));
    fixture_stop(&p);
}
