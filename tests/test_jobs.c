/* test_jobs: pods that run to completion. */
#include "models/capacity/jobs.h"

#include "scenarios/run/run.h"
#include "scenarios/run/scenario.h"
#include "tests/temp_file.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

Test(jobs, back_off_doubles_from_ten_seconds_to_five_minutes)
{
    static const int64_t seconds[] = {10, 20, 40, 80, 160, 300, 300};
    for (uint32_t i = 0; i < sizeof seconds / sizeof seconds[0]; i++)
        cr_assert_eq(jobs_back_off(i), seconds[i] * SIM_SECOND, "restart %u", i);
    cr_assert_eq(jobs_back_off(UINT32_MAX), 300 * SIM_SECOND);
}

Test(jobs, new_pods_wait_up_to_six_minutes)
{
    static const int64_t seconds[] = {10, 20, 40, 80, 160, 320, 360, 360};
    for (uint32_t i = 0; i < sizeof seconds / sizeof seconds[0]; i++)
        cr_assert_eq(jobs_pod_back_off(i), seconds[i] * SIM_SECOND, "pod %u", i);
    cr_assert_eq(jobs_pod_back_off(UINT32_MAX), 360 * SIM_SECOND);
}

struct played {
    struct temp_file file;
    struct scenario *scenario;
    struct run *run;
    const struct result *result;
};

static struct played play_set(const char *jobs, const char *const *sets, size_t n_sets)
{
    char text[4096];
    struct played p = {0};
    struct err e = {0};
    snprintf(text, sizeof text,
             "{\"sluice\": 1, \"name\": \"t\", \"horizon\": \"2h\", \"replications\": 1,"
             " \"virtualNode\": {\"burstResource\": \"eci_only\", \"create\": \"10s\"},"
             " \"jobs\": [%s]}",
             jobs);
    p.file = temp_text(text);
    struct scenario_source source = {.path = p.file.path,
                                     .data_dir = SLUICE_SOURCE_DIR "/scenarios",
                                     .sets = sets,
                                     .n_sets = n_sets};
    p.scenario = scenario_load(&source, &e);
    cr_assert(p.scenario, "%s: %s", e.where, e.msg);
    struct run_options options = {.threads = 1, .command = "test"};
    p.run = run_scenario(p.scenario, &options, &e);
    cr_assert(p.run, "%s: %s", e.where, e.msg);
    p.result = run_result(p.run);
    return p;
}

static struct played play(const char *jobs)
{
    return play_set(jobs, NULL, 0);
}

static void stop(struct played *p)
{
    run_destroy(p->run);
    scenario_free(p->scenario);
    remove(p->file.path);
}

static double value(const struct played *p, const char *path)
{
    return result_value(p->result, path, -1);
}

/* Image 77 MB from the hub in 10 s, archive 10 s, framework 1 s, run 100 s. */
#define STARTUP                                                                                    \
    "\"startup\": {\"image\": {\"size\": \"77M\", \"registry\": \"hub\", \"overhead\": \"0s\"},"   \
    " \"model\": {\"size\": \"77M\", \"bandwidth\": \"7.7M\"}, \"frameworkInit\": \"1s\","         \
    " \"volumeMount\": \"0s\", \"containerStart\": \"0s\"}"
#define POD "\"pod\": {\"annotations\": {\"k8s.aliyun.com/eci-gpu-type\": \"P4\"}}"
#define JOB(more) "{\"name\": \"j\", \"runTime\": \"100s\", " POD ", " STARTUP more "}"

Test(jobs, a_job_goes_through_its_phases_and_is_paid_to_its_end)
{
    struct played p = play(JOB(""));
    cr_assert_eq(value(&p, "jobs.completed"), 1);
    /* 10 create, 10 image, 10 archive, 1 framework, 100 run; paid from the image on. */
    cr_assert_float_eq(value(&p, "jobs.life.mean"), 131, 1e-9);
    cr_assert_float_eq(value(&p, "eci.j.billedSeconds"), 121, 1e-9);
    cr_assert_float_eq(value(&p, "jobs.costEach"), 10.47 * 121 / 3600, 1e-6);
    cr_assert_float_eq(value(&p, "cost.total"), 10.47 * 121 / 3600, 1e-6);
    stop(&p);
}

Test(jobs, a_job_that_always_fails_backs_off_and_gives_up)
{
    struct played p = play(JOB(", \"failureShare\": 1, \"backoffLimit\": 3"));
    cr_assert_eq(value(&p, "jobs.failed"), 1);
    cr_assert_eq(value(&p, "jobs.completed"), 0);
    cr_assert_eq(value(&p, "jobs.restarts"), 3);
    /* Image once; then 4 containers of 111 s with 10 + 20 + 40 s between them: paid throughout. */
    cr_assert_float_eq(value(&p, "eci.j.billedSeconds"), 10 + 4 * 111 + 70, 1e-9);
    stop(&p);
}

Test(jobs, with_restart_policy_never_each_failure_is_a_new_pod)
{
    struct played p =
        play(JOB(", \"failureShare\": 1, \"backoffLimit\": 2, \"restartPolicy\": \"Never\""));
    cr_assert_eq(value(&p, "jobs.failed"), 1);
    cr_assert_eq(value(&p, "eci.created"), 3);
    cr_assert_float_eq(value(&p, "eci.j.billedSeconds"), 3 * 121, 1e-9);
    stop(&p);
}

