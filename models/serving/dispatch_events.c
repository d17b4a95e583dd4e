/* dispatch_events: the rules of dispatch.h played one event at a time; oracle and fallback.
 *
 * Written for plainness, apart from the fast dispatchers: every request is a record in a list,
 * every end, time-out, next try and client is an entry of one agenda, and under processor sharing
 * each running request carries its remaining work. Cost grows with what is running; the fast
 * dispatchers are for speed. */
#include "models/serving/agenda.h"
#include "models/serving/dispatch_impl.h"
#include "models/serving/inlet.h"
#include "models/serving/work.h"
#include "sim/wide.h"

#include <assert.h>

#define NONE UINT32_MAX
/* A client needs a round trip even to be refused. */
#define CLIENT_PAUSE SIM_MS

/* Agenda classes: the order within one nanosecond. */
enum moment { MOMENT_END, MOMENT_TIMEOUT, MOMENT_TRY, MOMENT_SEND };

enum state {
    STATE_FREE,
    STATE_WAITING,
    STATE_RUNNING,
    STATE_RETRYING,  /* in a try that will time out */
    STATE_HELD,      /* at the ingress, for want of an endpoint */
    STATE_STRANDED,  /* at a black hole */
    STATE_EXPIRED,   /* has failed, still in a replica's queue */
    STATE_ABANDONED, /* has failed, its work goes on */
    STATES
};

struct request {
    uint64_t index;
    sim_ns arrived, deadline;
    int64_t left; /* shared: remaining work in 1/16 ns */
    uint32_t replica, slot, worker, client;
    int32_t tries_left;
    enum state state;
    uint32_t prev, next; /* in the list that its state names */
};

struct row { /* a list of requests */
    uint32_t first, last, n;
};

struct station { /* a replica */
    struct row running, queue, stranded;
    sim_ns changed; /* shared: the last start or end of work */
    sim_ns busy_since;
    int64_t busy_ns; /* since it began to serve, before busy_since */
};

struct worker {
    uint64_t place, change;
};

struct events {
    struct dispatch base;
    struct inlet inlet;
    struct agenda agenda;
    struct chance service, balancer, think;
    struct request *requests;
    uint32_t fresh, recycled;  /* never used from `fresh` on; a list of free ones */
    uint64_t in_state[STATES]; /* of STATE_FREE without meaning */
    struct station *stations;
    struct row queue; /* central */
    struct row held;
    struct worker *workers;
    sim_ns *slot_free;  /* central FIFO: free since, SIM_NEVER when busy or closed */
    uint64_t *thoughts; /* closed loop: think times drawn by each client */
    int64_t *scratch;   /* for looking ahead */
    uint32_t *ended;    /* replicas with an end in this nanosecond */
    uint32_t n_ended;
    uint64_t taken;  /* requests sent so far */
    int64_t busy_ns; /* of replicas that have ended */
    uint64_t rank;   /* of agenda entries, in order of setting */
    sim_ns now;
    bool opened; /* a replica began to serve since the last instant */
};

static struct events *events_of(struct dispatch *d)
{
    return (struct events *)d;
}

/* Items of the agenda. */
static uint32_t alarm_item(uint32_t request)
{
    return request;
}

static uint32_t end_item(const struct events *ev, uint32_t request)
{
    return (uint32_t)ev->base.setup.max_in_flight + request;
}

static uint32_t station_item(const struct events *ev, uint32_t replica)
{
    return 2 * (uint32_t)ev->base.setup.max_in_flight + replica;
}

static uint32_t client_item(const struct events *ev, uint32_t client)
{
    return station_item(ev, (uint32_t)ev->base.setup.max_replicas) + client;
}

static void row_push(struct events *ev, struct row *row, uint32_t id)
{
    struct request *q = &ev->requests[id];
    q->prev = row->n ? row->last : NONE;
    q->next = NONE;
    if (row->n++)
        ev->requests[row->last].next = id;
    else
        row->first = id;
    row->last = id;
}

