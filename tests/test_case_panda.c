/* test_case_panda: the founding case: one picture, one pod, on a container instance with a P4. */
#include "scenarios/run/run.h"
#include "scenarios/run/scenario.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct scenario *load(const char *const *sets, size_t n, struct err *e)
{
    struct scenario_source source = {.path = SLUICE_SOURCE_DIR "/scenarios/panda-eci.yaml",
                                     .sets = sets,
                                     .n_sets = n,
                                     .data_dir = SLUICE_SOURCE_DIR "/scenarios"};
    return scenario_load(&source, e);
}

static struct run *play(struct scenario **s, const char *const *sets, size_t n)
{
    struct err e = {0};
    *s = load(sets, n, &e);
    cr_assert(*s, "%s: %s", e.where, e.msg);
    struct run_options options = {.threads = 2, .command = "test"};
    struct run *r = run_scenario(*s, &options, &e);
    cr_assert(r, "%s: %s", e.where, e.msg);
    return r;
}

Test(case_panda, both_ways_to_the_virtual_node_run_to_their_end)
{
    struct scenario *s;
    struct run *run = play(&s, NULL, 0);
    const struct result *r = run_result(run);
    cr_assert_eq(result_value(r, "jobs.panda.completed", 0), 20);
    cr_assert_eq(result_value(r, "jobs.panda-namespace.completed", 0), 20);
    /* The recorded pod was seen Completed at an age of 6 minutes: an upper bound of its life. */
    cr_assert_lt(result_value(r, "jobs.life.max", 1e9), 360);
    cr_assert(strstr(r->verdict, "a job costs 0."), "%s", r->verdict);
    cr_assert(strstr(r->verdict, "7,643 CNY a month on demand and 3,822 by subscription"), "%s",
              r->verdict);
    run_destroy(run);
    scenario_free(s);
}

Test(case_panda, its_cost_is_the_price_times_the_billed_seconds)
{
    static const char *const sets[] = {"replications=1"};
    struct scenario *s;
    struct run *run = play(&s, sets, 1);
    const struct result *r = run_result(run);
    double seconds = result_value(r, "eci.panda.billedSeconds", 0);
    cr_assert_gt(seconds, 180);
    cr_assert_float_eq(result_value(r, "eci.panda.cost", 0), 10.47 * seconds / 3600, 1e-6);
    cr_assert_float_eq(result_value(r, "jobs.panda.costEach", 0), 10.47 * seconds / 3600, 1e-6);
    double both = seconds + result_value(r, "eci.panda-namespace.billedSeconds", 0);
    cr_assert_float_eq(result_value(r, "cost.byBilling.eciOnDemand", 0), 10.47 * both / 3600, 1e-5);
    run_destroy(run);
    scenario_free(s);
}

Test(case_panda, its_phases_are_stacked_without_a_gap_to_its_end)
{
    static const char *const sets[] = {"replications=1"};
    struct scenario *s;
    struct run *run = play(&s, sets, 1);
    const struct result *r = run_result(run);
    sim_ns at = 0;
    size_t n = 0;
    const char *last = "";
    for (size_t i = 0; i < r->n_spans; i++)
        if (strcmp(r->spans[i].track, "panda-0") == 0) {
            cr_assert_eq(r->spans[i].from, at, "a gap before %s", r->spans[i].phase);
            at = r->spans[i].to;
            last = r->spans[i].phase;
            n++;
        }
    cr_assert_geq(n, 7);
    cr_assert_str_eq(last, "run");
    cr_assert_float_eq((double)at / 1e9, result_value(r, "jobs.panda.life.mean", 0), 1e-9);
    run_destroy(run);
    scenario_free(s);
}

Test(case_panda, a_share_of_a_gpu_is_refused_with_a_price)
{
    static const char *const sets[] = {"jobs.panda.pod.gpus=0.5"};
    struct err e = {0};
    cr_assert_null(load(sets, 1, &e));
    cr_assert_eq(e.code, ERR_INPUT);
    cr_assert(strstr(e.msg, "a share of a GPU (nvidia.com/gpu: 0.5) cannot be had"), "%s", e.msg);
    cr_assert(strstr(e.msg, "10.47 CNY an hour"), "%s", e.msg);
}

/* Every second run fails and its container is made again in place: the back-off is Restarting, and
 * paid for. The states that the billing page names add up to what is billed. */
Test(case_panda, a_restart_is_paid_for_and_scheduling_is_not)
{
    static const char *const sets[] = {"jobs.panda.failureShare=0.5", "jobs.panda.count=20"};
    struct scenario *s;
    struct run *run = play(&s, sets, 2);
    const struct result *r = run_result(run);
    cr_assert_gt(result_value(r, "jobs.panda.restarts", 0), 100);
    cr_assert_gt(result_value(r, "eci.states.Restarting", 0), 0);
    cr_assert_gt(result_value(r, "eci.states.Scheduling", 0), 0);
    double sum = result_value(r, "eci.states.Pending", 0) +
                 result_value(r, "eci.states.Running", 0) +
                 result_value(r, "eci.states.Restarting", 0);
    double billed = result_value(r, "eci.panda.billedSeconds", 0) +
                    result_value(r, "eci.panda-namespace.billedSeconds", 0);
    cr_assert(billed >= sum && billed < sum + 21, "%g of %g: each instance is rounded up", billed,
              sum);
    run_destroy(run);
    scenario_free(s);
}
