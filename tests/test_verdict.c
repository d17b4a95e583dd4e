/* test_verdict: jobs that capacity failed, that the horizon cut, that failed as they had before. */
#include "reports/export.h"
#include "reports/page.h"
#include "reports/summary.h"
#include "sim/text.h"
#include "tests/fixture_scenario.h"
#include "tests/temp_file.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define PLAYED(...) PLAY("jobs-verdict", __VA_ARGS__)
#define ON_ECI                                                                                     \
    "nodePools=null", "clusterAutoscaler=null", "virtualNode.burstResource=eci_only",              \
        "jobs.a.pod.gpuTypes=[\"P4\"]"

enum how { HOLDS, FAILS, NOT_JUDGED };

/* Text, JSON and page say the same. */
static void expect(struct fixture_scenario *p, enum how how, const char *words)
{
    static const struct {
        const char *text, *judged, *holds, *page;
    } says[] = {
        [HOLDS] = {"\nHOLDS  ", "\"judged\": true", "\"holds\": true", "<strong>Holds"},
        [FAILS] = {"\nFAILS  ", "\"judged\": true", "\"holds\": false", "<strong>Does not hold"},
        [NOT_JUDGED] = {"\nNOT JUDGED  ", "\"judged\": false", "\"holds\": false",
                        "<strong>Not judged"},
    };
    struct text text = {0}, json = {0}, page = {0};
    struct err e = {0};
    summary_text(p->r, false, &text);
    export_json(p->r, true, &json);
    cr_assert_eq(page_html(p->r, &page, &e), 0, "%s", e.msg);
    cr_assert(strstr(text.s, says[how].text), "%.600s", text.s);
    cr_assert(strstr(json.s, says[how].judged), "%s", p->r->verdict);
    cr_assert(strstr(json.s, says[how].holds), "%s", p->r->verdict);
    cr_assert(strstr(page.s, says[how].page), "%s", p->r->verdict);
    cr_assert(strstr(p->r->verdict, words), "%s", p->r->verdict);
    text_fini(&text);
    text_fini(&json);
    text_fini(&page);
    fixture_stop(p);
}

Test(verdict, jobs_that_all_complete_hold)
{
    struct fixture_scenario p = PLAYED("horizon=4h");
    expect(&p, HOLDS, "3 of 3 jobs completed; a job costs");
}

Test(verdict, a_pool_that_sells_none_fails_its_jobs)
{
    struct fixture_scenario p = PLAYED("nodePools.p.stockLimits=[{\"most\":0}]");
    expect(&p, FAILS, "3 could never be placed: none was in stock");
}

/* Two jobs have ended before the stock does; of the third's time it covers all. */
Test(verdict, stock_that_ends_before_a_job_comes_fails_that_job)
{
    struct fixture_scenario p =
        PLAYED("jobs.a.every=80m", "nodePools.p.stockLimits=[{\"most\":0,\"from\":\"2h\"}]");
    expect(&p, FAILS, "2 of 3 jobs completed, 1 could never be placed: none was in stock");
}

Test(verdict, eci_without_stock_fails_its_jobs)
{
    struct fixture_scenario p =
        PLAYED(ON_ECI, "horizon=20m", "virtualNode.stockLimits=[{\"most\":0}]");
    expect(&p, FAILS, "0 of 3 jobs completed, 3 could never be placed: none was in stock");
    p = PLAYED(ON_ECI, "horizon=20m", "virtualNode.burstResource=eci",
               "virtualNode.stockLimits=[{\"most\":0}]");
    expect(&p, FAILS, "3 could never be placed: none was in stock");
}

Test(verdict, a_quota_too_small_for_one_fails_its_jobs)
{
    struct fixture_scenario p = PLAYED(ON_ECI, "virtualNode.vcpuQuota=1");
    expect(&p, FAILS, "3 could never be placed: the quota is too small");
    p = PLAYED("account.onDemandVcpuQuota=4");
    expect(&p, FAILS, "3 could never be placed: the quota is too small");
}

Test(verdict, a_pod_that_nothing_sends_to_eci_fails)
{
    struct fixture_scenario p = PLAYED("nodePools=null", "clusterAutoscaler=null", "virtualNode={}",
                                       "virtualNode.burstResource=none");
    expect(&p, FAILS, "3 could never be placed: nothing that is there or for sale takes such pods");
}

Test(verdict, retries_that_are_used_up_fail)
{
    struct fixture_scenario p = PLAYED("jobs.a.failureShare=1", "jobs.a.backoffLimit=0");
    expect(&p, FAILS, "0 of 3 jobs completed, 3 failed for good");
}

