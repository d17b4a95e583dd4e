/* test_dispatch: each rule of the dispatchers in a case small enough to work out by hand, played by
 * the fast dispatcher and by the event engine. */
#include "models/serving/dispatch.h"
#include "sim/chance.h"
#include "workloads/traffic.h"

#include <criterion/criterion.h>
#include <string.h>

/* One service with constant service times, in nanoseconds. */
struct life {
    struct dispatch_setup setup;
    struct dist services[2];
    struct arrivals *arrivals;
    struct dispatch *d;
    struct tally t;
};

#define TIMES(...)                                                                                 \
    (const sim_ns[]){__VA_ARGS__}, sizeof((const sim_ns[]){__VA_ARGS__}) / sizeof(sim_ns)
/* For both implementations in turn. */
#define BOTH for (int events = 0; events < 2; events++)

static struct dispatch_setup setup(enum balance balance, enum discipline discipline)
{
    return (struct dispatch_setup){.balance = balance,
                                   .discipline = discipline,
                                   .concurrency = 1,
                                   .max_queue = INT64_MAX,
                                   .timeout_ns = SIM_NEVER,
                                   .connect_timeout_ns = 5,
                                   .tries = 3,
                                   .workers = 1,
                                   .max_replicas = 4,
                                   .max_in_flight = 100};
}

static struct dispatch_setup central(void)
{
    return setup(BALANCE_CENTRAL, DISCIPLINE_FIFO);
}

static struct dispatch_setup robin(void)
{
    return setup(BALANCE_ROUND_ROBIN, DISCIPLINE_FIFO);
}

static struct dispatch_setup shared(void)
{
    struct dispatch_setup s = setup(BALANCE_ROUND_ROBIN, DISCIPLINE_SHARED);
    s.concurrency = INT64_MAX;
    return s;
}

/* Service takes 10 ns on GPUs of kind 0, 20 ns on kind 1. No replica yet. */
static void begin(struct life *l, struct dispatch_setup s, int events, const sim_ns *times,
                  size_t n)
{
    struct err e = {0};
    l->setup = s;
    l->services[0] = dist_constant(10);
    l->services[1] = dist_constant(20);
    l->setup.service = l->services;
    l->setup.n_services = 2;
    l->arrivals = n > 0 ? arrivals_of_list(times, n, &e) : NULL;
    l->setup.arrivals = l->arrivals;
    l->setup.use_events = events;
    l->d = dispatch_create(&l->setup, &e);
    cr_assert(l->d != NULL, "%s", e.msg);
    cr_assert_eq(strcmp(dispatch_engine(l->d), "events") == 0, events || n == 0);
}

static void end(struct life *l)
{
    dispatch_destroy(l->d);
    if (l->arrivals)
        arrivals_close(l->arrivals);
}

/* Up to `at`, then the tally there. */
static const struct tally *at(struct life *l, sim_ns when)
{
    struct advance a = dispatch_advance(l->d, when);
    cr_assert_eq(a.reached, when);
    cr_assert_eq(a.why, STOP_HORIZON);
    dispatch_mark(l->d, when, &l->t);
    cr_assert(tally_conserves(&l->t));
    return &l->t;
}

/* The sum of a histogram, exactly. */
static int64_t sum(const struct hist *h)
{
    return (int64_t)h->sum_lo;
}

Test(dispatch, counts_at_a_mark_what_ended_strictly_before)
{
    struct life l;
    BOTH
    {
        begin(&l, central(), events, TIMES(0, 3, 25));
        dispatch_add(l.d, 0, 0, ENDPOINT_SERVING, 0);
        const struct tally *t = at(&l, 20);
        cr_assert_eq(t->arrived, 2);
        cr_assert_eq(t->served, 1); /* the second ends at 20 */
        cr_assert_eq(t->running, 1);
        cr_assert_eq(t->busy_ns, 20);
        cr_assert_eq(at(&l, 21)->served, 2);
        cr_assert_eq(at(&l, 100)->served, 3);
        cr_assert_eq(sum(&t->latency), 10 + 17 + 10);
        cr_assert_eq(t->latency.max, 17);
        cr_assert_eq(t->busy_ns, 30);
        end(&l);
    }
}

/* In a row: 0..10, 10..20, 20..30. Shared: the second comes at 2, the third at 4, and work is 30
 * in all. Request-time inside up to t is what each has spent from its arrival to min(t, its end).
 */
Test(dispatch, request_time_inside_is_exact_at_any_mark)
{
    struct life l;
    struct dispatch_setup setups[] = {central(), robin(), shared()};
    static const uint64_t inside[3][4] = {
        /* at 4, 15, 20, 100 */
        {4 + 2, 10 + 13 + 11, 10 + 18 + 16, 10 + 18 + 26},
        {4 + 2, 10 + 13 + 11, 10 + 18 + 16, 10 + 18 + 26},
        /* 0 has left 8 at 2, 7 at 4, ends at 25; 1 had 9 at 4, ends at 29; 2 at 30 */
        {4 + 2, 15 + 13 + 11, 20 + 18 + 16, 25 + 27 + 26},
    };
    static const sim_ns marks[] = {4, 15, 20, 100};
    BOTH for (int i = 0; i < 3; i++)
    {
        begin(&l, setups[i], events, TIMES(0, 2, 4));
        dispatch_add(l.d, 0, 0, ENDPOINT_SERVING, 0);
        for (int k = 0; k < 4; k++)
            cr_expect_eq(tally_inside_ns(at(&l, marks[k]), marks[k]), inside[i][k],
                         "discipline %d, events %d, at %d", i, events, (int)marks[k]);
        end(&l);
    }
}

