/* tally: what has become of the requests of one service, counted since the start. */
#ifndef SLUICE_MODELS_SERVING_TALLY_H
#define SLUICE_MODELS_SERVING_TALLY_H

#include "sim/hist.h"

#include <stdbool.h>
#include <stdint.h>

struct digest;

enum fail_cause {
    FAIL_TIMEOUT,  /* 504, or the client's own limit */
    FAIL_REFUSED,  /* no endpoint, or every try refused: 502, 503 */
    FAIL_LOST,     /* the replica vanished with the request */
    FAIL_REJECTED, /* a bounded queue was full */
    FAIL_ABORTED,  /* killed at the end of the grace period */
    FAIL_CAUSES
};

/* Cumulative; plain data, subtractable field by field. A mark at time T counts what happened
 * strictly before T, and what control changes made at T before the mark have ended. */
struct tally {
    uint64_t arrived, served, failed[FAIL_CAUSES];
    uint64_t tries; /* connections attempted, refused ones included; central: starts */
    uint64_t sent;  /* tries that reached a replica */
    uint64_t tries_refused, tries_timed_out;
    uint64_t waiting, running; /* at the mark: in a queue, held or stranded; on a GPU */
    uint64_t retrying;         /* at the mark: in a try that runs into a connect time-out */
    uint64_t inside_since; /* sum of the arrival times of those inside at the mark, modulo 2^64 */
    int64_t busy_ns;       /* replica-time before the mark with work on the GPU, over whole
                              replicas; work that nobody waits for any more is work too */
    struct hist latency;   /* arrival to end, of served requests */
    struct hist failed_after; /* arrival to failure */
};

/* arrived == served + failed + waiting + running + retrying, and
 * tries == sent + tries_refused + tries_timed_out + retrying. A timed-out request whose work goes
 * on is failed, no longer running. */
bool tally_conserves(const struct tally *t);
/* Request-time spent inside up to `at`, the time of the mark, in ns modulo 2^64: the difference of
 * two marks is exact, and over the time between them it is the mean number inside. */
uint64_t tally_inside_ns(const struct tally *t, sim_ns at);
uint64_t tally_inside(const struct tally *t); /* waiting, running and retrying */
uint64_t tally_failed(const struct tally *t);
/* Requests that ended, in any way: the log lines that the ingress has written. */
uint64_t tally_ended(const struct tally *t);
/* into += t, over several services. */
void tally_add(struct tally *into, const struct tally *t);
/* into becomes what happened since `base`, an older tally of the same requests. What was inside at
 * that time counts as arrived, and what was between two tries as tried, so that it conserves. */
void tally_since(struct tally *into, const struct tally *base);
/* Feeds every count and every bucket in use. */
void tally_digest(const struct tally *t, struct digest *d);

#endif
