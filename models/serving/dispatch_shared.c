/* dispatch_shared: round robin over replicas whose running requests share the GPU equally.
 *
 * Under equal sharing all running requests gain at the same rate, so a replica needs only one
 * number, the gain of a request that has run all along (virtual time, in 1/16 ns of work): a
 * request ends when that has grown by its own work, and the next to end is the one whose finish tag
 * is least. Tags never change, so they stand in a heap, and a request costs two divisions. After
 * the virtual time of fair queueing (Parekh and Gallager 1993). */
#include "models/serving/ingress.h"
#include "models/serving/limbo.h"
#include "models/serving/work.h"
#include "sim/wide.h"

#include <assert.h>

#define NONE UINT32_MAX

struct job {      /* a request at a replica, or work that has lost its request */
    uint64_t tag; /* running: virtual time at its end; waiting: its index */
    sim_ns arrived, deadline;
    uint32_t child, sibling; /* running: in the heap of tags; waiting: sibling is the next */
    uint32_t earlier, later; /* in the list of requests that are alive, by deadline */
    bool alive;              /* neither served nor failed */
    bool runs;
};

struct station {     /* a replica */
    sim_ns changed;  /* the last start or end of work */
    sim_ns next_end; /* SIM_NEVER: nothing runs */
    uint64_t gain;   /* virtual time at `changed` */
    sim_ns busy_from;
    int64_t busy_ns;              /* of spans that have ended */
    uint32_t heap;                /* the running one with the least tag */
    uint32_t n;                   /* running */
    uint32_t first, last, queued; /* waiting */
    uint32_t oldest, youngest;    /* alive */
};

struct shared {
    struct dispatch base;
    struct ingress ingress;
    struct limbo limbo;
    struct work work;
    struct station *stations;
    struct job *jobs;
    uint32_t fresh, recycled;
    uint64_t *tags; /* for looking ahead */
    uint32_t *stack;
    sim_ns patience;
    uint64_t waiting, running;
    int64_t busy_ns; /* of replicas that have ended */
};

static struct shared *shared_of(struct dispatch *d)
{
    return (struct shared *)d;
}

static uint32_t job_new(struct shared *f)
{
    uint32_t id = f->recycled;
    if (id != NONE)
        f->recycled = f->jobs[id].sibling;
    else if (f->fresh < f->base.setup.max_in_flight)
        id = f->fresh++;
    else
        dispatch_overflow(&f->base);
    return id;
}

static inline void job_free(struct shared *f, uint32_t id)
{
    f->jobs[id].sibling = f->recycled;
    f->recycled = id;
}

/* A pairing heap (Fredman, Sedgewick, Sleator and Tarjan 1986): with the few that run at a time its
 * steps are a handful of comparisons, and it needs no memory beside the jobs. */
static inline uint32_t meld(struct shared *f, uint32_t a, uint32_t b)
{
    struct job *x = &f->jobs[a], *y = &f->jobs[b];
    if (y->tag < x->tag) {
        x->sibling = y->child;
        y->child = a;
        return b;
    }
    y->sibling = x->child;
    x->child = b;
    return a;
}

static inline void heap_push(struct shared *f, struct station *s, uint32_t id)
{
    f->jobs[id].child = NONE;
    s->heap = s->heap == NONE ? id : meld(f, s->heap, id);
}

/* Takes out the first: its children meld in pairs, then the pairs from the last back. */
static inline uint32_t heap_pop(struct shared *f, struct station *s)
{
    uint32_t top = s->heap, pairs = NONE, next;
    for (uint32_t a = f->jobs[top].child; a != NONE; a = next) {
        uint32_t b = f->jobs[a].sibling;
        next = NONE;
        if (b != NONE) {
            next = f->jobs[b].sibling;
            a = meld(f, a, b);
        }
        f->jobs[a].sibling = pairs;
        pairs = a;
    }
    s->heap = pairs;
    if (pairs != NONE) {
        for (uint32_t a = f->jobs[pairs].sibling; a != NONE; a = next) {
            next = f->jobs[a].sibling;
            s->heap = meld(f, s->heap, a);
        }
    }
    return top;
}

static inline void list_push(struct shared *f, struct station *s, uint32_t id)
{
    f->jobs[id].earlier = s->youngest;
    f->jobs[id].later = NONE;
    if (s->youngest == NONE)
        s->oldest = id;
    else
        f->jobs[s->youngest].later = id;
    s->youngest = id;
}