static void row_remove(struct events *ev, struct row *row, uint32_t id)
{
    const struct request *q = &ev->requests[id];
    if (q->prev != NONE)
        ev->requests[q->prev].next = q->next;
    else
        row->first = q->next;
    if (q->next != NONE)
        ev->requests[q->next].prev = q->prev;
    else
        row->last = q->prev;
    row->n--;
}

static void set_state(struct events *ev, uint32_t id, enum state state)
{
    ev->in_state[ev->requests[id].state]--;
    ev->requests[id].state = state;
    ev->in_state[state]++;
}

/* NONE when there is no room: the dispatcher has failed. */
static uint32_t request_new(struct events *ev)
{
    uint32_t id = ev->recycled;
    if (id != NONE)
        ev->recycled = ev->requests[id].next;
    else if (ev->fresh < ev->base.setup.max_in_flight)
        id = ev->fresh++;
    if (id == NONE)
        dispatch_overflow(&ev->base);
    return id;
}

static void request_free(struct events *ev, uint32_t id)
{
    set_state(ev, id, STATE_FREE);
    agenda_drop(&ev->agenda, alarm_item(id));
    agenda_drop(&ev->agenda, end_item(ev, id));
    ev->requests[id].next = ev->recycled;
    ev->recycled = id;
}

static void client_thinks(struct events *ev, uint32_t client, sim_ns from)
{
    struct chance c = chance_sub(ev->think, client);
    int64_t think = dist_draw_ns(&ev->base.setup.think_time, c, ev->thoughts[client]++);
    sim_ns at = from + (think < DISPATCH_FAR ? think : DISPATCH_FAR);
    agenda_set(&ev->agenda, client_item(ev, client), at, MOMENT_SEND, client);
}

static void serve(struct events *ev, uint32_t id)
{
    const struct request *q = &ev->requests[id];
    dispatch_let_go(&ev->base, q->arrived);
    dispatch_outcome(&ev->base, true, ev->now - q->arrived);
    if (q->client != NONE)
        client_thinks(ev, q->client, ev->now);
}

static void fail(struct events *ev, uint32_t id, enum fail_cause cause)
{
    const struct request *q = &ev->requests[id];
    dispatch_let_go(&ev->base, q->arrived);
    dispatch_fail(&ev->base, cause, ev->now - q->arrived);
    if (q->client == NONE)
        return;
    client_thinks(ev, q->client, ev->now);
    uint32_t item = client_item(ev, q->client);
    if (agenda_time(&ev->agenda, item) < q->arrived + CLIENT_PAUSE)
        agenda_set(&ev->agenda, item, q->arrived + CLIENT_PAUSE, MOMENT_SEND, q->client);
}

static void set_alarm(struct events *ev, uint32_t id, sim_ns at, enum moment moment)
{
    agenda_set(&ev->agenda, alarm_item(id), at, moment, ev->rank++);
}

static sim_ns gives_up(const struct events *ev, uint32_t id)
{
    sim_ns patience = ev->base.setup.client_patience_ns;
    return patience > 0 ? ev->requests[id].arrived + patience : 2 * DISPATCH_FAR;
}

/* Fails at the deadline unless it has ended before. */
static void set_deadline(struct events *ev, uint32_t id, sim_ns from)
{
    sim_ns deadline = from + dispatch_patience(&ev->base), give_up = gives_up(ev, id);
    ev->requests[id].deadline = deadline < give_up ? deadline : give_up;
    set_alarm(ev, id, ev->requests[id].deadline, MOMENT_TIMEOUT);
}

/* Shared: brings the remaining work of what runs on the replica up to now. */
static void share_settle(struct events *ev, struct station *s)
{
    if (s->running.n > 0) {
        int64_t gain = (ev->now - s->changed) * 16 / (int64_t)s->running.n;
        for (uint32_t id = s->running.first; id != NONE; id = ev->requests[id].next)
            ev->requests[id].left -= gain;
    }
    s->changed = ev->now;
}

