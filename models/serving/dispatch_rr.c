/* dispatch_rr: round robin over replicas that each serve first in, first out.
 *
 * With nothing but arrivals between two control times, a request's fate is known when it reaches
 * its replica: it starts when the first slot is free, and ends a service time later (Lindley;
 * Kiefer and Wolfowitz for several slots). What ends before the next control time is counted on the
 * spot; the rest, mostly a handful, stays in the replica's list, where a kill finds it. */
#include "models/serving/ingress.h"
#include "models/serving/limbo.h"
#include "models/serving/work.h"

#include <assert.h>

#define NONE UINT32_MAX

/* A request whose outcome lies at or after the time reached. */
struct pending {
    sim_ns arrived, start, out, deadline;
    uint32_t next;
    bool served; /* the outcome at `out`, else it times out */
};

struct station {               /* a replica */
    sim_ns free;               /* when its first slot is or becomes free */
    sim_ns busy_to;            /* the last end of work given to it */
    int64_t busy_ns;           /* of all work given to it, also beyond the time reached */
    uint32_t first, last;      /* pending requests in the order of their tries */
    uint32_t first_waiting;    /* of them, starting at or after the time reached */
    uint64_t turns, turns_end; /* bounded queue: ring of turns that have not come */
};

struct rr {
    struct dispatch base;
    struct ingress ingress;
    struct limbo limbo;
    struct work work;
    struct station *stations;
    sim_ns *slots; /* concurrency > 1: when each slot is free, ascending per replica */
    sim_ns *turns; /* bounded queue: a ring a replica */
    uint64_t turns_mask;
    uint32_t k;
    sim_ns patience;
    struct pending *pending;
    uint32_t fresh, recycled;
    uint64_t waiting, running;
    int64_t busy_ns; /* of replicas that have ended */
};

static struct rr *rr_of(struct dispatch *d)
{
    return (struct rr *)d;
}

static uint32_t pending_new(struct rr *f)
{
    uint32_t id = f->recycled;
    if (id != NONE)
        f->recycled = f->pending[id].next;
    else if (f->fresh < f->base.setup.max_in_flight)
        id = f->fresh++;
    else
        dispatch_overflow(&f->base);
    return id;
}

static void pending_free(struct rr *f, uint32_t id)
{
    f->pending[id].next = f->recycled;
    f->recycled = id;
}

/* Keeps a request that is still inside when `until` comes. */
static void keep(struct rr *f, struct station *s, const struct pending *p, sim_ns until)
{
    uint32_t id = pending_new(f);
    if (id == NONE)
        return;
    f->pending[id] = *p;
    f->pending[id].next = NONE;
    if (s->first == NONE)
        s->first = id;
    else
        f->pending[s->last].next = id;
    s->last = id;
    dispatch_keep(&f->base, p->arrived);
    if (p->start < until) {
        f->running++;
        return;
    }
    f->waiting++;
    if (s->first_waiting == NONE)
        s->first_waiting = id;
}

/* Is there a place in the queue for a request that comes now and has to wait until `turn`? */
static bool queue_takes(struct rr *f, struct station *s, sim_ns now, sim_ns turn)
{
    if (!f->turns)
        return true;
    sim_ns *ring = f->turns + (uint64_t)(s - f->stations) * (f->turns_mask + 1);
    while (s->turns != s->turns_end && ring[s->turns & f->turns_mask] <= now)
        s->turns++;
    if ((int64_t)(s->turns_end - s->turns) >= f->base.setup.max_queue)
        return false;
    ring[s->turns_end++ & f->turns_mask] = turn;
    return true;
}

/* The first slot works until `end`: keeps the row ascending. */
static void occupy(struct rr *f, struct station *s, uint32_t replica, sim_ns end)
{
    if (f->k == 1) {
        s->free = end;
        return;
    }
    sim_ns *row = f->slots + (size_t)replica * f->k;
    uint32_t i = 1;
    for (; i < f->k && row[i] < end; i++)
        row[i - 1] = row[i];
    row[i - 1] = end;
    s->free = row[0];
}