static inline void list_remove(struct shared *f, struct station *s, uint32_t id)
{
    const struct job *j = &f->jobs[id];
    if (j->earlier == NONE)
        s->oldest = j->later;
    else
        f->jobs[j->earlier].later = j->later;
    if (j->later == NONE)
        s->youngest = j->earlier;
    else
        f->jobs[j->later].earlier = j->earlier;
}

/* First whole nanosecond by which n that run since `changed` have each gained `missing`. */
static inline sim_ns end_after(sim_ns changed, uint64_t missing, uint64_t n)
{
    uint64_t wait = n == 1 ? (missing + 15) / 16 : wide_muldiv_up(missing, n, 16);
    return wait < (uint64_t)DISPATCH_FAR ? changed + (sim_ns)wait : 2 * DISPATCH_FAR;
}

static inline uint64_t gain_over(sim_ns span, uint64_t n)
{
    return n == 1 ? (uint64_t)span * 16 : (uint64_t)span * 16 / n;
}

/* Brings virtual time up to `now`, at which a request starts or ends. */
static inline void settle(struct station *s, sim_ns now)
{
    if (s->n > 0)
        s->gain += gain_over(now - s->changed, s->n);
    s->changed = now;
}

static inline void plan_end(const struct shared *f, struct station *s)
{
    s->next_end =
        s->n > 0 ? end_after(s->changed, f->jobs[s->heap].tag - s->gain, s->n) : SIM_NEVER;
}

/* At s->changed, to which the caller has settled. */
static inline void start(struct shared *f, struct station *s, uint32_t id, sim_ns work)
{
    if (s->n++ == 0) {
        s->gain = 0;
        s->busy_from = s->changed;
    }
    f->jobs[id].tag = s->gain + (uint64_t)work * 16;
    f->jobs[id].runs = true;
    heap_push(f, s, id);
}

/* The work of the first in the heap is done. */
static inline void end_first(struct shared *f, struct station *s, sim_ns now)
{
    uint32_t id = heap_pop(f, s);
    const struct job *j = &f->jobs[id];
    if (j->alive) {
        bool served = now <= j->deadline;
        dispatch_let_go(&f->base, j->arrived);
        dispatch_outcome(&f->base, served, (served ? now : j->deadline) - j->arrived);
        f->running--;
        list_remove(f, s, id);
    }
    job_free(f, id);
    if (--s->n == 0)
        s->busy_ns += now - s->busy_from;
}

static inline uint32_t queue_pop(struct shared *f, struct station *s)
{
    uint32_t id = s->first;
    s->first = f->jobs[id].sibling;
    if (--s->queued == 0)
        s->last = NONE;
    return id;
}

/* The queue moves up; those past their deadline are dropped. */
static void start_queued(struct shared *f, uint32_t replica, sim_ns now)
{
    struct station *s = &f->stations[replica];
    while (s->queued > 0 && (int64_t)s->n < f->base.setup.concurrency) {
        uint32_t id = queue_pop(f, s);
        struct job *j = &f->jobs[id];
        if (j->deadline > now) {
            f->waiting--;
            f->running++;
            start(f, s, id, work_ns(&f->work, f->base.endpoints[replica].service, j->tag));
            continue;
        }
        if (j->alive) {
            dispatch_let_go(&f->base, j->arrived);
            dispatch_outcome(&f->base, false, j->deadline - j->arrived);
            f->waiting--;
            list_remove(f, s, id);
        }
        job_free(f, id);
    }
}

/* Plays the ends of work at the replica strictly before `until`. */
static inline void play_ends(struct shared *f, uint32_t replica, sim_ns until)
{
    struct station *s = &f->stations[replica];
    while (s->next_end < until) {
        sim_ns now = s->next_end;
        settle(s, now);
        do
            end_first(f, s, now);
        while (s->n > 0 && f->jobs[s->heap].tag <= s->gain);
        if (s->queued > 0)
            start_queued(f, replica, now);
        plan_end(f, s);
    }
}

