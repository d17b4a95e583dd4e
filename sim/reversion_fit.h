/* reversion_fit: a value that is drawn back to its mean, step by step:
 *
 *   x[i + 1] = x[i] + reversion (mean - x[i]) + deviation N(0, 1)
 *
 * by least squares, with how normal the shocks are. By GSL; never used for a decision. */
#ifndef SLUICE_SIM_REVERSION_FIT_H
#define SLUICE_SIM_REVERSION_FIT_H

#include "sim/err.h"
#include "sim/life_fit.h"

#include <stddef.h>

struct reversion_fit {
    size_t n;                     /* steps */
    struct life_figure mean;      /* long-run; of the sample where nothing draws back */
    struct life_figure reversion; /* 0..1 */
    struct life_figure deviation; /* of a step's shock */
    double low, high;             /* of the sample */
    double unchanged;             /* share of steps without any change */
    double distance, p_value;     /* Kolmogorov-Smirnov of the shocks against the normal */
};

/* n values at equal distances; shocks: room for n - 1. ERR_INPUT without a place below ten values,
 * or when they never change. */
int reversion_fit(const double *x, size_t n, double *shocks, struct reversion_fit *out,
                  struct err *e);

#endif
