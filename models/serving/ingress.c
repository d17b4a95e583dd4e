/* ingress: round robin over the endpoint list, with refused and hanging tries. */
#include "models/serving/ingress.h"

#include <assert.h>

static int queue_init(struct attempt_queue *q, size_t room)
{
    uint64_t size = 1;
    while (size < room)
        size *= 2;
    q->mask = size - 1;
    q->rows = calloc(size, sizeof *q->rows);
    return q->rows ? 0 : -1;
}

int ingress_init(struct ingress *g, const struct dispatch_setup *s)
{
    g->inlet.arrivals = s->arrivals;
    g->balancer = chance_stream(s->seed, s->replication, CHANCE_BALANCER, s->entity);
    g->next_try = SIM_NEVER;
    g->workers = calloc(s->workers, sizeof *g->workers);
    if (queue_init(&g->connecting, s->max_in_flight) || queue_init(&g->held, s->max_in_flight))
        return -1;
    return g->workers ? 0 : -1;
}

void ingress_fini(struct ingress *g)
{
    free(g->workers);
    free(g->connecting.rows);
    free(g->held.rows);
}

void ingress_park(struct dispatch *d, struct attempt_queue *queue, const struct attempt *a,
                  sim_ns until)
{
    if (queue->end - queue->first >= d->setup.max_in_flight) {
        dispatch_overflow(d);
        return;
    }
    dispatch_keep(d, a->arrived);
    queue->rows[queue->end++ & queue->mask] = (struct parked){.attempt = *a, .until = until};
}

void ingress_place(struct ingress *g, const struct dispatch *d, uint32_t worker)
{
    struct ingress_worker *w = &g->workers[worker];
    w->change = d->change;
    w->place = (uint32_t)chance_below(chance_sub(g->balancer, worker), d->change, d->n_list);
}

static sim_ns first_until(const struct attempt_queue *q)
{
    return q->first != q->end ? q->rows[q->first & q->mask].until : SIM_NEVER;
}

static bool is_empty(const struct attempt_queue *q)
{
    return q->first == q->end;
}

static struct parked take_first(struct dispatch *d, struct attempt_queue *q)
{
    assert(!is_empty(q));
    struct parked p = q->rows[q->first++ & q->mask];
    dispatch_let_go(d, p.attempt.arrived);
    return p;
}

bool ingress_take_again(struct ingress *g, struct dispatch *d, struct attempt *a)
{
    sim_ns at = g->next_try;
    if (!is_empty(&g->held) && d->n_list > 0) {
        *a = take_first(d, &g->held).attempt;
        a->at = at;
        if (is_empty(&g->held))
            g->next_try = first_until(&g->connecting);
        return true;
    }
    *a = take_first(d, &g->connecting).attempt;
    a->at = at;
    g->next_try = first_until(&g->connecting);
    d->tally.tries_timed_out++;
    if (a->tries_left > 0)
        return true;
    dispatch_fail(d, FAIL_TIMEOUT, at - a->arrived);
    return false;
}

/* Held requests whose time is over by `until`, inclusive, fail. */
static void expire_held(struct ingress *g, struct dispatch *d, sim_ns until)
{
    while (first_until(&g->held) <= until) {
        struct parked p = take_first(d, &g->held);
        dispatch_fail(d, FAIL_TIMEOUT, p.until - p.attempt.arrived);
    }
}

void ingress_release(struct ingress *g, struct dispatch *d)
{
    expire_held(g, d, d->reached);
    if (!is_empty(&g->held))
        g->next_try = d->reached;
}

/* No endpoint for a request. */
static void try_nowhere(struct ingress *g, struct dispatch *d, const struct attempt *a)
{
    if (d->hold)
        ingress_park(d, &g->held, a, a->at + dispatch_patience(d));
    else
        dispatch_fail(d, FAIL_REFUSED, a->at - a->arrived);
}

/* The first time at which a request needs an endpoint, strictly before `until`; SIM_NEVER. Those
 * whose last try is timing out do not. */
static sim_ns next_need(struct ingress *g, sim_ns until)
{
    sim_ns need = inlet_peek(&g->inlet, until);
    for (uint64_t i = g->connecting.first; i != g->connecting.end; i++) {
        const struct parked *p = &g->connecting.rows[i & g->connecting.mask];
        if (p->until >= until || p->until >= need)
            break;
        if (p->attempt.tries_left > 0)
            need = p->until;
    }
    return need;
}

/* Must the caller be told of the request that comes at `at`? Not while others are held for it. */
static bool must_stop(const struct ingress *g, const struct dispatch *d, sim_ns at)
{
    const struct attempt_queue *h = &g->held;
    bool others = h->first != h->end && h->rows[(h->end - 1) & h->mask].until > at;
    return d->hold && d->told_at != at && !others;
}

struct advance ingress_play_empty(struct ingress *g, struct dispatch *d, sim_ns until)
{
    assert(d->n_list == 0);
    struct advance result = {.reached = until, .why = STOP_HORIZON};
    while (!dispatch_is_failed(d)) {
        sim_ns need = next_need(g, until);
        if (need != SIM_NEVER && must_stop(g, d, need)) {
            result = (struct advance){.reached = need, .why = STOP_NEEDS_CAPACITY};
            until = need;
        }
        sim_ns at = inlet_peek(&g->inlet, until);
        struct attempt a;
        if (g->next_try <= at && g->next_try < until) {
            if (!ingress_take_again(g, d, &a))
                continue;
        } else if (at < until) {
            a = ingress_arrival(g, d, at);
            inlet_take(&g->inlet);
        } else {
            break;
        }
        expire_held(g, d, a.at);
        try_nowhere(g, d, &a);
    }
    expire_held(g, d, until - 1);
    return result;
}

void ingress_count(const struct ingress *g, struct tally *t)
{
    t->arrived = g->inlet.taken;
    t->retrying = g->connecting.end - g->connecting.first;
    t->waiting += g->held.end - g->held.first;
}
