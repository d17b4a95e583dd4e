/* reversion_fit: a value that is drawn back to its mean, step by step. */
#include "sim/reversion_fit.h"

#include <assert.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_fit.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

#define NORMAL_95 1.959963984540054

static double between(double v, double low, double high)
{
    return fmin(high, fmax(low, v));
}

static struct life_figure around(double value, double error)
{
    return (struct life_figure){value, value - NORMAL_95 * error, value + NORMAL_95 * error};
}

static double distance_to_normal(double *shocks, size_t n, double deviation)
{
    double worst = 0;
    gsl_sort(shocks, 1, n);
    for (size_t i = 0; i < n; i++) {
        double want = gsl_cdf_gaussian_P(shocks[i], deviation);
        worst = fmax(worst, fabs((double)(i + 1) / (double)n - want));
        worst = fmax(worst, fabs((double)i / (double)n - want));
    }
    return worst;
}

/* Variance of -a / b by first order. */
static double mean_error(double a, double b, const double cov[3])
{
    double da = -1 / b, db = a / (b * b);
    return sqrt(da * da * cov[0] + 2 * da * db * cov[1] + db * db * cov[2]);
}

int reversion_fit(const double *x, size_t n, double *shocks, struct reversion_fit *out,
                  struct err *e)
{
    double a, b, cov[3], chi2;
    assert(x && shocks && out);
    if (n < 10)
        return err_set(e, ERR_INPUT, NULL, "%zu steps; a fit needs ten at least", n);
    *out = (struct reversion_fit){.n = n - 1};
    gsl_stats_minmax(&out->low, &out->high, x, 1, n);
    if (out->low == out->high)
        return err_set(e, ERR_INPUT, NULL, "it never changes from %g; there is nothing to fit",
                       out->low);
    for (size_t i = 0; i + 1 < n; i++) {
        shocks[i] = x[i + 1] - x[i];
        out->unchanged += (x[i + 1] == x[i]) / (double)(n - 1);
    }
    gsl_fit_linear(x, 1, shocks, 1, n - 1, &a, &b, &cov[0], &cov[1], &cov[2], &chi2);
    for (size_t i = 0; i + 1 < n; i++)
        shocks[i] -= a + b * x[i];
    double steps = (double)(n - 1), deviation = sqrt(chi2 / (steps - 2));
    out->reversion = around(-b, sqrt(cov[2]));
    out->mean = around(gsl_stats_mean(x, 1, n), 0);
    if (out->reversion.low > 0) /* else nothing is known to draw it back */
        out->mean = around(between(-a / b, out->low, out->high), mean_error(a, b, cov));
    out->reversion.value = between(-b, 0, 1);
    out->deviation.value = deviation;
    out->deviation.low = sqrt(chi2 / life_fit_chi_square(0.975, steps - 2));
    out->deviation.high = sqrt(chi2 / life_fit_chi_square(0.025, steps - 2));
    out->distance = distance_to_normal(shocks, n - 1, deviation);
    out->p_value = life_fit_p_value(out->distance, n - 1);
    return 0;
}
