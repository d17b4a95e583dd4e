/* dispatch_fifo: one queue at the ingress, first in first out, before servers that come and go.
 *
 * In such a queue starts never decrease, so the loop stops at the first request that would start at
 * or after the next control time: it and all behind it stay unassigned, and nothing is guessed or
 * rolled back. Only what runs reaches beyond, one request a server, and only there can a kill find
 * it. After J. Kiefer and J. Wolfowitz, On the theory of queues with many servers, 1955. */
#include "models/serving/dispatch_impl.h"
#include "models/serving/inlet.h"
#include "models/serving/limbo.h"
#include "models/serving/lineup.h"
#include "models/serving/work.h"

#include <assert.h>

/* The lineup is rebased after so long: with the longest service it still fits. */
#define REBASE_AFTER (INT64_C(1) << 49)

struct arrival {
    sim_ns at;
    uint64_t index;
};

/* The request on a server whose outcome lies at or after the time reached. */
struct running {
    sim_ns arrived;
    sim_ns out; /* SIM_NEVER: nobody is waiting for what runs here, if anything does */
    bool served;
};

/* The work that a replica was given. */
struct given {
    sim_ns busy_to;  /* its last end; -1 */
    int64_t busy_ns; /* all of it, also beyond the time reached */
};

struct fifo {
    struct dispatch base;
    struct inlet inlet;
    struct limbo limbo;
    struct work work;
    struct lineup lineup;  /* server = replica * k + slot */
    struct arrival *queue; /* a ring */
    uint64_t head, tail, mask;
    struct running *running; /* of each server */
    uint32_t *service;       /* of each server's replica */
    struct given *given;     /* to each replica */
    uint32_t *replica;       /* of each server */
    uint32_t k;
    sim_ns patience;
    uint64_t n_running;
    int64_t busy_ns; /* of replicas that have ended */
};

static struct fifo *fifo_of(struct dispatch *d)
{
    return (struct fifo *)d;
}

/* The replica of the server is busy from start to end. Starts never decrease. */
static inline void add_busy(struct fifo *f, uint32_t server, sim_ns start, sim_ns end)
{
    if (f->k == 1) {
        f->given[server].busy_ns += end - start;
        f->given[server].busy_to = end;
        return;
    }
    struct given *g = &f->given[f->replica[server]];
    if (end <= g->busy_to)
        return;
    g->busy_ns += end - (start > g->busy_to ? start : g->busy_to);
    g->busy_to = end;
}

/* The first server takes the request at `start`. */
static inline void assign(struct fifo *f, struct arrival a, sim_ns start, sim_ns until)
{
    uint32_t server = lineup_server(&f->lineup, f->lineup.keys[0]), service = 0;
    if (!f->work.same) /* else the service time need not wait for the server to be known */
        service = f->service[server];
    sim_ns end = start + work_ns(&f->work, service, a.index);
    sim_ns deadline = a.at + f->patience;
    lineup_replace(&f->lineup, lineup_key(&f->lineup, end, server));
    add_busy(f, server, start, end);
    f->base.tally.sent++;
    bool served = end <= deadline;
    sim_ns out = served ? end : deadline;
    if (out < until) {
        dispatch_outcome(&f->base, served, out - a.at);
        return;
    }
    dispatch_keep(&f->base, a.at);
    f->running[server] = (struct running){.arrived = a.at, .out = out, .served = served};
    f->n_running++;
}

/* Plays starts and time-outs in the queue strictly before `bound`. `until` is the next control
 * time. */
static void play(struct fifo *f, sim_ns bound, sim_ns until)
{
    const struct arrival *queue = f->queue;
    const uint64_t tail = f->tail, mask = f->mask;
    const sim_ns patience = f->patience;
    uint64_t head = f->head, gone = 0;
    for (; head != tail; head++) {
        struct arrival a = queue[head & mask];
        sim_ns free = lineup_first(&f->lineup, 2 * DISPATCH_FAR);
        sim_ns start = free > a.at ? free : a.at;
        if (start - a.at >= patience) {
            if (a.at + patience >= bound)
                break;
            dispatch_fail(&f->base, FAIL_TIMEOUT, patience);
        } else if (start < bound) {
            assign(f, a, start, until);
        } else {
            break;
        }
        gone += (uint64_t)a.at;
    }
    f->base.tally.inside_since -= gone;
    f->head = head;
}

static void push(struct fifo *f, sim_ns at)
{
    dispatch_keep(&f->base, at);
    f->queue[f->tail++ & f->mask] = (struct arrival){.at = at, .index = f->inlet.taken};
    inlet_take(&f->inlet);
}

