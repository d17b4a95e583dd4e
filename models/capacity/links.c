/* links: downloads that share a rate. */
#include "models/capacity/links.h"

#include "sim/sim.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

#define NONE UINT32_MAX

/* A flow stands in the list of each link that it passes; a place is flow * 2 + side. */
struct flow {
    uint32_t link[2], next[2]; /* [side]; NONE */
    double left;               /* bytes, at the time `at` */
    double rate;               /* of its own, bytes/s; 0: no limit */
    sim_ns at;
};

struct link {
    uint32_t first;
    uint32_t n;
    double rate; /* 0: no limit */
    struct sim_handle wake;
};

struct links {
    struct links_setup set;
    struct link *links;
    struct flow *flows;
};

struct links *links_create(const struct links_setup *s, struct err *e)
{
    struct links *l = calloc(1, sizeof *l);
    if (l) {
        l->links = calloc(s->n_links + 1, sizeof *l->links);
        l->flows = calloc(s->n_flows + 1, sizeof *l->flows);
    }
    if (!l || !l->links || !l->flows) {
        links_destroy(l);
        err_set(e, ERR_SYSTEM, NULL, "out of memory for %zu downloads", s->n_flows);
        return NULL;
    }
    l->set = *s;
    for (size_t i = 0; i < s->n_links; i++)
        l->links[i].first = NONE;
    for (size_t i = 0; i < s->n_flows; i++)
        l->flows[i].link[0] = l->flows[i].link[1] = NONE;
    return l;
}

void links_destroy(struct links *l)
{
    if (!l)
        return;
    free(l->links);
    free(l->flows);
    free(l);
}

static double rate_of(const struct links *l, const struct flow *f)
{
    double rate = f->rate;
    for (int side = 0; side < 2; side++) {
        const struct link *k = f->link[side] == NONE ? NULL : &l->links[f->link[side]];
        if (!k || k->rate == 0)
            continue;
        double share = k->rate / k->n;
        rate = rate > 0 && rate < share ? rate : share;
    }
    return rate;
}

static uint32_t next_place(const struct links *l, uint32_t place)
{
    return l->flows[place / 2].next[place % 2];
}

/* Brings the flows of a link to `now`. */
static void settle(struct links *l, const struct link *k, sim_ns now)
{
    for (uint32_t i = k->first; i != NONE; i = next_place(l, i)) {
        struct flow *f = &l->flows[i / 2];
        assert(now >= f->at);
        double seconds = (double)(now - f->at) / (double)SIM_SECOND;
        f->left -= rate_of(l, f) * seconds;
        if (f->left < 0)
            f->left = 0;
        f->at = now;
    }
}

/* From the flow's own `at` on. */
static sim_ns time_left(const struct links *l, const struct flow *f)
{
    double ns = f->left / rate_of(l, f) * (double)SIM_SECOND;
    assert(ns >= 0);
    if (ns > 4e18)
        return SIM_NEVER / 4;
    sim_ns whole = (sim_ns)ns;
    return (double)whole < ns ? whole + 1 : whole;
}

static void wake(void *self, sim_ns now, uint64_t arg);

static void plan(struct links *l, struct link *k)
{
    sim_cancel(l->set.sim, k->wake);
    k->wake = (struct sim_handle){0};
    sim_ns soonest = SIM_NEVER;
    for (uint32_t i = k->first; i != NONE; i = next_place(l, i)) {
        const struct flow *f = &l->flows[i / 2];
        sim_ns end = f->at + time_left(l, f);
        soonest = end < soonest ? end : soonest;
    }
    if (soonest != SIM_NEVER)
        k->wake = sim_at(l->set.sim, soonest, SIM_PHASE, wake, l, (uint64_t)(k - l->links));
}

/* The other links of the flows on this one; their shares are as they were, but a flow on both may
 * have another rate now. */
static void plan_neighbours(struct links *l, const struct link *k)
{
    for (uint32_t i = k->first; i != NONE; i = next_place(l, i)) {
        uint32_t other = l->flows[i / 2].link[1 - i % 2];
        if (other != NONE)
            plan(l, &l->links[other]);
    }
}

static void plan_all(struct links *l, struct link *k)
{
    plan(l, k);
    plan_neighbours(l, k);
}

static void enter(struct links *l, uint32_t flow, int side, uint32_t link)
{
    struct link *k = &l->links[link];
    l->flows[flow].link[side] = link;
    l->flows[flow].next[side] = k->first;
    k->first = flow * 2 + (uint32_t)side;
    k->n++;
}

