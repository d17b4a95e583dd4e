/* test_sim: the order of control events, against a list kept in order the slow way. */
#include "sim/chance.h"
#include "sim/err.h"
#include "sim/sim.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

struct seen {
    uint64_t arg[8];
    sim_ns at[8];
    size_t n;
};

static void note(void *self, sim_ns now, uint64_t arg)
{
    struct seen *s = self;
    s->arg[s->n] = arg;
    s->at[s->n++] = now;
}

static struct sim *make(size_t capacity)
{
    struct err e = {0};
    struct sim *s = sim_create(capacity, &e);
    cr_assert_not_null(s);
    return s;
}

Test(sim, fires_by_time_then_class_then_order_of_scheduling)
{
    struct sim *s = make(8);
    struct seen seen = {0};
    sim_at(s, 20, SIM_FAULT, note, &seen, 6);
    sim_at(s, 10, SIM_PASS, note, &seen, 4);
    sim_at(s, 10, SIM_FAULT, note, &seen, 0);
    sim_at(s, 10, SIM_MARK, note, &seen, 2);
    sim_at(s, 10, SIM_LOSS, note, &seen, 1);
    sim_at(s, 10, SIM_MARK, note, &seen, 3);
    sim_at(s, 10, SIM_PASS, note, &seen, 5);
    cr_assert_eq(sim_next(s), 10);
    while (sim_next(s) != SIM_NEVER)
        sim_step(s);
    cr_assert_eq(seen.n, 7);
    for (size_t i = 0; i < 7; i++) {
        cr_expect_eq(seen.arg[i], i);
        cr_expect_eq(seen.at[i], i < 6 ? 10 : 20);
    }
    cr_expect_eq(sim_now(s), 20);
    cr_expect_eq(sim_fired(s), 7);
    sim_destroy(s);
}

/* The slow twin: pending events in an array, the next one found by looking at all of them. */
struct plan {
    sim_ns at;
    int class;
    uint64_t number;
    struct sim_handle handle;
};

struct twin {
    struct plan pending[4096], gone[4096];
    size_t n, n_gone;
    uint64_t scheduled, fired;
    bool fired_right;
};

static size_t twin_next(const struct twin *t)
{
    size_t best = 0;
    for (size_t i = 1; i < t->n; i++) {
        const struct plan *a = &t->pending[i], *b = &t->pending[best];
        if (a->at != b->at ? a->at < b->at
                           : (a->class != b->class ? a->class < b->class : a->number < b->number))
            best = i;
    }
    return best;
}

static void twin_take(struct twin *t, size_t i)
{
    t->gone[t->n_gone++ % 4096] = t->pending[i];
    t->pending[i] = t->pending[--t->n];
}

static void check_fired(void *self, sim_ns now, uint64_t arg)
{
    struct twin *t = self;
    size_t i = twin_next(t);
    t->fired_right = t->n > 0 && t->pending[i].number == arg && t->pending[i].at == now;
    t->fired++;
    twin_take(t, i);
}

static void twin_schedule(struct twin *t, struct sim *s, struct chance c, uint64_t step)
{
    struct plan p = {.at = sim_now(s) + (sim_ns)chance_below(c, 4 * step + 1, 6),
                     .class = (int)chance_below(c, 4 * step + 2, SIM_CLASSES),
                     .number = t->scheduled++};
    p.handle = sim_at(s, p.at, (enum sim_class)p.class, check_fired, t, p.number);
    cr_assert(sim_pending(s, p.handle));
    t->pending[t->n++] = p;
}

static void twin_cancel(struct twin *t, struct sim *s, uint64_t pick)
{
    size_t i = (size_t)(pick % t->n);
    struct sim_handle h = t->pending[i].handle;
    cr_assert(sim_cancel(s, h));
    cr_assert_not(sim_pending(s, h));
    cr_assert_not(sim_cancel(s, h), "twice");
    twin_take(t, i);
}

