/* dist: a distribution as a user writes it, and a draw from it. */
#ifndef SLUICE_SIM_DIST_H
#define SLUICE_SIM_DIST_H

#include "sim/chance.h"
#include "sim/err.h"

#include <stddef.h>
#include <stdint.h>

enum dist_kind {
    DIST_CONSTANT,    /* by `mean` alone */
    DIST_EXPONENTIAL, /* by `mean` alone */
    DIST_UNIFORM,     /* a = low, b = high */
    DIST_NORMAL,      /* a = mean, b = deviation; what falls below 0 counts as 0 */
    DIST_LOGNORMAL,   /* a = mu, b = sigma of the logarithm */
    DIST_WEIBULL,     /* a = shape, b = scale */
    DIST_GAMMA,       /* a = shape, b = scale */
    DIST_MEASURED,    /* a = factor of the points' values */
};

/* A share of all values lies at or below this value. */
struct dist_point {
    double share, value;
};

/* Open data; made by dist_make or the binder. Values are in the unit of the field it stands in
 * (nanoseconds for durations). {0} is the constant 0. */
struct dist {
    enum dist_kind kind;
    double a, b;
    double mean; /* the expectation; of a normal before the cut, which shifts it by 0.5 % at most */
    const struct dist_point *points; /* DIST_MEASURED: borrowed */
    size_t n_points;
};

/* From the two figures that people have: mean > 0 (a constant may be 0) and coefficient of
 * variation (deviation / mean). cv is ignored by constant and exponential; cv 0 makes any other
 * kind a constant. -1 and ERR_INPUT (without a place: the caller knows the key) when the pair is
 * impossible; the message says what the kind can hold. */
int dist_make(struct dist *d, enum dist_kind kind, double mean, double cv, struct err *e);
/* Lognormal with this median and sigma of the logarithm. */
struct dist dist_lognormal_median(double median, double sigma);
struct dist dist_constant(double value);
/* Every value times a factor > 0. */
void dist_scale(struct dist *d, double factor);
/* Between two values, 0 <= low < high. */
struct dist dist_uniform(double low, double high);
/* Weibull (shape 0.1..1000) or gamma (shape 1e-4..1e8) by shape and scale > 0. -1 and ERR_INPUT
 * when the shape is outside. */
int dist_shape(struct dist *d, enum dist_kind kind, double shape, double scale, struct err *e);

/* What was measured: values between two points are equally likely. n >= 2 points that ascend from
 * share 0 to share 1 with values > 0 that do not fall, and outlive the distribution; all values are
 * multiplied by one factor so that the mean is this. -1 and ERR_INPUT says which point is wrong. */
int dist_measured(struct dist *d, double mean, const struct dist_point *points, size_t n,
                  struct err *e);

/* No draw is smaller. */
double dist_least(const struct dist *d);
/* Never negative. */
double dist_draw(const struct dist *d, struct chance c, uint64_t index);
/* Rounded to the nearest whole, for nanoseconds; saturates at 2^62. */
int64_t dist_draw_ns(const struct dist *d, struct chance c, uint64_t index);

#endif