static void shared_accept(struct dispatch *d, uint32_t replica, const struct attempt *a)
{
    const sim_ns now = a->at;
    struct shared *f = shared_of(d);
    struct station *s = &f->stations[replica];
    play_ends(f, replica, now + 1);
    bool starts = (int64_t)s->n < d->setup.concurrency;
    if (!starts && (int64_t)s->queued >= d->setup.max_queue) {
        dispatch_fail(d, FAIL_REJECTED, now - a->arrived);
        return;
    }
    uint32_t id = job_new(f);
    if (id == NONE)
        return;
    struct job *j = &f->jobs[id];
    j->arrived = a->arrived;
    j->deadline = now + f->patience;
    j->alive = true;
    j->runs = false;
    list_push(f, s, id);
    dispatch_keep(d, a->arrived);
    if (starts) {
        f->running++;
        settle(s, now);
        start(f, s, id, work_ns(&f->work, d->endpoints[replica].service, a->index));
        plan_end(f, s);
        return;
    }
    f->waiting++;
    j->tag = a->index;
    if (s->queued++ == 0)
        s->first = id;
    else
        f->jobs[s->last].sibling = id;
    s->last = id;
}

/* Requests whose deadline lies before `until` have failed, though their work may go on. */
static void expire(struct shared *f, struct station *s, sim_ns until)
{
    while (s->oldest != NONE && f->jobs[s->oldest].deadline < until) {
        uint32_t id = s->oldest;
        struct job *j = &f->jobs[id];
        list_remove(f, s, id);
        j->alive = false;
        dispatch_let_go(&f->base, j->arrived);
        dispatch_outcome(&f->base, false, j->deadline - j->arrived);
        if (j->runs)
            f->running--;
        else
            f->waiting--;
    }
}

static struct advance shared_advance(struct dispatch *d, sim_ns until)
{
    struct shared *f = shared_of(d);
    struct advance result = {.reached = until, .why = STOP_HORIZON};
    if (d->n_list == 0)
        result = ingress_play_empty(&f->ingress, d, until);
    else
        ingress_play(&f->ingress, d, shared_accept);
    for (uint32_t i = 0; i < d->n_used; i++) {
        play_ends(f, d->used[i], result.reached);
        expire(f, &f->stations[d->used[i]], result.reached);
    }
    limbo_advance(&f->limbo, d, result.reached);
    return result;
}

static void reset(struct station *s)
{
    *s = (struct station){.next_end = SIM_NEVER,
                          .heap = NONE,
                          .first = NONE,
                          .last = NONE,
                          .oldest = NONE,
                          .youngest = NONE};
}

static void shared_open(struct dispatch *d, uint32_t replica)
{
    reset(&shared_of(d)->stations[replica]);
}

static void shared_close(struct dispatch *d, uint32_t replica)
{
    (void)d, (void)replica; /* the endpoint list says it all */
}

static int64_t busy_by_now(const struct shared *f, const struct station *s)
{
    return s->busy_ns + (s->n > 0 ? f->base.reached - s->busy_from : 0);
}

/* The work at the replica vanishes; its requests fail, or are stranded. */
static void empty(struct shared *f, uint32_t replica, bool strand, enum fail_cause cause)
{
    struct dispatch *d = &f->base;
    struct station *s = &f->stations[replica];
    for (uint32_t id = s->oldest; id != NONE; id = f->jobs[id].later) {
        const struct job *j = &f->jobs[id];
        if (strand) {
            limbo_put(&f->limbo, d,
                      (struct stranded){
                          .arrived = j->arrived, .deadline = j->deadline, .replica = replica});
        } else {
            dispatch_let_go(d, j->arrived);
            dispatch_fail(d, cause, d->reached - j->arrived);
        }
        if (j->runs)
            f->running--;
        else
            f->waiting--;
    }
    f->busy_ns += busy_by_now(f, s);
    while (s->heap != NONE)
        job_free(f, heap_pop(f, s));
    while (s->queued > 0)
        job_free(f, queue_pop(f, s));
    reset(s);
}

static void shared_drop(struct dispatch *d, uint32_t replica, enum fail_cause cause,
                        bool stranded_too)
{
    struct shared *f = shared_of(d);
    empty(f, replica, false, cause);
    if (stranded_too)
        limbo_drop(&f->limbo, d, replica, cause);
}

static void shared_strand(struct dispatch *d, uint32_t replica)
{
    empty(shared_of(d), replica, true, FAIL_TIMEOUT);
}

/* Tags of what runs, ascending; the heap is taken apart and put together again. */
static uint32_t sorted_tags(struct shared *f, struct station *s)
{
    uint32_t n = 0;
    for (; s->heap != NONE; n++) {
        f->stack[n] = heap_pop(f, s);
        f->tags[n] = f->jobs[f->stack[n]].tag;
    }
    for (uint32_t i = 0; i < n; i++)
        heap_push(f, s, f->stack[i]);
    return n;
}

