/* timings: the formats, and what they share. */
#include "kernels/timings.h"

#include "kernels/timings_table.h"
#include "sim/text.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The last one fits everything. */
static const struct timings_format *const formats[] = {
    &timings_mlperf,         &timings_mlperf_detail, &timings_perf_analyzer,
    &timings_model_analyzer, &timings_plain,
};
#define FORMATS (sizeof formats / sizeof *formats)

static const struct timings_format *find(const char *name, struct err *e)
{
    struct text list = {0};
    for (size_t i = 0; i < FORMATS; i++) {
        if (strcmp(formats[i]->name, name) == 0) {
            text_fini(&list);
            return formats[i];
        }
        text_printf(&list, "%s%s", i ? ", " : "", formats[i]->name);
    }
    if (text_end(&list, e) == 0)
        err_set(e, ERR_INPUT, NULL, "the format '%.*s' is none of %s", text_cut(name, 40), name,
                list.s);
    text_fini(&list);
    return NULL;
}

static const struct timings_format *detect(const char *text)
{
    size_t i = 0;
    while (!formats[i]->fits(text))
        i++;
    assert(i < FORMATS);
    return formats[i];
}

/* Messages quote the file, and are UTF-8. */
static int check_text(const struct timings_source *s, struct err *e)
{
    if (strlen(s->text) != s->length)
        return err_set(e, ERR_INPUT, s->path, "holds a NUL byte; a text file is wanted");
    const char *at = s->text, *end = at + s->length;
    while (at < end) {
        size_t n = text_character(at, end);
        if (n == 0)
            return err_set(e, ERR_INPUT, s->path, "byte %zu is no UTF-8; a text file is wanted",
                           (size_t)(at - s->text) + 1);
        at += n;
    }
    return 0;
}

int timings_read(struct arena *a, const struct timings_source *s, const char *format,
                 struct timings *out, struct err *e)
{
    *out = (struct timings){0};
    if (check_text(s, e))
        return -1;
    const struct timings_format *f = format ? find(format, e) : detect(s->text);
    if (!f || f->read(a, s, out, e))
        return -1;
    if (out->n == 0)
        return err_set(e, ERR_INPUT, s->path, "no times were found, read as %s: %s", f->name,
                       f->doc);
    return 0;
}

int timings_add(struct timings *t, const struct timings_source *s, size_t line,
                const struct batch_point *p, struct err *e)
{
    char place[TIMINGS_PLACE];
    timings_table_place(s, line, place);
    if (!(p->batch >= 1 && p->batch <= 1e6) || p->batch != floor(p->batch) ||
        !(p->time_s >= 1e-9 && p->time_s <= 86400) || !(p->cv >= 0 && p->cv <= 10))
        return err_set(e, ERR_INPUT, place,
                       "batch %g with a time of %g s and a cv of %g: a batch is a whole number of "
                       "1 to 10^6, a time 1 ns to a day, a cv 0 to 10",
                       p->batch, p->time_s, p->cv);
    if (t->n == TIMINGS_MAX)
        return err_set(e, ERR_INPUT, place, "more than %d batches", TIMINGS_MAX);
    size_t at = t->n;
    while (at > 0 && t->points[at - 1].batch > p->batch)
        at--;
    if (at > 0 && t->points[at - 1].batch == p->batch)
        return err_set(e, ERR_INPUT, place, "batch %g is there twice", p->batch);
    memmove(&t->points[at + 1], &t->points[at], (t->n - at) * sizeof *t->points);
    t->points[at] = *p;
    t->n++;
    return 0;
}

/* The standard normal's 99th percentile. */
#define Z99 2.3263478740408408

static double cv_of_sigma(double sigma)
{
    double cv = sqrt(expm1(sigma * sigma));
    return cv < 10 ? cv : 10;
}

double timings_cv(double p50, double p99)
{
    return p50 > 0 && p99 > p50 && isfinite(p99) ? cv_of_sigma(log(p99 / p50) / Z99) : 0;
}

/* p99 / mean = exp(z sigma - sigma^2 / 2), solved for the smaller sigma. */
double timings_cv_of_mean(double mean, double p99)
{
    if (!(mean > 0 && p99 > mean && isfinite(p99)))
        return 0;
    double under = Z99 * Z99 - 2 * log(p99 / mean);
    return cv_of_sigma(under > 0 ? Z99 - sqrt(under) : Z99);
}