static void rr_accept(struct dispatch *d, uint32_t replica, const struct attempt *a)
{
    struct rr *f = rr_of(d);
    struct station *s = &f->stations[replica];
    const sim_ns now = a->at, until = d->until;
    sim_ns start = s->free > now ? s->free : now;
    if (start > now && !queue_takes(f, s, now, start)) {
        dispatch_fail(d, FAIL_REJECTED, now - a->arrived);
        return;
    }
    struct pending p = {.arrived = a->arrived, .start = start, .deadline = now + f->patience};
    p.out = p.deadline;
    if (start < p.deadline) {
        sim_ns end = start + work_ns(&f->work, d->endpoints[replica].service, a->index);
        if (end > 2 * DISPATCH_FAR - 1)
            end = 2 * DISPATCH_FAR - 1;
        if (end > s->busy_to) { /* the starts of a replica never decrease */
            s->busy_ns += end - (start > s->busy_to ? start : s->busy_to);
            s->busy_to = end;
        }
        occupy(f, s, replica, end);
        p.served = end <= p.deadline;
        p.out = p.served ? end : p.deadline;
    }
    if (p.out < until)
        dispatch_outcome(d, p.served, p.out - p.arrived);
    else
        keep(f, s, &p, until);
}

/* Those whose start has come run. */
static void start_until(struct rr *f, struct station *s, sim_ns until)
{
    while (s->first_waiting != NONE && f->pending[s->first_waiting].start < until) {
        s->first_waiting = f->pending[s->first_waiting].next;
        f->waiting--;
        f->running++;
    }
}

/* Counts the outcomes before `until`. Starts and deadlines rise along the list, so nothing behind
 * a request that has neither started nor expired by then can have ended. */
static void retire_until(struct rr *f, struct station *s, sim_ns until)
{
    uint32_t kept = NONE;
    bool started = true; /* id is before first_waiting */
    for (uint32_t id = s->first, next; id != NONE; id = next) {
        struct pending *p = &f->pending[id];
        next = p->next;
        if (id == s->first_waiting)
            started = false;
        if (p->start >= until && p->deadline >= until)
            break;
        if (p->out >= until) {
            if (f->k == 1)
                break;
            kept = id;
            continue;
        }
        dispatch_let_go(&f->base, p->arrived);
        dispatch_outcome(&f->base, p->served, p->out - p->arrived);
        if (started)
            f->running--;
        else
            f->waiting--;
        if (id == s->first_waiting)
            s->first_waiting = next;
        if (kept == NONE)
            s->first = next;
        else
            f->pending[kept].next = next;
        if (id == s->last)
            s->last = kept;
        pending_free(f, id);
    }
}

static void settle_until(struct rr *f, sim_ns until)
{
    for (uint32_t i = 0; i < f->base.n_used; i++) {
        struct station *s = &f->stations[f->base.used[i]];
        start_until(f, s, until);
        retire_until(f, s, until);
    }
    limbo_advance(&f->limbo, &f->base, until);
}

static struct advance rr_advance(struct dispatch *d, sim_ns until)
{
    struct rr *f = rr_of(d);
    struct advance result = {.reached = until, .why = STOP_HORIZON};
    if (d->n_list == 0)
        result = ingress_play_empty(&f->ingress, d, until);
    settle_until(f, result.reached);
    if (d->n_list > 0)
        ingress_play(&f->ingress, d, rr_accept);
    return result;
}

/* Work given out beyond the time reached has not been done. */
static int64_t busy_by_now(const struct rr *f, const struct station *s)
{
    sim_ns ahead = s->busy_to - f->base.reached;
    return s->busy_ns - (ahead > 0 ? ahead : 0);
}

/* Empty, with all slots free from now on. */
static void reset(struct rr *f, uint32_t replica)
{
    struct station *s = &f->stations[replica];
    sim_ns now = f->base.reached;
    f->busy_ns += busy_by_now(f, s);
    *s = (struct station){
        .free = now, .busy_to = -1, .first = NONE, .last = NONE, .first_waiting = NONE};
    if (f->k > 1)
        for (uint32_t i = 0; i < f->k; i++)
            f->slots[(size_t)replica * f->k + i] = now;
}

static void rr_open(struct dispatch *d, uint32_t replica)
{
    reset(rr_of(d), replica);
}

static void rr_close(struct dispatch *d, uint32_t replica)
{
    (void)d, (void)replica; /* the endpoint list says it all */
}