/* No stock all along: each pod is tried five times in 150 s and Failed 5 s later; the Job makes
 * another after 10 and 20 s, and gives up after the third. */
Test(jobs, a_pod_that_could_not_be_created_counts_against_the_back_off_limit)
{
    static const char *const none[] = {"virtualNode.noStockShare=1",
                                       "virtualNode.rescheduleEnable=false"};
    struct played p = play_set(JOB(", \"backoffLimit\": 2"), none, 2);
    cr_assert_eq(value(&p, "jobs.failed"), 1);
    cr_assert_eq(value(&p, "jobs.restarts"), 2);
    cr_assert_eq(value(&p, "jobs.lostPods"), 0);
    cr_assert_eq(value(&p, "eci.scheduleFailed"), 3);
    cr_assert_float_eq(value(&p, "eci.states.Scheduling"), 3 * 150, 1e-9);
    stop(&p);
}

/* By default it stays Pending, and nothing fails. */
Test(jobs, a_pod_without_stock_is_no_failure_of_its_job)
{
    static const char *const none[] = {"virtualNode.noStockShare=1"};
    struct played p = play_set(JOB(", \"backoffLimit\": 2"), none, 1);
    cr_assert_eq(value(&p, "jobs.failed"), 0);
    cr_assert_eq(value(&p, "jobs.waiting"), 1);
    cr_assert_eq(value(&p, "eci.scheduleFailed"), 0);
    cr_assert_eq(value(&p, "eci.failedCalls.total"), 28);
    stop(&p);
}

/* When each of its pods ended, in seconds. */
static size_t ends(const struct played *p, double *at, size_t cap)
{
    size_t n = 0;
    for (size_t i = 0; i < p->result->n_entries && n < cap; i++)
        if (strcmp(p->result->entries[i].what, "failed") == 0)
            at[n++] = (double)p->result->entries[i].at / (double)SIM_SECOND;
    return n;
}

Test(jobs, a_new_pod_comes_after_the_back_off_of_the_job_controller)
{
    double at[8];
    struct played p =
        play(JOB(", \"failureShare\": 1, \"backoffLimit\": 2, \"restartPolicy\": \"Never\""));
    cr_assert_eq(ends(&p, at, 8), 3);
    /* Each pod lasts 131 s; 10 s and then 20 s pass before the next. */
    cr_assert_float_eq(at[0], 131, 1e-6);
    cr_assert_float_eq(at[1], 131 + 10 + 131, 1e-6);
    cr_assert_float_eq(at[2], 131 + 10 + 131 + 20 + 131, 1e-6);
    stop(&p);
}

Test(jobs, a_run_of_ten_minutes_sets_the_back_off_back)
{
    static const struct {
        const char *run;
        double run_s, waits_s;
    } rows[] = {
        {"599s", 599, 10 + 20 + 40},
        {"600s", 600, 10 + 10 + 10},
        {"700s", 700, 10 + 10 + 10},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char job[1024];
        snprintf(job, sizeof job,
                 "{\"name\": \"j\", \"runTime\": \"%s\", \"failureShare\": 1, "
                 "\"backoffLimit\": 3, " POD ", " STARTUP "}",
                 rows[i].run);
        struct played p = play(job);
        cr_assert_eq(value(&p, "jobs.restarts"), 3, "backoffLimit counts on");
        cr_assert_float_eq(value(&p, "eci.j.billedSeconds"),
                           10 + 4 * (11 + rows[i].run_s) + rows[i].waits_s, 1e-6, "run of %s: %g",
                           rows[i].run, value(&p, "eci.j.billedSeconds"));
        stop(&p);
    }
}

/* Held from the creation call on: 10 create, 10 image, 11 archive and framework; 4 runs of 100 s,
 * of which none ended well, and 10 + 20 + 40 s between them with 11 s to start again. */
Test(jobs, gpu_time_is_out_or_lost)
{
    struct played p = play(JOB(", \"failureShare\": 1, \"backoffLimit\": 3"));
    cr_assert_float_eq(value(&p, "jobs.gpuSeconds.lost.failed"), 400, 1e-6);
    cr_assert_float_eq(value(&p, "jobs.gpuSeconds.lost.starting"), 20 + 4 * 11 + 70, 1e-6);
    cr_assert_float_eq(value(&p, "jobs.gpuSeconds.in"), 400 + 20 + 44 + 70, 1e-6);
    cr_assert_eq(value(&p, "jobs.gpuSeconds.out"), 0);
    stop(&p);
    p = play(JOB(""));
    cr_assert_float_eq(value(&p, "jobs.gpuSeconds.out"), 100, 1e-6);
    cr_assert_float_eq(value(&p, "jobs.gpuSeconds.in"), 131, 1e-6);
    stop(&p);
}

Test(jobs, every_job_is_completed_failed_running_or_waiting)
{
    struct played p = play(JOB(", \"count\": 100, \"every\": \"90s\", \"failureShare\": 0.3"));
    double asked = value(&p, "jobs.asked");
    cr_assert_eq(asked, 80); /* one each 90 s of two hours */
    cr_assert_eq(asked, value(&p, "jobs.completed") + value(&p, "jobs.failed") +
                            value(&p, "jobs.running") + value(&p, "jobs.waiting"));
    cr_assert_gt(value(&p, "jobs.restarts"), 10);
    stop(&p);
}