/* Two replicas in turn; the second is killed with its request and begins anew. */
Test(dispatch, busy_time_is_told_replica_by_replica)
{
    struct life l;
    struct dispatch_setup setups[] = {central(), robin(), shared()};
    BOTH for (int i = 0; i < 3; i++)
    {
        begin(&l, setups[i], events, TIMES(0, 1, 100, 101));
        dispatch_add(l.d, 0, 0, ENDPOINT_SERVING, 0);
        dispatch_add(l.d, 0, 1, ENDPOINT_SERVING, 0);
        at(&l, 6);
        cr_expect_eq(dispatch_busy(l.d, 6, 0) + dispatch_busy(l.d, 6, 1), 6 + 5);
        cr_expect_lt(dispatch_busy(l.d, 6, 1), 7);
        at(&l, 50);
        cr_expect_eq(dispatch_busy(l.d, 50, 0), 10);
        cr_expect_eq(dispatch_busy(l.d, 50, 1), 10);
        dispatch_kill(l.d, 50, 1, FAIL_LOST);
        dispatch_add(l.d, 50, 1, ENDPOINT_SERVING, 0);
        cr_expect_eq(dispatch_busy(l.d, 50, 1), 0);
        at(&l, 104);
        cr_expect_eq(dispatch_busy(l.d, 104, 0) + dispatch_busy(l.d, 104, 1), 10 + 4 + 3);
        cr_expect_eq(l.t.busy_ns, 20 + 4 + 3);
        end(&l);
    }
}

Test(dispatch, central_queue_gives_the_head_to_the_slot_that_is_free_longest)
{
    struct life l;
    BOTH
    {
        begin(&l, central(), events, TIMES(0, 5, 12, 30));
        dispatch_add(l.d, 0, 0, ENDPOINT_SERVING, 0);
        dispatch_add(l.d, 0, 1, ENDPOINT_SERVING, 1);
        /* 0: both free, the lowest; 5: replica 1; 12: replica 0; 30: free since 22 and 25 */
        cr_assert_eq(at(&l, 12)->served, 1);
        cr_assert_eq(at(&l, 100)->served, 4);
        cr_assert_eq(sum(&l.t.latency), 10 + 20 + 10 + 10);
        end(&l);
    }
}

Test(dispatch, serves_exactly_at_the_deadline_and_not_one_later)
{
    struct life l;
    BOTH for (int central_queue = 0; central_queue < 2; central_queue++)
    {
        struct dispatch_setup s = central_queue ? central() : robin();
        s.timeout_ns = 10;
        begin(&l, s, events, TIMES(0));
        dispatch_add(l.d, 0, 0, ENDPOINT_SERVING, 0);
        cr_assert_eq(at(&l, 50)->served, 1);
        end(&l);
        s.timeout_ns = 9;
        begin(&l, s, events, TIMES(0, 9));
        dispatch_add(l.d, 0, 0, ENDPOINT_SERVING, 0);
        cr_assert_eq(at(&l, 9)->running, 1);
        cr_assert_eq(at(&l, 10)->failed[FAIL_TIMEOUT], 1);
        cr_assert_eq(sum(&l.t.failed_after), 9);
        /* The work goes on: the request of 9 starts at 10, and times out at 18. */
        cr_assert_eq(l.t.running, 0);
        cr_assert_eq(l.t.waiting, 1);
        cr_assert_eq(at(&l, 50)->failed[FAIL_TIMEOUT], 2);
        cr_assert_eq(l.t.busy_ns, 20);
        end(&l);
    }
}

Test(dispatch, drops_from_the_queue_what_would_start_exactly_at_its_deadline)
{
    struct life l;
    BOTH for (int which = 0; which < 3; which++)
    {
        struct dispatch_setup s = which == 0 ? central() : which == 1 ? robin() : shared();
        s.concurrency = 1;
        s.timeout_ns = 10;
        begin(&l, s, events, TIMES(0, 0, 5));
        dispatch_add(l.d, 0, 0, ENDPOINT_SERVING, 0);
        /* The second costs nothing; the third starts at 10, times out at 15, works until 20. */
        const struct tally *t = at(&l, 100);
        cr_assert_eq(t->served, 1);
        cr_assert_eq(t->failed[FAIL_TIMEOUT], 2);
        cr_assert_eq(t->busy_ns, 20);
        end(&l);
        begin(&l, s, events, TIMES(0, 0));
        dispatch_add(l.d, 0, 0, ENDPOINT_SERVING, 0);
        cr_assert_eq(at(&l, 100)->busy_ns, 10);
        end(&l);
    }
}

