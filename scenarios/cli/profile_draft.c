/* profile_draft: the fit and its two forms. */
#include "scenarios/cli/profile_draft.h"

#include "models/serving/profile.h"
#include "scenarios/cli/bench_setup.h"
#include "sim/json.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- spread ---- */

/* Finer towards the slow end, where percentiles of waiting come from. */
static const double shares[PROFILE_DRAFT_SPREAD] = {
    0, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999, 1};

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Between two order statistics, so that few samples make no steps. */
static double quantile(const double *sorted, size_t n, double share)
{
    double at = share * (double)(n - 1);
    size_t low = (size_t)at;
    size_t high = low + 1 < n ? low + 1 : low;
    return sorted[low] + (sorted[high] - sorted[low]) * (at - (double)low);
}

void profile_draft_spread(struct profile_draft *d, double *times_s, size_t n)
{
    double sum = 0;
    assert(n >= 1);
    qsort(times_s, n, sizeof *times_s, by_value);
    for (size_t i = 0; i < n; i++)
        sum += times_s[i];
    for (size_t i = 0; i < PROFILE_DRAFT_SPREAD; i++)
        d->spread[i] =
            (struct dist_point){shares[i], quantile(times_s, n, shares[i]) / (sum / (double)n)};
    d->n_spread = PROFILE_DRAFT_SPREAD;
}

void profile_draft_kind(const char *device, char out[PROFILE_DRAFT_KIND])
{
    static const char *const makers[] = {"NVIDIA ", "Tesla ", "GeForce ", "Quadro ", "RTX "};
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
        if (strncmp(device, makers[i], strlen(makers[i])) == 0)
            device += strlen(makers[i]);
    size_t n = strcspn(device, " -");
    snprintf(out, PROFILE_DRAFT_KIND, "%.*s", n > 0 && n < PROFILE_DRAFT_KIND ? (int)n : 7,
             n > 0 ? device : "unknown");
}

/* ---- fit ---- */

int profile_draft_hold(struct profile_draft *d, const char *list, struct err *e)
{
    int32_t batches[BENCH_SETUP_BATCHES];
    size_t n;
    if (bench_setup_batches("--held-out", list, batches, &n, e))
        return -1;
    for (size_t i = 0; i < n; i++) {
        size_t at = 0;
        while (at < d->n && d->points[at].batch != batches[i])
            at++;
        if (at == d->n)
            return err_set(e, ERR_INPUT, NULL, "--held-out: batch %d was not measured",
                           (int)batches[i]);
        d->held[at] = true;
    }
    return 0;
}

int profile_draft_fit(struct profile_draft *d, struct err *e)
{
    struct batch_point kept[TIMINGS_MAX];
    size_t n = 0;
    for (size_t i = 0; i < d->n; i++)
        if (!d->held[i])
            kept[n++] = d->points[i];
    if (batch_fit(kept, n, &d->fit, NULL, e) ||
        batch_fit_trust(d->points, d->held, d->n, &d->trust, e))
        return -1;
    d->n_falls = batch_fit_falls(d->points, d->n, d->falls);
    for (size_t i = 0; i < d->n; i++)
        d->residuals[i] =
            (d->fit.t0_s + d->fit.per_item_s * d->points[i].batch) / d->points[i].time_s - 1;
    return 0;
}

/* ---- doubts ---- */

#define FALLS_NAMED 4

static void say_falls(const struct profile_draft *d, struct text *to)
{
    text_add(to, "Times fall with the batch:");
    for (size_t i = 0; i < d->n_falls && i < FALLS_NAMED; i++) {
        const struct batch_point *p = &d->points[d->falls[i]];
        text_printf(to, "%s batch %g takes %.4g ms, batch %g %.4g ms", i ? ";" : "", p->batch,
                    p->time_s * 1e3, p[-1].batch, p[-1].time_s * 1e3);
    }
    if (d->n_falls > FALLS_NAMED)
        text_printf(to, "; and %zu more", d->n_falls - FALLS_NAMED);
    text_add(to, ". ");
    if (d->fit.free_per_item_s >= 0)
        text_printf(to, "The line rises all the same and is off by up to %.0f %%. ",
                    100 * d->fit.residual);
}

