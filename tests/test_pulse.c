/* test_pulse: how long a machine must have been there, by hand and against random policies. */
#include "models/serving/pulse.h"

#include "tests/dice.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#define S SIM_SECOND

/* One request in each of 100 stretches of 15 s, but for those from `pause` to `back`. */
static struct pulse beats(int pause, int back)
{
    struct pulse p = {0};
    uint64_t served = 0;
    for (int i = 0; i < 100; i++) {
        served += i < pause || i >= back;
        pulse_beat(&p, i * 15 * S, (i + 1) * 15 * S, served);
    }
    return p;
}

static sim_ns present(struct pulse p, sim_ns stay, sim_ns slowest, sim_ns start)
{
    struct pulse_terms t = {stay, slowest, start};
    return pulse_present(&p, &t);
}

/* The first request came before 15 s and was served before 75 s, the last one came after 1484 s.
 * Neighbours are 31 s apart at most, and 31 + 60 s of patience are less than a start of 100 s. */
Test(pulse, keeps_a_machine_where_a_start_is_longer_than_the_gaps)
{
    cr_assert_eq(present(beats(100, 100), 60 * S, 1 * S, 100 * S), (1485 - 1 - 75) * S);
    /* Forty stretches without: 630 + 1 + 60 - 100 s may be without; within a bucket. */
    sim_ns paused = present(beats(30, 70), 60 * S, 1 * S, 100 * S), gap = 42 * 15 + 1 + 60 - 100;
    cr_assert_leq(paused, (1409 - gap) * S);
    cr_assert_geq(paused, (1409 - gap) * S - 630 * S / 60);
}

Test(pulse, knows_nothing_where_requests_can_wait_for_a_start)
{
    cr_assert_eq(present(beats(100, 100), 60 * S, 1 * S, 70 * S), 0);
    cr_assert_eq(present(beats(100, 100), SIM_NEVER, 1 * S, 1000 * S), 0, "they wait for ever");
    cr_assert_eq(present((struct pulse){0}, 60 * S, 0, 1000 * S), 0, "none was served");
    cr_assert_eq(present(beats(1, 100), 60 * S, 1 * S, 1000 * S), 0, "one request");
    /* 90 s: a second is free between two neighbours, 99 times. */
    sim_ns loose = present(beats(100, 100), 60 * S, 1 * S, 90 * S);
    cr_assert_leq(loose, (1409 - 99) * S);
    cr_assert_geq(loose, (1409 - 99) * S - 99 * S / 2);
}

/* ---- any policy ---- */

struct trial {
    struct dice d;
    struct pulse_terms terms;
    sim_ns ends[600]; /* of the requests in the run that was seen */
    size_t n;
    sim_ns paid; /* by the policy */
};

static int by_time(const void *a, const void *b)
{
    sim_ns x = *(const sim_ns *)a, y = *(const sim_ns *)b;
    return (x > y) - (x < y);
}

/* Often one of the ends, where a bound breaks. */
static sim_ns somewhere(struct dice *d, sim_ns from, sim_ns to)
{
    int64_t where = dice_int(d, 0, 3);
    return where == 0 ? from : where == 1 ? to : dice_int(d, from, to);
}

/* One machine after another; what each serves came within the patience before. */
static void play_policy(struct trial *t)
{
    struct dice *d = &t->d;
    sim_ns at = somewhere(d, 0, 300 * S);
    for (int64_t machines = dice_int(d, 1, 6); machines > 0; machines--) {
        sim_ns opens = at + t->terms.start, closes = opens + somewhere(d, 0, 300 * S);
        for (int64_t k = dice_int(d, 1, 80); k > 0; k--) {
            sim_ns served = somewhere(d, opens, closes);
            sim_ns arrived = served - somewhere(d, 0, t->terms.stay);
            if (arrived >= 0)
                t->ends[t->n++] = arrived + somewhere(d, 0, t->terms.slowest);
        }
        t->paid += closes - at;
        at = closes + somewhere(d, 0, 200 * S);
    }
}

static struct pulse look(struct trial *t)
{
    struct pulse p = {0};
    qsort(t->ends, t->n, sizeof *t->ends, by_time);
    uint64_t served = 0;
    for (sim_ns from = 0; served < t->n;) {
        sim_ns to = from + dice_int(&t->d, 1, 40 * S);
        while (served < t->n && t->ends[served] < to)
            served++;
        pulse_beat(&p, from, to, served);
        from = to;
    }
    return p;
}

/* A policy that serves the same requests was not there for less time, whatever it does. */
Test(pulse, bounds_every_policy_that_serves_the_same_requests)
{
    uint64_t known = 0;
    for (uint64_t i = 0; i < 20000; i++) {
        struct trial t = {.d = dice_of(i)};
        t.terms.stay = dice_int(&t.d, 0, 100 * S);
        t.terms.slowest = dice_int(&t.d, 0, t.terms.stay);
        t.terms.start = dice_int(&t.d, 0, 300 * S);
        play_policy(&t);
        struct pulse p = look(&t);
        sim_ns least = pulse_present(&p, &t.terms);
        known += least > 0;
        cr_assert_leq(least, t.paid, "trial %llu: %g s, paid %g s", (unsigned long long)i,
                      (double)least / 1e9, (double)t.paid / 1e9);
    }
    cr_assert_gt(known, 2000, "%llu of 20,000 say something", (unsigned long long)known);
}
