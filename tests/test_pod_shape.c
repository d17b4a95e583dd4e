/* test_pod_shape: which machines a pod may run on, by the kinds of GPU that it names. */
#include "models/capacity/instance.h"
#include "models/capacity/pod_shape.h"
#include "tests/fixture_scenario.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static const char *of_16[] = {"V100M16"}, *of_32[] = {"V100M32", "V100-32G"};
static const struct instance_type small = {.gpu = "V100", .gpus = 1, .gpu_variants = {of_16, 1}};
static const struct instance_type large = {.gpu = "V100", .gpus = 1, .gpu_variants = {of_32, 2}};
static const struct instance_type t4 = {.gpu = "T4", .gpus = 1}, none = {0};

/* The names of Alibaba's GPU trace of 2023: V100M16 and V100M32. */
Test(pod_shape, asks_for_a_kind_or_for_a_variant_of_it)
{
    static const struct {
        const char *types[2];
        size_t n;
        bool small, large, t4;
    } rows[] = {
        {{NULL}, 0, true, true, true},          {{"V100"}, 1, true, true, false},
        {{"V100M16"}, 1, true, false, false},   {{"V100M32"}, 1, false, true, false},
        {{"V100-32G"}, 1, false, true, false},  {{"V100M16|V100M32"}, 1, true, true, false},
        {{"T4|V100M32"}, 1, false, true, true}, {{"T4", "V100"}, 2, true, true, true},
        {{"V100M"}, 1, false, false, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *types[] = {rows[i].types[0], rows[i].types[1]};
        struct pod_shape p = {.gpus = 1, .gpu_types = {types, rows[i].n}};
        cr_expect_eq(pod_shape_takes_gpu(&p, &small), rows[i].small, "row %zu, 16 GB", i);
        cr_expect_eq(pod_shape_takes_gpu(&p, &large), rows[i].large, "row %zu, 32 GB", i);
        cr_expect_eq(pod_shape_takes_gpu(&p, &t4), rows[i].t4, "row %zu, T4", i);
        cr_expect_eq(pod_shape_takes_gpu(&p, &none), rows[i].n == 0, "row %zu, no GPU", i);
    }
}

Test(pod_shape, goes_by_the_name_that_tells_more)
{
    const char *types[] = {"V100", "V100M32"};
    struct pod_shape p = {.gpus = 1, .gpu_types = {types, 2}};
    cr_expect_str_eq(pod_shape_gpu_item(&p, &large), "V100M32");
    cr_expect_str_eq(pod_shape_gpu_item(&p, &small), "V100");
    cr_expect_null(pod_shape_gpu_item(&p, &t4));
}

#define SMALL "\"ecs.gn6v-c8g1.2xlarge\""
#define LARGE "\"ecs.gn6e-c12g1.3xlarge\""

/* The catalogue's V100 machines: gn6v has 16 GB a GPU, gn6e 32 GB. The time is the one of what is
 * bought. */
Test(pod_shape, runs_at_the_time_of_the_memory_that_is_bought)
{
    static const struct {
        const char *times, *types;
        double seconds;
    } rows[] = {
        {"{\"V100\":\"70ms\"}", SMALL, 0.07},
        {"{\"V100\":\"70ms\"}", LARGE, 0.07},
        {"{\"V100M16\":\"60ms\"}", SMALL, 0.06},
        {"{\"V100M32\":\"50ms\"}", LARGE, 0.05},
        {"{\"V100\":\"70ms\",\"V100M16\":\"40ms\"}", SMALL, 0.04},
        {"{\"V100\":\"70ms\",\"V100M16\":\"40ms\"}", LARGE, 0.07},
        {"{\"V100M16\":\"60ms\"}", SMALL "," LARGE, 0.06},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char set[120], types[160];
        snprintf(set, sizeof set, "services.bert.serving.serviceTime=%s", rows[i].times);
        snprintf(types, sizeof types, "nodePools.elastic.instanceTypes=[%s]", rows[i].types);
        struct fixture_scenario p =
            PLAY("users-pool", set, types, "services.bert.autoscaler={\"fixed\":1}");
        cr_expect_float_eq(fixture_value(&p, "services.bert.latency.p50"), rows[i].seconds,
                           0.01 * rows[i].seconds, "row %zu: %g", i,
                           fixture_value(&p, "services.bert.latency.p50"));
        fixture_stop(&p);
    }
}

/* With times for the other memory alone there is nothing for the pool to buy. */
Test(pod_shape, memory_that_no_pool_sells_is_refused)
{
    struct err e = {0};
    const char *sets[] = {"services.bert.serving.serviceTime={\"V100M32\":\"50ms\"}"};
    struct scenario_source source = {
        .path = SLUICE_SOURCE_DIR "/tests/scenarios/users-pool.json",
        .sets = sets,
        .n_sets = 1,
        .data_dir = SLUICE_SOURCE_DIR "/scenarios",
    };
    cr_assert_null(scenario_load(&source, &e));
    cr_assert(strstr(e.msg, "the pods need a V100M32, but the node pools buy: V100"), "%s", e.msg);
}
