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