/* Takes all pending requests from the replica: they fail, or are stranded. */
static void empty(struct rr *f, uint32_t replica, bool strand, enum fail_cause cause)
{
    struct station *s = &f->stations[replica];
    bool started = true;
    for (uint32_t id = s->first, next; id != NONE; id = next) {
        const struct pending *p = &f->pending[id];
        next = p->next;
        if (id == s->first_waiting)
            started = false;
        if (started)
            f->running--;
        else
            f->waiting--;
        if (strand) {
            limbo_put(&f->limbo, &f->base,
                      (struct stranded){
                          .arrived = p->arrived, .deadline = p->deadline, .replica = replica});
        } else {
            dispatch_let_go(&f->base, p->arrived);
            dispatch_fail(&f->base, cause, f->base.reached - p->arrived);
        }
        pending_free(f, id);
    }
    reset(f, replica);
}

static void rr_drop(struct dispatch *d, uint32_t replica, enum fail_cause cause, bool stranded_too)
{
    struct rr *f = rr_of(d);
    empty(f, replica, false, cause);
    if (stranded_too)
        limbo_drop(&f->limbo, d, replica, cause);
}

static void rr_strand(struct dispatch *d, uint32_t replica)
{
    empty(rr_of(d), replica, true, FAIL_TIMEOUT);
}

static sim_ns rr_last_end(struct dispatch *d, uint32_t replica)
{
    struct rr *f = rr_of(d);
    const struct station *s = &f->stations[replica];
    sim_ns stranded = limbo_last(&f->limbo, replica);
    sim_ns work = s->busy_to >= d->reached ? s->busy_to : -1;
    return work > stranded ? work : stranded;
}

static int64_t rr_busy(struct dispatch *d, uint32_t replica)
{
    const struct rr *f = rr_of(d);
    return busy_by_now(f, &f->stations[replica]);
}

static void rr_count(struct dispatch *d, struct tally *t)
{
    struct rr *f = rr_of(d);
    t->waiting = f->waiting + f->limbo.n;
    t->running = f->running;
    ingress_count(&f->ingress, t);
    t->busy_ns = f->busy_ns;
    for (uint32_t i = 0; i < d->n_used; i++)
        t->busy_ns += busy_by_now(f, &f->stations[d->used[i]]);
}

/* A queue that cannot fill before the limit on requests inside is met is not bounded. */
static int queue_memory(struct rr *f)
{
    const struct dispatch_setup *s = &f->base.setup;
    if (s->max_queue >= (int64_t)s->max_in_flight)
        return 0;
    uint64_t size = 1;
    while ((int64_t)size < s->max_queue)
        size *= 2;
    f->turns_mask = size - 1;
    f->turns = calloc(size * s->max_replicas, sizeof *f->turns);
    return f->turns ? 0 : -1;
}

static int rr_init(struct dispatch *d, struct err *e)
{
    struct rr *f = rr_of(d);
    const struct dispatch_setup *s = &d->setup;
    (void)e; /* the caller names the cause: there is only one */
    f->k = (uint32_t)s->concurrency;
    f->patience = dispatch_patience(d);
    f->recycled = NONE;
    struct chance stream = chance_stream(s->seed, s->replication, CHANCE_SERVICE, s->entity);
    if (work_init(&f->work, s->service, s->n_services, stream))
        return -1;
    if (ingress_init(&f->ingress, s) || limbo_init(&f->limbo, s->max_in_flight) || queue_memory(f))
        return -1;
    f->stations = calloc(s->max_replicas, sizeof *f->stations);
    f->slots = calloc(s->max_replicas * f->k, sizeof *f->slots);
    f->pending = calloc(s->max_in_flight, sizeof *f->pending);
    if (!f->stations || !f->slots || !f->pending)
        return -1;
    for (uint32_t r = 0; r < s->max_replicas; r++)
        reset(f, r);
    return 0;
}

static void rr_fini(struct dispatch *d)
{
    struct rr *f = rr_of(d);
    work_fini(&f->work);
    ingress_fini(&f->ingress);
    limbo_fini(&f->limbo);
    free(f->stations);
    free(f->slots);
    free(f->turns);
    free(f->pending);
}

const struct dispatch_ops dispatch_rr_ops = {
    .name = "round_robin_fifo",
    .size = sizeof(struct rr),
    .init = rr_init,
    .fini = rr_fini,
    .advance = rr_advance,
    .open = rr_open,
    .close = rr_close,
    .drop = rr_drop,
    .strand = rr_strand,
    .last_end = rr_last_end,
    .busy = rr_busy,
    .count = rr_count,
};