static void leave(struct links *l, uint32_t flow, int side)
{
    struct flow *f = &l->flows[flow];
    struct link *k = &l->links[f->link[side]];
    uint32_t place = flow * 2 + (uint32_t)side;
    uint32_t *p = &k->first;
    while (*p != place) {
        assert(*p != NONE);
        p = &l->flows[*p / 2].next[*p % 2];
    }
    *p = f->next[side];
    f->link[side] = NONE;
    k->n--;
}

/* Brings all of its links to `now`, and takes it out of them. */
static void unlink_flow(struct links *l, uint32_t flow, sim_ns now)
{
    uint32_t at[2];
    for (int side = 0; side < 2; side++) {
        at[side] = l->flows[flow].link[side];
        if (at[side] != NONE)
            settle(l, &l->links[at[side]], now);
    }
    for (int side = 0; side < 2; side++)
        if (at[side] != NONE)
            leave(l, flow, side);
}

static uint32_t finished(const struct links *l, const struct link *k)
{
    for (uint32_t i = k->first; i != NONE; i = next_place(l, i))
        if (time_left(l, &l->flows[i / 2]) == 0)
            return i / 2;
    return NONE;
}

static void wake(void *self, sim_ns now, uint64_t arg)
{
    struct links *l = self;
    struct link *k = &l->links[arg];
    k->wake = (struct sim_handle){0};
    settle(l, k, now);
    /* Whoever is told may begin or end other flows, so the list is looked at anew each time. */
    for (uint32_t i; (i = finished(l, k)) != NONE;) {
        uint32_t other = l->flows[i].link[0] == arg ? l->flows[i].link[1] : l->flows[i].link[0];
        unlink_flow(l, i, now);
        if (other != NONE)
            plan_all(l, &l->links[other]);
        l->set.done(l->set.self, now, i);
    }
    plan_all(l, k);
}

void links_rate(struct links *l, sim_ns now, uint32_t link, int64_t bytes_per_s)
{
    assert(link < l->set.n_links && bytes_per_s >= 0);
    struct link *k = &l->links[link];
    settle(l, k, now);
    k->rate = (double)bytes_per_s;
    plan_all(l, k);
}

static bool limited(const struct links *l, const struct links_flow *f)
{
    return f->flow_rate > 0 || l->links[f->link].rate > 0 ||
           (f->upstream && l->links[f->upstream - 1].rate > 0);
}

void links_begin(struct links *l, sim_ns now, const struct links_flow *f)
{
    assert(f->link < l->set.n_links && f->flow < l->set.n_flows && f->bytes > 0);
    assert(f->upstream <= l->set.n_links && f->upstream != f->link + 1 && limited(l, f));
    struct flow *flow = &l->flows[f->flow];
    assert(flow->link[0] == NONE && flow->link[1] == NONE);
    *flow = (struct flow){
        .link = {NONE, NONE}, .left = (double)f->bytes, .rate = (double)f->flow_rate, .at = now};
    settle(l, &l->links[f->link], now);
    if (f->upstream)
        settle(l, &l->links[f->upstream - 1], now);
    enter(l, f->flow, 0, f->link);
    if (f->upstream)
        enter(l, f->flow, 1, f->upstream - 1);
    plan_all(l, &l->links[f->link]);
    if (f->upstream)
        plan_all(l, &l->links[f->upstream - 1]);
}

static void plan_of(struct links *l, const uint32_t at[2])
{
    for (int side = 0; side < 2; side++)
        if (at[side] != NONE)
            plan_all(l, &l->links[at[side]]);
}

void links_flow_rate(struct links *l, sim_ns now, uint32_t flow, int64_t flow_rate)
{
    assert(flow < l->set.n_flows && l->flows[flow].link[0] != NONE && flow_rate >= 0);
    struct flow *f = &l->flows[flow];
    for (int side = 0; side < 2; side++)
        if (f->link[side] != NONE)
            settle(l, &l->links[f->link[side]], now);
    f->rate = (double)flow_rate;
    plan_of(l, f->link);
}

int64_t links_end(struct links *l, sim_ns now, uint32_t flow)
{
    assert(flow < l->set.n_flows && l->flows[flow].link[0] != NONE);
    uint32_t at[2] = {l->flows[flow].link[0], l->flows[flow].link[1]};
    unlink_flow(l, flow, now);
    int64_t left = (int64_t)l->flows[flow].left;
    plan_of(l, at);
    return left;
}
