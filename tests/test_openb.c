/* test_openb: a public cluster trace replayed on its own machines, on elastic pools and on ECI.
 *
 * Outside values are counted over the published files with awk: GPU-seconds are (deletion_time -
 * scheduled_time, or - creation_time where it never started) x num_gpu x gpu_milli / 1000. */
#include "tests/fixture_scenario.h"

#include <criterion/criterion.h>
#include <string.h>

#define NODES "../../scenarios/openb-nodes"
#define ELASTIC "../../scenarios/openb-elastic"
#define ECI "../../scenarios/openb-eci"
#define PODS 8152

static double figure(const struct fixture_scenario *p, const char *path)
{
    return fixture_value(p, path);
}

/* Every pod is done with, runs, or waits for a reason that is told; of the GPU time that pods held
 * none is lost. The run has asserted the latter exactly, in nanoseconds. */
static void conserved(const struct fixture_scenario *p)
{
    double lost = figure(p, "jobs.gpuSeconds.lost.starting") +
                  figure(p, "jobs.gpuSeconds.lost.failed") + figure(p, "jobs.gpuSeconds.lost.cut") +
                  figure(p, "jobs.gpuSeconds.lost.dead");
    double in = figure(p, "jobs.gpuSeconds.in");
    double out = figure(p, "jobs.gpuSeconds.out") + figure(p, "jobs.gpuSeconds.running");
    cr_assert_float_eq(in, out + lost, 1e-9 * in);
    cr_assert_eq(figure(p, "jobs.asked"), PODS);
    cr_assert_eq(figure(p, "jobs.completed") + figure(p, "jobs.failed") +
                     figure(p, "jobs.running") + figure(p, "jobs.waiting"),
                 PODS);
    cr_assert_eq(figure(p, "jobs.waiting"), figure(p, "pods.unplaced.total"));
    if (figure(p, "pods.unplaced.total") > 0)
        cr_assert(fixture_finding(p, "unplaced"));
}

static double peak(const struct fixture_scenario *p, const char *path)
{
    double most = 0;
    for (size_t i = 0; i < p->r->n_series; i++) {
        const struct result_series *s = &p->r->series[i];
        for (size_t k = 0; strcmp(s->path, path) == 0 && k < s->n; k++)
            most = s->max[k] > most ? s->max[k] : most;
    }
    return most;
}

Test(openb, runs_on_its_own_machines_with_shared_gpus)
{
    struct fixture_scenario p = PLAY(NODES, "seed=1");
    cr_assert(strstr(p.r->verdict, "the machines have no price") && !strstr(p.r->verdict, "0.00"),
              "%s", p.r->verdict);
    conserved(&p);
    cr_assert_eq(figure(&p, "pods.unplaced.total"), 0);
    cr_assert_eq(figure(&p, "pods.pendingSeconds"), 0);
    cr_assert_eq(figure(&p, "jobs.failed"), 1870, "phase Failed");
    cr_assert_eq(figure(&p, "jobs.completed"), PODS - 1870);
    cr_assert_float_eq(figure(&p, "jobs.gpuSeconds.in"), 185395450.66, 1e-3);
    cr_assert_float_eq(figure(&p, "jobs.gpuSeconds.out"), 182025944.86, 1e-3);
    cr_assert_float_eq(figure(&p, "jobs.gpuSeconds.lost.failed"), 3369505.80, 1e-3);
    cr_assert_eq(figure(&p, "jobs.life.max"), 12537496);
    cr_assert_eq(figure(&p, "cost.total"), 0);
    cr_assert_eq(peak(&p, "nodes.total"), 1523);
    cr_assert_leq(peak(&p, "gpus.held"), 70, "shares stand together");
    cr_assert(strstr(fixture_finding(&p, "gpu-shares"), "3078 of the 8152"));
    cr_assert(strstr(fixture_finding(&p, "gpu-shares"), "share it"));
    fixture_stop(&p);
}