/* What a reader of the profile must know before using it: sentences with a blank behind each. */
static void say_doubts(const struct profile_draft *d, struct text *to)
{
    if (d->n_falls > 0)
        say_falls(d, to);
    if (d->fit.free_per_item_s < 0)
        text_printf(to,
                    "perItem came out at %.4g ms and is held at 0: every batch takes t0 = %.4g "
                    "ms. ",
                    d->fit.free_per_item_s * 1e3, d->fit.t0_s * 1e3);
    else if (d->fit.free_t0_s < 0)
        text_printf(to,
                    "t0 came out at %.4g ms and is held at 0: a batch takes perItem = %.4g ms "
                    "times its size. ",
                    d->fit.free_t0_s * 1e3, d->fit.per_item_s * 1e3);
    if (!d->stable)
        text_add(to, "Times were not stable: something else ran on this machine. ");
    if (d->throttled)
        text_add(to, "The GPU was throttled: times are not those of its clocks. ");
    for (size_t i = 0; i < d->n_left_out; i++)
        text_printf(to, "%s%d%s", i ? ", " : "Left out, since --max-duration was up: batch ",
                    (int)d->left_out[i], i + 1 == d->n_left_out ? ". " : "");
}

/* Any two points lie on a line. */
static void say_intervals(const struct profile_draft *d, struct text *to)
{
    size_t fitted = 0;
    for (size_t i = 0; i < d->n; i++)
        fitted += !d->held[i];
    if (fitted < 3)
        text_add(to, "95 % intervals unknown: two batches leave none");
    else
        text_printf(to, "95 %% intervals: t0 +- %.3g ms, perItem +- %.3g ms",
                    d->fit.t0_half_s * 1e3, d->fit.per_item_half_s * 1e3);
}

/* ---- JSON ---- */

static void put_string(struct json_out *o, const char *key, const char *value)
{
    json_out_key(o, key);
    json_out_string(o, value);
}

static void put_known(struct json_out *o, const char *key, const char *value)
{
    if (value)
        put_string(o, key, value);
}

static void put_number(struct json_out *o, const char *key, double value)
{
    json_out_key(o, key);
    json_out_number(o, value);
}

static void put_ns(struct json_out *o, const char *key, double seconds)
{
    char value[40];
    snprintf(value, sizeof value, "%.0fns", seconds * 1e9);
    put_string(o, key, value);
}

static double share(double x)
{
    return x < 1 ? x : 1;
}

static void put_key(const struct profile_draft *d, struct json_out *o)
{
    char name[240];
    if (d->sequence > 0)
        snprintf(name, sizeof name, "%.80s-%d/%.80s/%.20s", d->model, (int)d->sequence, d->gpu,
                 d->precision);
    else
        snprintf(name, sizeof name, "%.80s/%.80s/%.20s", d->model, d->gpu, d->precision);
    put_string(o, "name", name);
    put_string(o, "model", d->model);
    put_string(o, "gpu", d->gpu);
    put_string(o, "framework", d->framework);
    put_string(o, "precision", d->precision);
    put_known(o, "device", d->device);
    put_known(o, "clocks", d->clocks);
    put_known(o, "driver", d->driver);
    json_out_key(o, "sequence");
    json_out_int(o, d->sequence);
}

/* Held out batches are no points: the profile foretells them, as it was judged. */
static void put_points(const struct profile_draft *d, struct json_out *o)
{
    json_out_key(o, "points");
    json_out_open(o, "[");
    for (size_t i = 0; i < d->n; i++) {
        if (d->held[i])
            continue;
        json_out_open(o, "{");
        json_out_key(o, "batch");
        json_out_int(o, (int64_t)d->points[i].batch);
        put_number(o, "itemsPerSecond", d->points[i].batch / d->points[i].time_s);
        json_out_close(o, "}");
    }
    json_out_close(o, "]");
}

/* A file that states no spread for a batch does not say that there is none. */
static double mean_cv(const struct profile_draft *d)
{
    double cv = 0;
    size_t known = 0;
    for (size_t i = 0; i < d->n; i++)
        if (d->points[i].cv > 0) {
            cv += d->points[i].cv;
            known++;
        }
    return known > 0 ? cv / (double)known : 0;
}

