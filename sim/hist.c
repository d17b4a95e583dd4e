/* hist: latencies in log-linear buckets. */
#include "sim/hist.h"

#include <assert.h>
#include <string.h>

void hist_merge(struct hist *into, const struct hist *other)
{
    for (uint32_t i = 0; i < HIST_BUCKETS; i++)
        into->count[i] += other->count[i];
    into->n += other->n;
    into->sum_lo += other->sum_lo;
    into->sum_hi += other->sum_hi + (into->sum_lo < other->sum_lo);
    if (other->max > into->max)
        into->max = other->max;
}

void hist_subtract(struct hist *into, const struct hist *earlier)
{
    assert(into->n >= earlier->n);
    for (uint32_t i = 0; i < HIST_BUCKETS; i++) {
        assert(into->count[i] >= earlier->count[i]);
        into->count[i] -= earlier->count[i];
    }
    into->n -= earlier->n;
    into->sum_hi -= earlier->sum_hi + (into->sum_lo < earlier->sum_lo);
    into->sum_lo -= earlier->sum_lo;
}

void hist_clear(struct hist *h)
{
    memset(h, 0, sizeof *h);
}

sim_ns hist_bucket_low(uint32_t bucket)
{
    assert(bucket < HIST_BUCKETS);
    uint32_t octave = bucket >> HIST_SUB_BITS;
    uint64_t sub = bucket & ((1u << HIST_SUB_BITS) - 1);
    if (octave == 0)
        return (sim_ns)sub;
    return (sim_ns)((sub | (UINT64_C(1) << HIST_SUB_BITS)) << (octave - 1));
}

/* The value that stands for a bucket: its middle; exact below 128 ns, where buckets are 1 wide. */
static sim_ns bucket_middle(uint32_t bucket)
{
    if (bucket + 1 == HIST_BUCKETS)
        return hist_bucket_low(bucket);
    sim_ns low = hist_bucket_low(bucket), width = hist_bucket_low(bucket + 1) - low;
    return low + width / 2;
}

/* The smallest rank that covers q of n values, 1..n. The product is taken a hair lower, or 0.07 of
 * 100 would be rank 8: in doubles it is 7.000000000000001. */
static uint64_t nearest_rank(uint64_t n, double q)
{
    double exact = q * (double)n * (1 - 0x1p-50);
    uint64_t rank = (uint64_t)exact;
    if ((double)rank < exact)
        rank++;
    if (rank < 1)
        rank = 1;
    return rank < n ? rank : n;
}

sim_ns hist_quantile(const struct hist *h, double q)
{
    assert(q >= 0 && q <= 1);
    if (h->n == 0)
        return 0;
    uint64_t rank = nearest_rank(h->n, q), seen = 0;
    if (rank == h->n)
        return h->max;
    for (uint32_t i = 0; i < HIST_BUCKETS; i++) {
        seen += h->count[i];
        if (seen >= rank) {
            sim_ns v = bucket_middle(i);
            return v < h->max ? v : h->max;
        }
    }
    return h->max;
}

double hist_mean(const struct hist *h)
{
    if (h->n == 0)
        return 0;
    return ((double)h->sum_hi * 0x1p64 + (double)h->sum_lo) / (double)h->n;
}

uint64_t hist_count_within(const struct hist *h, sim_ns limit)
{
    if (limit < 0)
        return 0;
    uint64_t n = 0;
    for (uint32_t i = 0, last = hist_bucket(limit); i <= last; i++)
        n += h->count[i];
    return n;
}