Test(dispatch, bounded_queue_rejects_at_once_and_frees_its_place_before_arrivals)
{
    struct life l;
    BOTH for (int which = 0; which < 3; which++)
    {
        struct dispatch_setup s = which == 0 ? central() : which == 1 ? robin() : shared();
        s.concurrency = 1;
        s.max_queue = 1;
        begin(&l, s, events, TIMES(0, 0, 0, 10, 19));
        dispatch_add(l.d, 0, 0, ENDPOINT_SERVING, 0);
        /* The third finds one waiting; the one of 10 takes the place left at 10; 19 does not. */
        const struct tally *t = at(&l, 100);
        cr_assert_eq(t->failed[FAIL_REJECTED], 2);
        cr_assert_eq(sum(&t->failed_after), 0);
        cr_assert_eq(t->served, 3);
        cr_assert_eq(sum(&t->latency), 10 + 20 + 20);
        end(&l);
        s.max_queue = 0;
        begin(&l, s, events, TIMES(0, 9, 10));
        dispatch_add(l.d, 0, 0, ENDPOINT_SERVING, 0);
        cr_assert_eq(at(&l, 100)->failed[FAIL_REJECTED], 1);
        cr_assert_eq(l.t.served, 2);
        end(&l);
    }
}

Test(dispatch, an_expired_request_keeps_its_place_at_a_replica_but_not_at_the_ingress)
{
    struct life l;
    BOTH
    {
        struct dispatch_setup s = robin();
        s.max_queue = 1;
        s.timeout_ns = 5;
        begin(&l, s, events, TIMES(0, 1, 8));
        dispatch_add(l.d, 0, 0, ENDPOINT_SERVING, 1);
        cr_assert_eq(at(&l, 100)->failed[FAIL_REJECTED], 1);
        end(&l);
        s.balance = BALANCE_CENTRAL;
        begin(&l, s, events, TIMES(0, 1, 8));
        dispatch_add(l.d, 0, 0, ENDPOINT_SERVING, 1);
        cr_assert_eq(at(&l, 100)->failed[FAIL_REJECTED], 0);
        cr_assert_eq(l.t.failed[FAIL_TIMEOUT], 3);
        end(&l);
    }
}

Test(dispatch, refused_tries_cost_no_time)
{
    struct life l;
    BOTH
    {
        begin(&l, robin(), events, TIMES(7));
        dispatch_add(l.d, 0, 0, ENDPOINT_LOADING, 0);
        const struct tally *t = at(&l, 8);
        cr_assert_eq(t->failed[FAIL_REFUSED], 1);
        cr_assert_eq(t->tries, 3);
        cr_assert_eq(t->tries_refused, 3);
        cr_assert_eq(sum(&t->failed_after), 0);
        end(&l);
        /* Beside a serving one each request gets through, by one try or two. */
        begin(&l, robin(), events, TIMES(0, 100, 200, 300));
        dispatch_add(l.d, 0, 0, ENDPOINT_LOADING, 0);
        dispatch_add(l.d, 0, 1, ENDPOINT_SERVING, 0);
        cr_assert_eq(at(&l, 1000)->served, 4);
        cr_assert(t->tries == 8 || t->tries == 7, "%d tries", (int)t->tries);
        end(&l);
        /* Nobody listed: no try at all. */
        begin(&l, robin(), events, TIMES(7));
        cr_assert_eq(at(&l, 8)->failed[FAIL_REFUSED], 1);
        cr_assert_eq(t->tries, 0);
        end(&l);
    }
}

Test(dispatch, a_black_hole_costs_the_connect_time_out)
{
    struct life l;
    BOTH
    {
        struct dispatch_setup s = robin();
        s.tries = 2;
        begin(&l, s, events, TIMES(0));
        dispatch_add(l.d, 0, 0, ENDPOINT_DEAD, 0);
        const struct tally *t = at(&l, 10);
        cr_assert_eq(t->retrying, 1);
        cr_assert_eq(t->tries, 2);
        cr_assert_eq(t->tries_timed_out, 1);
        cr_assert_eq(at(&l, 11)->failed[FAIL_TIMEOUT], 1);
        cr_assert_eq(sum(&t->failed_after), 10);
        end(&l);
    }
}

Test(dispatch, a_hanging_try_does_not_notice_what_becomes_of_the_endpoint)
{
    struct life l;
    BOTH
    {
        begin(&l, robin(), events, TIMES(0));
        dispatch_add(l.d, 0, 0, ENDPOINT_DEAD, 0);
        at(&l, 3);
        dispatch_kill(l.d, 3, 0, FAIL_LOST);
        cr_assert_eq(at(&l, 5)->retrying, 1);
        cr_assert_eq(at(&l, 6)->failed[FAIL_REFUSED], 1); /* nobody is left to try */
        cr_assert_eq(l.t.tries, 1);
        end(&l);
        /* Back to life: the next try is served; the deadline counts from it. */
        struct dispatch_setup s = robin();
        s.timeout_ns = 10;
        begin(&l, s, events, TIMES(0));
        dispatch_add(l.d, 0, 0, ENDPOINT_DEAD, 0);
        at(&l, 3);
        dispatch_endpoint(l.d, 3, 0, ENDPOINT_SERVING);
        cr_assert_eq(at(&l, 100)->served, 1);
        cr_assert_eq(l.t.latency.max, 15);
        end(&l);
    }
}

