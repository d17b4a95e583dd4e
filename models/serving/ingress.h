/* ingress: round robin over the endpoint list, with refused and hanging tries; the part in front
 * of the replicas that the fast round-robin dispatchers share.
 *
 * The play loop is inline and takes the replica's side as a function, so that each dispatcher
 * compiles into one loop of its own. */
#ifndef SLUICE_MODELS_SERVING_INGRESS_H
#define SLUICE_MODELS_SERVING_INGRESS_H

#include "models/serving/dispatch_impl.h"
#include "models/serving/inlet.h"
#include "sim/chance.h"

/* A request on its way to an endpoint. */
struct attempt {
    sim_ns arrived;
    sim_ns at; /* of this try */
    uint64_t index;
    uint32_t worker;
    int32_t tries_left;
};

/* Attempts that wait for a time; in the order of both entry and time, since all wait equally long.
 */
struct attempt_queue {
    struct parked {
        struct attempt attempt;
        sim_ns until;
    } * rows; /* a ring */
    uint64_t first, end, mask;
};

struct ingress_worker {
    uint64_t change; /* of the list, for which place holds */
    uint32_t place;
};

struct ingress {
    struct inlet inlet;
    struct chance balancer;
    struct ingress_worker *workers;
    struct attempt_queue connecting; /* in a try that will time out */
    struct attempt_queue held;       /* for want of an endpoint */
    sim_ns next_try; /* of the first in connecting, or of held ones that may go; SIM_NEVER */
};

/* The replica's side: the try has reached the replica at a->at. What ends before d->until is final.
 */
typedef void ingress_accept(struct dispatch *d, uint32_t replica, const struct attempt *a);

int ingress_init(struct ingress *g, const struct dispatch_setup *s);
void ingress_fini(struct ingress *g);
void ingress_park(struct dispatch *d, struct attempt_queue *queue, const struct attempt *a,
                  sim_ns until);
/* Draws the worker's place after a change of the list. */
void ingress_place(struct ingress *g, const struct dispatch *d, uint32_t worker);
/* With an empty list: refuses or holds what comes, and may stop early. */
struct advance ingress_play_empty(struct ingress *g, struct dispatch *d, sim_ns until);
/* The list has an endpoint: held requests try at the time reached, unless it is their last. */
void ingress_release(struct ingress *g, struct dispatch *d);
/* Fills in what the ingress knows of the tally. */
void ingress_count(const struct ingress *g, struct tally *t);

static inline uint32_t ingress_next(struct ingress *g, const struct dispatch *d, uint32_t worker)
{
    struct ingress_worker *w = &g->workers[worker];
    if (w->change != d->change)
        ingress_place(g, d, worker);
    uint32_t replica = d->list[w->place];
    w->place = w->place + 1 < d->n_list ? w->place + 1 : 0;
    return replica;
}

static inline void ingress_connect_late(struct ingress *g, struct dispatch *d,
                                        const struct attempt *a)
{
    sim_ns until = a->at + d->setup.connect_timeout_ns;
    ingress_park(d, &g->connecting, a, until);
    if (until < g->next_try)
        g->next_try = until;
}

/* The list is not empty. */
static inline void ingress_try(struct ingress *g, struct dispatch *d, struct attempt *a,
                               ingress_accept *accept)
{
    for (;;) {
        uint32_t replica = ingress_next(g, d, a->worker);
        uint8_t state = d->endpoints[replica].state;
        d->tally.tries++;
        a->tries_left--;
        if (state == ENDPOINT_SERVING) {
            d->tally.sent++;
            accept(d, replica, a);
            return;
        }
        if (state == ENDPOINT_DEAD) {
            ingress_connect_late(g, d, a);
            return;
        }
        d->tally.tries_refused++;
        if (a->tries_left == 0) {
            dispatch_fail(d, FAIL_REFUSED, a->at - a->arrived);
            return;
        }
    }
}

/* Takes the next request that is not an arrival: held, or after a connect time-out; true when it
 * may try now. */
bool ingress_take_again(struct ingress *g, struct dispatch *d, struct attempt *a);

static inline struct attempt ingress_arrival(struct ingress *g, const struct dispatch *d, sim_ns at)
{
    uint64_t index = g->inlet.taken;
    uint32_t worker = 0;
    if (d->setup.workers > 1)
        worker = (uint32_t)chance_below(g->balancer, index, d->setup.workers);
    return (struct attempt){
        .arrived = at, .at = at, .index = index, .worker = worker, .tries_left = d->setup.tries};
}

/* The list is not empty: plays everything strictly before d->until. */
static inline void ingress_play(struct ingress *g, struct dispatch *d, ingress_accept *accept)
{
    const sim_ns until = d->until;
    ingress_release(g, d);
    while (!dispatch_is_failed(d)) {
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
        ingress_try(g, d, &a, accept);
    }
}

#endif
