/* test_scaling_task: what a scaling group does on its own: tasks, removal order, cooldown, health;
 * and batches of the autoscaler's purchases. */
#include "models/capacity/scaling_task.h"

#include "tests/fixture_cluster.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static struct fixture_cluster f;
#define S SIM_SECOND

#define POOL_OF(more, autoscaler, pods)                                                            \
    "{\"nodePools\": [{\"name\": \"p\", \"zones\": [\"h\", \"i\"], \"instanceTypes\": "            \
    "[\"ecs.gn6v-c8g1.2xlarge\"], \"bootTime\": \"60s\", \"gpuReadyTime\": \"0s\"" more            \
    "}]," autoscaler " \"services\": [{\"name\": \"a\", \"instant\": true" pods "}]}"
#define MIX                                                                                        \
    ", \"initialSize\": 4, \"spotMarket\": \"steps\", \"onDemandPercentageAboveBaseCapacity\": 50"
#define SHRINK ", \"tasks\": [{\"at\": \"10m\", \"size\": 1}]"

/* Names of the machines that were released, in order. */
static const char *released(char *out, size_t size)
{
    out[0] = '\0';
    for (size_t i = 0; i < f.result.n_entries; i++)
        if (strcmp(f.result.entries[i].what, "released") == 0) {
            size_t used = strlen(out);
            snprintf(out + used, size - used, "%s%s", used ? " " : "", f.result.entries[i].subject);
        }
    return out;
}

static void play(const char *text)
{
    fixture_open(&f, text, SIM_HOUR, 1);
    fixture_start(&f);
    fixture_close(&f);
}

/* Bought: p-0 on demand, p-1 spot, p-2 on demand, p-3 spot. By cost the dearest goes first. */
Test(scaling_task, the_group_removes_by_cost_or_by_age)
{
    char names[200];
    play(POOL_OF(MIX SHRINK ", \"multiAZPolicy\": \"COST_OPTIMIZED\"", "", ""));
    cr_assert_str_eq(released(names, sizeof names), "p-0 p-2 p-1", "on demand before spot");
    fixture_fini(&f);
    play(POOL_OF(MIX SHRINK ", \"multiAZPolicy\": \"PRIORITY\"", "", ""));
    cr_assert_str_eq(released(names, sizeof names), "p-0 p-1 p-2");
    fixture_fini(&f);
    play(POOL_OF(MIX SHRINK ", \"multiAZPolicy\": \"PRIORITY\", \"removalPolicy\": "
                            "\"NewestInstance\"",
                 "", ""));
    cr_assert_str_eq(released(names, sizeof names), "p-3 p-2 p-1");
    cr_assert_eq(fixture_figure(&f, "nodes.preemptions"), 0, "nobody took them");
    fixture_fini(&f);
}

/* Zones h, i, h, i: the oldest of the fullest zone each time. */
Test(scaling_task, a_balanced_group_stays_balanced)
{
    char names[200];
    play(POOL_OF(MIX SHRINK ", \"multiAZPolicy\": \"BALANCE\"", "", ""));
    cr_assert_str_eq(released(names, sizeof names), "p-0 p-1 p-2");
    fixture_fini(&f);
}

/* The autoscaler drains nodes by name, and asks their pods; the group asks nobody. */
Test(scaling_task, the_group_does_not_drain_what_it_removes)
{
    fixture_open(
        &f,
        POOL_OF(", \"initialSize\": 2, \"onDemandPercentageAboveBaseCapacity\": 100" SHRINK, "",
                ", \"pod\": {\"gpus\": 1, \"minAvailable\": 2}"),
        SIM_HOUR, 1);
    fixture_want(&f, 0, 2);
    fixture_start(&f);
    fixture_close(&f);
    cr_assert_eq(f.counts[CALL_EVICTED], 0);
    cr_assert_eq(fixture_call(&f, CALL_DEAD, 0)->at, 600 * S);
    fixture_fini(&f);
}

/* Grown at 10 min. An alarm after 200 s is refused, one after 300 s is not; a scheduled task and a
 * change by hand never wait. */