Test(dispatch, a_kill_at_the_nanosecond_of_an_end_comes_first)
{
    struct life l;
    BOTH for (int which = 0; which < 3; which++)
    {
        struct dispatch_setup s = which == 0 ? central() : which == 1 ? robin() : shared();
        for (sim_ns kill = 10; kill <= 11; kill++) {
            begin(&l, s, events, TIMES(0));
            dispatch_add(l.d, 0, 0, ENDPOINT_SERVING, 0);
            at(&l, kill);
            dispatch_kill(l.d, kill, 0, FAIL_LOST);
            const struct tally *t = at(&l, kill);
            cr_assert_eq(t->failed[FAIL_LOST], kill == 10);
            cr_assert_eq(t->served, kill == 11);
            cr_assert_eq(t->busy_ns, 10);
            end(&l);
        }
    }
}

Test(dispatch, a_drain_says_when_a_kill_finds_nothing)
{
    struct life l;
    BOTH for (int which = 0; which < 3; which++)
    {
        struct dispatch_setup s = which == 0 ? central() : which == 1 ? robin() : shared();
        begin(&l, s, events, TIMES(0, 4, 40));
        dispatch_add(l.d, 0, 0, ENDPOINT_SERVING, 0);
        dispatch_add(l.d, 0, 1, ENDPOINT_SERVING, 0);
        at(&l, 6);
        sim_ns a = dispatch_drain(l.d, 6, 0), b = dispatch_drain(l.d, 6, 1);
        cr_assert_eq(a + b, 11 + 15);
        at(&l, 15);
        cr_assert_eq(dispatch_drain(l.d, 15, 0), 15);
        dispatch_kill(l.d, 15, 0, FAIL_ABORTED);
        dispatch_kill(l.d, 15, 1, FAIL_ABORTED);
        cr_assert_eq(at(&l, 50)->failed[FAIL_ABORTED], 0);
        cr_assert_eq(l.t.served, 2);
        cr_assert_eq(l.t.arrived, 3);
        end(&l);
    }
}

Test(dispatch, a_drain_counts_what_waits_and_drops_what_expires)
{
    struct life l;
    BOTH for (int sharing = 0; sharing < 2; sharing++)
    {
        struct dispatch_setup s = sharing ? shared() : robin();
        s.concurrency = 1;
        s.timeout_ns = 15;
        begin(&l, s, events, TIMES(0, 0, 0));
        dispatch_add(l.d, 0, 0, ENDPOINT_SERVING, 0);
        at(&l, 1);
        /* 0..10, 10..20 though it times out at 15, the third is dropped at 20. */
        cr_assert_eq(dispatch_drain(l.d, 1, 0), 21);
        cr_assert_eq(at(&l, 30)->failed[FAIL_TIMEOUT], 2);
        cr_assert_eq(l.t.busy_ns, 20);
        end(&l);
    }
}

/* Two thousand requests of 13 days (the longest) that share a GPU all end after 71 years. */
Test(dispatch, a_drain_of_work_that_outlasts_every_horizon_is_told_at_once, .timeout = 60)
{
    struct life l;
    const struct dist longest = dist_constant(0x1p50);
    const sim_ns years = 18 * 366 * 24 * SIM_HOUR;
    static sim_ns times[2000];
    for (int i = 0; i < 2000; i++)
        times[i] = i;
    BOTH for (int which = 0; which < 2; which++)
    {
        struct dispatch_setup s = which == 0 ? robin() : shared();
        struct err e = {0};
        s.max_in_flight = 3000;
        s.service = &longest;
        s.n_services = 1;
        s.use_events = events;
        l.setup = s;
        l.setup.arrivals = l.arrivals = arrivals_of_list(times, 2000, &e);
        l.d = dispatch_create(&l.setup, &e);
        cr_assert_not_null(l.d, "%s", e.msg);
        dispatch_add(l.d, 0, 0, ENDPOINT_SERVING, 0);
        at(&l, 2000);
        cr_assert_gt(dispatch_drain(l.d, 2000, 0), years);
        dispatch_kill(l.d, 2000, 0, FAIL_ABORTED);
        cr_assert_eq(at(&l, 3000)->served, 0);
        end(&l);
    }
}

Test(dispatch, requests_at_a_black_hole_wait_for_their_deadline)
{
    struct life l;
    BOTH for (int which = 0; which < 3; which++)
    {
        struct dispatch_setup s = which == 0 ? central() : which == 1 ? robin() : shared();
        s.timeout_ns = 50;
        begin(&l, s, events, TIMES(0, 8));
        dispatch_add(l.d, 0, 0, ENDPOINT_SERVING, 0);
        at(&l, 5);
        dispatch_endpoint(l.d, 5, 0, ENDPOINT_DEAD);
        cr_assert_eq(at(&l, 6)->waiting, 1);
        cr_assert_eq(l.t.running, 0);
        cr_assert_eq(l.t.busy_ns, 5);
        dispatch_endpoint(l.d, 6, 0, ENDPOINT_SERVING); /* it comes back empty */
        cr_assert_eq(at(&l, 19)->served, 1);
        cr_assert_eq(at(&l, 50)->failed[FAIL_TIMEOUT], 0);
        cr_assert_eq(at(&l, 51)->failed[FAIL_TIMEOUT], 1);
        cr_assert_eq(sum(&l.t.failed_after), 50);
        end(&l);
    }
}

