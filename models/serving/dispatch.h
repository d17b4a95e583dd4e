/* dispatch: requests on their way through ingress, queue and GPU, between two control events.
 *
 * The seam of the two-level engine. Requests do not pass through the event heap: the world moves
 * each service's dispatcher to the time of the next control event that concerns it, and only then
 * changes the topology or reads marks. Fast dispatchers (dispatch_fifo.c, dispatch_rr.c,
 * dispatch_shared.c) use closed recursions; the event engine (dispatch_events.c) plays the same
 * rules one request event at a time: it is the oracle of the tests and the fallback for what the
 * recursions cannot hold.
 *
 * Rules, the same to the nanosecond for every implementation. All times are whole nanoseconds.
 *
 *  Order within one nanosecond
 *  - Control changes; then ends of service, then time-outs; then starts of waiting requests; then
 *    held requests, in the order in which they were held; then next tries after a connect
 *    time-out, first sent first; then arrivals, by index. So a request that finishes exactly at its
 *    deadline is served, and one that would start exactly at its deadline times out in the queue.
 *
 *  Requests
 *  - Request i is the i-th arrival (from 0; closed loop: the i-th that any client sends). Latency
 *    counts from its scheduled arrival, failures included.
 *  - Its service time is draw i of (CHANCE_SERVICE, entity) from the distribution of the replica's
 *    kind of GPU, at least 1 ns and at most 2^50 ns (13 days).
 *  - deadline = time of the try that connected + timeout_ns (central: arrival + timeout_ns). A
 *    request not finished by then fails with FAIL_TIMEOUT at the deadline. The replica does not
 *    learn of it: work that has started goes on; one that has not started keeps its place in the
 *    replica's queue, is dropped at its turn and costs nothing.
 *  - A client with a patience gives up at arrival + client_patience_ns, wherever its request is: in
 *    a queue, on the GPU, held, or in a try that hangs. It fails with FAIL_TIMEOUT then, unless
 *    its deadline came before. The replica does not learn of it either.
 *
 *  BALANCE_CENTRAL: one queue at the ingress, first in first out
 *  - Replicas pull: the slot that has been free longest (then the lowest replica) takes the head.
 *    A slot is free from the time its replica began to serve, or its last work ended. With
 *    DISCIPLINE_SHARED the replica with the fewest running requests pulls (then the lowest).
 *  - Only ENDPOINT_SERVING replicas pull; without one, requests wait. A waiting request leaves the
 *    queue at its deadline. An arrival that cannot start at once while max_queue others wait fails
 *    with FAIL_REJECTED. A start counts as a try.
 *
 *  BALANCE_ROUND_ROBIN: request i belongs to ingress worker number chance_below(i, workers)
 *  - The endpoint list holds every replica that was added and not drained or killed, in any state,
 *    in order of slots. An addition, a drain and a kill of a listed replica are one change each;
 * the n-th change (from 1) puts each worker at place chance_below(sub-stream of the worker, n,
 *    length of the list). All draws are of (CHANCE_BALANCER, entity). A worker gives each try the
 *    endpoint at its place and moves one on.
 *  - A try at ENDPOINT_LOADING or _CLOSING is refused: it costs no time. A try at ENDPOINT_DEAD
 * takes connect_timeout_ns, whatever becomes of the endpoint meanwhile. The next try, of at most
 *    `tries`, takes the same worker's next endpoint. After the last one the request fails:
 *    FAIL_REFUSED when that was refused, FAIL_TIMEOUT when it timed out. A try that finds the list
 *    empty fails the request with FAIL_REFUSED at once and does not count.
 *  - At the replica: runs at once if fewer than `concurrency` run, else waits first in first out,
 *    else, when max_queue are in the queue (those past their deadline included), FAIL_REJECTED now.
 *
 *  DISCIPLINE_FIFO: each running request has a slot of its own, at full speed
 *  DISCIPLINE_SHARED: the running requests share the GPU equally
 *  - In integers: work is counted in 1/16 ns. Let m be the last time at which a request started or
 *    its work ended on the replica, and n the number running since. At the next such time t each
 *    has gained floor((t - m) * 16 / n). The next end is the first whole nanosecond by which the
 *    least remaining work is used up; all whose work is used up then end then. Time-outs, arrivals
 *    that wait and marks are not such times.
 *
 *  Ends of replicas
 *  - Kill: every request at the replica, waiting, running or stranded there, fails with the given
 *    cause now. One that was sent is not tried again (a predict is a POST).
 *  - Restart (serving to loading): as a kill with FAIL_LOST, but the endpoint stays listed.
 *  - Black hole (to dead): work at the replica vanishes. Its requests are stranded: each fails with
 *    FAIL_TIMEOUT at its deadline, and counts as waiting until then; with no time-out FAIL_LOST
 * now. A replica that comes back from being dead is empty.
 *  - Closing (serving to closing: its process was told to end): it refuses what comes, stays listed
 *    and finishes what it has. It can only be drained, killed or made dead.
 *  - Drain: the replica leaves the list and finishes what it has.
 *
 *  Holding (asked for by dispatch_hold)
 *  - A try that finds the list empty is held, until its time of holding + timeout_ns
 * (FAIL_TIMEOUT); when the list has an endpoint again the held ones try at once. In central balance
 * the queue itself holds them. The first to be held, when no other is, stops the advance.
 *
 *  Closed loop: each client thinks, sends, waits for the end of its request, and thinks again
 *  - Think time k of client j is draw k of its sub-stream of (CHANCE_THINK, entity); the end of
 *    thinking is the scheduled arrival (then the lower client). Even a refusal takes a client a
 *    round trip: after a failure it does not send within 1 ms of its last request.
 *
 * Assignment is not outcome: an implementation may know early when a request will end, but counts
 * it only when that time has come, since a kill can still undo it. */
