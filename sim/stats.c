/* stats: means, intervals and tests; the door to GSL for statistics. */
#include "sim/stats.h"

#include <assert.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <string.h>

double stats_mean(const double *x, size_t n)
{
    assert(n > 0);
    return gsl_stats_mean(x, 1, n);
}

double stats_variance(const double *x, size_t n)
{
    return n < 2 ? 0 : gsl_stats_variance(x, 1, n);
}

/* Rounded to nine decimals: GSL's quantile goes through libm, whose last digit differs from one
 * processor to the next, and an interval is part of the result's bytes. */
static double t_quantile(size_t degrees)
{
    return floor(gsl_cdf_tdist_Pinv(0.975, (double)degrees) * 1e9 + 0.5) / 1e9;
}

double stats_half_width(const double *x, size_t n)
{
    if (n < 2)
        return 0;
    return t_quantile(n - 1) * sqrt(stats_variance(x, n) / (double)n);
}

double stats_median(const double *x, size_t n, double *scratch)
{
    assert(n > 0);
    memcpy(scratch, x, n * sizeof *x);
    gsl_sort(scratch, 1, n);
    return gsl_stats_median_from_sorted_data(scratch, 1, n);
}

double stats_binomial_below(size_t k, double p, size_t n)
{
    assert(p >= 0 && p <= 1 && n < (size_t)1 << 31);
    return k >= n ? 1 : gsl_cdf_binomial_P((unsigned)k, p, (unsigned)n);
}
