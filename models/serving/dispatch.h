/* dispatch: requests on their way through ingress, queue and GPU, between two control events.
 *
 * The seam of the two-level engine. Requests do not pass through the event heap: the world moves
 * each service's dispatcher to the time of the next control event that concerns it, and only then
 * changes the topology or reads marks. Fast dispatchers (dispatch_fifo.c, dispatch_rr.c,
 * dispatch_shared.c) use closed recursions; the event engine (dispatch_events.c) plays the same
 * rules one request event at a time: it is the oracle of the tests and the fallback for what the
 * recursions cannot hold.
 *
 * Rules, the same for every implementation (all times integer nanoseconds):
 *  - Request i arrives at its scheduled time; latency counts from there, failures included.
 *  - At the same nanosecond: control changes, then ends of service (and time-outs), then starts
 *    of waiting requests, then arrivals.
 *  - BALANCE_CENTRAL: one queue at the ingress; the replica that has been free longest (then the
 *    lowest slot) takes the head. A waiting request whose deadline passes leaves the queue.
 *  - BALANCE_ROUND_ROBIN: request i belongs to ingress worker chance(CHANCE_BALANCER, i) mod
 *    workers. Each worker walks the endpoint list (order of slots); after every change of the list
 *    each worker starts at a place drawn by (worker, number of the change).
 *  - An endpoint that refuses (ENDPOINT_LOADING) costs a try and no time; one that is a black hole
 *    (ENDPOINT_DEAD) costs a try and connect_timeout_ns. After `tries` tries the request fails:
 *    FAIL_REFUSED when the last try was refused, FAIL_TIMEOUT when it timed out. No endpoint at
 *    all: FAIL_REFUSED at once. The next try takes the worker's next endpoint.
 *  - deadline = time of the try that connected + timeout_ns. A request not finished by then fails
 *    with FAIL_TIMEOUT at the deadline (finishing exactly at it still serves). The replica does not
 *    learn of it: work that has started goes on; a request that has not started by its deadline is
 *    dropped from the replica's queue at its turn and costs nothing.
 *  - A replica runs up to `concurrency` requests at once. DISCIPLINE_FIFO: each on a slot of its
 *    own, at full speed. DISCIPLINE_SHARED: all share the GPU equally (processor sharing).
 *    More wait in the replica's queue, up to max_queue; beyond it FAIL_REJECTED at once.
 *  - Kill: every request at the replica, waiting or running, fails with the given cause now. One
 *    that was sent is not tried again (a predict is a POST).
 *  - Black hole: requests at the replica never finish; each fails with FAIL_TIMEOUT at its
 *    deadline (with FAIL_LOST now when there is no time-out).
 *  - Drain: the replica leaves the endpoint list and finishes what it has.
 *
 * Assignment is not outcome: an implementation may know early when a request will end, but counts
 * it only when that time has come, since a kill can still undo it. */
#ifndef SLUICE_MODELS_SERVING_DISPATCH_H
#define SLUICE_MODELS_SERVING_DISPATCH_H

#include "sim/clock.h"
#include "sim/dist.h"
#include "sim/err.h"
#include "sim/hist.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arrivals;

enum fail_cause {
    FAIL_TIMEOUT,  /* 504, or the client's own limit */
    FAIL_REFUSED,  /* no endpoint, or every try refused: 502, 503 */
    FAIL_LOST,     /* the replica vanished with the request */
    FAIL_REJECTED, /* a bounded queue was full */
    FAIL_ABORTED,  /* killed at the end of the grace period */
    FAIL_CAUSES
};
const char *dispatch_cause_name(enum fail_cause c); /* "timeout", ... */

enum balance { BALANCE_CENTRAL, BALANCE_ROUND_ROBIN };
enum discipline { DISCIPLINE_FIFO, DISCIPLINE_SHARED };
enum endpoint_state { ENDPOINT_SERVING, ENDPOINT_LOADING, ENDPOINT_DEAD };

/* Cumulative since the start; plain data, subtractable field by field. Counts what is final
 * strictly before the time of the mark. */