/* Patience 18, service 10: the first is served at 10; the second, which began at 10, is given up at
 * 18 while its work goes on to 20; the third is given up in the queue and costs nothing. */
Test(dispatch, a_client_gives_up_wherever_its_request_is)
{
    struct life l;
    for (int sharing = 0; sharing < 2; sharing++) {
        struct dispatch_setup s = sharing ? shared() : robin();
        s.concurrency = 1;
        s.client_patience_ns = 18;
        begin(&l, s, 1, TIMES(0, 0, 0));
        dispatch_add(l.d, 0, 0, ENDPOINT_SERVING, 0);
        cr_assert_eq(at(&l, 18)->failed[FAIL_TIMEOUT], 0);
        cr_assert_eq(at(&l, 19)->failed[FAIL_TIMEOUT], 2);
        cr_assert_eq(at(&l, 40)->served, 1);
        cr_assert_eq(l.t.busy_ns, 20);
        end(&l);
    }
}

/* Tries at a machine that is gone take 5 each: without a patience 0, 5, 10 and over at 15; with one
 * of 12 it is over in the third try. What is stranded is given up too, though nginx would wait. */
Test(dispatch, a_client_gives_up_while_a_try_hangs_and_at_a_black_hole)
{
    struct life l;
    struct dispatch_setup s = robin();
    s.client_patience_ns = 12;
    begin(&l, s, 1, TIMES(0, 20));
    dispatch_add(l.d, 0, 0, ENDPOINT_DEAD, 0);
    cr_assert_eq(at(&l, 12)->retrying, 1);
    cr_assert_eq(at(&l, 13)->failed[FAIL_TIMEOUT], 1);
    cr_assert_eq(l.t.tries, 3);
    cr_assert_eq(l.t.tries_timed_out, 3, "the last one ended with the request");
    cr_assert_eq(sum(&l.t.failed_after), 12);
    dispatch_endpoint(l.d, 13, 0, ENDPOINT_SERVING);
    at(&l, 25);
    dispatch_endpoint(l.d, 25, 0, ENDPOINT_DEAD);
    cr_assert_eq(at(&l, 32)->waiting, 1);
    cr_assert_eq(at(&l, 33)->failed[FAIL_TIMEOUT], 2);
    end(&l);
}

Test(dispatch, a_patience_longer_than_every_time_out_changes_nothing)
{
    struct life l, m;
    struct dispatch_setup s = robin();
    s.timeout_ns = 15;
    begin(&l, s, 0, TIMES(0, 0, 0, 40));
    s.client_patience_ns = 1000;
    begin(&m, s, 1, TIMES(0, 0, 0, 40));
    dispatch_add(l.d, 0, 0, ENDPOINT_SERVING, 0);
    dispatch_add(m.d, 0, 0, ENDPOINT_SERVING, 0);
    at(&l, 100);
    at(&m, 100);
    cr_assert_eq(dispatch_digest(l.d, 100), dispatch_digest(m.d, 100));
    end(&l);
    end(&m);
}

Test(dispatch, a_black_hole_without_time_out_loses_its_requests_now)
{
    struct life l;
    BOTH for (int which = 0; which < 3; which++)
    {
        struct dispatch_setup s = which == 0 ? central() : which == 1 ? robin() : shared();
        begin(&l, s, events, TIMES(0));
        dispatch_add(l.d, 0, 0, ENDPOINT_SERVING, 0);
        at(&l, 5);
        dispatch_endpoint(l.d, 5, 0, ENDPOINT_DEAD);
        cr_assert_eq(at(&l, 5)->failed[FAIL_LOST], 1);
        cr_assert_eq(dispatch_drain(l.d, 5, 0), 5);
        end(&l);
    }
}

Test(dispatch, a_kill_reaches_what_is_stranded_and_a_drain_waits_for_it)
{
    struct life l;
    BOTH for (int which = 0; which < 3; which++)
    {
        struct dispatch_setup s = which == 0 ? central() : which == 1 ? robin() : shared();
        s.timeout_ns = 50;
        begin(&l, s, events, TIMES(0));
        dispatch_add(l.d, 0, 0, ENDPOINT_SERVING, 0);
        at(&l, 5);
        cr_assert_eq(dispatch_drain(l.d, 5, 0), 11);
        dispatch_endpoint(l.d, 5, 0, ENDPOINT_DEAD);
        cr_assert_eq(dispatch_drain(l.d, 5, 0), 51);
        at(&l, 20);
        dispatch_kill(l.d, 20, 0, FAIL_LOST);
        cr_assert_eq(at(&l, 20)->failed[FAIL_LOST], 1);
        cr_assert_eq(sum(&l.t.failed_after), 20);
        cr_assert_eq(at(&l, 99)->failed[FAIL_TIMEOUT], 0);
        end(&l);
    }
}