static void put_spread(const struct profile_draft *d, struct json_out *o)
{
    put_number(o, "cv", mean_cv(d));
    if (d->n_spread == 0)
        return;
    json_out_key(o, "spread");
    json_out_open(o, "[");
    for (size_t i = 0; i < d->n_spread; i++) {
        json_out_open(o, "{");
        put_number(o, "share", d->spread[i].share);
        put_number(o, "time", d->spread[i].value);
        json_out_close(o, "}");
    }
    json_out_close(o, "]");
}

static void put_trust(const struct profile_draft *d, struct json_out *o)
{
    if (d->trust.points == 0)
        return;
    put_number(o, "heldOutMape", share(d->trust.mape));
    put_number(o, "heldOutWorst", share(d->trust.worst));
    json_out_key(o, "heldOutWorstBatch");
    json_out_int(o, (int64_t)d->trust.worst_batch);
}

static void put_source(const struct profile_draft *d, struct json_out *o)
{
    struct text note = {0};
    put_string(o, "quality", "measured");
    put_string(o, "source", d->source);
    put_string(o, "date", d->date);
    say_intervals(d, &note);
    text_add(&note, ". ");
    say_doubts(d, &note);
    text_add(&note, d->remark ? d->remark : "");
    while (note.length > 0 && note.s[note.length - 1] == ' ')
        note.s[--note.length] = '\0';
    put_string(o, "note", note.s ? note.s : "");
    text_fini(&note);
}

void profile_draft_json(const struct profile_draft *d, struct text *to)
{
    struct json_out o;
    json_out_init(&o, to, false);
    json_out_open(&o, "{");
    json_out_key(&o, "calibration");
    json_out_int(&o, 1);
    json_out_key(&o, "profiles");
    json_out_open(&o, "[");
    json_out_open(&o, "{");
    put_key(d, &o);
    put_ns(&o, "t0", d->fit.t0_s);
    put_ns(&o, "perItem", d->fit.per_item_s);
    put_number(&o, "fitResidual", share(d->fit.residual));
    put_points(d, &o);
    put_spread(d, &o);
    put_trust(d, &o);
    put_source(d, &o);
    json_out_close(&o, "}");
    json_out_close(&o, "]");
    json_out_close(&o, "}");
    json_out_end(&o);
}

/* ---- text ---- */

static void say_trust(const struct profile_draft *d, struct text *to)
{
    bool held = false;
    for (size_t i = 0; i < d->n; i++)
        held = held || d->held[i];
    if (d->trust.points == 0)
        text_add(to, "Two batches make a line that nothing checks: measure a third.\n");
    else
        text_printf(to, "%s: mean error (MAPE) %.1f %%, worst %.1f %% at batch %g\n",
                    held ? "Held out batches, foretold by the others"
                         : "Each batch foretold by the others",
                    100 * d->trust.mape, 100 * d->trust.worst, d->trust.worst_batch);
}

void profile_draft_text(const struct profile_draft *d, struct text *to)
{
    char key[PROFILE_KEY_TEXT];
    profile_key_text(&(struct profile){.device = d->device,
                                       .clocks = d->clocks,
                                       .driver = d->driver,
                                       .framework = d->framework,
                                       .precision = d->precision,
                                       .model = d->model,
                                       .sequence = d->sequence},
                     key);
    text_printf(to, "%s\n", key);
    text_printf(to, "%6s %14s %14s %9s %8s %8s\n", "batch", "measured ms", "fitted ms", "off", "cv",
                "samples");
    for (size_t i = 0; i < d->n; i++) {
        const struct batch_point *p = &d->points[i];
        text_printf(to, "%6.0f %14.4f %14.4f %7.1f %% %8.3f %8zu%s\n", p->batch, p->time_s * 1e3,
                    (d->fit.t0_s + d->fit.per_item_s * p->batch) * 1e3, 100 * d->residuals[i],
                    p->cv, p->samples, d->held[i] ? "  held out" : "");
    }
    text_printf(to, "t(b) = %.4g ms + %.4g ms x b; ", d->fit.t0_s * 1e3, d->fit.per_item_s * 1e3);
    say_intervals(d, to);
    text_add(to, "\n");
    say_trust(d, to);
    struct text doubts = {0};
    say_doubts(d, &doubts);
    if (doubts.length > 0)
        text_printf(to, "WARNING: %s\n", doubts.s);
    text_fini(&doubts);
    if (d->remark && d->remark[0])
        text_printf(to, "%s\n", d->remark);
}
