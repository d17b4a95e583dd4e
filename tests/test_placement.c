/* test_placement: which unit gets the next pod, and which loses one. */
#include "models/capacity/placement.h"

#include "tests/fixture_cluster.h"

#include <criterion/criterion.h>
#include <string.h>

/* ACK's inference example: a source of at most 1, on-demand instances 1..3, spot ones 1..10. */
static struct placement_unit units[] = {
    {.name = "source", .resource = PLACEMENT_ECS, .max = 1},
    {.name = "ondemand", .resource = PLACEMENT_ECI, .min = 1, .max = 3},
    {.name = "spot", .resource = PLACEMENT_ECI, .min = 1, .max = 10},
};
static const struct placement example = {.units = {units, 3}};

Test(placement, each_min_comes_first_and_then_each_max_in_order)
{
    static const int32_t want[][3] = {{0, 1, 0}, {0, 1, 1}, {1, 1, 1}, {1, 2, 1}, {1, 3, 1},
                                      {1, 3, 2}, {1, 3, 3}, {1, 3, 4}, {1, 3, 5}, {1, 3, 6}};
    int32_t counts[PLACEMENT_UNITS_MAX] = {0};
    for (size_t n = 0; n < 10; n++) {
        counts[placement_next(&example, counts)]++;
        cr_assert_arr_eq(counts, want[n], sizeof want[n], "%zu pods", n + 1);
    }
    for (size_t n = 10; n-- > 1;) {
        counts[placement_victim(&example, counts)]--;
        cr_assert_arr_eq(counts, want[n - 1], sizeof want[0], "back to %zu pods", n);
    }
}

Test(placement, full_units_take_nothing)
{
    int32_t counts[PLACEMENT_UNITS_MAX] = {1, 3, 10};
    cr_assert_eq(placement_next(&example, counts), PLACEMENT_NONE);
    int32_t none[PLACEMENT_UNITS_MAX] = {0};
    cr_assert_eq(placement_victim(&example, none), PLACEMENT_NONE);
}

static struct fixture_cluster f;
#define S SIM_SECOND

/* One node of one GPU that is there, a pool that can bring another one in 240 s, and ECI in 20 s.
 */
#define FILE_OF(placement)                                                                         \
    "{\"nodePools\": [{\"name\": \"one\", \"zones\": [\"z\"], \"instanceTypes\": "                 \
    "[\"ecs.gn6v-c8g1.2xlarge\"], \"maxSize\": 2, \"initialSize\": 1, \"bootTime\": \"120s\", "    \
    "\"gpuReadyTime\": \"90s\", \"onDemandPercentageAboveBaseCapacity\": 100}], "                  \
    "\"clusterAutoscaler\": {\"profile\": \"ack\", \"scanInterval\": \"30s\"}, "                   \
    "\"virtualNode\": {\"create\": \"10s\"}, \"services\": [{\"name\": \"bert\", \"pod\": "        \
    "{\"gpus\": 1, \"gpuTypes\": [\"V100\"], \"placement\": {" placement                           \
    "}}, \"startup\": {\"image\": {\"size\": \"77M\", \"registry\": \"hub\", \"overhead\": "       \
    "\"0s\"}, \"volumeMount\": \"0s\", \"containerStart\": \"0s\", \"frameworkInit\": \"0s\"}}]}"
#define UNITS(max)                                                                                 \
    "\"units\": [{\"name\": \"nodes\", \"resource\": \"ecs\", \"max\": " max "}, "                 \
    "{\"name\": \"burst\", \"resource\": \"eci\"}]"

static const char *unit_of(const char *pod, sim_ns *at)
{
    const char *unit = "none";
    for (size_t i = 0; i < f.result.n_entries; i++)
        if (strcmp(f.result.entries[i].subject, pod) == 0 &&
            strcmp(f.result.entries[i].what, "unit") == 0) {
            unit = f.result.entries[i].reason;
            *at = f.result.entries[i].at;
        }
    return unit;
}

static sim_ns second_pod_goes_to(const char *text, const char *unit)
{
    sim_ns at = -1;
    fixture_open(&f, text, SIM_HOUR, 1);
    fixture_want(&f, 0, 1);
    fixture_start(&f);
    fixture_want_at(&f, 100 * S, 0, 2);
    fixture_close(&f);
    cr_assert_str_eq(unit_of("bert-0", &at), "nodes");
    cr_assert_str_eq(unit_of("bert-1", &at), unit);
    sim_ns ready = fixture_call(&f, CALL_READY, 1)->at;
    fixture_fini(&f);
    return ready;
}

/* The second pod finds no GPU on the node. */
Test(placement, a_policy_goes_on_at_once_for_want_of_room)
{
    cr_assert_eq(second_pod_goes_to(FILE_OF(UNITS("0")), "burst"), 120 * S);
}

Test(placement, a_policy_waits_in_a_unit_below_its_max)
{
    sim_ns ready =
        second_pod_goes_to(FILE_OF("\"whenTryNextUnits\": \"ExceedMax\", " UNITS("2")), "nodes");
    cr_assert_gt(ready, 300 * S, "a node was bought for it");
}

Test(placement, a_policy_goes_on_at_the_max_of_a_unit)
{
    cr_assert_eq(
        second_pod_goes_to(FILE_OF("\"whenTryNextUnits\": \"ExceedMax\", " UNITS("1")), "burst"),
        120 * S);
}

Test(placement, a_policy_goes_on_when_a_pod_has_waited_for_its_timeout)
{
    cr_assert_eq(second_pod_goes_to(FILE_OF("\"whenTryNextUnits\": \"TimeoutOrExceedMax\", "
                                            "\"timeout\": \"45s\", " UNITS("0")),
                                    "burst"),
                 165 * S);
}

/* Pods of an ElasticWorkload stay with their unit: what no unit takes waits until one has room. */
Test(placement, a_pod_beyond_every_max_waits)
{
    fixture_open(&f,
                 FILE_OF("\"kind\": \"ElasticWorkload\", \"units\": [{\"name\": \"burst\", "
                         "\"resource\": \"eci\", \"max\": 1}]"),
                 SIM_HOUR, 1);
    fixture_start(&f);
    fixture_want_at(&f, 100 * S, 0, 2);
    fixture_close(&f);
    cr_assert_eq(f.counts[CALL_READY], 1);
    fixture_fini(&f);
}
