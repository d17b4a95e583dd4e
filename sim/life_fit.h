/* life_fit: how long things live, from lives of which some were still going on: a Weibull by
 * maximum likelihood, rates by age, and how well either fits. By GSL; never used for a decision. */
#ifndef SLUICE_SIM_LIFE_FIT_H
#define SLUICE_SIM_LIFE_FIT_H

#include "sim/err.h"

#include <stdbool.h>
#include <stddef.h>

struct life {
    double hours; /* > 0 */
    bool ended;   /* false: censored, it lasted at least so long */
};

/* A figure and its 95 % interval. */
struct life_figure {
    double value, low, high;
};

struct life_fit {
    size_t n, ended;
    double mean_hours; /* of the fitted Weibull */
    struct life_figure shape, scale_hours;
    struct life_figure per_hour; /* ends an hour of life, whatever the age */
    double distance;             /* Kolmogorov-Smirnov, to the Kaplan-Meier estimate */
    double p_value;              /* asymptotic, as if nothing were estimated: too high */
};

/* The interval is that of the observed information, on a logarithmic scale. lives are sorted.
 * tick_hours: distance of the samples by which lives were seen to end, 0: exact times; the
 * distance is then taken at the ticks. ERR_INPUT without a place when fewer than five ended or all
 * are of one length. */
int life_fit_weibull(struct life *lives, size_t n, double tick_hours, struct life_fit *out,
                     struct err *e);

/* Ends an hour in one stretch of ages; exact Poisson interval. */
struct life_rate {
    double from_hours;
    double exposed_hours;
    size_t ended;
    struct life_figure per_hour;
};
/* ages ascend from 0; the last stretch is open. Fills n rates. */
void life_fit_rates(const struct life *lives, size_t n_lives, const double *ages,
                    struct life_rate *rates, size_t n);
/* Distance of the lives to those rates. lives are sorted. */
struct life_sample {
    const struct life *lives;
    size_t n;
    double tick_hours;
};
double life_fit_distance_of_rates(const struct life_sample *s, const struct life_rate *rates,
                                  size_t n);

/* Quantile of the chi-square distribution, for any number of degrees. */
double life_fit_chi_square(double p, double degrees);

/* Kolmogorov's asymptotic tail for a distance over n lives. */
double life_fit_p_value(double distance, size_t n);
/* Share of the lives that have ended by each of them (Kaplan-Meier), for charts: out[i] just after
 * lives[i]. */
void life_fit_ended(const struct life *lives, size_t n, double *out);

#endif