/* When the least of n remaining works is used up. */
static sim_ns share_next_end(sim_ns changed, int64_t least, uint64_t n)
{
    uint64_t wait = wide_muldiv_up((uint64_t)least, n, 16);
    return wait < (uint64_t)DISPATCH_FAR ? changed + (sim_ns)wait : 2 * DISPATCH_FAR;
}

static void share_schedule(struct events *ev, uint32_t replica)
{
    struct station *s = &ev->stations[replica];
    if (s->running.n == 0) {
        agenda_drop(&ev->agenda, station_item(ev, replica));
        return;
    }
    int64_t least = INT64_MAX;
    for (uint32_t id = s->running.first; id != NONE; id = ev->requests[id].next)
        if (ev->requests[id].left < least)
            least = ev->requests[id].left;
    agenda_set(&ev->agenda, station_item(ev, replica),
               share_next_end(s->changed, least, s->running.n), MOMENT_END, ev->rank++);
}

static bool is_shared(const struct events *ev)
{
    return ev->base.setup.discipline == DISCIPLINE_SHARED;
}

static bool is_central(const struct events *ev)
{
    return ev->base.setup.balance == BALANCE_CENTRAL;
}

static bool has_slots(const struct events *ev)
{
    return ev->slot_free != NULL;
}

static void start(struct events *ev, uint32_t id, uint32_t replica)
{
    struct request *q = &ev->requests[id];
    struct station *s = &ev->stations[replica];
    const struct dist *service = &ev->base.setup.service[ev->base.endpoints[replica].service];
    sim_ns work = work_plain_ns(service, ev->service, q->index);
    q->replica = replica;
    set_state(ev, id, STATE_RUNNING);
    if (s->running.n == 0)
        s->busy_since = ev->now;
    if (is_shared(ev)) {
        share_settle(ev, s);
        q->left = work * 16;
        row_push(ev, &s->running, id);
        share_schedule(ev, replica);
    } else {
        row_push(ev, &s->running, id);
        agenda_set(&ev->agenda, end_item(ev, id), ev->now + work, MOMENT_END, ev->rank++);
    }
}

/* The work of a running request is done. */
static void end_work(struct events *ev, uint32_t id)
{
    struct request *q = &ev->requests[id];
    struct station *s = &ev->stations[q->replica];
    row_remove(ev, &s->running, id);
    if (s->running.n == 0)
        s->busy_ns += ev->now - s->busy_since;
    if (has_slots(ev) && ev->base.endpoints[q->replica].use == SLOT_LISTED &&
        ev->base.endpoints[q->replica].state == ENDPOINT_SERVING)
        ev->slot_free[q->slot] = ev->now;
    if (ev->n_ended == 0 || ev->ended[ev->n_ended - 1] != q->replica)
        ev->ended[ev->n_ended++] = q->replica;
    if (q->state == STATE_RUNNING)
        serve(ev, id);
    request_free(ev, id);
}

/* Shared: all whose work is used up end. */
static void share_end(struct events *ev, uint32_t replica)
{
    struct station *s = &ev->stations[replica];
    share_settle(ev, s);
    for (uint32_t id = s->running.first, next; s->running.n > 0 && id != NONE; id = next) {
        next = ev->requests[id].next;
        if (ev->requests[id].left <= 0)
            end_work(ev, id);
    }
    share_schedule(ev, replica);
}

static void time_out(struct events *ev, uint32_t id)
{
    struct request *q = &ev->requests[id];
    fail(ev, id, FAIL_TIMEOUT);
    switch (q->state) {
    case STATE_RUNNING:
        set_state(ev, id, STATE_ABANDONED);
        return;
    case STATE_WAITING:
        if (!is_central(ev)) {
            set_state(ev, id, STATE_EXPIRED);
            return;
        }
        row_remove(ev, &ev->queue, id);
        break;
    case STATE_HELD:
        row_remove(ev, &ev->held, id);
        break;
    case STATE_STRANDED:
        row_remove(ev, &ev->stations[q->replica].stranded, id);
        break;
    case STATE_RETRYING: /* the try ends with the request */
        ev->base.tally.tries_timed_out++;
        break;
    default:
        assert(0 && "a request that waits for something");
    }
    request_free(ev, id);
}

