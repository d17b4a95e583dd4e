/* dist: a distribution as a user writes it, and a draw from it. */
#include "sim/dist.h"

#include <assert.h>
#include <float.h>
#include <stdbool.h>

/* Logarithm of the gamma function for x >= 1, by Stirling's series at 10 or more; error about
 * 1e-15 of the terms. Own, because the shapes it leads to decide draws. */
static double log_gamma(double x)
{
    assert(x >= 1);
    double below = 1; /* Gamma(x + n) / Gamma(x) */
    while (x < 10) {
        below *= x;
        x += 1;
    }
    double r = 1 / x, r2 = r * r;
    double series =
        r * (1.0 / 12 -
             r2 * (1.0 / 360 - r2 * (1.0 / 1260 -
                                     r2 * (1.0 / 1680 -
                                           r2 * (1.0 / 1188 - r2 * (691.0 / 360360 - r2 / 156))))));
    const double half_log_two_pi = 0.91893853320467274178;
    return (x - 0.5) * chance_log(x) - x + half_log_two_pi + series - chance_log(below);
}

/* Squared coefficient of variation of a Weibull of this shape; falls as the shape rises. */
static double weibull_cv2(double shape)
{
    double one = log_gamma(1 + 1 / shape);
    double two = log_gamma(1 + 2 / shape);
    return chance_exp(two - 2 * one) - 1;
}

#define WEIBULL_SHAPE_MIN 0.1
#define WEIBULL_SHAPE_MAX 1000.0

static int weibull_shape(double cv, double *shape, struct err *e)
{
    double low = WEIBULL_SHAPE_MIN, high = WEIBULL_SHAPE_MAX;
    if (cv * cv > weibull_cv2(low) || cv * cv < weibull_cv2(high))
        return err_set(e, ERR_INPUT, NULL,
                       "cv %g cannot be had from a Weibull distribution here: 0, or 0.00129..429",
                       cv);
    for (int i = 0; i < 200; i++) {
        double middle = low + (high - low) / 2;
        if (weibull_cv2(middle) > cv * cv)
            low = middle;
        else
            high = middle;
    }
    *shape = high;
    return 0;
}

static int make_uniform(struct dist *d, double mean, double cv, struct err *e)
{
    double half = 1.7320508075688772 * cv * mean; /* deviation = half width / sqrt 3 */
    if (half > mean)
        return err_set(e, ERR_INPUT, NULL,
                       "cv %g of a uniform distribution reaches below 0: at most 0.577", cv);
    d->a = mean - half;
    d->b = mean + half;
    return 0;
}

/* Cutting at 0 shifts the mean by 0.43 % at cv 0.5, and quickly by more beyond. */
static int make_normal(struct dist *d, double mean, double cv, struct err *e)
{
    if (cv > 0.5)
        return err_set(e, ERR_INPUT, NULL,
                       "cv %g of a normal distribution reaches far below 0: at most 0.5; "
                       "lognormal and gamma allow more",
                       cv);
    d->a = mean;
    d->b = cv * mean;
    return 0;
}

static void make_lognormal(struct dist *d, double mean, double cv)
{
    double variance = chance_log(1 + cv * cv);
    d->a = chance_log(mean) - variance / 2;
    d->b = __builtin_sqrt(variance);
}

static int make_weibull(struct dist *d, double mean, double cv, struct err *e)
{
    if (weibull_shape(cv, &d->a, e))
        return -1;
    d->b = mean / chance_exp(log_gamma(1 + 1 / d->a));
    return 0;
}

static int make_gamma(struct dist *d, double mean, double cv, struct err *e)
{
    if (cv < 1e-4 || cv > 100)
        return err_set(e, ERR_INPUT, NULL, "cv %g of a gamma distribution is outside 0.0001..100",
                       cv);
    d->a = 1 / (cv * cv);
    d->b = mean * (cv * cv);
    return 0;
}

int dist_make(struct dist *d, enum dist_kind kind, double mean, double cv, struct err *e)
{
    if (!(mean >= 0 && mean <= DBL_MAX) || (mean == 0 && kind != DIST_CONSTANT))
        return err_set(e, ERR_INPUT, NULL, "mean %g must be a finite number above 0", mean);
    bool has_cv = kind != DIST_CONSTANT && kind != DIST_EXPONENTIAL;
    if (has_cv && !(cv >= 0 && cv <= 1000))
        return err_set(e, ERR_INPUT, NULL, "cv %g is outside 0..1000", cv);
    *d = (struct dist){.kind = kind, .mean = mean};
    if (has_cv && cv == 0)
        d->kind = DIST_CONSTANT;
    switch (d->kind) {
    case DIST_CONSTANT:
    case DIST_EXPONENTIAL:
        d->a = mean;
        return 0;
    case DIST_UNIFORM:
        return make_uniform(d, mean, cv, e);
    case DIST_NORMAL:
        return make_normal(d, mean, cv, e);
    case DIST_LOGNORMAL:
        make_lognormal(d, mean, cv);
        return 0;
    case DIST_WEIBULL:
        return make_weibull(d, mean, cv, e);
    case DIST_GAMMA:
        return make_gamma(d, mean, cv, e);
    case DIST_MEASURED: /* has no cv to be made from */
        break;
    }
    assert(0 && "a kind of distribution");
    return -1;
}