#ifndef SLUICE_MODELS_SERVING_DISPATCH_H
#define SLUICE_MODELS_SERVING_DISPATCH_H

#include "models/serving/tally.h"
#include "sim/clock.h"
#include "sim/dist.h"
#include "sim/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arrivals;
struct pulse;

const char *dispatch_cause_name(enum fail_cause c); /* "timeout", ... */

enum balance { BALANCE_CENTRAL, BALANCE_ROUND_ROBIN };
enum discipline { DISCIPLINE_FIFO, DISCIPLINE_SHARED };
enum endpoint_state { ENDPOINT_SERVING, ENDPOINT_LOADING, ENDPOINT_DEAD, ENDPOINT_CLOSING };

/* Open data; copied by dispatch_create. What it points to must outlive the dispatcher. */
struct dispatch_setup {
    enum balance balance;
    enum discipline discipline;
    int64_t concurrency; /* per replica, >= 1; INT64_MAX: no limit (shared only) */
    int64_t max_queue;   /* waiting per replica (central: in the one queue), >= 0; INT64_MAX: no
                            limit */
    sim_ns timeout_ns;   /* >= 1; SIM_NEVER: none */
    sim_ns client_patience_ns;  /* 0: the client waits for ever; else the event engine plays */
    sim_ns connect_timeout_ns;  /* >= 1 */
    int32_t tries;              /* >= 1 */
    uint32_t workers;           /* ingress workers, >= 1 */
    const struct dist *service; /* service time on each kind of GPU, ns */
    size_t n_services;
    size_t max_replicas; /* slots 0 .. max_replicas-1 */
    /* Requests inside at the same time, >= 1. Memory is taken for so many, and is used only as
     * they come. Beyond it the dispatcher fails and names limits.inFlight. */
    size_t max_in_flight;
    struct arrivals *arrivals; /* open traffic, borrowed; NULL for closed loop */
    int64_t clients;           /* closed loop: this many clients, event engine only */
    struct dist think_time;
    uint64_t seed, replication, entity;
    bool use_events; /* ask for the event engine where a fast dispatcher exists */
};

struct dispatch; /* opaque */

/* Picks the implementation; takes all memory that it will ever need. NULL and ERR_SYSTEM without
 * memory. The event engine plays closed loops, central balance with sharing, and what is too large
 * for the tables of a fast one. */
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
 * needs an endpoint at `reached`, there is none, no other is held, and the caller asked to be told.
 * Nothing at `reached` has been played yet: the caller may change the topology there. */
struct advance dispatch_advance(struct dispatch *d, sim_ns until);
/* The same through every stop: for a caller that has no capacity to give, or has been told. */
void dispatch_reach(struct dispatch *d, sim_ns until);
/* Ask (or stop asking) for STOP_NEEDS_CAPACITY. What is held stays so until it can go or times out.
 */
void dispatch_hold(struct dispatch *d, bool hold_when_empty);

/* Topology. `at` is the time reached by dispatch_advance; the slot must be free for dispatch_add
 * and taken for the others. service: index into setup->service. */
void dispatch_add(struct dispatch *d, sim_ns at, uint32_t replica, enum endpoint_state state,
                  uint32_t service);
/* A draining replica can only become dead. */
void dispatch_endpoint(struct dispatch *d, sim_ns at, uint32_t replica, enum endpoint_state state);
/* Returns the first time at which a kill finds the replica empty: `at` if it is, else one
 * nanosecond after its last work or stranded request ends. Known at once, since nothing new reaches
 * it; ask again after a draining replica was made dead. */
sim_ns dispatch_drain(struct dispatch *d, sim_ns at, uint32_t replica);
/* Ends the replica and frees its slot; also the last step after a drain. */
void dispatch_kill(struct dispatch *d, sim_ns at, uint32_t replica, enum fail_cause cause);

/* The tally at `at`, which is the time reached. */
void dispatch_mark(struct dispatch *d, sim_ns at, struct tally *out);
/* The same without the copy (a tally has 43 kB): borrowed until the next call. */
const struct tally *dispatch_tally(struct dispatch *d, sim_ns at);

/* When requests were served, by the stretches of the advances; borrowed. */
const struct pulse *dispatch_pulse(const struct dispatch *d);

/* Time before `at`, the time reached, with work on the GPU of a replica in use, since it last began
 * to serve. */
int64_t dispatch_busy(struct dispatch *d, sim_ns at, uint32_t replica);

/* 0, or -1 with ERR_INPUT when a limit was met: the run must end. Sticky; a failed dispatcher
 * plays nothing more. */
int dispatch_failed(const struct dispatch *d, struct err *e);
/* Canonical digest over the tally at `at`: equal for every implementation of the same run. */
uint64_t dispatch_digest(struct dispatch *d, sim_ns at);

#endif
