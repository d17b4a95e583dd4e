/* early_stop: what a finite run says about a percentile, by the rule of MLPerf LoadGen.
 *
 * A query is over its latency with probability 1 - percentile at most; so in n queries the number
 * of those over it is binomial, and few of them are evidence. LoadGen's early stopping (its
 * documentation of 2022, mlcommons/inference) asks for 99 % confidence, and so do we. */
#ifndef SLUICE_KERNELS_EARLY_STOP_H
#define SLUICE_KERNELS_EARLY_STOP_H

#include <stdbool.h>
#include <stddef.h>

#define EARLY_STOP_CONFIDENCE 0.99

/* Which of n queries, counted from the slowest (1), is with this confidence no faster than the
 * percentile; those slower may be discarded. 0: n is too small to say. percentile in (0, 1). */
size_t early_stop_rank(size_t n, double percentile);
/* The percentile's estimate on the safe side from sorted times; NaN when n is too small. */
double early_stop_estimate(const double *sorted_s, size_t n, double percentile);
/* Queries that the estimate needs at least: 64 for 0.9, 662 for 0.99. */
size_t early_stop_least(double percentile);
/* n queries of which `over` missed a bound: does the percentile hold it, with this confidence? */
bool early_stop_holds(size_t n, size_t over, double percentile);

#endif
