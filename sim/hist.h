/* hist: latencies in log-linear buckets, mergeable and subtractable, exact in its counts.
 *
 * 64 buckets an octave above 64 ns: a quantile is the middle of its bucket, within 0.8 % of the
 * true value. Covers 0 .. 2^47 ns (39 hours); larger values count in the last bucket, and the
 * exact maximum is kept beside. */
#ifndef SLUICE_SIM_HIST_H
#define SLUICE_SIM_HIST_H

#include "sim/clock.h"

#include <stdint.h>

#define HIST_SUB_BITS 6
#define HIST_OCTAVES 42
#define HIST_BUCKETS (HIST_OCTAVES << HIST_SUB_BITS)

/* Plain memory, no pointers: assign to copy, {0} is empty. */
struct hist {
    uint64_t n;
    uint64_t sum_lo, sum_hi; /* 128-bit sum of the values */
    sim_ns max;
    uint64_t count[HIST_BUCKETS];
};

/* Inline in the header: the hot loops call it once a request. v must not be negative. */
static inline void hist_add(struct hist *h, sim_ns v);
void hist_merge(struct hist *into, const struct hist *other);
/* into -= earlier, where earlier is an older copy of the same histogram. max stays into's. */
void hist_subtract(struct hist *into, const struct hist *earlier);
void hist_clear(struct hist *h);
/* Nearest-rank quantile, q in 0..1; 0 for an empty histogram. Never above max, and exactly max when
 * the rank is the last one. */
sim_ns hist_quantile(const struct hist *h, double q);
double hist_mean(const struct hist *h); /* ns; 0 when empty */
/* Values known to be at most `limit`, counted by whole buckets up to the bucket holding limit. */
uint64_t hist_count_within(const struct hist *h, sim_ns limit);
sim_ns hist_bucket_low(uint32_t bucket);

static inline uint32_t hist_bucket(sim_ns v)
{
    uint64_t u = (uint64_t)v;
    if (u < (UINT64_C(1) << HIST_SUB_BITS))
        return (uint32_t)u;
#if defined(__GNUC__)
    uint32_t shift = 63u - (uint32_t)__builtin_clzll(u) - HIST_SUB_BITS;
#else
    uint32_t shift = 0;
    while (u >> (shift + HIST_SUB_BITS + 1))
        shift++;
#endif
    uint32_t b =
        ((shift + 1) << HIST_SUB_BITS) + (uint32_t)((u >> shift) & ((1u << HIST_SUB_BITS) - 1));
    return b < HIST_BUCKETS ? b : HIST_BUCKETS - 1;
}

static inline void hist_add(struct hist *h, sim_ns v)
{
    h->count[hist_bucket(v)]++;
    h->n++;
    h->sum_lo += (uint64_t)v;
    h->sum_hi += h->sum_lo < (uint64_t)v;
    if (v > h->max)
        h->max = v;
}

#endif
