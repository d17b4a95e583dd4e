/* links: downloads that share a rate. */
#include "models/capacity/links.h"

#include "sim/sim.h"

#include <assert.h>
#include <stdlib.h>

#define NONE UINT32_MAX

struct flow {
    uint32_t link, next; /* in the link's list */
    double left;         /* bytes */
    double rate;         /* of its own, bytes/s; 0: no limit */
};

struct link {
    uint32_t first;
    uint32_t n;
    double rate; /* 0: no limit */
    sim_ns at;   /* the flows' `left` holds at this time */
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
        l->flows[i].link = NONE;
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

static double rate_of(const struct link *k, const struct flow *f)
{
    double share = k->rate / k->n;
    if (k->rate == 0)
        return f->rate;
    return f->rate > 0 && f->rate < share ? f->rate : share;
}

/* Brings the flows of a link to `now`. */
static void settle(struct links *l, struct link *k, sim_ns now)
{
    assert(now >= k->at);
    double seconds = (double)(now - k->at) / (double)SIM_SECOND;
    for (uint32_t i = k->first; i != NONE; i = l->flows[i].next) {
        struct flow *f = &l->flows[i];
        f->left -= rate_of(k, f) * seconds;
        if (f->left < 0)
            f->left = 0;
    }
    k->at = now;
}

static sim_ns time_left(const struct link *k, const struct flow *f)
{
    double ns = f->left / rate_of(k, f) * (double)SIM_SECOND;
    assert(ns >= 0);
    if (ns > 4e18)
        return SIM_NEVER / 4;
    sim_ns whole = (sim_ns)ns;
    return (double)whole < ns ? whole + 1 : whole;
}

static void wake(void *self, sim_ns now, uint64_t arg);

static void plan(struct links *l, struct link *k, sim_ns now)
{
    sim_cancel(l->set.sim, k->wake);
    k->wake = (struct sim_handle){0};
    sim_ns soonest = SIM_NEVER;
    for (uint32_t i = k->first; i != NONE; i = l->flows[i].next) {
        sim_ns t = time_left(k, &l->flows[i]);
        soonest = t < soonest ? t : soonest;
    }
    if (soonest != SIM_NEVER)
        k->wake = sim_at(l->set.sim, now + soonest, SIM_PHASE, wake, l, (uint64_t)(k - l->links));
}

static void unlink_flow(struct links *l, struct link *k, uint32_t flow)
{
    uint32_t *p = &k->first;
    while (*p != flow) {
        assert(*p != NONE);
        p = &l->flows[*p].next;
    }
    *p = l->flows[flow].next;
    l->flows[flow].link = NONE;
    k->n--;
}

static uint32_t finished(const struct links *l, const struct link *k)
{
    for (uint32_t i = k->first; i != NONE; i = l->flows[i].next)
        if (time_left(k, &l->flows[i]) == 0)
            return i;
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
        unlink_flow(l, k, i);
        l->set.done(l->set.self, now, i);
    }
    plan(l, k, now);
}

void links_rate(struct links *l, sim_ns now, uint32_t link, int64_t bytes_per_s)
{
    assert(link < l->set.n_links && bytes_per_s >= 0);
    struct link *k = &l->links[link];
    settle(l, k, now);
    k->rate = (double)bytes_per_s;
    plan(l, k, now);
}

void links_begin(struct links *l, sim_ns now, const struct links_flow *f)
{
    assert(f->link < l->set.n_links && f->flow < l->set.n_flows && f->bytes > 0);
    struct link *k = &l->links[f->link];
    struct flow *flow = &l->flows[f->flow];
    assert(flow->link == NONE && (k->rate > 0 || f->flow_rate > 0));
    settle(l, k, now);
    *flow = (struct flow){f->link, k->first, (double)f->bytes, (double)f->flow_rate};
    k->first = f->flow;
    k->n++;
    plan(l, k, now);
}

int64_t links_end(struct links *l, sim_ns now, uint32_t flow)
{
    assert(flow < l->set.n_flows && l->flows[flow].link != NONE);
    struct link *k = &l->links[l->flows[flow].link];
    settle(l, k, now);
    int64_t left = (int64_t)l->flows[flow].left;
    unlink_flow(l, k, flow);
    plan(l, k, now);
    return left;
}
