/* test_users_inflight: requests in flight at a scale-in (USERS E32), and PDBs at a reclaim, as
 * whole runs whose figures are worked out by hand. */
#include "tests/fixture_scenario.h"

#include <criterion/criterion.h>
#include <string.h>

/* Four pods, 4 requests a second, one a second each, 45 s of work, side by side. At 600 s two pods
 * are deleted: grace 30 s, the balancer forgets them after 5 s. What arrived at one of them after
 * 585 s has more than 30 s to go at 600 s: 2 x 15 are aborted. What comes to it in the 5 s of the
 * lag finds the process closing: 2 x 5 are refused when nginx may not try again. */
Test(users_inflight, e32_a_scale_in_aborts_what_is_longer_than_grace_and_late_arrivals)
{
    struct fixture_scenario p = PLAY("users-drain", "seed=1");
    cr_assert_eq(fixture_value(&p, "requests.failed.aborted"), 30);
    cr_assert_eq(fixture_value(&p, "requests.failed.refused"), 10);
    cr_assert_eq(fixture_value(&p, "requests.failed.total"), 40);
    double sum = fixture_value(&p, "requests.served") + fixture_value(&p, "requests.inFlight") +
                 fixture_value(&p, "requests.failed.total");
    cr_assert_eq(fixture_value(&p, "requests.arrived"), sum, "each counted once");
    fixture_stop(&p);
}

/* The same with work of 20 s, which fits into the grace: only the late arrivals are lost, and a
 * preStop of the lag or longer makes them none. One that is shorter leaves the rest of the lag. */
Test(users_inflight, e32_a_pre_stop_of_the_lag_leaves_no_late_arrival)
{
    static const struct {
        const char *pre_stop;
        double refused;
    } rows[] = {{"slow.preStop=0s", 10},
                {"slow.preStop=2s", 6},
                {"slow.preStop=5s", 0},
                {"slow.preStop=20s", 0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char set[64] = "services.";
        strcat(set, rows[i].pre_stop);
        struct fixture_scenario p =
            PLAY("users-drain", "services.slow.serving.serviceTime=20s", set);
        cr_assert_eq(fixture_value(&p, "requests.failed.refused"), rows[i].refused, "%s",
                     rows[i].pre_stop);
        cr_assert_eq(fixture_value(&p, "requests.failed.total"), rows[i].refused);
        fixture_stop(&p);
    }
}

/* What comes during preStop is taken and has 25 s of grace left for 45 s of work: 2 x 5 more. */
Test(users_inflight, e32_pre_stop_eats_into_the_grace)
{
    struct fixture_scenario p = PLAY("users-drain", "services.slow.preStop=5s");
    cr_assert_eq(fixture_value(&p, "requests.failed.aborted"), 40);
    cr_assert_eq(fixture_value(&p, "requests.failed.total"), 40);
    fixture_stop(&p);
    /* In 2 of 5 s it takes, in 3 it refuses. */
    p = PLAY("users-drain", "services.slow.preStop=2s");
    cr_assert_eq(fixture_value(&p, "requests.failed.aborted"), 34);
    cr_assert_eq(fixture_value(&p, "requests.failed.refused"), 6);
    fixture_stop(&p);
    p = PLAY("users-drain", "services.slow.preStop=5s",
             "services.slow.pod.terminationGracePeriod=60s");
    cr_assert_eq(fixture_value(&p, "requests.failed.total"), 0);
    fixture_stop(&p);
}

/* nginx may try three endpoints: a refused connection was never sent and goes on to the next one;
 * what was sent is a POST and is not tried again, though tries are left. */
Test(users_inflight, e32_a_refused_try_goes_on_and_a_sent_one_does_not)
{
    struct fixture_scenario p = PLAY("users-drain", "services.slow.ingress.tries=3");
    cr_assert_eq(fixture_value(&p, "requests.failed.refused"), 0);
    cr_assert_eq(fixture_value(&p, "requests.failed.aborted"), 30);
    cr_assert_gt(fixture_value(&p, "requests.tries"), fixture_value(&p, "requests.arrived"));
    fixture_stop(&p);
}

/* Clients that wait for 10 s: each of the 45 s requests is given up once, by its client, and the
 * two pods that go have nobody's request to abort but their own 30. */
Test(users_inflight, a_client_that_gives_up_is_counted_once)
{
    struct fixture_scenario p = PLAY("users-drain", "services.slow.ingress.clientTimeout=10s",
                                     "services.slow.ingress.tries=3");
    double arrived = fixture_value(&p, "requests.arrived");
    double in_flight = fixture_value(&p, "requests.inFlight");
    cr_assert_eq(fixture_value(&p, "requests.served"), 0);
    cr_assert_eq(fixture_value(&p, "requests.failed.aborted"), 0, "given up before the grace ends");
    cr_assert_eq(fixture_value(&p, "requests.failed.timeout"), arrived - in_flight);
    cr_assert_eq(in_flight, 40, "of the last 10 s");
    fixture_stop(&p);
}

/* A budget of two ready pods of two. The handler of the notice asks each 5 s for 120 s and is
 * refused; the platform takes the machine without asking, and the run says so. */
Test(users_inflight, a_budget_stops_evictions_and_no_reclaim)
{
    struct fixture_scenario p =
        PLAY("users-spot", "drills=[\"spot-loss=1/2@20m\"]", "nodePools.elastic.onSpotNotice=drain",
             "services.bert.pod={\"minAvailable\": 2}");
    size_t refused = 0;
    for (size_t i = 0; i < p.r->n_entries; i++)
        refused += strcmp(p.r->entries[i].what, "eviction refused") == 0;
    cr_assert_eq(refused, 24);
    const char *told = fixture_finding(&p, "budget-reclaim");
    cr_assert(told && strstr(told, "Reclaims took 1 ready pods"), "%s", told ? told : "nothing");
    fixture_stop(&p);
    p = PLAY("users-spot", "drills=[\"spot-loss=1/2@20m\"]", "nodePools.elastic.onSpotNotice=drain",
             "services.bert.pod={\"minAvailable\": 1}");
    cr_assert(fixture_line(&p, "elastic-0", "spot notice", "a handler drains it", 0));
    cr_assert_null(fixture_line(&p, NULL, "eviction refused", NULL, 0));
    cr_assert_null(fixture_finding(&p, "budget-reclaim"));
    cr_assert_eq(fixture_value(&p, "requests.failed.total"), 0, "drained in time");
    fixture_stop(&p);
}