/* Arrivals go to the queue in blocks, and the servers follow. */
static void play_unbounded(struct fifo *f, sim_ns until)
{
    size_t room = f->base.setup.max_in_flight;
    while (inlet_peek(&f->inlet, until) != SIM_NEVER) {
        for (sim_ns at; f->inlet.next < f->inlet.n && (at = f->inlet.at[f->inlet.next]) < until;)
            push(f, at);
        play(f, until, until);
        if (f->tail - f->head > room) {
            dispatch_overflow(&f->base);
            return;
        }
    }
}

static void play_bounded(struct fifo *f, sim_ns until)
{
    int64_t max_queue = f->base.setup.max_queue;
    size_t room = f->base.setup.max_in_flight;
    for (sim_ns at; (at = inlet_peek(&f->inlet, until)) != SIM_NEVER;) {
        play(f, at + 1, until);
        bool starts = f->head == f->tail && lineup_first(&f->lineup, SIM_NEVER) <= at;
        if (!starts && (int64_t)(f->tail - f->head) >= max_queue) {
            dispatch_fail(&f->base, FAIL_REJECTED, 0);
            inlet_take(&f->inlet);
            continue;
        }
        push(f, at);
        if (f->tail - f->head > room) {
            dispatch_overflow(&f->base);
            return;
        }
    }
}

/* The time of the first arrival of which the caller must be told; SIM_NEVER. */
static sim_ns first_to_tell(struct fifo *f, sim_ns until)
{
    sim_ns at = inlet_peek(&f->inlet, until);
    if (!f->base.hold || f->base.n_list > 0 || at == SIM_NEVER || at == f->base.told_at)
        return SIM_NEVER;
    const struct arrival *last = &f->queue[(f->tail - 1) & f->mask];
    bool others = f->head != f->tail && last->at + f->patience > at;
    return others ? SIM_NEVER : at;
}

static void play_arrivals(struct fifo *f, sim_ns until)
{
    if (f->base.setup.max_queue == INT64_MAX)
        play_unbounded(f, until);
    else
        play_bounded(f, until);
    play(f, until, until);
}

static void settle_until(struct fifo *f, sim_ns until)
{
    for (uint32_t i = 0; i < f->base.n_used; i++) {
        struct running *r = &f->running[f->base.used[i] * f->k];
        for (uint32_t slot = 0; slot < f->k; slot++) {
            if (r[slot].out >= until)
                continue;
            dispatch_let_go(&f->base, r[slot].arrived);
            dispatch_outcome(&f->base, r[slot].served, r[slot].out - r[slot].arrived);
            r[slot].out = SIM_NEVER;
            f->n_running--;
        }
    }
    limbo_advance(&f->limbo, &f->base, until);
}

/* Without an endpoint, and asked to hold: one nanosecond with arrivals at a time. */
static struct advance play_holding(struct fifo *f, sim_ns until)
{
    for (sim_ns at; (at = inlet_peek(&f->inlet, until)) != SIM_NEVER;) {
        if (dispatch_is_failed(&f->base))
            break;
        if (first_to_tell(f, until) == at) {
            play_arrivals(f, at);
            return (struct advance){.reached = at, .why = STOP_NEEDS_CAPACITY};
        }
        play_arrivals(f, at + 1);
    }
    play_arrivals(f, until);
    return (struct advance){.reached = until, .why = STOP_HORIZON};
}

static struct advance play_part(struct fifo *f, sim_ns until)
{
    if (f->base.hold && f->base.n_list == 0) {
        struct advance a = play_holding(f, until);
        settle_until(f, a.reached);
        return a;
    }
    settle_until(f, until);
    play_arrivals(f, until);
    return (struct advance){.reached = until, .why = STOP_HORIZON};
}

static struct advance fifo_advance(struct dispatch *d, sim_ns until)
{
    struct fifo *f = fifo_of(d);
    while (until - f->lineup.base > REBASE_AFTER) {
        sim_ns part = f->lineup.base + REBASE_AFTER;
        if (part > d->reached) {
            struct advance a = play_part(f, part);
            if (a.why != STOP_HORIZON)
                return a;
            d->reached = part;
        }
        lineup_rebase(&f->lineup, d->reached);
    }
    return play_part(f, until);
}

static void fifo_open(struct dispatch *d, uint32_t replica)
{
    struct fifo *f = fifo_of(d);
    if (d->reached - f->lineup.base > REBASE_AFTER)
        lineup_rebase(&f->lineup, d->reached);
    for (uint32_t server = replica * f->k; server < (replica + 1) * f->k; server++) {
        f->service[server] = d->endpoints[replica].service;
        lineup_add(&f->lineup, server, d->reached);
    }
}

static void fifo_close(struct dispatch *d, uint32_t replica)
{
    struct fifo *f = fifo_of(d);
    lineup_remove(&f->lineup, replica * f->k, f->k);
}

/* Work given out beyond the time reached has not been done. */
static int64_t busy_by_now(const struct fifo *f, uint32_t replica)
{
    sim_ns ahead = f->given[replica].busy_to - f->base.reached;
    return f->given[replica].busy_ns - (ahead > 0 ? ahead : 0);
}

