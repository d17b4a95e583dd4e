/* test_jobs_parallel: Jobs of several completions, and Jobs whose time runs out. */
#include "tests/fixture_scenario.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* tests/scenarios/jobs-parallel.json: on the virtual node a pod is created in 10 s, has its image
 * at once and runs for 100 s: 110 s from its request to its end. */
#define EACH 110.0

/* Pods of one Job at once, by the time that all of them take: the last end is at the start of the
 * last pod and the length of one. */
Test(jobs_parallel, no_more_pods_run_at_once_than_parallelism)
{
    static const struct {
        const char *completions, *parallelism;
        double done, rounds, most;
    } rows[] = {
        {"1", "1", 1, 1, 1}, {"4", "1", 4, 4, 1}, {"4", "2", 4, 2, 2}, {"5", "2", 5, 3, 2},
        {"4", "9", 4, 1, 4}, {"0", "3", 3, 1, 3}, {"0", "1", 1, 1, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char completions[60], parallelism[60];
        snprintf(completions, sizeof completions, "jobs.j.completions=%s", rows[i].completions);
        snprintf(parallelism, sizeof parallelism, "jobs.j.parallelism=%s", rows[i].parallelism);
        struct fixture_scenario p = PLAY("jobs-parallel", completions, parallelism);
        sim_ns last = 0;
        double most = 0;
        for (size_t b = 0; b < p.r->n_bills; b++) {
            double at_once = 0;
            last = p.r->bills[b].to > last ? p.r->bills[b].to : last;
            for (size_t k = 0; k < p.r->n_bills; k++)
                at_once += p.r->bills[k].from <= p.r->bills[b].from &&
                           p.r->bills[b].from < p.r->bills[k].to;
            most = at_once > most ? at_once : most;
        }
        cr_expect_eq(fixture_value(&p, "jobs.completed"), rows[i].done, "row %zu", i);
        cr_expect_eq((double)p.r->n_bills, rows[i].done, "row %zu: each in a pod of its own", i);
        cr_expect_float_eq((double)last / 1e9, rows[i].rounds * EACH, 1e-6, "row %zu: %g", i,
                           (double)last / 1e9);
        cr_expect_eq(most, rows[i].most, "row %zu: %g at once", i, most);
        fixture_stop(&p);
    }
}

/* Two at once, 110 s each: at 250 s four are done, two run; at 60 s none is. */
Test(jobs_parallel, what_is_not_done_at_the_deadline_has_failed)
{
    static const struct {
        const char *deadline;
        double completed, failed, billed_s;
    } rows[] = {
        {"0s", 7, 0, 7 * 100},
        {"440s", 6, 1, 6 * 100 + 100}, /* 3 x 110 + 110: the last ends at that moment */
        {"250s", 4, 3, 4 * 100 + 2 * 20},
        {"60s", 0, 7, 2 * 50},
        {"5s", 0, 7, 0}, /* not even created */
        {"441s", 7, 0, 7 * 100},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char deadline[60];
        snprintf(deadline, sizeof deadline, "jobs.j.activeDeadline=%s", rows[i].deadline);
        struct fixture_scenario p =
            PLAY("jobs-parallel", "jobs.j.completions=7", "jobs.j.parallelism=2", deadline);
        const char *told = fixture_finding(&p, "deadline-exceeded");
        double billed = 0;
        for (size_t b = 0; b < p.r->n_bills; b++)
            billed += (double)(p.r->bills[b].to - p.r->bills[b].from) / 1e9;
        double completed = fixture_value(&p, "jobs.completed");
        if (i != 1) { /* at one and the same moment either may come first */
            cr_expect_eq(completed, rows[i].completed, "%s: %g", rows[i].deadline, completed);
            cr_expect_eq(fixture_value(&p, "jobs.failed"), rows[i].failed, "%s", rows[i].deadline);
            cr_expect_eq(told != NULL, rows[i].failed > 0, "%s", rows[i].deadline);
            if (rows[i].failed > 0)
                cr_expect_eq(fixture_value(&p, "jobs.deadlineExceeded"), rows[i].failed);
        }
        cr_expect_eq(completed + fixture_value(&p, "jobs.failed"), 7, "%s", rows[i].deadline);
        cr_expect_eq(fixture_value(&p, "jobs.running"), 0, "%s", rows[i].deadline);
        cr_expect_float_eq(billed, rows[i].billed_s, 1.0, "%s: %g s", rows[i].deadline, billed);
        fixture_stop(&p);
    }
}

/* Failures of all pods count together: with a limit of 2 the third ends the Job and its others. */
Test(jobs_parallel, failures_of_all_completions_end_the_job)
{
    struct fixture_scenario p =
        PLAY("jobs-parallel", "jobs.j.completions=6", "jobs.j.parallelism=2",
             "jobs.j.failureShare=1", "jobs.j.backoffLimit=2", "jobs.j.restartPolicy=Never");
    cr_expect_eq(fixture_value(&p, "jobs.failed"), 6);
    cr_expect_eq(fixture_value(&p, "jobs.completed"), 0);
    cr_expect_eq(fixture_value(&p, "jobs.restarts"), 2);
    cr_expect_eq(fixture_value(&p, "jobs.running"), 0);
    cr_expect_eq(fixture_value(&p, "jobs.waiting"), 0);
    fixture_stop(&p);
}

/* Jobs of one item are bundles of their own: each has its time and its failures. */
Test(jobs_parallel, each_job_of_an_item_has_its_own_deadline)
{
    struct fixture_scenario p = PLAY("jobs-parallel", "jobs.j.count=3", "jobs.j.every=100s",
                                     "jobs.j.completions=2", "jobs.j.activeDeadline=150s");
    cr_expect_eq(fixture_value(&p, "jobs.completed"), 3, "the first of each");
    cr_expect_eq(fixture_value(&p, "jobs.deadlineExceeded"), 3, "the second of each");
    fixture_stop(&p);
}