/* The last end of work at the replica if nothing new comes; -1 when there is none. An end beyond
 * every horizon is far enough: from there on the gain would not fit its 64 bits. */
static sim_ns look_ahead(struct shared *f, uint32_t replica)
{
    struct station s = f->stations[replica]; /* a copy; the heap keeps its members */
    uint64_t *tags = f->tags;
    uint32_t low = 0, high = sorted_tags(f, &s), queued = s.first;
    f->stations[replica].heap = s.heap;
    sim_ns last = -1;
    while (low < high) {
        last = end_after(s.changed, tags[low] - s.gain, high - low);
        if (last >= DISPATCH_BEYOND)
            return 2 * DISPATCH_FAR;
        s.gain += gain_over(last - s.changed, high - low);
        s.changed = last;
        while (low < high && tags[low] <= s.gain)
            low++;
        for (; s.queued > 0 && (int64_t)(high - low) < f->base.setup.concurrency; s.queued--) {
            const struct job *j = &f->jobs[queued];
            queued = j->sibling;
            if (j->deadline <= last)
                continue;
            uint32_t service = f->base.endpoints[replica].service;
            uint64_t tag = s.gain + (uint64_t)work_ns(&f->work, service, j->tag) * 16;
            uint32_t i = high++;
            for (; i > low && tags[i - 1] > tag; i--)
                tags[i] = tags[i - 1];
            tags[i] = tag;
        }
    }
    return last;
}

static sim_ns shared_last_end(struct dispatch *d, uint32_t replica)
{
    struct shared *f = shared_of(d);
    sim_ns stranded = limbo_last(&f->limbo, replica);
    sim_ns work = look_ahead(f, replica);
    return work > stranded ? work : stranded;
}

static int64_t shared_busy(struct dispatch *d, uint32_t replica)
{
    const struct shared *f = shared_of(d);
    return busy_by_now(f, &f->stations[replica]);
}

static void shared_count(struct dispatch *d, struct tally *t)
{
    struct shared *f = shared_of(d);
    t->waiting = f->waiting + f->limbo.n;
    t->running = f->running;
    ingress_count(&f->ingress, t);
    t->busy_ns = f->busy_ns;
    for (uint32_t i = 0; i < d->n_used; i++)
        t->busy_ns += busy_by_now(f, &f->stations[d->used[i]]);
}

static int shared_init(struct dispatch *d, struct err *e)
{
    struct shared *f = shared_of(d);
    const struct dispatch_setup *s = &d->setup;
    (void)e; /* the caller names the cause: there is only one */
    f->patience = dispatch_patience(d);
    f->recycled = NONE;
    struct chance stream = chance_stream(s->seed, s->replication, CHANCE_SERVICE, s->entity);
    if (work_init(&f->work, s->service, s->n_services, stream))
        return -1;
    if (ingress_init(&f->ingress, s) || limbo_init(&f->limbo, s->max_in_flight))
        return -1;
    f->stations = calloc(s->max_replicas, sizeof *f->stations);
    f->jobs = calloc(s->max_in_flight, sizeof *f->jobs);
    f->tags = calloc(s->max_in_flight, sizeof *f->tags);
    f->stack = calloc(s->max_in_flight, sizeof *f->stack);
    if (!f->stations || !f->jobs || !f->tags || !f->stack)
        return -1;
    for (uint32_t r = 0; r < s->max_replicas; r++)
        reset(&f->stations[r]);
    return 0;
}

static void shared_fini(struct dispatch *d)
{
    struct shared *f = shared_of(d);
    work_fini(&f->work);
    ingress_fini(&f->ingress);
    limbo_fini(&f->limbo);
    free(f->stations);
    free(f->jobs);
    free(f->tags);
    free(f->stack);
}

const struct dispatch_ops dispatch_shared_ops = {
    .name = "round_robin_shared",
    .size = sizeof(struct shared),
    .init = shared_init,
    .fini = shared_fini,
    .advance = shared_advance,
    .open = shared_open,
    .close = shared_close,
    .drop = shared_drop,
    .strand = shared_strand,
    .last_end = shared_last_end,
    .busy = shared_busy,
    .count = shared_count,
};
