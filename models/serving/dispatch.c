/* dispatch: the seam; picks an implementation, checks the calls and keeps the endpoint list. */
#include "models/serving/dispatch_impl.h"

#include "sim/digest.h"
#include "sim/text.h"

#include <assert.h>
#include <string.h>

/* Slots that the packed keys of the central dispatcher can number. */
#define FIFO_SLOTS_MAX 4096
/* Running requests that a replica of the FIFO dispatcher keeps in one sorted row. */
#define RR_SLOTS_MAX 256
/* Memory for the places in bounded queues, above which the event engine plays. */
#define RR_QUEUE_PLACES_MAX (INT64_C(1) << 24)

const char *dispatch_cause_name(enum fail_cause c)
{
    static const char *const names[FAIL_CAUSES] = {"timeout", "refused", "lost", "rejected",
                                                   "aborted"};
    assert((unsigned)c < FAIL_CAUSES);
    return names[c];
}

static bool fits_rr(const struct dispatch_setup *s)
{
    int64_t replicas = (int64_t)s->max_replicas;
    if (s->concurrency > RR_SLOTS_MAX)
        return false;
    return s->max_queue == INT64_MAX || s->max_queue >= (int64_t)s->max_in_flight ||
           s->max_queue <= RR_QUEUE_PLACES_MAX / replicas;
}

static const struct dispatch_ops *pick(const struct dispatch_setup *s)
{
    if (s->use_events || !s->arrivals || s->client_patience_ns > 0)
        return &dispatch_events_ops;
    if (s->balance == BALANCE_CENTRAL) {
        bool fits = s->discipline == DISCIPLINE_FIFO && s->concurrency <= FIFO_SLOTS_MAX &&
                    (int64_t)s->max_replicas <= FIFO_SLOTS_MAX / s->concurrency;
        return fits ? &dispatch_fifo_ops : &dispatch_events_ops;
    }
    if (s->discipline == DISCIPLINE_SHARED)
        return &dispatch_shared_ops;
    return fits_rr(s) ? &dispatch_rr_ops : &dispatch_events_ops;
}

static void check_setup(const struct dispatch_setup *s)
{
    assert(s->concurrency >= 1 && s->max_queue >= 0);
    assert(s->discipline == DISCIPLINE_SHARED || s->concurrency <= INT32_MAX);
    assert(s->timeout_ns >= 1 && s->client_patience_ns >= 0 && s->connect_timeout_ns >= 1 &&
           s->tries >= 1 && s->workers >= 1);
    assert(s->service && s->n_services >= 1);
    assert(s->max_replicas >= 1 && s->max_replicas < (UINT32_C(1) << 30));
    assert(s->max_in_flight >= 1 && s->max_in_flight < (UINT32_C(1) << 30));
    assert(s->arrivals ? s->clients == 0 : s->clients >= 0);
}

struct dispatch *dispatch_create(const struct dispatch_setup *s, struct err *e)
{
    check_setup(s);
    const struct dispatch_ops *ops = pick(s);
    struct dispatch *d = calloc(1, ops->size);
    if (!d) {
        err_set(e, ERR_SYSTEM, NULL, "out of memory for a dispatcher");
        return NULL;
    }
    d->ops = ops;
    d->setup = *s;
    d->told_at = -1;
    d->endpoints = calloc(s->max_replicas, sizeof *d->endpoints);
    d->list = calloc(s->max_replicas, sizeof *d->list);
    d->used = calloc(s->max_replicas, sizeof *d->used);
    if (!d->endpoints || !d->list || !d->used || ops->init(d, e)) {
        err_set(e, ERR_SYSTEM, NULL, "out of memory for %zu requests in flight", s->max_in_flight);
        dispatch_destroy(d);
        return NULL;
    }
    return d;
}

void dispatch_destroy(struct dispatch *d)
{
    if (!d)
        return;
    d->ops->fini(d);
    free(d->endpoints);
    free(d->list);
    free(d->used);
    free(d);
}

const char *dispatch_engine(const struct dispatch *d)
{
    return d->ops->name;
}

void dispatch_overflow(struct dispatch *d)
{
    char since[64];
    text_duration(since, sizeof since, d->reached);
    err_set(&d->failure, ERR_INPUT, NULL,
            "limits.inFlight: more than %zu requests are inside one service soon after %s; raise "
            "the limit, or bound the queue or the time-out",
            d->setup.max_in_flight, since);
}

int dispatch_failed(const struct dispatch *d, struct err *e)
{
    if (!dispatch_is_failed(d))
        return 0;
    return err_set(e, d->failure.code, d->failure.where, "%s", d->failure.msg);
}

struct advance dispatch_advance(struct dispatch *d, sim_ns until)
{
    assert(until >= d->reached && until < DISPATCH_BEYOND);
    if (dispatch_is_failed(d) || until == d->reached)
        return (struct advance){.reached = d->reached = until, .why = STOP_HORIZON};
    d->until = until;
    struct advance a = d->ops->advance(d, until);
    assert(a.reached >= d->reached && a.reached <= until);
    pulse_beat(&d->pulse, d->reached, a.reached, d->tally.served);
    d->reached = a.reached;
    if (a.why == STOP_NEEDS_CAPACITY)
        d->told_at = a.reached;
    return a;
}