static void play_ends(struct events *ev)
{
    struct agenda_entry entry;
    uint32_t room = (uint32_t)ev->base.setup.max_in_flight;
    while (agenda_take(&ev->agenda, ev->now, MOMENT_TIMEOUT, &entry)) {
        if (entry.item < room)
            time_out(ev, entry.item);
        else if (entry.item < 2 * room)
            end_work(ev, entry.item - room);
        else
            share_end(ev, entry.item - 2 * room);
    }
}

/* Round robin: the replica's queue moves up. */
static void start_queued(struct events *ev, uint32_t replica)
{
    struct station *s = &ev->stations[replica];
    while (s->queue.n > 0 && (int64_t)s->running.n < ev->base.setup.concurrency) {
        uint32_t id = s->queue.first;
        row_remove(ev, &s->queue, id);
        if (ev->requests[id].state == STATE_EXPIRED)
            request_free(ev, id);
        else
            start(ev, id, replica);
    }
}

/* Central FIFO: the slot that has been free longest; NONE when all are busy. */
static uint32_t longest_free_slot(const struct events *ev)
{
    uint32_t k = (uint32_t)ev->base.setup.concurrency, best = NONE;
    for (uint32_t i = 0; i < ev->base.n_list; i++)
        for (uint32_t slot = ev->base.list[i] * k; slot < (ev->base.list[i] + 1) * k; slot++)
            if (ev->slot_free[slot] != SIM_NEVER &&
                (best == NONE || ev->slot_free[slot] < ev->slot_free[best]))
                best = slot;
    return best;
}

/* Central shared: the replica with the fewest running; NONE when all are full. */
static uint32_t least_running(const struct events *ev)
{
    uint32_t best = NONE;
    for (uint32_t i = 0; i < ev->base.n_list; i++) {
        uint32_t r = ev->base.list[i];
        if (ev->base.endpoints[r].state == ENDPOINT_SERVING &&
            (int64_t)ev->stations[r].running.n < ev->base.setup.concurrency &&
            (best == NONE || ev->stations[r].running.n < ev->stations[best].running.n))
            best = r;
    }
    return best;
}

/* Central: whoever can start the request does so now; false when nobody can. */
static bool start_central(struct events *ev, uint32_t id)
{
    uint32_t free = has_slots(ev) ? longest_free_slot(ev) : least_running(ev);
    if (free == NONE)
        return false;
    uint32_t replica = free;
    if (has_slots(ev)) {
        replica = free / (uint32_t)ev->base.setup.concurrency;
        ev->slot_free[free] = SIM_NEVER;
        ev->requests[id].slot = free;
    }
    ev->base.tally.tries++;
    ev->base.tally.sent++;
    start(ev, id, replica);
    return true;
}

static void play_starts(struct events *ev)
{
    if (!is_central(ev))
        for (uint32_t i = 0; i < ev->n_ended; i++)
            start_queued(ev, ev->ended[i]);
    while (ev->queue.n > 0) {
        uint32_t id = ev->queue.first;
        row_remove(ev, &ev->queue, id);
        if (start_central(ev, id))
            continue;
        /* Back to the head. */
        ev->requests[id].prev = NONE;
        ev->requests[id].next = ev->queue.n ? ev->queue.first : NONE;
        if (ev->queue.n++)
            ev->requests[ev->queue.first].prev = id;
        else
            ev->queue.last = id;
        ev->queue.first = id;
        break;
    }
    ev->n_ended = 0;
}

static uint32_t next_endpoint(struct events *ev, uint32_t worker)
{
    struct worker *w = &ev->workers[worker];
    if (w->change != ev->base.change) {
        struct chance c = chance_sub(ev->balancer, worker);
        w->place = chance_below(c, ev->base.change, ev->base.n_list);
        w->change = ev->base.change;
    }
    uint32_t replica = ev->base.list[w->place];
    w->place = (w->place + 1) % ev->base.n_list;
    return replica;
}