Test(scaling_task, the_cooldown_holds_back_alarms_alone)
{
    static const struct {
        const char *task;
        double nodes;
    } rows[] = {{"{\"at\": \"800s\", \"size\": 1, \"trigger\": \"alarm\"}", 3},
                {"{\"at\": \"899s\", \"size\": 1, \"trigger\": \"alarm\"}", 3},
                {"{\"at\": \"900s\", \"size\": 1, \"trigger\": \"alarm\"}", 1},
                {"{\"at\": \"601s\", \"size\": 1, \"trigger\": \"scheduled\"}", 1},
                {"{\"at\": \"601s\", \"size\": 1, \"trigger\": \"manual\"}", 1}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[1200];
        snprintf(text, sizeof text,
                 POOL_OF(", \"onDemandPercentageAboveBaseCapacity\": 100, \"tasks\": [{\"at\": "
                         "\"10m\", \"size\": 3}, %s]",
                         "", ""),
                 rows[i].task);
        play(text);
        const struct result_series *total = result_find_series(&f.result, "nodes.total");
        cr_assert_float_eq(total->max[total->n - 1], rows[i].nodes, 1e-9, "row %zu", i);
        fixture_fini(&f);
    }
}

/* Sizes are held within minSize and maxSize, and a task may come again. */
Test(scaling_task, a_task_that_comes_again_stays_within_the_bounds)
{
    play(POOL_OF(", \"minSize\": 1, \"maxSize\": 2, \"onDemandPercentageAboveBaseCapacity\": 100, "
                 "\"tasks\": [{\"at\": \"0s\", \"every\": \"20m\", \"size\": 9}, {\"at\": \"10m\", "
                 "\"every\": \"20m\", \"size\": 0}]",
                 "", ""));
    cr_assert_eq(fixture_figure(&f, "nodes.max"), 2);
    /* One for the whole hour, the second for 3 x 10 minutes. */
    cr_assert_float_eq(fixture_figure(&f, "nodes.hours.onDemand"), 1.5, 1e-6);
    fixture_fini(&f);
}

/* Whatever fails goes at once, below the minimum too, and is replaced when the check has seen it.
 */
Test(scaling_task, an_unhealthy_machine_is_replaced)
{
    play(POOL_OF(", \"minSize\": 2, \"onDemandPercentageAboveBaseCapacity\": 100, "
                 "\"failuresPerHour\": 4, \"healthCheck\": \"30s\"",
                 "", ""));
    double failures = fixture_figure(&f, "nodes.failures");
    cr_assert_gt(failures, 1);
    cr_assert_eq(fixture_figure(&f, "nodes.bought"), 2 + failures);
    /* Each failure costs 30 s of one machine, unless the hour ends before. */
    double missing = (2 - fixture_figure(&f, "nodes.hours.onDemand")) * 3600;
    cr_assert(missing > 30 * (failures - 1) && missing <= 30 * failures + 1e-6, "%g s of %g",
              missing, failures);
    fixture_fini(&f);
}

#define SCALER "\"clusterAutoscaler\": {\"profile\": \"ack\", \"scanInterval\": \"30s\"},"

/* Ten nodes are asked for at once and come in batches of four, 30 s apart, and no more of them. */
Test(scaling_task, a_scale_up_is_bought_in_batches)
{
    fixture_open(&f,
                 POOL_OF(", \"maxSize\": 20, \"onDemandPercentageAboveBaseCapacity\": 100, "
                         "\"batchSize\": 4",
                         SCALER, ", \"pod\": {\"gpus\": 1}"),
                 SIM_HOUR, 1);
    fixture_start(&f);
    fixture_want_at(&f, 100 * S, 0, 10);
    fixture_close(&f);
    cr_assert_eq(f.counts[CALL_READY], 10);
    cr_assert_eq(fixture_figure(&f, "nodes.bought"), 10);
    sim_ns first = fixture_call(&f, CALL_READY, 0)->at;
    cr_assert_eq(fixture_call(&f, CALL_READY, 3)->at, first);
    cr_assert_eq(fixture_call(&f, CALL_READY, 4)->at, first + 30 * S);
    cr_assert_eq(fixture_call(&f, CALL_READY, 9)->at, first + 60 * S);
    fixture_fini(&f);
}