void dispatch_reach(struct dispatch *d, sim_ns until)
{
    while (dispatch_advance(d, until).why != STOP_HORIZON)
        ;
}

void dispatch_hold(struct dispatch *d, bool hold_when_empty)
{
    d->hold = hold_when_empty;
}

static void list_insert(struct dispatch *d, uint32_t replica)
{
    uint32_t i = d->n_list++;
    for (; i > 0 && d->list[i - 1] > replica; i--)
        d->list[i] = d->list[i - 1];
    d->list[i] = replica;
    d->change++;
}

static void list_remove(struct dispatch *d, uint32_t replica)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < d->n_list; i++)
        if (d->list[i] != replica)
            d->list[kept++] = d->list[i];
    assert(kept + 1 == d->n_list);
    d->n_list = kept;
    d->change++;
}

/* The endpoint that a topology call names; asserts that the call is in order. */
static struct endpoint *called(struct dispatch *d, sim_ns at, uint32_t replica)
{
    assert(at == d->reached && replica < d->setup.max_replicas);
    struct endpoint *p = &d->endpoints[replica];
    assert(p->use != SLOT_FREE);
    return p;
}

void dispatch_add(struct dispatch *d, sim_ns at, uint32_t replica, enum endpoint_state state,
                  uint32_t service)
{
    assert(at == d->reached && replica < d->setup.max_replicas && service < d->setup.n_services);
    struct endpoint *p = &d->endpoints[replica];
    assert(p->use == SLOT_FREE);
    *p = (struct endpoint){.use = SLOT_LISTED, .state = (uint8_t)state, .service = service};
    d->used[d->n_used++] = replica;
    list_insert(d, replica);
    if (state == ENDPOINT_SERVING)
        d->ops->open(d, replica);
}

void dispatch_endpoint(struct dispatch *d, sim_ns at, uint32_t replica, enum endpoint_state state)
{
    struct endpoint *p = called(d, at, replica);
    if (p->state == (uint8_t)state)
        return;
    assert(p->use == SLOT_LISTED || state == ENDPOINT_DEAD);
    assert(state != ENDPOINT_CLOSING || p->state == ENDPOINT_SERVING);
    assert(p->state != ENDPOINT_CLOSING || state == ENDPOINT_DEAD);
    bool serves = p->state == ENDPOINT_SERVING, works = serves || p->state == ENDPOINT_CLOSING;
    p->state = (uint8_t)state;
    if (serves)
        d->ops->close(d, replica);
    if (works && state != ENDPOINT_CLOSING) {
        if (state == ENDPOINT_LOADING)
            d->ops->drop(d, replica, FAIL_LOST, false);
        else if (d->setup.timeout_ns == SIM_NEVER && d->setup.client_patience_ns == 0)
            d->ops->drop(d, replica, FAIL_LOST, false);
        else
            d->ops->strand(d, replica);
    }
    if (state == ENDPOINT_SERVING)
        d->ops->open(d, replica);
}

sim_ns dispatch_drain(struct dispatch *d, sim_ns at, uint32_t replica)
{
    struct endpoint *p = called(d, at, replica);
    if (p->use == SLOT_LISTED) {
        p->use = SLOT_DRAINING;
        list_remove(d, replica);
        if (p->state == ENDPOINT_SERVING)
            d->ops->close(d, replica);
    }
    sim_ns last = d->ops->last_end(d, replica);
    return last < at ? at : last + 1;
}

void dispatch_kill(struct dispatch *d, sim_ns at, uint32_t replica, enum fail_cause cause)
{
    assert((unsigned)cause < FAIL_CAUSES);
    struct endpoint *p = called(d, at, replica);
    if (p->use == SLOT_LISTED) {
        list_remove(d, replica);
        if (p->state == ENDPOINT_SERVING)
            d->ops->close(d, replica);
    }
    d->ops->drop(d, replica, cause, true);
    p->use = SLOT_FREE;
    for (uint32_t i = 0; i < d->n_used; i++)
        if (d->used[i] == replica) {
            d->used[i] = d->used[--d->n_used];
            break;
        }
}

const struct tally *dispatch_tally(struct dispatch *d, sim_ns at)
{
    assert(at == d->reached);
    d->ops->count(d, &d->tally);
    assert(dispatch_is_failed(d) || tally_conserves(&d->tally));
    return &d->tally;
}

void dispatch_mark(struct dispatch *d, sim_ns at, struct tally *out)
{
    *out = *dispatch_tally(d, at);
}

const struct pulse *dispatch_pulse(const struct dispatch *d)
{
    return &d->pulse;
}

int64_t dispatch_busy(struct dispatch *d, sim_ns at, uint32_t replica)
{
    called(d, at, replica);
    int64_t busy = d->ops->busy(d, replica);
    assert(busy >= 0);
    return busy;
}

uint64_t dispatch_digest(struct dispatch *d, sim_ns at)
{
    struct digest g = {0};
    tally_digest(dispatch_tally(d, at), &g);
    return digest_value(&g);
}