struct tally {
    uint64_t arrived, served, failed[FAIL_CAUSES];
    uint64_t tries; /* connections attempted, refused ones included */
    uint64_t tries_refused, tries_timed_out;
    uint64_t waiting, running; /* at the mark: in a queue, on a GPU */
    uint64_t retrying;         /* between two tries */
    int64_t busy_ns;           /* replica-time with at least one request on the GPU, whole replicas;
                                  of spans that ended or up to the mark */
    struct hist latency;       /* of served requests */
    struct hist failed_after;  /* arrival to failure */
};

/* arrived == served + failed + waiting + running + retrying must hold at every mark. A timed-out
 * request whose work goes on is failed, no longer running. */
bool tally_conserves(const struct tally *t);
uint64_t tally_failed(const struct tally *t);
/* Requests that ended, in any way: the log lines that the ingress has written. */
uint64_t tally_ended(const struct tally *t);

/* Open data; borrowed pointers must outlive the dispatcher. */
struct dispatch_setup {
    enum balance balance;
    enum discipline discipline;
    int64_t concurrency; /* per replica, >= 1; INT64_MAX: no limit (shared only) */
    int64_t max_queue;   /* waiting per replica (central: in the one queue); INT64_MAX: no limit */
    sim_ns timeout_ns;   /* SIM_NEVER: none */
    sim_ns connect_timeout_ns;
    int32_t tries;
    uint32_t workers; /* ingress workers, >= 1 */
    const struct dist *service; /* service time on each kind of GPU, ns */
    size_t n_services;
    size_t max_replicas; /* slots 0 .. max_replicas-1 */
    size_t max_in_flight; /* ring limits; beyond it dispatch_failed() names limits.inFlight */
    struct arrivals *arrivals;  /* open traffic; NULL for closed loop */
    int64_t clients;            /* closed loop: this many clients, event engine only */
    struct dist think_time;
    uint64_t seed, replication, entity;
    bool use_events; /* ask for the event engine where a fast dispatcher exists */
};

struct dispatch; /* opaque */

/* Picks the implementation. NULL and e on failure. */
struct dispatch *dispatch_create(const struct dispatch_setup *s, struct err *e);
void dispatch_destroy(struct dispatch *d);
/* "central_fifo", "round_robin_fifo", "round_robin_shared", "events". */
const char *dispatch_engine(const struct dispatch *d);

enum stop { STOP_HORIZON, STOP_NEEDS_CAPACITY };
struct advance {
    sim_ns reached;
    enum stop why;
};

/* Plays all requests up to, not including, `until`. Never goes back. STOP_NEEDS_CAPACITY: a request
 * arrived at `reached` while there is no endpoint and the caller asked to be told. */
struct advance dispatch_advance(struct dispatch *d, sim_ns until);
/* Ask (or stop asking) for STOP_NEEDS_CAPACITY; requests then wait at the ingress. */
void dispatch_hold(struct dispatch *d, bool hold_when_empty);

/* Topology. `at` is the time reached by dispatch_advance. service: index into setup->service. */
void dispatch_add(struct dispatch *d, sim_ns at, uint32_t replica, enum endpoint_state state,
                  uint32_t service);
void dispatch_endpoint(struct dispatch *d, sim_ns at, uint32_t replica, enum endpoint_state state);
/* Returns when the replica has finished what it has: `at` if it is empty. Known at once, since
 * nothing new reaches it. SIM_NEVER for a black hole without time-out. */
sim_ns dispatch_drain(struct dispatch *d, sim_ns at, uint32_t replica);
/* Ends the replica and frees its slot; also the last step after a drain. */
void dispatch_kill(struct dispatch *d, sim_ns at, uint32_t replica, enum fail_cause cause);

/* What is final strictly before `at`, which is the time reached. */
void dispatch_mark(struct dispatch *d, sim_ns at, struct tally *out);

/* 0, or -1 with ERR_INPUT when a limit was met: the run must end. Sticky. */
int dispatch_failed(const struct dispatch *d, struct err *e);
/* Canonical digest over the final integer state of the requests counted so far (the tally's
 * counts and buckets): equal for every implementation of the same run. */
uint64_t dispatch_digest(struct dispatch *d, sim_ns at);

#endif
