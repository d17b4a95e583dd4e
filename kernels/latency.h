/* latency: percentiles of measured times, with what the sample allows to say about them. */
#ifndef SLUICE_KERNELS_LATENCY_H
#define SLUICE_KERNELS_LATENCY_H

#include <stddef.h>

/* A percentile by nearest rank, and the order statistics that hold the true one with 95 %
 * confidence; low and high are the extremes where the sample is too small for that. */
struct latency_percentile {
    double value_s, low_s, high_s;
};

struct latency {
    size_t samples;
    double mean_s, cv; /* cv: deviation / mean, 0 for one sample */
    double best_s, worst_s;
    struct latency_percentile p50, p90, p99;
};

/* Sorts times_s, n >= 1 seconds each. */
void latency_summarize(double *times_s, size_t n, struct latency *out);
/* One percentile of sorted times; share in 0..1. */
struct latency_percentile latency_at(const double *sorted_s, size_t n, double share);
/* The median's interval for times that come in moods, n >= 1 in the order in which they were
 * measured: medians of ten stretches scatter as much as the mood does, which the interval of
 * independent times would not see. Widens p->low_s and p->high_s to hold both; does nothing below
 * 30 times. */
void latency_widen(const double *times_s, size_t n, struct latency_percentile *p);

#endif