/* Stock comes back after an hour, and the runs of five are cut at four. */
Test(verdict, jobs_that_the_horizon_cuts_are_not_judged)
{
    struct fixture_scenario p = PLAYED("jobs.a.runTime=5h", "nodePools.p.stockLimits=[{\"most\":0,"
                                                            "\"lasts\":\"1h\"}]");
    expect(&p, NOT_JUDGED, "0 of 3 jobs completed, 3 had not ended when the run of 4h did");
}

/* One place for three: two wait for the first, which is nobody's failure. */
Test(verdict, jobs_that_queue_at_the_end_are_not_judged)
{
    struct fixture_scenario p = PLAYED("jobs.a.runTime=5h", "nodePools.p.maxSize=1");
    expect(&p, NOT_JUDGED, "3 had not ended");
}

Test(verdict, what_is_missed_fails_although_jobs_were_cut)
{
    struct fixture_scenario p = PLAYED("jobs.a.runTime=5h", "budget.total=1 CNY");
    expect(&p, FAILS, "3 had not ended");
}

/* The trace's own failure is an answer, not a miss. */
Test(verdict, what_failed_in_the_trace_does_not_fail_the_verdict)
{
    char set[300];
    struct temp_file list = temp_text("name,gpu_milli,num_gpu,cpu_milli,memory_mib,gpu_spec,qos,"
                                      "pod_phase,creation_time,deletion_time,scheduled_time\n"
                                      "a,1000,1,1000,1024,,LS,Succeeded,0,600,0\n"
                                      "b,1000,1,1000,1024,,LS,Failed,0,600,0\n");
    snprintf(set, sizeof set, "jobs=[{\"name\":\"l\",\"podList\":\"%s\"}]", list.path);
    struct fixture_scenario p = PLAYED(set);
    expect(&p, HOLDS, "1 of 2 jobs completed, 1 failed as they did in the trace");
    remove(list.path);
}

/* The machine of the only pod goes and none is bought: nothing loads a model then. */
Test(verdict, requests_without_any_pod_are_not_laid_on_a_missing_probe)
{
    struct fixture_scenario p = PLAY("ecs-spot-billing", "robustness=0");
    const struct result_finding *found = NULL;
    for (size_t i = 0; i < p.r->n_findings; i++)
        if (strcmp(p.r->findings[i].code, "refused") == 0)
            found = &p.r->findings[i];
    cr_assert(found && strstr(found->text, "no pod served when they came"), "%s", found->text);
    cr_assert(!strstr(found->text, "without a readiness probe"), "%s", found->text);
    fixture_stop(&p);
}

/* Jobs alone: what one costs, its run among its phases, and no rate of what the horizon cut. */
Test(verdict, a_page_of_jobs_shows_a_jobs_cost_and_its_run)
{
    struct fixture_scenario p = PLAYED(ON_ECI, "horizon=1h");
    struct text page = {0}, text = {0};
    struct err e = {0};
    cr_assert_eq(page_html(p.r, &page, &e), 0);
    cr_assert(strstr(page.s, "<dt>cost of a job</dt>") && strstr(page.s, "<dt>cost in all</dt>"));
    cr_assert(!strstr(page.s, "<dt>cost a month</dt>"));
    cr_assert(!strstr(page.s, "instances a day"));
    summary_text(p.r, false, &text);
    cr_assert(strstr(text.s, "Phases of a pod, to its end"));
    cr_assert(strstr(text.s, "\n  run   ") && strstr(text.s, "10m"), "%s", text.s);
    cr_assert_float_eq(result_value(p.r, "startup.run.mean", -1), 600, 1e-6);
    text_fini(&page);
    text_fini(&text);
    fixture_stop(&p);
}

/* What one replication says of itself is said to be of it. */
Test(verdict, findings_of_one_replication_name_it)
{
    struct fixture_scenario p = PLAYED(ON_ECI, "replications=3", "horizon=1h");
    const char *critical = fixture_finding(&p, "startup-critical");
    cr_assert(strncmp(critical, "In replication ", 15) == 0, "%s", critical);
    const char *spec = fixture_finding(&p, "eci-spec");
    cr_assert(strncmp(spec, "In replication", 14) != 0, "%s", spec);
    fixture_stop(&p);
}

Test(verdict, no_key_without_a_value_is_rested_on)
{
    struct fixture_scenario p = PLAYED("horizon=4h");
    for (size_t i = 0; i < p.r->n_assumptions; i++)
        cr_assert(p.r->assumptions[i].value[0], "%s", p.r->assumptions[i].path);
    fixture_stop(&p);
}