/* The work at the replica vanishes; its requests fail, or are stranded. */
static void empty(struct fifo *f, uint32_t replica, bool strand, enum fail_cause cause)
{
    struct dispatch *d = &f->base;
    for (uint32_t server = replica * f->k; server < (replica + 1) * f->k; server++) {
        struct running *r = &f->running[server];
        if (r->out == SIM_NEVER)
            continue;
        if (strand) {
            limbo_put(&f->limbo, d,
                      (struct stranded){.arrived = r->arrived,
                                        .deadline = r->arrived + f->patience,
                                        .replica = replica});
        } else {
            dispatch_let_go(d, r->arrived);
            dispatch_fail(d, cause, d->reached - r->arrived);
        }
        r->out = SIM_NEVER;
        f->n_running--;
    }
    f->busy_ns += busy_by_now(f, replica);
    f->given[replica] = (struct given){.busy_to = -1};
}

static void fifo_drop(struct dispatch *d, uint32_t replica, enum fail_cause cause,
                      bool stranded_too)
{
    struct fifo *f = fifo_of(d);
    empty(f, replica, false, cause);
    if (stranded_too)
        limbo_drop(&f->limbo, d, replica, cause);
}

static void fifo_strand(struct dispatch *d, uint32_t replica)
{
    empty(fifo_of(d), replica, true, FAIL_TIMEOUT);
}

static sim_ns fifo_last_end(struct dispatch *d, uint32_t replica)
{
    struct fifo *f = fifo_of(d);
    sim_ns stranded = limbo_last(&f->limbo, replica);
    sim_ns busy_to = f->given[replica].busy_to;
    sim_ns work = busy_to >= d->reached ? busy_to : -1;
    return work > stranded ? work : stranded;
}

static int64_t fifo_busy(struct dispatch *d, uint32_t replica)
{
    return busy_by_now(fifo_of(d), replica);
}

static void fifo_count(struct dispatch *d, struct tally *t)
{
    struct fifo *f = fifo_of(d);
    t->arrived = f->inlet.taken;
    t->waiting = f->tail - f->head + f->limbo.n;
    t->running = f->n_running;
    t->tries = t->sent;
    t->busy_ns = f->busy_ns;
    for (uint32_t i = 0; i < d->n_used; i++)
        t->busy_ns += busy_by_now(f, d->used[i]);
}

static int take_memory(struct fifo *f)
{
    const struct dispatch_setup *s = &f->base.setup;
    size_t servers = s->max_replicas * f->k;
    uint64_t size = 1;
    while (size < s->max_in_flight + INLET_BLOCK + 1)
        size *= 2;
    f->mask = size - 1;
    if (lineup_init(&f->lineup, (uint32_t)servers) || limbo_init(&f->limbo, s->max_in_flight))
        return -1;
    f->queue = calloc(size, sizeof *f->queue);
    f->running = calloc(servers, sizeof *f->running);
    f->service = calloc(servers, sizeof *f->service);
    f->replica = calloc(servers, sizeof *f->replica);
    f->given = calloc(s->max_replicas, sizeof *f->given);
    return f->queue && f->running && f->service && f->replica && f->given ? 0 : -1;
}

static int fifo_init(struct dispatch *d, struct err *e)
{
    struct fifo *f = fifo_of(d);
    const struct dispatch_setup *s = &d->setup;
    (void)e; /* the caller names the cause: there is only one */
    f->k = (uint32_t)s->concurrency;
    f->patience = dispatch_patience(d);
    f->inlet.arrivals = s->arrivals;
    struct chance stream = chance_stream(s->seed, s->replication, CHANCE_SERVICE, s->entity);
    if (work_init(&f->work, s->service, s->n_services, stream) || take_memory(f))
        return -1;
    for (uint32_t r = 0; r < s->max_replicas; r++)
        f->given[r].busy_to = -1;
    for (uint32_t server = 0; server < s->max_replicas * f->k; server++) {
        f->running[server].out = SIM_NEVER;
        f->replica[server] = server / f->k;
    }
    return 0;
}

static void fifo_fini(struct dispatch *d)
{
    struct fifo *f = fifo_of(d);
    work_fini(&f->work);
    lineup_fini(&f->lineup);
    limbo_fini(&f->limbo);
    free(f->queue);
    free(f->running);
    free(f->service);
    free(f->replica);
    free(f->given);
}

const struct dispatch_ops dispatch_fifo_ops = {
    .name = "central_fifo",
    .size = sizeof(struct fifo),
    .init = fifo_init,
    .fini = fifo_fini,
    .advance = fifo_advance,
    .open = fifo_open,
    .close = fifo_close,
    .drop = fifo_drop,
    .strand = fifo_strand,
    .last_end = fifo_last_end,
    .busy = fifo_busy,
    .count = fifo_count,
};