static void connect(struct events *ev, uint32_t id, uint32_t replica)
{
    struct station *s = &ev->stations[replica];
    ev->base.tally.sent++;
    ev->requests[id].replica = replica;
    if ((int64_t)s->running.n < ev->base.setup.concurrency) {
        set_deadline(ev, id, ev->now);
        start(ev, id, replica);
    } else if ((int64_t)s->queue.n < ev->base.setup.max_queue) {
        set_deadline(ev, id, ev->now);
        set_state(ev, id, STATE_WAITING);
        row_push(ev, &s->queue, id);
    } else {
        fail(ev, id, FAIL_REJECTED);
        request_free(ev, id);
    }
}

static void try_nowhere(struct events *ev, uint32_t id)
{
    if (ev->base.hold) {
        set_state(ev, id, STATE_HELD);
        set_deadline(ev, id, ev->now);
        row_push(ev, &ev->held, id);
    } else {
        fail(ev, id, FAIL_REFUSED);
        request_free(ev, id);
    }
}

/* The try hangs; the client may give up first. */
static void connect_late(struct events *ev, uint32_t id)
{
    sim_ns over = ev->now + ev->base.setup.connect_timeout_ns, give_up = gives_up(ev, id);
    set_state(ev, id, STATE_RETRYING);
    if (give_up <= over)
        set_alarm(ev, id, give_up, MOMENT_TIMEOUT);
    else
        set_alarm(ev, id, over, MOMENT_TRY);
}

/* Round robin: the request, which is in no list, tries until something comes of it. */
static void try_endpoints(struct events *ev, uint32_t id)
{
    struct request *q = &ev->requests[id];
    struct tally *t = &ev->base.tally;
    while (ev->base.n_list > 0) {
        uint32_t replica = next_endpoint(ev, q->worker);
        enum endpoint_state state = ev->base.endpoints[replica].state;
        t->tries++;
        q->tries_left--;
        if (state == ENDPOINT_SERVING) {
            connect(ev, id, replica);
            return;
        }
        if (state == ENDPOINT_DEAD) {
            connect_late(ev, id);
            return;
        }
        t->tries_refused++;
        if (q->tries_left == 0) {
            fail(ev, id, FAIL_REFUSED);
            request_free(ev, id);
            return;
        }
    }
    try_nowhere(ev, id);
}

static void play_held(struct events *ev)
{
    while (ev->base.n_list > 0 && ev->held.n > 0) {
        uint32_t id = ev->held.first;
        row_remove(ev, &ev->held, id);
        agenda_drop(&ev->agenda, alarm_item(id));
        try_endpoints(ev, id);
    }
}

static void play_tries(struct events *ev)
{
    struct agenda_entry entry;
    while (agenda_take(&ev->agenda, ev->now, MOMENT_TRY, &entry)) {
        uint32_t id = entry.item;
        ev->base.tally.tries_timed_out++;
        if (ev->requests[id].tries_left > 0) {
            try_endpoints(ev, id);
        } else {
            fail(ev, id, FAIL_TIMEOUT);
            request_free(ev, id);
        }
    }
}

static void arrive_central(struct events *ev, uint32_t id)
{
    set_deadline(ev, id, ev->now);
    if (ev->queue.n == 0 && start_central(ev, id))
        return;
    if ((int64_t)ev->queue.n >= ev->base.setup.max_queue) {
        fail(ev, id, FAIL_REJECTED);
        request_free(ev, id);
        return;
    }
    set_state(ev, id, STATE_WAITING);
    row_push(ev, &ev->queue, id);
}

static void arrive(struct events *ev, uint32_t client)
{
    uint64_t index = ev->taken++;
    uint32_t id = request_new(ev);
    if (id == NONE)
        return;
    ev->requests[id] = (struct request){
        .index = index, .arrived = ev->now, .client = client, .tries_left = ev->base.setup.tries};
    dispatch_keep(&ev->base, ev->now);
    if (is_central(ev)) {
        arrive_central(ev, id);
    } else {
        ev->requests[id].worker =
            (uint32_t)chance_below(ev->balancer, index, ev->base.setup.workers);
        try_endpoints(ev, id);
    }
}

