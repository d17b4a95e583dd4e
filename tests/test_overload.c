/* test_overload: far more traffic than there is capacity is answered with a verdict, its cause and
 * figures that are worked out by hand; not with a limit. */
#include "tests/fixture_scenario.h"

#include <criterion/criterion.h>
#include <string.h>

#define QPS(n) "services.bert.traffic.qps=" n
#define ONE "services.bert.autoscaler={\"fixed\": 1}"
#define SLOW "services.bert.serving.serviceTime=70ms"
#define TEN_MINUTES "horizon=10m"
#define FIFO "services.bert.serving.discipline=fifo"

static void each_counted_once(const struct fixture_scenario *p)
{
    cr_assert_eq(fixture_value(p, "requests.arrived"),
                 fixture_value(p, "requests.served") + fixture_value(p, "requests.failed.total") +
                     fixture_value(p, "requests.inFlight"));
    cr_assert_eq(fixture_value(p, "slo.held"), 0);
}

static void check_cause(const struct fixture_scenario *p, const char *cause)
{
    const char *found = fixture_finding(p, "overload");
    cr_assert(found && strstr(found, cause), "%s", found ? found : "no cause is told");
}

/* Request k comes at k / 2000 s and gives up 60 s later; the n-th to be served ends at 0.0005 +
 * 0.07 n s. For n = 863 that is 60.4105 s, before its deadline at 60.4315 s; 864 would end at
 * 60.4805 s, its deadline is 60.432 s. From then on whoever is first in the queue has less than
 * 70 ms left when its turn comes. At 600 s those who came at 540 s or later are still inside: 600 x
 * 2000 - 1 have come, 540 x 2000 - 1 of them before. */
Test(overload, of_two_thousand_a_second_on_one_replica_fails_by_time_outs)
{
    static const char *const balances[] = {"services.bert.serving.balance=round_robin",
                                           "services.bert.serving.balance=central_fifo"};
    for (size_t i = 0; i < 2; i++) {
        struct fixture_scenario p =
            PLAY("users-hpa", QPS("2000"), ONE, SLOW, TEN_MINUTES, FIFO, balances[i]);
        cr_assert_eq(fixture_value(&p, "requests.arrived"), 1199999);
        cr_assert_eq(fixture_value(&p, "requests.served"), 863);
        cr_assert_eq(fixture_value(&p, "requests.inFlight"), 120000);
        cr_assert_eq(fixture_value(&p, "requests.failed.timeout"), 1199999 - 863 - 120000);
        each_counted_once(&p);
        check_cause(&p, "up to 2000 requests a second come, 140 times the 14.29 that 1 replica");
        fixture_stop(&p);
    }
}

/* 32 share the GPU: the first of them come within 16 ms and end after 32 x 70 ms, and so on, 32 in
 * 2.24 s, until the queue has waited for 60 - 2.24 s: 0.0695 x n = 57.76, 831 requests, to the
 * next whole round of 32. */
Test(overload, of_a_shared_gpu_fails_by_time_outs)
{
    struct fixture_scenario p = PLAY("users-hpa", QPS("2000"), ONE, SLOW, TEN_MINUTES);
    cr_assert_float_eq(fixture_value(&p, "requests.served"), 831, 32);
    cr_assert_eq(fixture_value(&p, "requests.inFlight"), 120000);
    each_counted_once(&p);
    check_cause(&p, "140 times");
    fixture_stop(&p);
}

/* The HPA goes to its maximum of 10, which serve 142.9 a second of 2000; all come to be full. */
Test(overload, beyond_the_largest_size_says_what_the_largest_size_serves)
{
    struct fixture_scenario p = PLAY("users-hpa", QPS("2000"), SLOW);
    cr_assert_eq(fixture_value(&p, "replicas.max"), 10);
    each_counted_once(&p);
    check_cause(&p, "14 times the 142.9 that 10 replicas serve");
    fixture_stop(&p);
}

/* No cause where everything is served, or where one replica alone was slow to come. */
Test(overload, is_not_told_of_what_fits)
{
    struct fixture_scenario p = PLAY("users-hpa", QPS("100"));
    cr_assert_null(fixture_finding(&p, "overload"));
    fixture_stop(&p);
}

/* A bounded queue rejects; nothing waits for 60 s. */
Test(overload, of_a_bounded_queue_rejects)
{
    struct fixture_scenario p = PLAY("users-hpa", QPS("2000"), ONE, SLOW, TEN_MINUTES, FIFO,
                                     "services.bert.serving.maxQueue=10");
    cr_assert_eq(fixture_value(&p, "requests.failed.timeout"), 0);
    cr_assert_eq(fixture_value(&p, "requests.inFlight"), 11);
    /* One every 70 ms from 0.5 ms on. */
    cr_assert_eq(fixture_value(&p, "requests.served"), 8571);
    check_cause(&p, "140 times");
    each_counted_once(&p);
    fixture_stop(&p);
}