/* One runs from 0 to 10, the second waits behind it; what comes at 8 is refused. */
Test(dispatch, a_replica_that_closes_refuses_and_finishes_what_it_has)
{
    struct life l;
    BOTH for (int which = 0; which < 2; which++)
    {
        struct dispatch_setup s = which ? shared() : robin();
        s.concurrency = 1;
        begin(&l, s, events, TIMES(0, 1, 8));
        dispatch_add(l.d, 0, 0, ENDPOINT_SERVING, 0);
        at(&l, 5);
        dispatch_endpoint(l.d, 5, 0, ENDPOINT_CLOSING);
        cr_assert_eq(at(&l, 9)->failed[FAIL_REFUSED], 1);
        cr_assert_eq(dispatch_drain(l.d, 9, 0), 21);
        cr_assert_eq(at(&l, 21)->served, 2);
        cr_assert_eq(l.t.failed[FAIL_LOST], 0);
        dispatch_kill(l.d, 21, 0, FAIL_ABORTED);
        cr_assert_eq(at(&l, 30)->failed[FAIL_ABORTED], 0);
        end(&l);
    }
}

/* A slot that ends its work in a replica that closes takes nothing new. */
Test(dispatch, a_closing_replica_pulls_no_more_from_the_central_queue)
{
    struct life l;
    BOTH
    {
        begin(&l, central(), events, TIMES(0, 1));
        dispatch_add(l.d, 0, 0, ENDPOINT_SERVING, 0);
        at(&l, 5);
        dispatch_endpoint(l.d, 5, 0, ENDPOINT_CLOSING);
        cr_assert_eq(at(&l, 50)->served, 1);
        cr_assert_eq(l.t.waiting, 1);
        end(&l);
    }
}

Test(dispatch, a_restart_loses_what_was_there_and_then_refuses)
{
    struct life l;
    BOTH
    {
        begin(&l, robin(), events, TIMES(0, 8));
        dispatch_add(l.d, 0, 0, ENDPOINT_SERVING, 0);
        at(&l, 5);
        dispatch_endpoint(l.d, 5, 0, ENDPOINT_LOADING);
        cr_assert_eq(at(&l, 9)->failed[FAIL_LOST], 1);
        cr_assert_eq(l.t.failed[FAIL_REFUSED], 1);
        end(&l);
    }
}

Test(dispatch, sharing_halves_the_speed_of_two)
{
    struct life l;
    BOTH
    {
        begin(&l, shared(), events, TIMES(0, 4));
        dispatch_add(l.d, 0, 0, ENDPOINT_SERVING, 0);
        /* At 4 the first has 6 left, at half speed: 16. The second has then 4 left, alone: 20. */
        cr_assert_eq(at(&l, 17)->served, 1);
        cr_assert_eq(l.t.latency.max, 16);
        cr_assert_eq(at(&l, 20)->served, 1);
        cr_assert_eq(at(&l, 21)->served, 2);
        cr_assert_eq(sum(&l.t.latency), 16 + 16);
        cr_assert_eq(l.t.busy_ns, 20);
        end(&l);
    }
}

Test(dispatch, sharing_rounds_as_the_rule_says_whatever_is_marked)
{
    struct life l;
    BOTH for (int marks = 0; marks < 2; marks++)
    {
        begin(&l, shared(), events, TIMES(0, 0, 1));
        dispatch_add(l.d, 0, 0, ENDPOINT_SERVING, 0);
        if (marks)
            for (sim_ns t = 1; t < 40; t++)
                at(&l, t);
        /* At 1 two have gained 8 of 160 sixteenths; 152 at a third: ceil(28.5) = 29 ns, in which
         * each gains floor(464 / 3) = 154. The last has 6 left: one more ns. */
        const struct tally *t = at(&l, 40);
        cr_assert_eq(t->served, 3);
        cr_assert_eq(sum(&t->latency), 30 + 30 + 30);
        cr_assert_eq(t->latency.max, 30);
        cr_assert_eq(t->busy_ns, 31);
        end(&l);
    }
}

Test(dispatch, limited_sharing_queues_behind_the_limit)
{
    struct life l;
    BOTH
    {
        struct dispatch_setup s = shared();
        s.concurrency = 2;
        begin(&l, s, events, TIMES(0, 0, 0));
        dispatch_add(l.d, 0, 0, ENDPOINT_SERVING, 0);
        cr_assert_eq(at(&l, 10)->waiting, 1);
        cr_assert_eq(at(&l, 100)->served, 3);
        cr_assert_eq(sum(&l.t.latency), 20 + 20 + 30);
        end(&l);
    }
}

Test(dispatch, shared_work_goes_on_when_the_client_has_left)
{
    struct life l;
    BOTH
    {
        struct dispatch_setup s = shared();
        s.timeout_ns = 12;
        begin(&l, s, events, TIMES(0, 0, 14));
        dispatch_add(l.d, 0, 0, ENDPOINT_SERVING, 0);
        /* Two time out at 12 but work on; the third, at a third of the speed from 14 until they
         * end at 23 (3 ns of work each left), has 7 left then: 30, past its deadline 26. */
        cr_assert_eq(at(&l, 13)->failed[FAIL_TIMEOUT], 2);
        cr_assert_eq(l.t.running, 0);
        cr_assert_eq(at(&l, 100)->failed[FAIL_TIMEOUT], 3);
        cr_assert_eq(l.t.busy_ns, 30);
        end(&l);
    }
}