Test(openb, runs_on_its_own_machines_with_shares_rounded_up)
{
    struct fixture_scenario p = PLAY(NODES, "jobs.openb.gpuShares=roundUp");
    conserved(&p);
    cr_assert_eq(figure(&p, "pods.unplaced.total"), 0);
    cr_assert_eq(figure(&p, "jobs.gpuSeconds.in"), 214769257);
    cr_assert_eq(figure(&p, "jobs.gpuSeconds.lost.failed"), 3838877);
    cr_assert_eq(peak(&p, "gpus.held"), 70);
    cr_assert(strstr(fixture_finding(&p, "gpu-shares"), "whole one"));
    fixture_stop(&p);
}

/* The one pod that asks for more than any machine of its kind has: 120 CPUs and 720 GiB beside 8
 * GPUs of kind G2, whose machines have 96 and 384. */
Test(openb, bound_to_kinds_leaves_what_no_machine_of_its_kind_holds)
{
    struct fixture_scenario p =
        PLAY(NODES, "jobs.openb.podList=traces/openb-pod-list-gpuspec33.csv.zst");
    conserved(&p);
    cr_assert_eq(figure(&p, "pods.unplaced.total"), 1);
    cr_assert_eq(figure(&p, "pods.unplaced.noMachine"), 1);
    cr_assert(strstr(fixture_finding(&p, "unplaced"), "8 G2 GPU, 120 CPU, 720 GiB"));
    cr_assert(strstr(fixture_finding(&p, "unplaced"), "had another kind of GPU"));
    fixture_stop(&p);
}

Test(openb, may_begin_in_the_middle_of_the_list)
{
    struct fixture_scenario p = PLAY(NODES, "jobs.openb.podListFrom=10000000s", "horizon=34d",
                                     "jobs.openb.gpuShares=roundUp");
    /* 25 had ended before, counted with awk. */
    cr_assert_eq(figure(&p, "jobs.asked"), PODS - 25);
    cr_assert(strstr(fixture_finding(&p, "pod-list"), "25 pods"));
    cr_assert_eq(figure(&p, "jobs.waiting"), 0);
    cr_assert_eq(figure(&p, "jobs.life.max"), 2902960, "until the trace's end");
    fixture_stop(&p);
}

Test(openb, runs_on_elastic_pools)
{
    struct fixture_scenario p = PLAY(ELASTIC, "seed=1");
    conserved(&p);
    /* Five pods ask for 120 CPUs and more; the largest machine for sale has 96. */
    cr_assert_eq(figure(&p, "pods.unplaced.total"), 5);
    cr_assert_eq(figure(&p, "pods.unplaced.noMachine"), 5);
    cr_assert(strstr(fixture_finding(&p, "unplaced"), "of 2 machines for sale none is enough"));
    /* Whole GPUs: what ended well is what ended well in the trace, whatever was run twice. */
    cr_assert_eq(figure(&p, "jobs.gpuSeconds.out"), 214769257 - 3838877);
    cr_assert_gt(figure(&p, "cost.byClass.fragmentation"), 0);
    cr_assert_gt(figure(&p, "gpus.fragmentedShare"), 0);
    fixture_stop(&p);
}

Test(openb, runs_on_container_instances)
{
    struct fixture_scenario p = PLAY(ECI, "seed=1");
    conserved(&p);
    /* 44 that no size of ECI holds (all but none of the 8-GPU ones); the 1088 pods without a GPU
     * get sizes by vCPU and memory. */
    cr_assert_eq(figure(&p, "pods.unplaced.total"), 44);
    cr_assert_eq(figure(&p, "eci.created"), PODS - 44);
    cr_assert_eq(figure(&p, "jobs.completed") + figure(&p, "jobs.failed"), PODS - 44);
    cr_assert_gt(figure(&p, "cost.total"), 0);
    cr_assert_eq(figure(&p, "cost.byResource.eci"), figure(&p, "cost.total"));
    cr_assert_eq(figure(&p, "jobs.neverPlaced"), 44);
    cr_assert(p.r->judged && !p.r->holds, "capacity fails what it never takes");
    cr_assert(strstr(p.r->verdict, "44 could never be placed"), "%s", p.r->verdict);
    fixture_stop(&p);
}
