/* test_links: downloads that share a rate. */
#include "models/capacity/links.h"
#include "sim/sim.h"

#include <criterion/criterion.h>

#define S SIM_SECOND
#define N 4

static sim_ns done_at[N];

static void on_done(void *self, sim_ns now, uint32_t flow)
{
    (void)self;
    done_at[flow] = now;
}

struct plan {
    struct links *links;
    struct links_flow flows[N];
};
static struct plan plan;

static void on_begin(void *self, sim_ns now, uint64_t i)
{
    struct plan *p = self;
    links_begin(p->links, now, &p->flows[i]);
}

static struct sim *clock_of(size_t n_links)
{
    struct sim *sim = sim_create(64, NULL);
    struct links_setup s = {.n_links = n_links, .n_flows = N, .sim = sim, .done = on_done};
    plan.links = links_create(&s, NULL);
    return sim;
}

static void begin_at(struct sim *sim, sim_ns at, uint32_t i, struct links_flow f)
{
    f.flow = i;
    plan.flows[i] = f;
    sim_at(sim, at, SIM_PHASE, on_begin, &plan, i);
}

static void play(struct sim *sim)
{
    while (sim_next(sim) != SIM_NEVER)
        sim_step(sim);
}

/* Hand arithmetic: alone 100 MB take 1 s. The second joins at 0.5 s; both have 50 MB/s, so the
 * first ends at 0.5 + 50/50 = 1.5 s, when the second has 50 MB left and the link alone: 2 s. */
Test(links, gives_each_an_equal_share)
{
    struct sim *sim = clock_of(1);
    links_rate(plan.links, 0, 0, 100000000);
    begin_at(sim, 0, 0, (struct links_flow){.bytes = 100000000});
    begin_at(sim, S / 2, 1, (struct links_flow){.bytes = 100000000});
    play(sim);
    cr_assert_eq(done_at[0], 3 * S / 2);
    cr_assert_eq(done_at[1], 2 * S);
    links_destroy(plan.links);
    sim_destroy(sim);
}

Test(links, holds_a_flow_to_its_own_rate)
{
    struct sim *sim = clock_of(2);
    links_rate(plan.links, 0, 0, 100000000);
    begin_at(sim, 0, 0, (struct links_flow){.bytes = 100000000, .flow_rate = 20000000});
    begin_at(sim, 0, 1, (struct links_flow){.link = 1, .bytes = 100000000, .flow_rate = 50000000});
    begin_at(sim, 0, 2, (struct links_flow){.link = 1, .bytes = 100000000, .flow_rate = 50000000});
    play(sim);
    cr_assert_eq(done_at[0], 5 * S);
    cr_assert_eq(done_at[1], 2 * S, "a link without a limit does not share");
    cr_assert_eq(done_at[2], 2 * S);
    links_destroy(plan.links);
    sim_destroy(sim);
}

static void on_end(void *self, sim_ns now, uint64_t i)
{
    struct plan *p = self;
    cr_assert_eq(links_end(p->links, now, (uint32_t)i), 50000000);
}

static void on_slower(void *self, sim_ns now, uint64_t rate)
{
    struct plan *p = self;
    links_rate(p->links, now, 0, (int64_t)rate);
}

Test(links, gives_the_rest_to_who_stays_and_follows_a_new_rate)
{
    struct sim *sim = clock_of(1);
    done_at[1] = 0;
    links_rate(plan.links, 0, 0, 100000000);
    begin_at(sim, 0, 0, (struct links_flow){.bytes = 100000000});
    begin_at(sim, 0, 1, (struct links_flow){.bytes = 100000000});
    sim_at(sim, S, SIM_MARK, on_end, &plan, 1); /* half of it lacks; the other has the link now */
    sim_at(sim, S + S / 4, SIM_MARK, on_slower, &plan,
           10000000); /* 25 MB to go, ten times slower */
    play(sim);
    cr_assert_eq(done_at[0], S + S / 4 + 5 * S / 2);
    cr_assert_eq(done_at[1], 0);
    links_destroy(plan.links);
    sim_destroy(sim);
}