Test(dispatch, slots_of_one_replica_run_at_full_speed_and_count_as_one_busy_replica)
{
    struct life l;
    BOTH for (int central_queue = 0; central_queue < 2; central_queue++)
    {
        struct dispatch_setup s = central_queue ? central() : robin();
        s.concurrency = 2;
        begin(&l, s, events, TIMES(0, 4, 5, 40));
        dispatch_add(l.d, 0, 0, ENDPOINT_SERVING, 0);
        cr_assert_eq(at(&l, 6)->waiting, 1);
        cr_assert_eq(l.t.busy_ns, 6);
        cr_assert_eq(at(&l, 100)->served, 4);
        cr_assert_eq(sum(&l.t.latency), 10 + 10 + 15 + 10);
        cr_assert_eq(l.t.busy_ns, 30);
        end(&l);
    }
}

Test(dispatch, round_robin_gives_each_endpoint_one_in_turn)
{
    struct life l;
    BOTH
    {
        struct dispatch_setup s = robin();
        s.max_queue = 0;
        begin(&l, s, events, TIMES(0, 0, 0, 0));
        for (uint32_t r = 0; r < 3; r++)
            dispatch_add(l.d, 0, r, ENDPOINT_SERVING, 0);
        cr_assert_eq(at(&l, 100)->served, 3);
        cr_assert_eq(l.t.failed[FAIL_REJECTED], 1);
        end(&l);
    }
}

Test(dispatch, a_change_of_the_list_draws_each_workers_place)
{
    /* Of three replicas the one at the drawn place is kind 1, the others kind 0. */
    struct chance c = chance_sub(chance_stream(0, 0, CHANCE_BALANCER, 0), 0);
    uint32_t place = (uint32_t)chance_below(c, 3, 3); /* the third change, three endpoints */
    struct life l;
    BOTH
    {
        begin(&l, robin(), events, TIMES(0));
        for (uint32_t r = 0; r < 3; r++)
            dispatch_add(l.d, 0, r, ENDPOINT_SERVING, r == place);
        cr_assert_eq(at(&l, 100)->latency.max, 20);
        end(&l);
    }
}

Test(dispatch, holding_stops_once_and_lets_go_when_an_endpoint_comes)
{
    struct life l;
    BOTH for (int which = 0; which < 3; which++)
    {
        struct dispatch_setup s = which == 0 ? central() : which == 1 ? robin() : shared();
        s.timeout_ns = 100;
        begin(&l, s, events, TIMES(10, 20, 30, 300));
        dispatch_hold(l.d, true);
        struct advance a = dispatch_advance(l.d, 1000);
        cr_assert_eq(a.why, STOP_NEEDS_CAPACITY);
        cr_assert_eq(a.reached, 10);
        dispatch_mark(l.d, 10, &l.t);
        cr_assert_eq(l.t.arrived, 0); /* not played yet */
        cr_assert_eq(at(&l, 25)->waiting, 2);
        dispatch_add(l.d, 25, 0, ENDPOINT_SERVING, 0);
        cr_assert_eq(at(&l, 200)->served, 3);
        /* 25..35, 35..45, 45..55; or two that share until 53, with the third from 30 on. */
        cr_assert_eq(l.t.latency.max, which == 2 ? 43 : 25);
        dispatch_kill(l.d, 200, 0, FAIL_LOST);
        a = dispatch_advance(l.d, 1000);
        cr_assert_eq(a.reached, 300);
        cr_assert_eq(at(&l, 401)->failed[FAIL_TIMEOUT], 1);
        end(&l);
    }
}

Test(dispatch, tells_again_when_those_held_have_given_up)
{
    struct life l;
    BOTH for (int central_queue = 0; central_queue < 2; central_queue++)
    {
        struct dispatch_setup s = central_queue ? central() : robin();
        s.timeout_ns = 15;
        begin(&l, s, events, TIMES(10, 20, 35));
        dispatch_hold(l.d, true);
        cr_assert_eq(dispatch_advance(l.d, 1000).reached, 10);
        cr_assert_eq(dispatch_advance(l.d, 1000).reached, 35); /* 20 is held until 35 */
        cr_assert_eq(at(&l, 1000)->failed[FAIL_TIMEOUT], 3);
        end(&l);
    }
}

Test(dispatch, fails_by_name_when_more_are_inside_than_there_is_room_for)
{
    struct life l;
    struct err e = {0};
    BOTH for (int which = 0; which < 3; which++)
    {
        sim_ns times[600] = {0};
        struct dispatch_setup s = which == 0 ? central() : which == 1 ? robin() : shared();
        begin(&l, s, events, times, 600);
        dispatch_add(l.d, 0, 0, ENDPOINT_SERVING, 0);
        cr_assert_eq(dispatch_failed(l.d, &e), 0);
        dispatch_advance(l.d, 1);
        for (int again = 0; again < 2; again++) {
            e = (struct err){0};
            cr_assert_eq(dispatch_failed(l.d, &e), -1);
            cr_assert_eq(e.code, ERR_INPUT);
            cr_assert(strstr(e.msg, "limits.inFlight: more than 100 requests"), "%s", e.msg);
            dispatch_advance(l.d, 1000);
        }
        dispatch_kill(l.d, 1000, 0, FAIL_LOST);
        end(&l);
    }
}

