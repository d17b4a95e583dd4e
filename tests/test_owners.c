/* test_owners: whose pods a cluster has: lists of pods on lists of nodes, and many jobs. */
#include "scenarios/run/owners.h"
#include "scenarios/run/run.h"
#include "scenarios/run/scenario.h"
#include "tests/temp_file.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct run *play(const char *text, struct scenario **s)
{
    struct temp_file f = temp_text(text);
    struct err e = {0};
    struct scenario_source source = {.path = f.path, .data_dir = SLUICE_SOURCE_DIR "/scenarios"};
    *s = scenario_load(&source, &e);
    cr_assert(*s, "%s: %s", e.where, e.msg);
    struct run_options options = {.threads = 1, .command = "test"};
    struct run *run = run_scenario(*s, &options, &e);
    cr_assert(run, "%s: %s", e.where, e.msg);
    remove(f.path);
    return run;
}

#define PODS                                                                                       \
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,"            \
    "deletion_time,scheduled_time\n"

/* One machine with two GPUs for two hours. a holds one of them in the first hour, in which b waits
 * for both; b has them in the second. The other GPU of the first hour is of no use: 1 of 4 hours.
 */
Test(owners, free_gpus_that_no_waiting_pod_can_use_are_stranded)
{
    struct temp_file nodes = temp_text("sn,cpu_milli,memory_mib,gpu,model\nn,8000,65536,2,X\n");
    struct temp_file pods = temp_text(PODS "a,1000,1024,1,1000,,LS,Running,0,3600,0\n"
                                           "b,1000,1024,2,1000,Y,LS,Failed,0,3600,0\n");
    char text[1024];
    struct scenario *s;
    snprintf(text, sizeof text,
             "{\"sluice\": 1, \"name\": \"t\", \"horizon\": \"2h\", \"replications\": 1,"
             " \"nodeList\": \"%s\", \"jobs\": [{\"name\": \"j\", \"podList\": \"%s\","
             " \"gpuKinds\": {\"Y\": \"X\"}, \"startup\": {\"image\": {\"cached\": true, "
             "\"overhead\": \"0s\"}, \"volumeMount\": \"0s\", \"containerStart\": \"0s\", "
             "\"frameworkInit\": \"0s\"}}]}",
             nodes.path, pods.path);
    struct run *run = play(text, &s);
    const struct result *r = run_result(run);
    cr_assert_float_eq(result_value(r, "gpus.strandedShare", -1), 0.25, 1e-9);
    cr_assert_float_eq(result_value(r, "gpus.fragmentedShare", -1), 0.25, 1e-9);
    cr_assert_float_eq(result_value(r, "gpus.freeShare", -1), 0.25, 1e-9);
    cr_assert_eq(result_value(r, "pods.pendingSeconds", -1), 3600);
    cr_assert_eq(result_value(r, "jobs.gpuSeconds.out", -1), 3600);
    cr_assert_eq(s->n_owners, 2, "they look different");
    run_destroy(run);
    scenario_free(s);
    remove(nodes.path);
    remove(pods.path);
}

/* Figures are per item for a few of them only: the sum says the rest. */
Test(owners, a_thousand_items_of_jobs_make_one_set_of_figures)
{
    enum { ITEMS = 1000 };
    size_t size = ITEMS * 64 + 512, at = 0;
    char *text = malloc(size);
    struct scenario *s;
    cr_assert(text);
    at += (size_t)snprintf(text, size,
                           "{\"sluice\": 1, \"name\": \"t\", \"horizon\": \"1h\", "
                           "\"replications\": 1, \"jobs\": [");
    for (int i = 0; i < ITEMS; i++)
        at += (size_t)snprintf(text + at, size - at, "%s{\"name\": \"j%d\", \"runTime\": \"5m\"}",
                               i ? ", " : "", i);
    snprintf(text + at, size - at, "]}");
    struct run *run = play(text, &s);
    const struct result *r = run_result(run);
    cr_assert_eq(result_value(r, "jobs.completed", -1), ITEMS);
    cr_assert_eq(result_value(r, "jobs.gpuSeconds.out", -1), ITEMS * 300.0);
    cr_assert_eq(result_value(r, "jobs.j7.completed", -1), -1);
    cr_assert_eq(owners_first(s, OWNERS_JOB, 999), 999);
    run_destroy(run);
    scenario_free(s);
    free(text);
}
