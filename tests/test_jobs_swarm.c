/* test_jobs_swarm: jobs in random worlds: none is lost, nor any GPU time. Every run asserts, to the
 * nanosecond, that what the cluster's books say of the time that pods held GPUs is what the jobs
 * have seen of it. */
#include "scenarios/run/run.h"
#include "scenarios/run/scenario.h"
#include "tests/dice.h"
#include "tests/temp_file.h"

#include <criterion/criterion.h>
#include <stdio.h>

struct sums {
    double cut, dead, preempted, lost_pods, restarts, completed, late;
};

static const char *choose(struct dice *d, const char *const *texts, int n)
{
    return texts[dice_int(d, 0, n - 1)];
}

/* A pool of spot or on-demand nodes, jobs of three priorities, placeholders, drills. */
static void write_world(char *text, size_t size, struct dice *d)
{
    static const char *const markets[] = {"", ", \"spotMarket\": \"scarce\"",
                                          ", \"spotMarket\": \"awsHeldHigh\""};
    static const char *const notices[] = {"none", "drain"};
    static const char *const policies[] = {"OnFailure", "Never"};
    static const char *const types[] = {"ecs.gn6v-c8g1.2xlarge", "ecs.gn6v-c8g1.8xlarge"};
    static const char *const drills[] = {"\"spot-loss=1/2@1h\"", "\"zone-loss=cn-hangzhou-i@90m\"",
                                         "\"stock-out=30m@1h\", \"spot-loss=2/2@2h\""};
    static const char *const eci[] = {"", "\"virtualNode\": {\"burstResource\": \"eci\"},"};
    /* Some Jobs have several completions and little time, in the first and the second item. */
    int completions = (int)dice_int(d, 0, 5), parallelism = (int)dice_int(d, 1, 3);
    int deadline_min = dice_flag(d) ? (int)dice_int(d, 3, 60) : 0;
    snprintf(
        text, size,
        "{\"sluice\": 1, \"name\": \"swarm\", \"horizon\": \"4h\", \"replications\": 1,"
        " \"seed\": %d, \"drills\": [%s], %s"
        " \"scheduler\": {\"scoringStrategy\": \"%s\"},"
        " \"nodePools\": [{\"name\": \"p\", \"instanceTypes\": [\"%s\"], \"maxSize\": %d,"
        " \"headroom\": %d, \"onDemandPercentageAboveBaseCapacity\": %d,"
        " \"onSpotNotice\": \"%s\", \"spotDuration\": %d%s}],"
        " \"clusterAutoscaler\": {\"profile\": \"ack\"},"
        " \"jobs\": ["
        "{\"name\": \"low\", \"count\": %d, \"every\": \"%ds\", \"runTime\": "
        "{\"distribution\": \"exponential\", \"mean\": \"%dm\"}, \"failureShare\": 0.%d,"
        " \"completions\": %d, \"parallelism\": %d, \"activeDeadline\": \"%dm\","
        " \"restartPolicy\": \"%s\", \"backoffLimit\": %d, \"pod\": {\"gpus\": %d, "
        "\"priority\": -1}},"
        "{\"name\": \"mid\", \"count\": 20, \"every\": \"9m\", \"runTime\": \"11m\","
        " \"failureShare\": 0.2, \"pod\": {\"minAvailable\": %d}},"
        "{\"name\": \"high\", \"count\": 10, \"every\": \"20m\", \"at\": \"30m\", \"runTime\": "
        "\"13m\", \"pod\": {\"gpus\": %d, \"priority\": 100}}]}",
        (int)dice_int(d, 1, 1000), choose(d, drills, 3), choose(d, eci, 2),
        dice_flag(d) ? "MostAllocated" : "LeastAllocated", choose(d, types, 2),
        (int)dice_int(d, 1, 4), (int)dice_int(d, 0, 2), (int)dice_int(d, 0, 100),
        choose(d, notices, 2), (int)dice_int(d, 0, 1), choose(d, markets, 3),
        (int)dice_int(d, 1, 60), (int)dice_int(d, 10, 300), (int)dice_int(d, 1, 40),
        (int)dice_int(d, 1, 5), completions, parallelism, deadline_min, choose(d, policies, 2),
        (int)dice_int(d, 0, 6), (int)dice_int(d, 1, 2), (int)dice_int(d, 0, 2),
        (int)dice_int(d, 1, 4));
}

static void play_world(const char *text, struct sums *sums)
{
    struct temp_file f = temp_text(text);
    struct err e = {0};
    struct scenario_source source = {.path = f.path, .data_dir = SLUICE_SOURCE_DIR "/scenarios"};
    struct scenario *s = scenario_load(&source, &e);
    if (!s) { /* a pod larger than the machines of ECI is refused by name */
        cr_assert(e.code == ERR_INPUT, "%s: %s\n%s", e.where, e.msg, text);
        remove(f.path);
        return;
    }
    struct run_options options = {.threads = 1, .command = "test"};
    struct run *run = run_scenario(s, &options, &e);
    cr_assert(run, "%s: %s\n%s", e.where, e.msg, text);
    const struct result *r = run_result(run);
    double in = result_value(r, "jobs.gpuSeconds.in", -1);
    double parts = result_value(r, "jobs.gpuSeconds.out", -1) +
                   result_value(r, "jobs.gpuSeconds.running", -1) +
                   result_value(r, "jobs.gpuSeconds.lost.starting", -1) +
                   result_value(r, "jobs.gpuSeconds.lost.failed", -1) +
                   result_value(r, "jobs.gpuSeconds.lost.cut", -1) +
                   result_value(r, "jobs.gpuSeconds.lost.dead", -1);
    cr_assert_float_eq(in, parts, 1e-6 * (in + 1), "%s", text);
    sums->cut += result_value(r, "jobs.gpuSeconds.lost.cut", 0);
    sums->dead += result_value(r, "jobs.gpuSeconds.lost.dead", 0);
    sums->preempted += result_value(r, "jobs.preemptedPods", 0);
    sums->lost_pods += result_value(r, "jobs.lostPods", 0);
    sums->restarts += result_value(r, "jobs.restarts", 0);
    sums->completed += result_value(r, "jobs.completed", 0);
    sums->late += result_value(r, "jobs.deadlineExceeded", 0);
    run_destroy(run);
    scenario_free(s);
    remove(f.path);
}

Test(jobs_swarm, no_job_and_no_gpu_time_is_lost)
{
    struct dice dice = dice_of(404);
    struct sums sums = {0};
    char text[4096];
    for (int i = 0; i < 150; i++) {
        write_world(text, sizeof text, &dice);
        play_world(text, &sums);
    }
    /* The worlds are worth something only if all of it happens in them. */
    cr_assert_gt(sums.cut, 0);
    cr_assert_gt(sums.dead, 0);
    cr_assert_gt(sums.preempted, 20);
    cr_assert_gt(sums.lost_pods, 20);
    cr_assert_gt(sums.restarts, 20);
    cr_assert_gt(sums.completed, 1000);
    cr_assert_gt(sums.late, 100);
}