Test(dispatch, closed_loop_clients_think_after_each_answer)
{
    struct life l;
    struct dispatch_setup s = robin();
    s.clients = 2;
    s.think_time = dist_constant(5);
    begin(&l, s, 1, NULL, 0);
    dispatch_add(l.d, 0, 0, ENDPOINT_SERVING, 0);
    /* Both send at 5; from then on the replica is never idle: ends at 15, 25, .. 95. */
    const struct tally *t = at(&l, 96);
    cr_assert_eq(t->served, 9);
    cr_assert_eq(t->busy_ns, 91);
    /* The first waits 10, the second 20; then each thinks 5 and finds the other half done: 15. */
    cr_assert_eq(sum(&t->latency), 10 + 20 + 7 * 15);
    end(&l);
}

Test(dispatch, a_refused_client_needs_a_round_trip)
{
    struct life l;
    struct dispatch_setup s = robin();
    s.clients = 1;
    begin(&l, s, 1, NULL, 0);
    const struct tally *t = at(&l, 10 * SIM_MS);
    cr_assert_eq(t->arrived, 10);
    cr_assert_eq(t->failed[FAIL_REFUSED], 10);
    end(&l);
}

Test(dispatch, central_sharing_goes_to_the_replica_with_the_fewest)
{
    struct life l;
    struct dispatch_setup s = setup(BALANCE_CENTRAL, DISCIPLINE_SHARED);
    s.concurrency = 2;
    begin(&l, s, 1, TIMES(0, 0, 1, 2, 3));
    dispatch_add(l.d, 0, 0, ENDPOINT_SERVING, 0);
    dispatch_add(l.d, 0, 1, ENDPOINT_SERVING, 0);
    const struct tally *t = at(&l, 4);
    cr_assert_eq(t->running, 4);
    cr_assert_eq(t->waiting, 1);
    cr_assert_eq(at(&l, 100)->served, 5);
    end(&l);
}

Test(dispatch, service_times_do_not_depend_on_the_policy)
{
    static sim_ns times[1000];
    struct dist service = {.kind = DIST_EXPONENTIAL, .a = 1e6, .mean = 1e6};
    int64_t busy[3];
    for (size_t i = 0; i < 1000; i++)
        times[i] = (sim_ns)(i * SIM_MS);
    for (int which = 0; which < 3; which++) {
        struct err e = {0};
        struct dispatch_setup s = which == 0 ? central() : which == 1 ? robin() : shared();
        struct tally t;
        s.service = &service;
        s.n_services = 1;
        s.max_in_flight = 2000;
        s.arrivals = arrivals_of_list(times, 1000, &e);
        struct dispatch *d = dispatch_create(&s, &e);
        dispatch_add(d, 0, 0, ENDPOINT_SERVING, 0);
        dispatch_advance(d, SIM_HOUR);
        dispatch_mark(d, SIM_HOUR, &t);
        cr_assert_eq(t.served, 1000);
        busy[which] = t.busy_ns;
        dispatch_destroy(d);
        arrivals_close(s.arrivals);
    }
    cr_assert_eq(busy[0],
                 busy[1]); /* the same work; sharing rounds each end up by less than 1 ns */
    cr_assert_leq(busy[2] - busy[0], 2000);
    cr_assert_geq(busy[2], busy[0] - 2000);
}

Test(dispatch, names_its_engines_and_causes)
{
    struct life l;
    const struct dispatch_setup all[] = {central(), robin(), shared()};
    const char *const names[] = {"central_fifo", "round_robin_fifo", "round_robin_shared"};
    for (int i = 0; i < 3; i++) {
        begin(&l, all[i], 0, TIMES(0));
        cr_assert_str_eq(dispatch_engine(l.d), names[i]);
        end(&l);
    }
    struct dispatch_setup wide = central();
    wide.max_replicas = 5000; /* more than the packed keys can number */
    struct err e = {0};
    struct dist service = dist_constant(10);
    wide.service = &service;
    wide.n_services = 1;
    wide.arrivals = arrivals_of_list(TIMES(0), &e);
    struct dispatch *d = dispatch_create(&wide, &e);
    cr_assert_str_eq(dispatch_engine(d), "events");
    dispatch_destroy(d);
    arrivals_close(wide.arrivals);
    cr_assert_str_eq(dispatch_cause_name(FAIL_TIMEOUT), "timeout");
    cr_assert_str_eq(dispatch_cause_name(FAIL_REFUSED), "refused");
    cr_assert_str_eq(dispatch_cause_name(FAIL_LOST), "lost");
    cr_assert_str_eq(dispatch_cause_name(FAIL_REJECTED), "rejected");
    cr_assert_str_eq(dispatch_cause_name(FAIL_ABORTED), "aborted");
}