static void play_arrivals(struct events *ev)
{
    struct agenda_entry entry;
    while (!dispatch_is_failed(&ev->base) && agenda_take(&ev->agenda, ev->now, MOMENT_SEND, &entry))
        arrive(ev, entry.item - client_item(ev, 0));
    while (!dispatch_is_failed(&ev->base) && inlet_peek(&ev->inlet, ev->now + 1) == ev->now) {
        inlet_take(&ev->inlet);
        arrive(ev, NONE);
    }
}

static bool needs_endpoint(const struct events *ev, uint32_t i)
{
    uint32_t moment = agenda_class(&ev->agenda, i);
    return moment == MOMENT_SEND ||
           (moment == MOMENT_TRY && ev->requests[ev->agenda.heap[i].item].tries_left > 0);
}

/* Must the caller be told before `at` is played? */
static bool must_stop(struct events *ev, sim_ns at)
{
    const struct row *waiting = is_central(ev) ? &ev->queue : &ev->held;
    if (!ev->base.hold || ev->base.n_list > 0 || ev->base.told_at == at)
        return false;
    if (waiting->n > 0 && ev->requests[waiting->last].deadline > at)
        return false;
    if (inlet_peek(&ev->inlet, at + 1) == at)
        return true;
    for (uint32_t i = 0; i < ev->agenda.n; i++)
        if (ev->agenda.heap[i].at == at && needs_endpoint(ev, i))
            return true;
    return false;
}

/* What control changes have made possible happens at the time reached, before anything else. */
static sim_ns next_instant(struct events *ev, sim_ns until)
{
    if (ev->opened || (ev->base.n_list > 0 && ev->held.n > 0))
        return ev->now;
    sim_ns arrival = inlet_peek(&ev->inlet, until);
    sim_ns event = agenda_next(&ev->agenda);
    return arrival < event ? arrival : event;
}

static struct advance events_advance(struct dispatch *d, sim_ns until)
{
    struct events *ev = events_of(d);
    sim_ns at;
    while (!dispatch_is_failed(d) && (at = next_instant(ev, until)) < until) {
        if (must_stop(ev, at)) {
            ev->now = at;
            return (struct advance){.reached = at, .why = STOP_NEEDS_CAPACITY};
        }
        ev->now = at;
        ev->opened = false;
        play_ends(ev);
        play_starts(ev);
        play_held(ev);
        play_tries(ev);
        play_arrivals(ev);
    }
    ev->now = until;
    return (struct advance){.reached = until, .why = STOP_HORIZON};
}

static void set_slots(struct events *ev, uint32_t replica, sim_ns free_since)
{
    if (!has_slots(ev))
        return;
    uint32_t k = (uint32_t)ev->base.setup.concurrency;
    for (uint32_t slot = replica * k; slot < (replica + 1) * k; slot++)
        ev->slot_free[slot] = free_since;
}

static void events_open(struct dispatch *d, uint32_t replica)
{
    struct events *ev = events_of(d);
    assert(ev->stations[replica].running.n == 0);
    set_slots(ev, replica, ev->now);
    ev->opened = true;
}

static void events_close(struct dispatch *d, uint32_t replica)
{
    set_slots(events_of(d), replica, SIM_NEVER);
}

/* Empties a list of the replica: those still alive fail, or are stranded. */
static void clear_row(struct events *ev, struct row *row, bool strand, enum fail_cause cause)
{
    while (row->n > 0) {
        uint32_t id = row->first;
        struct request *q = &ev->requests[id];
        row_remove(ev, row, id);
        agenda_drop(&ev->agenda, end_item(ev, id));
        if (q->state == STATE_EXPIRED || q->state == STATE_ABANDONED) {
            request_free(ev, id);
        } else if (strand) {
            set_state(ev, id, STATE_STRANDED);
            row_push(ev, &ev->stations[q->replica].stranded, id);
        } else {
            fail(ev, id, cause);
            request_free(ev, id);
        }
    }
}

