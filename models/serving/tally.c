/* tally: what has become of the requests of one service. */
#include "models/serving/tally.h"

#include "sim/digest.h"

uint64_t tally_failed(const struct tally *t)
{
    uint64_t failed = 0;
    for (int c = 0; c < FAIL_CAUSES; c++)
        failed += t->failed[c];
    return failed;
}

uint64_t tally_ended(const struct tally *t)
{
    return t->served + tally_failed(t);
}

uint64_t tally_inside(const struct tally *t)
{
    return t->waiting + t->running + t->retrying;
}

/* Whoever has ended was inside for its latency; whoever is inside, since its arrival. */
uint64_t tally_inside_ns(const struct tally *t, sim_ns at)
{
    uint64_t ended = t->latency.sum_lo + t->failed_after.sum_lo;
    return ended + tally_inside(t) * (uint64_t)at - t->inside_since;
}

bool tally_conserves(const struct tally *t)
{
    uint64_t inside = tally_inside(t);
    uint64_t tries = t->sent + t->tries_refused + t->tries_timed_out + t->retrying;
    return t->arrived == tally_ended(t) + inside && t->tries == tries &&
           t->latency.n == t->served && t->failed_after.n == tally_failed(t);
}

void tally_add(struct tally *into, const struct tally *t)
{
    into->arrived += t->arrived;
    into->served += t->served;
    for (int c = 0; c < FAIL_CAUSES; c++)
        into->failed[c] += t->failed[c];
    into->tries += t->tries;
    into->sent += t->sent;
    into->tries_refused += t->tries_refused;
    into->tries_timed_out += t->tries_timed_out;
    into->waiting += t->waiting;
    into->running += t->running;
    into->retrying += t->retrying;
    into->inside_since += t->inside_since;
    into->busy_ns += t->busy_ns;
    hist_merge(&into->latency, &t->latency);
    hist_merge(&into->failed_after, &t->failed_after);
}

void tally_since(struct tally *into, const struct tally *base)
{
    into->arrived -= base->arrived - (base->waiting + base->running + base->retrying);
    into->served -= base->served;
    for (int c = 0; c < FAIL_CAUSES; c++)
        into->failed[c] -= base->failed[c];
    into->tries -= base->tries - base->retrying;
    into->sent -= base->sent;
    into->tries_refused -= base->tries_refused;
    into->tries_timed_out -= base->tries_timed_out;
    into->busy_ns -= base->busy_ns;
    hist_subtract(&into->latency, &base->latency);
    hist_subtract(&into->failed_after, &base->failed_after);
}

static void digest_hist(const struct hist *h, struct digest *d)
{
    digest_u64(d, h->n);
    digest_u64(d, h->sum_lo);
    digest_u64(d, h->sum_hi);
    digest_u64(d, (uint64_t)h->max);
    for (uint64_t b = 0; b < HIST_BUCKETS; b++)
        if (h->count[b]) {
            digest_u64(d, b);
            digest_u64(d, h->count[b]);
        }
}

void tally_digest(const struct tally *t, struct digest *d)
{
    const uint64_t counts[] = {t->arrived,       t->served,           t->tries,   t->sent,
                               t->tries_refused, t->tries_timed_out,  t->waiting, t->running,
                               t->retrying,      (uint64_t)t->busy_ns};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        digest_u64(d, counts[i]);
    for (int c = 0; c < FAIL_CAUSES; c++)
        digest_u64(d, t->failed[c]);
    digest_hist(&t->latency, d);
    digest_hist(&t->failed_after, d);
}
