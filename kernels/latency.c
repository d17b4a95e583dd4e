/* latency: order statistics of times. */
#include "kernels/latency.h"

#include "sim/stats.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double at_rank(const double *sorted, size_t n, double rank)
{
    double last = (double)n - 1;
    return sorted[(size_t)(rank < 0 ? 0 : rank > last ? last : rank)];
}

/* How many of n samples lie below a quantile is binomial; its normal approximation gives ranks. */
struct latency_percentile latency_at(const double *sorted_s, size_t n, double share)
{
    assert(n >= 1 && share >= 0 && share <= 1);
    double middle = share * (double)n, half = 1.96 * sqrt(middle * (1 - share));
    return (struct latency_percentile){at_rank(sorted_s, n, ceil(middle) - 1),
                                       at_rank(sorted_s, n, floor(middle - half) - 1),
                                       at_rank(sorted_s, n, ceil(middle + half) - 1)};
}

void latency_summarize(double *times_s, size_t n, struct latency *out)
{
    double sum = 0, squares = 0;
    assert(times_s && n >= 1);
    qsort(times_s, n, sizeof *times_s, by_value);
    for (size_t i = 0; i < n; i++)
        sum += times_s[i];
    double mean = sum / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += (times_s[i] - mean) * (times_s[i] - mean);
    *out = (struct latency){.samples = n,
                            .mean_s = mean,
                            .cv = n > 1 && mean > 0 ? sqrt(squares / (double)(n - 1)) / mean : 0,
                            .best_s = times_s[0],
                            .worst_s = times_s[n - 1],
                            .p50 = latency_at(times_s, n, 0.5),
                            .p90 = latency_at(times_s, n, 0.9),
                            .p99 = latency_at(times_s, n, 0.99)};
}

#define STRETCHES 10
#define STRETCH_MAX 4096 /* of a longer stretch its first times stand for all */

void latency_widen(const double *times_s, size_t n, struct latency_percentile *p)
{
    double medians[STRETCHES], sorted[STRETCH_MAX];
    if (n < 3 * STRETCHES)
        return;
    for (size_t i = 0; i < STRETCHES; i++) {
        size_t first = i * n / STRETCHES, count = (i + 1) * n / STRETCHES - first;
        count = count < STRETCH_MAX ? count : STRETCH_MAX;
        memcpy(sorted, times_s + first, count * sizeof *sorted);
        qsort(sorted, count, sizeof *sorted, by_value);
        medians[i] = latency_at(sorted, count, 0.5).value_s;
    }
    double half = stats_half_width(medians, STRETCHES);
    p->low_s = fmin(p->low_s, fmax(p->value_s - half, p->value_s / 2));
    p->high_s = fmax(p->high_s, p->value_s + half);
}
