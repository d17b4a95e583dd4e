/* early_stop: binomial tails. */
#include "kernels/early_stop.h"

#include "sim/stats.h"

#include <assert.h>
#include <math.h>

/* So few over the bound would be less likely than this if the percentile did not hold it. */
bool early_stop_holds(size_t n, size_t over, double percentile)
{
    assert(percentile > 0 && percentile < 1 && over <= n && n < 1u << 31);
    if (n == 0 || over == n)
        return false;
    return stats_binomial_below(over, 1 - percentile, n) <= 1 - EARLY_STOP_CONFIDENCE;
}

size_t early_stop_rank(size_t n, double percentile)
{
    size_t low = 0, high = n;
    if (n < 1 || !early_stop_holds(n, 1, percentile))
        return 0;
    while (low + 1 < high) { /* low is slow enough, high is not */
        size_t middle = low + (high - low) / 2;
        if (early_stop_holds(n, middle, percentile))
            low = middle;
        else
            high = middle;
    }
    return low;
}

double early_stop_estimate(const double *sorted_s, size_t n, double percentile)
{
    size_t rank = early_stop_rank(n, percentile);
    return rank ? sorted_s[n - rank] : (double)NAN;
}

size_t early_stop_least(double percentile)
{
    size_t n = 2;
    while (!early_stop_holds(n, 1, percentile))
        n++;
    return n;
}