static int64_t busy_by_now(const struct events *ev, const struct station *s)
{
    return s->busy_ns + (s->running.n > 0 ? ev->now - s->busy_since : 0);
}

static void stop_work(struct events *ev, uint32_t replica)
{
    struct station *s = &ev->stations[replica];
    ev->busy_ns += busy_by_now(ev, s);
    s->busy_ns = 0;
    agenda_drop(&ev->agenda, station_item(ev, replica));
}

static void events_drop(struct dispatch *d, uint32_t replica, enum fail_cause cause,
                        bool stranded_too)
{
    struct events *ev = events_of(d);
    struct station *s = &ev->stations[replica];
    stop_work(ev, replica);
    clear_row(ev, &s->running, false, cause);
    clear_row(ev, &s->queue, false, cause);
    if (stranded_too)
        clear_row(ev, &s->stranded, false, cause);
}

static void events_strand(struct dispatch *d, uint32_t replica)
{
    struct events *ev = events_of(d);
    struct station *s = &ev->stations[replica];
    stop_work(ev, replica);
    clear_row(ev, &s->running, true, FAIL_LOST);
    clear_row(ev, &s->queue, true, FAIL_LOST);
}

static uint32_t least_of(const int64_t *values, uint32_t n)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < n; i++)
        if (values[i] < values[best])
            best = i;
    return best;
}

static sim_ns work_of(const struct events *ev, uint32_t id)
{
    const struct request *q = &ev->requests[id];
    const struct dist *service = &ev->base.setup.service[ev->base.endpoints[q->replica].service];
    return work_plain_ns(service, ev->service, q->index);
}

/* Whether a queued request would be dropped when its turn comes at `turn`. */
static bool gone_by(const struct events *ev, uint32_t id, sim_ns turn)
{
    return ev->requests[id].state == STATE_EXPIRED || ev->requests[id].deadline <= turn;
}

static sim_ns look_ahead_fifo(struct events *ev, const struct station *s)
{
    int64_t *ends = ev->scratch;
    uint32_t n = 0;
    sim_ns last = -1;
    for (uint32_t id = s->running.first; n < s->running.n; id = ev->requests[id].next)
        ends[n++] = agenda_time(&ev->agenda, end_item(ev, id));
    uint32_t id = s->queue.first;
    for (uint32_t i = 0; i < s->queue.n; i++, id = ev->requests[id].next) {
        uint32_t slot = least_of(ends, n);
        if (ends[slot] >= DISPATCH_BEYOND)
            return 2 * DISPATCH_FAR;
        if (!gone_by(ev, id, ends[slot]))
            ends[slot] += work_of(ev, id);
    }
    for (uint32_t i = 0; i < n; i++)
        last = ends[i] > last ? ends[i] : last;
    return last;
}

static sim_ns look_ahead_shared(struct events *ev, const struct station *s)
{
    int64_t *left = ev->scratch;
    uint32_t n = 0, waiting = s->queue.n;
    uint32_t running = s->running.first, queued = s->queue.first;
    sim_ns now = s->changed, last = -1;
    for (; n < s->running.n; running = ev->requests[running].next)
        left[n++] = ev->requests[running].left;
    while (n > 0) {
        sim_ns end = share_next_end(now, left[least_of(left, n)], n);
        if (end >= DISPATCH_BEYOND)
            return 2 * DISPATCH_FAR;
        int64_t gain = (end - now) * 16 / (int64_t)n;
        uint32_t kept = 0;
        for (uint32_t i = 0; i < n; i++)
            if (left[i] > gain)
                left[kept++] = left[i] - gain;
        n = kept;
        now = last = end;
        for (; waiting > 0 && (int64_t)n < ev->base.setup.concurrency; waiting--) {
            if (!gone_by(ev, queued, now))
                left[n++] = work_of(ev, queued) * 16;
            queued = ev->requests[queued].next;
        }
    }
    return last;
}