/* Times lie close together, so that most ties are decided by class and sequence. */
static void run_against_twin(uint64_t seed, size_t most)
{
    static struct twin t;
    memset(&t, 0, sizeof t);
    struct chance c = chance_stream(seed, 0, CHANCE_TEST, 1);
    struct sim *s = make(most);
    for (uint64_t step = 0; step < 4000; step++) {
        uint64_t what = chance_below(c, 4 * step, 10);
        if (t.n < most && (t.n == 0 || what < 5)) {
            twin_schedule(&t, s, c, step);
        } else if (what < 7 && t.n > 0) {
            twin_cancel(&t, s, chance_bits(c, 4 * step + 3));
        } else {
            cr_assert_eq(sim_next(s), t.pending[twin_next(&t)].at);
            sim_step(s);
            cr_assert(t.fired_right, "seed %llu step %llu", (unsigned long long)seed,
                      (unsigned long long)step);
        }
        if (t.n_gone > 0)
            cr_assert_not(sim_cancel(s, t.gone[step % (t.n_gone < 4096 ? t.n_gone : 4096)].handle),
                          "a stale handle");
    }
    while (sim_next(s) != SIM_NEVER) {
        sim_step(s);
        cr_assert(t.fired_right);
    }
    cr_assert_eq(t.n, 0);
    cr_assert_eq(sim_fired(s), t.fired);
    sim_destroy(s);
}

Test(sim, random_schedules_with_cancels_fire_as_the_sorted_list, .timeout = 60)
{
    for (uint64_t seed = 0; seed < 60; seed++)
        run_against_twin(seed, 1 + seed * seed % 500);
}

static void schedule_again(void *self, sim_ns now, uint64_t arg)
{
    struct sim *s = self;
    if (arg > 0)
        sim_at(s, now, SIM_PASS, schedule_again, s, arg - 1);
}

Test(sim, an_event_may_schedule_at_its_own_time_into_its_own_slot)
{
    struct sim *s = make(1);
    struct sim_handle first = sim_at(s, 5, SIM_PASS, schedule_again, s, 3);
    for (int i = 0; i < 4; i++)
        sim_step(s);
    cr_expect_eq(sim_next(s), SIM_NEVER);
    cr_expect_eq(sim_now(s), 5);
    cr_expect_eq(sim_fired(s), 4);
    cr_expect_not(sim_full(s));
    cr_expect_not(sim_pending(s, first));
    sim_destroy(s);
}

Test(sim, a_full_heap_says_so_and_goes_on)
{
    struct sim *s = make(2);
    struct seen seen = {0};
    sim_at(s, 1, SIM_SCAN, note, &seen, 1);
    struct sim_handle second = sim_at(s, 2, SIM_SCAN, note, &seen, 2);
    cr_expect_not(sim_full(s));
    struct sim_handle none = sim_at(s, 0, SIM_FAULT, note, &seen, 3);
    cr_expect_eq(none.generation, 0);
    cr_expect_eq(none.slot, 0);
    cr_expect(sim_full(s));
    cr_expect_not(sim_pending(s, none));
    cr_expect_not(sim_cancel(s, none), "{0} names no event");
    cr_expect(sim_cancel(s, second));
    cr_expect(sim_full(s), "stays, so that the run can end with it");
    cr_expect(sim_pending(s, sim_at(s, 4, SIM_SCAN, note, &seen, 4)));
    while (sim_next(s) != SIM_NEVER)
        sim_step(s);
    cr_expect_eq(seen.n, 2);
    cr_expect_eq(seen.arg[1], 4);
    sim_destroy(s);
}

Test(sim, handles_from_elsewhere_are_stale)
{
    struct sim *s = make(4);
    cr_expect_not(sim_pending(s, (struct sim_handle){.slot = 3, .generation = 1}), "never used");
    cr_expect_not(sim_pending(s, (struct sim_handle){.slot = 99, .generation = 1}));
    sim_destroy(s);
    sim_destroy(NULL);
}

Test(sim, refuses_the_past, .signal = SIGABRT)
{
    struct sim *s = make(4);
    struct seen seen = {0};
    sim_at(s, 10, SIM_SCAN, note, &seen, 0);
    sim_step(s);
    sim_at(s, 9, SIM_SCAN, note, &seen, 0);
}

Test(sim, refuses_to_step_without_an_event, .signal = SIGABRT)
{
    sim_step(make(4));
}