struct dist dist_lognormal_median(double median, double sigma)
{
    assert(median > 0 && sigma >= 0);
    double mu = chance_log(median);
    return (struct dist){.kind = DIST_LOGNORMAL,
                         .a = mu,
                         .b = sigma,
                         .mean = median * chance_exp(sigma * sigma / 2)};
}

void dist_scale(struct dist *d, double factor)
{
    assert(factor > 0);
    d->mean *= factor;
    switch (d->kind) {
    case DIST_UNIFORM:
    case DIST_NORMAL:
        d->a *= factor;
        d->b *= factor;
        return;
    case DIST_LOGNORMAL:
        d->a += chance_log(factor);
        return;
    case DIST_WEIBULL:
    case DIST_GAMMA:
        d->b *= factor;
        return;
    case DIST_CONSTANT:
    case DIST_EXPONENTIAL:
    case DIST_MEASURED:
        d->a *= factor;
        return;
    }
}

struct dist dist_constant(double value)
{
    assert(value >= 0);
    return (struct dist){.kind = DIST_CONSTANT, .a = value, .mean = value};
}

struct dist dist_uniform(double low, double high)
{
    assert(low >= 0 && low < high);
    return (struct dist){.kind = DIST_UNIFORM, .a = low, .b = high, .mean = low + (high - low) / 2};
}

int dist_shape(struct dist *d, enum dist_kind kind, double shape, double scale, struct err *e)
{
    assert(kind == DIST_WEIBULL || kind == DIST_GAMMA);
    assert(scale > 0);
    bool weibull = kind == DIST_WEIBULL;
    double least = weibull ? WEIBULL_SHAPE_MIN : 1e-4, most = weibull ? WEIBULL_SHAPE_MAX : 1e8;
    if (!(shape >= least && shape <= most))
        return err_set(e, ERR_INPUT, NULL, "shape %g is outside %g..%g", shape, least, most);
    double mean = weibull ? scale * chance_exp(log_gamma(1 + 1 / shape)) : shape * scale;
    *d = (struct dist){.kind = kind, .a = shape, .b = scale, .mean = mean};
    return 0;
}

static int check_points(const struct dist_point *points, size_t n, struct err *e)
{
    if (n < 2 || points[0].share != 0 || points[n - 1].share != 1)
        return err_set(e, ERR_INPUT, NULL, "at least two points from share 0 to share 1");
    for (size_t i = 0; i < n; i++) {
        if (!(points[i].value > 0 && points[i].value <= DBL_MAX))
            return err_set(e, ERR_INPUT, NULL, "point %zu: a value is above 0", i);
        if (i > 0 && !(points[i].share > points[i - 1].share))
            return err_set(e, ERR_INPUT, NULL, "point %zu: shares ascend", i);
        if (i > 0 && points[i].value < points[i - 1].value)
            return err_set(e, ERR_INPUT, NULL, "point %zu: values do not fall", i);
    }
    return 0;
}

int dist_measured(struct dist *d, double mean, const struct dist_point *points, size_t n,
                  struct err *e)
{
    double sum = 0;
    assert(mean > 0);
    if (check_points(points, n, e))
        return -1;
    for (size_t i = 1; i < n; i++)
        sum += (points[i].share - points[i - 1].share) *
               (points[i - 1].value + (points[i].value - points[i - 1].value) / 2);
    *d = (struct dist){
        .kind = DIST_MEASURED, .a = mean / sum, .mean = mean, .points = points, .n_points = n};
    return 0;
}

/* The value that a share u of all lie below. */
static double measured_at(const struct dist *d, double u)
{
    size_t low = 0, high = d->n_points - 1;
    while (low + 1 < high) {
        size_t middle = low + (high - low) / 2;
        if (d->points[middle].share <= u)
            low = middle;
        else
            high = middle;
    }
    const struct dist_point *p = &d->points[low], *q = &d->points[high];
    return d->a * (p->value + (q->value - p->value) * ((u - p->share) / (q->share - p->share)));
}

double dist_least(const struct dist *d)
{
    switch (d->kind) {
    case DIST_CONSTANT:
        return d->mean;
    case DIST_UNIFORM:
        return d->a;
    case DIST_MEASURED:
        return d->a * d->points[0].value;
    default:
        return 0;
    }
}

double dist_draw(const struct dist *d, struct chance c, uint64_t index)
{
    switch (d->kind) {
    case DIST_CONSTANT:
        return d->mean;
    case DIST_EXPONENTIAL:
        return d->mean * chance_exponential(c, index);
    case DIST_UNIFORM:
        return d->a + (d->b - d->a) * chance_uniform(c, index);
    case DIST_NORMAL: {
        double x = d->a + d->b * chance_normal(c, index);
        return x > 0 ? x : 0;
    }
    case DIST_LOGNORMAL:
        return chance_lognormal(c, index, d->a, d->b);
    case DIST_WEIBULL:
        return d->b * chance_weibull(c, index, d->a);
    case DIST_GAMMA:
        return d->b * chance_gamma(c, index, d->a);
    case DIST_MEASURED:
        return measured_at(d, chance_uniform(c, index));
    }
    assert(0 && "a kind of distribution");
    return 0;
}

int64_t dist_draw_ns(const struct dist *d, struct chance c, uint64_t index)
{
    double x = dist_draw(d, c, index);
    assert(x >= 0);
    if (x >= 0x1p62)
        return INT64_C(1) << 62;
    return (int64_t)(x + 0.5);
}