static sim_ns events_last_end(struct dispatch *d, uint32_t replica)
{
    struct events *ev = events_of(d);
    const struct station *s = &ev->stations[replica];
    sim_ns last = is_shared(ev) ? look_ahead_shared(ev, s) : look_ahead_fifo(ev, s);
    uint32_t id = s->stranded.first;
    for (uint32_t i = 0; i < s->stranded.n; i++, id = ev->requests[id].next)
        if (ev->requests[id].deadline > last)
            last = ev->requests[id].deadline;
    return last;
}

static int64_t events_busy(struct dispatch *d, uint32_t replica)
{
    const struct events *ev = events_of(d);
    return busy_by_now(ev, &ev->stations[replica]);
}

static void events_count(struct dispatch *d, struct tally *t)
{
    struct events *ev = events_of(d);
    t->arrived = ev->taken;
    t->waiting =
        ev->in_state[STATE_WAITING] + ev->in_state[STATE_HELD] + ev->in_state[STATE_STRANDED];
    t->running = ev->in_state[STATE_RUNNING];
    t->retrying = ev->in_state[STATE_RETRYING];
    t->busy_ns = ev->busy_ns;
    for (uint32_t i = 0; i < d->n_used; i++)
        t->busy_ns += busy_by_now(ev, &ev->stations[d->used[i]]);
}

static int take_memory(struct events *ev)
{
    const struct dispatch_setup *s = &ev->base.setup;
    size_t items = 2 * s->max_in_flight + s->max_replicas + (size_t)s->clients;
    assert(items < NONE);
    ev->requests = calloc(s->max_in_flight, sizeof *ev->requests);
    ev->scratch = calloc(s->max_in_flight, sizeof *ev->scratch);
    ev->stations = calloc(s->max_replicas, sizeof *ev->stations);
    ev->ended = calloc(s->max_in_flight, sizeof *ev->ended);
    ev->workers = calloc(s->workers, sizeof *ev->workers);
    ev->thoughts = calloc((size_t)s->clients + 1, sizeof *ev->thoughts);
    if (is_central(ev) && !is_shared(ev)) {
        ev->slot_free = calloc(s->max_replicas * (size_t)s->concurrency, sizeof *ev->slot_free);
        if (!ev->slot_free)
            return -1;
    }
    if (agenda_init(&ev->agenda, (uint32_t)items))
        return -1;
    return ev->requests && ev->scratch && ev->stations && ev->ended && ev->workers && ev->thoughts
               ? 0
               : -1;
}

static int events_init(struct dispatch *d, struct err *e)
{
    struct events *ev = events_of(d);
    const struct dispatch_setup *s = &d->setup;
    (void)e; /* the caller names the cause: there is only one */
    if (take_memory(ev))
        return -1;
    ev->inlet.arrivals = s->arrivals;
    ev->service = chance_stream(s->seed, s->replication, CHANCE_SERVICE, s->entity);
    ev->balancer = chance_stream(s->seed, s->replication, CHANCE_BALANCER, s->entity);
    ev->think = chance_stream(s->seed, s->replication, CHANCE_THINK, s->entity);
    ev->recycled = NONE;
    for (uint32_t r = 0; r < (uint32_t)s->max_replicas; r++)
        set_slots(ev, r, SIM_NEVER);
    for (uint32_t c = 0; c < (uint32_t)s->clients; c++)
        client_thinks(ev, c, 0);
    return 0;
}

static void events_fini(struct dispatch *d)
{
    struct events *ev = events_of(d);
    agenda_fini(&ev->agenda);
    free(ev->requests);
    free(ev->scratch);
    free(ev->stations);
    free(ev->ended);
    free(ev->workers);
    free(ev->thoughts);
    free(ev->slot_free);
}

const struct dispatch_ops dispatch_events_ops = {
    .name = "events",
    .size = sizeof(struct events),
    .init = events_init,
    .fini = events_fini,
    .advance = events_advance,
    .open = events_open,
    .close = events_close,
    .drop = events_drop,
    .strand = events_strand,
    .last_end = events_last_end,
    .busy = events_busy,
    .count = events_count,
};
