/* batch_fit: weighted least squares by GSL. */
#include "kernels/batch_fit.h"

#include <assert.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_fit.h>
#include <math.h>

/* The points as columns. */
struct columns {
    double x[BATCH_FIT_MAX_POINTS], y[BATCH_FIT_MAX_POINTS], weight[BATCH_FIT_MAX_POINTS];
};

static int check(const struct batch_point *points, size_t n, struct err *e)
{
    bool differ = false;
    if (n < 2 || n > BATCH_FIT_MAX_POINTS)
        return err_set(e, ERR_INPUT, NULL, "a fit needs 2 to %d batches; there are %zu",
                       BATCH_FIT_MAX_POINTS, n);
    for (size_t i = 0; i < n; i++) {
        if (!(points[i].batch >= 1) || !(points[i].time_s > 0) || !isfinite(points[i].time_s) ||
            !isfinite(points[i].batch))
            return err_set(e, ERR_INPUT, NULL, "batch %g with a time of %g s cannot be fitted",
                           points[i].batch, points[i].time_s);
        differ = differ || points[i].batch != points[0].batch;
    }
    if (!differ)
        return err_set(e, ERR_INPUT, NULL, "a fit needs two different batches; all are %g",
                       points[0].batch);
    return 0;
}

/* A share of a batch's time cannot be negative: the line through the origin, or the level one. */
static void hold_at_zero(const struct columns *c, size_t n, struct batch_fit *f)
{
    double variance, chi2, sum = 0, weights = 0;
    if (f->t0_s < 0) {
        f->t0_s = 0;
        gsl_fit_wmul(c->x, 1, c->weight, 1, c->y, 1, n, &f->per_item_s, &variance, &chi2);
    } else if (f->per_item_s < 0) {
        f->per_item_s = 0;
        for (size_t i = 0; i < n; i++) {
            sum += c->weight[i] * c->y[i];
            weights += c->weight[i];
        }
        f->t0_s = sum / weights;
    }
}

int batch_fit(const struct batch_point *points, size_t n, struct batch_fit *out, double *residuals,
              struct err *e)
{
    struct columns c = {.x = {0}}; /* the compiler cannot know that check refuses n = 0 */
    double v00, v01, v11, chi2;
    assert(points && out);
    if (check(points, n, e))
        return -1;
    for (size_t i = 0; i < n; i++) {
        c.x[i] = points[i].batch;
        c.y[i] = points[i].time_s;
        c.weight[i] = 1 / (points[i].time_s * points[i].time_s);
    }
    *out = (struct batch_fit){0};
    gsl_fit_wlinear(c.x, 1, c.weight, 1, c.y, 1, n, &out->t0_s, &out->per_item_s, &v00, &v01, &v11,
                    &chi2);
    if (n > 2) { /* the weights say how the points compare, the residuals how large the noise is */
        double t = gsl_cdf_tdist_Pinv(0.975, (double)n - 2), noise = chi2 / ((double)n - 2);
        out->t0_half_s = t * sqrt(v00 * noise);
        out->per_item_half_s = t * sqrt(v11 * noise);
    }
    out->free_t0_s = out->t0_s;
    out->free_per_item_s = out->per_item_s;
    hold_at_zero(&c, n, out);
    for (size_t i = 0; i < n; i++) {
        double off = (out->t0_s + out->per_item_s * c.x[i]) / c.y[i] - 1;
        out->residual = fabs(off) > out->residual ? fabs(off) : out->residual;
        if (residuals)
            residuals[i] = off;
    }
    return 0;
}

#define UNKNOWN_NOISE 0.01

static double noise_of(const struct batch_point *p)
{
    double share = p->cv > 0 ? p->cv : UNKNOWN_NOISE;
    return share * p->time_s / sqrt(p->samples > 1 ? (double)p->samples : 1);
}

size_t batch_fit_falls(const struct batch_point *points, size_t n, size_t *out)
{
    size_t found = 0;
    for (size_t i = 1; i < n; i++) {
        double a = noise_of(&points[i - 1]), b = noise_of(&points[i]);
        if (points[i - 1].time_s - points[i].time_s > 2 * sqrt(a * a + b * b))
            out[found++] = i;
    }
    return found;
}

/* One point by the line through others. */
static void foretell(const struct batch_fit *f, const struct batch_point *p,
                     struct batch_trust *out)
{
    double off = fabs((f->t0_s + f->per_item_s * p->batch) / p->time_s - 1);
    out->mape += off;
    out->points++;
    if (off >= out->worst) {
        out->worst = off;
        out->worst_batch = p->batch;
    }
}

/* All but those held out, and but the one numbered `but`. */
static size_t others(const struct batch_point *points, const bool *held, size_t n, size_t but,
                     struct batch_point *out)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (!held[i] && i != but)
            out[kept++] = points[i];
    return kept;
}

int batch_fit_trust(const struct batch_point *points, const bool *held, size_t n,
                    struct batch_trust *out, struct err *e)
{
    struct batch_point kept[BATCH_FIT_MAX_POINTS];
    struct batch_fit f;
    size_t n_held = 0;
    *out = (struct batch_trust){0};
    if (check(points, n, e))
        return -1;
    for (size_t i = 0; i < n; i++)
        n_held += held[i];
    if (n_held == 0 && n < 3)
        return 0;
    for (size_t i = 0; i < n; i++) {
        if (n_held > 0 && !held[i])
            continue;
        size_t k = others(points, held, n, n_held > 0 ? n : i, kept);
        if (batch_fit(kept, k, &f, NULL, e))
            return -1;
        foretell(&f, &points[i], out);
    }
    out->mape /= (double)out->points;
    return 0;
}
