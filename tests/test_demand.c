/* test_demand: what was wanted over a run, and on which kinds of GPU. */
#include "models/capacity/demand.h"
#include "models/capacity/otherwise.h"
#include "tests/fixture_scenario.h"

#include <criterion/criterion.h>

/* Three pods on V100 and one on T4, where 60 ms instead of 40 make it two thirds of one: the four
 * that are wanted do as much as 3.67 on V100. */
Test(demand, counts_pods_on_two_kinds_by_their_service_times)
{
    struct fixture_scenario p =
        PLAY("otherwise",
             "nodePools=[{\"name\": \"p\", \"instanceTypes\": [\"ecs.gn6v-c8g1.2xlarge\"], "
             "\"initialSize\": 3, \"maxSize\": 3, \"onDemandPercentageAboveBaseCapacity\": 100}, "
             "{\"name\": \"t\", \"instanceTypes\": [\"ecs.gn6i-c4g1.xlarge\"], "
             "\"initialSize\": 1, \"maxSize\": 1, \"onDemandPercentageAboveBaseCapacity\": 100}]");
    cr_assert_float_eq(fixture_value(&p, "cost.total"), 10 * (3 * 26 + 12.32), 1e-6);
    cr_assert_float_eq(fixture_value(&p, "cost.baselines.onDemandPeak"), 4 * 26 * 10, 1e-6);
    cr_assert_float_eq(fixture_value(&p, "cost.baselines.eciOnly"), 26 * 10 * (3 + 2.0 / 3), 1e-4);
    fixture_stop(&p);
}

/* Each run of an hour fails; after 10 and 20 s it begins again, and the third is the last: 3 h 30 s
 * and a start. */
Test(demand, a_job_wants_its_gpu_for_each_of_its_runs)
{
    struct fixture_scenario p =
        PLAY("otherwise", "services=null", "nodePools.p.initialSize=0",
             "jobs=[{\"name\": \"a\", \"runTime\": \"1h\", \"failureShare\": 1, \"backoffLimit\": "
             "2, \"startup\": {\"image\": {\"time\": \"60s\", \"overhead\": \"0s\"}, "
             "\"volumeMount\": \"0s\", \"containerStart\": \"0s\", \"frameworkInit\": \"0s\"}}]");
    cr_assert_float_eq(fixture_value(&p, "cost.baselines.eciOnly"),
                       26 * (3 * 3600 + 30 + 60) / 3600.0, 1e-4);
    cr_assert_float_eq(fixture_value(&p, "cost.baselines.onDemandPeak"), 26 * 10, 1e-6);
    fixture_stop(&p);
}
