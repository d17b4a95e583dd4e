/* stats: means, intervals and tests; the door to GSL for statistics. Never used for a decision. */
#ifndef SLUICE_SIM_STATS_H
#define SLUICE_SIM_STATS_H

#include <stddef.h>

double stats_mean(const double *x, size_t n);     /* n > 0 */
double stats_variance(const double *x, size_t n); /* unbiased; 0 for n < 2 */
/* Half width of the 95 % t interval of the mean; 0 for n < 2. */
double stats_half_width(const double *x, size_t n);
/* Median of a copy; n > 0. scratch holds n doubles. */
double stats_median(const double *x, size_t n, double *scratch);
/* Probability that at most k of n independent events happen, each with probability p. n < 2^31. */
double stats_binomial_below(size_t k, double p, size_t n);

#endif
