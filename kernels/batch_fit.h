/* batch_fit: the law t(b) = t0 + c b of measured batch times. */
#ifndef SLUICE_KERNELS_BATCH_FIT_H
#define SLUICE_KERNELS_BATCH_FIT_H

#include "sim/err.h"

#include <stdbool.h>
#include <stddef.h>

#define BATCH_FIT_MAX_POINTS 1024

/* A measured batch. cv, deviation / mean of a batch's time, and samples may be unknown: 0. */
struct batch_point {
    double batch, time_s;
    double cv;
    size_t samples;
};

/* Half widths are of the 95 % t interval; 0 for two points, which any line meets. */
struct batch_fit {
    double t0_s, per_item_s; /* >= 0: a negative one is held at 0 and the other fitted alone */
    double free_t0_s, free_per_item_s; /* as they came out before; a negative one was held */
    double t0_half_s, per_item_half_s;
    double residual; /* largest |fit / time - 1| */
};

/* Least squares of relative residuals: weights 1 / time^2, since a batch's time is known to a share
 * of itself. n >= 2 points of at least two different batches and positive finite times, or
 * ERR_INPUT. residuals: n relative ones, or NULL. */
int batch_fit(const struct batch_point *points, size_t n, struct batch_fit *out, double *residuals,
              struct err *e);

/* Points, ascending by batch, that take less time than the one before them by more than both
 * scatter: twice the standard error of their difference, with cv alone where samples are unknown,
 * and a hundredth where cv is unknown too. Their places go to out, room for n; returns how many. */
size_t batch_fit_falls(const struct batch_point *points, size_t n, size_t *out);

/* How well the line foretells times that it was not made from. */
struct batch_trust {
    size_t points;      /* that were foretold; 0: too few to leave any out */
    double mape, worst; /* mean and largest |fit / time - 1| */
    double worst_batch;
};

/* Foretells the points held out by a fit of the others; when none is held out, each by a fit of all
 * others but it. held: n flags. */
int batch_fit_trust(const struct batch_point *points, const bool *held, size_t n,
                    struct batch_trust *out, struct err *e);

#endif
