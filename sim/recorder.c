/* recorder: what happened in one replication. */
#include "sim/recorder.h"

#include "sim/digest.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef __int128 wide;

/* Room for texts; what is longer is cut at a character border, but for paths, which must fit: a
 * Kubernetes name has 253 bytes at most. */
#define PATH_BYTES 384
#define UNIT_BYTES 24
#define REASON_BYTES 240
#define FINDING_BYTES 640
#define MAX_FINDINGS 64

struct path_text {
    char path[PATH_BYTES], unit[UNIT_BYTES];
};

struct entry_text {
    char subject[64], what[64], reason[REASON_BYTES];
};

struct span_text {
    char track[64], phase[40];
};

struct bill_text {
    char resource[64], group[64], type[48], zone[32], billing[16], currency[4];
};

struct finding_text {
    char level[16], code[48], text[FINDING_BYTES];
};

/* One series, filled from left to right; only the bin in progress needs more than its result. */
struct channel {
    bool is_level;
    double *mean, *min, *max;
    size_t bin;
    /* level */
    int64_t value, low, high; /* low, high: of values that lasted; valid once `lasted` */
    bool lasted;
    sim_ns since;
    wide area, bin_area;
    /* samples */
    uint64_t n;
    double sum;
    sim_ns last;
};

struct recorder {
    struct recorder_config config;
    bool closed;
    sim_ns step;
    size_t bins;
    struct digest log;
    sim_ns log_at;

    size_t n_series, n_entries, n_spans, n_bills, n_figures, n_findings;
    uint64_t entries_dropped, spans_dropped, bills_dropped, findings_dropped;
    int64_t bills_dropped_micro;

    struct channel *channels;
    double *points; /* bins x 3 a series */
    struct result_series *series;
    struct path_text *series_text;
    struct result_entry *entries;
    struct entry_text *entry_text;
    struct result_span *spans;
    struct span_text *span_text;
    struct result_bill *bills;
    struct bill_text *bill_text;
    struct figure *figures;
    struct path_text *figure_text;
    struct result_finding findings[MAX_FINDINGS];
    struct finding_text finding_text[MAX_FINDINGS];
};

/* Copies src, cut in front of a character that does not fit; returns dst. NULL reads as "". */
static const char *keep_text(char *dst, size_t size, const char *src)
{
    size_t n = src ? strlen(src) : 0;
    if (n >= size) {
        n = size - 1;
        while (n > 0 && ((unsigned char)src[n] & 0xC0) == 0x80)
            n--;
    }
    if (n > 0)
        memcpy(dst, src, n);
    dst[n] = '\0';
    return dst;
}
#define KEEP(dst, src) keep_text(dst, sizeof(dst), src)

static const char *keep_path(struct path_text *t, const char *path, const char *unit)
{
    assert(path && strlen(path) < PATH_BYTES);
    KEEP(t->unit, unit);
    return KEEP(t->path, path);
}

/* Bins of equal width, RESULT_POINTS at most; whole seconds where that costs little. */
static sim_ns bin_width(sim_ns horizon)
{
    sim_ns step = horizon / RESULT_POINTS + (horizon % RESULT_POINTS != 0);
    if (step > SIM_SECOND && step % SIM_SECOND != 0)
        step += SIM_SECOND - step % SIM_SECOND;
    return step;
}

/* calloc of at least one, so that NULL always means that memory ran out. */
static void *take(size_t n, size_t size, bool *failed)
{
    void *p = calloc(n ? n : 1, size);
    *failed = *failed || !p;
    return p;
}

struct recorder *recorder_create(const struct recorder_config *c, struct err *e)
{
    assert(c->horizon > 0);
    bool failed = false;
    struct recorder *r = take(1, sizeof *r, &failed);
    if (r) {
        r->config = *c;
        r->step = bin_width(c->horizon);
        r->bins = (size_t)(c->horizon / r->step + (c->horizon % r->step != 0));
        r->channels = take(c->max_series, sizeof *r->channels, &failed);
        r->points = take(c->max_series * 3, r->bins * sizeof *r->points, &failed);
        r->series = take(c->max_series, sizeof *r->series, &failed);
        r->series_text = take(c->max_series, sizeof *r->series_text, &failed);
        r->entries = take(c->max_entries, sizeof *r->entries, &failed);
        r->entry_text = take(c->max_entries, sizeof *r->entry_text, &failed);
        r->spans = take(c->max_spans, sizeof *r->spans, &failed);
        r->span_text = take(c->max_spans, sizeof *r->span_text, &failed);
        r->bills = take(c->max_bills, sizeof *r->bills, &failed);
        r->bill_text = take(c->max_bills, sizeof *r->bill_text, &failed);
        r->figures = take(c->max_figures, sizeof *r->figures, &failed);
        r->figure_text = take(c->max_figures, sizeof *r->figure_text, &failed);
    }
    if (!failed)
        return r;
    recorder_destroy(r);
    err_set(e, ERR_SYSTEM, NULL, "out of memory for the records of a run");
    return NULL;
}

void recorder_destroy(struct recorder *r)
{
    if (!r)
        return;
    free(r->channels);
    free(r->points);
    free(r->series);
    free(r->series_text);
    free(r->entries);
    free(r->entry_text);
    free(r->spans);
    free(r->span_text);
    free(r->bills);
    free(r->bill_text);
    free(r->figures);
    free(r->figure_text);
    free(r);
}

static rec_id add_channel(struct recorder *r, const char *path, const char *unit)
{
    assert(!r->closed && r->n_series < r->config.max_series);
    size_t i = r->n_series++;
    for (size_t k = 0; k < i; k++)
        assert(strcmp(r->series[k].path, path) != 0);
    struct channel *c = &r->channels[i];
    c->mean = r->points + i * 3 * r->bins;
    c->min = c->mean + r->bins;
    c->max = c->min + r->bins;
    for (size_t k = 0; k < 3 * r->bins; k++)
        c->mean[k] = (double)NAN;
    r->series[i] = (struct result_series){.path = keep_path(&r->series_text[i], path, unit),
                                          .unit = r->series_text[i].unit,
                                          .step = r->step,
                                          .n = r->bins,
                                          .mean = c->mean,
                                          .min = c->min,
                                          .max = c->max};
    return (rec_id)i;
}

static struct channel *channel_of(const struct recorder *r, rec_id id, bool is_level)
{
    assert(id < r->n_series);
    struct channel *c = &r->channels[id];
    assert(c->is_level == is_level);
    return c;
}

rec_id recorder_level(struct recorder *r, const char *path, const char *unit, int64_t initial)
{
    rec_id id = add_channel(r, path, unit);
    r->channels[id].is_level = true;
    r->channels[id].value = initial;
    return id;
}

/* The level held its value up to `to`, which lies in the bin in progress or at its end. */
static void level_hold(struct channel *c, sim_ns to)
{
    if (to == c->since)
        return;
    wide area = (wide)c->value * (to - c->since);
    double v = (double)c->value;
    c->bin_area += area;
    c->area += area;
    if (!(c->min[c->bin] <= v))
        c->min[c->bin] = v;
    if (!(c->max[c->bin] >= v))
        c->max[c->bin] = v;
    c->low = !c->lasted || c->value < c->low ? c->value : c->low;
    c->high = !c->lasted || c->value > c->high ? c->value : c->high;
    c->lasted = true;
    c->since = to;
}

static void level_close_bin(const struct recorder *r, struct channel *c, sim_ns end)
{
    sim_ns width = end - (sim_ns)c->bin * r->step;
    c->mean[c->bin] = (double)c->bin_area / (double)width;
    c->bin_area = 0;
    c->bin++;
}

static void level_advance(const struct recorder *r, struct channel *c, sim_ns now)
{
    assert(now >= c->since && now <= r->config.horizon);
    while (c->bin < r->bins) {
        sim_ns end = (sim_ns)(c->bin + 1) * r->step;
        if (end > r->config.horizon)
            end = r->config.horizon;
        if (now < end)
            break;
        level_hold(c, end);
        level_close_bin(r, c, end);
    }
    if (c->bin < r->bins)
        level_hold(c, now);
}

void recorder_set(struct recorder *r, rec_id level, sim_ns now, int64_t value)
{
    struct channel *c = channel_of(r, level, true);
    assert(!r->closed);
    level_advance(r, c, now);
    c->value = value;
}

void recorder_change(struct recorder *r, rec_id level, sim_ns now, int64_t by)
{
    recorder_set(r, level, now, recorder_now(r, level) + by);
}

int64_t recorder_now(const struct recorder *r, rec_id level)
{
    return channel_of(r, level, true)->value;
}

static wide area_at(const struct channel *c, sim_ns now)
{
    assert(now >= c->since);
    return c->area + (wide)c->value * (now - c->since);
}

int64_t recorder_area(const struct recorder *r, rec_id level, sim_ns now)
{
    wide area = area_at(channel_of(r, level, true), now);
    assert(area <= INT64_MAX && area >= INT64_MIN);
    return (int64_t)area;
}

double recorder_mean(const struct recorder *r, rec_id level, sim_ns now)
{
    assert(now > 0);
    return (double)area_at(channel_of(r, level, true), now) / (double)now;
}

int64_t recorder_min(const struct recorder *r, rec_id level)
{
    const struct channel *c = channel_of(r, level, true);
    return c->lasted && c->low < c->value ? c->low : c->value;
}

int64_t recorder_max(const struct recorder *r, rec_id level)
{
    const struct channel *c = channel_of(r, level, true);
    return c->lasted && c->high > c->value ? c->high : c->value;
}

rec_id recorder_samples(struct recorder *r, const char *path, const char *unit)
{
    return add_channel(r, path, unit);
}

static void samples_close_bin(struct channel *c)
{
    if (c->n > 0)
        c->mean[c->bin] = c->sum / (double)c->n;
    c->n = 0;
    c->sum = 0;
}

void recorder_sample(struct recorder *r, rec_id samples, sim_ns at, double value)
{
    struct channel *c = channel_of(r, samples, false);
    assert(!r->closed && at >= c->last && at <= r->config.horizon);
    c->last = at;
    if (isnan(value))
        return;
    size_t bin = (size_t)(at / r->step);
    if (bin >= r->bins)
        bin = r->bins - 1; /* at the horizon itself */
    if (bin != c->bin)
        samples_close_bin(c);
    c->bin = bin;
    c->sum += value;
    c->n++;
    if (!(c->min[bin] <= value))
        c->min[bin] = value;
    if (!(c->max[bin] >= value))
        c->max[bin] = value;
}

void recorder_log(struct recorder *r, sim_ns now, bool keep, const char *subject, const char *what,
                  const char *reason_fmt, ...)
{
    char reason[2 * REASON_BYTES];
    va_list args;
    va_start(args, reason_fmt);
    vsnprintf(reason, sizeof reason, reason_fmt, args);
    va_end(args);
    struct recorder_line line = {subject, what, reason, keep};
    recorder_write(r, now, &line);
}

void recorder_write(struct recorder *r, sim_ns now, const struct recorder_line *line)
{
    assert(!r->closed && now >= r->log_at && now <= r->config.horizon);
    r->log_at = now;
    digest_u64(&r->log, (uint64_t)now);
    digest_text(&r->log, line->subject);
    digest_text(&r->log, line->what);
    digest_text(&r->log, line->reason);
    if (!line->keep)
        return;
    if (r->n_entries == r->config.max_entries) {
        r->entries_dropped++;
        return;
    }
    struct entry_text *t = &r->entry_text[r->n_entries];
    struct result_entry *entry = &r->entries[r->n_entries++];
    entry->at = now;
    entry->subject = KEEP(t->subject, line->subject);
    entry->what = KEEP(t->what, line->what);
    entry->reason = KEEP(t->reason, line->reason);
}

void recorder_span(struct recorder *r, const char *track, const char *phase, sim_ns from, sim_ns to)
{
    assert(!r->closed && from >= 0 && from <= to);
    if (r->n_spans == r->config.max_spans) {
        r->spans_dropped++;
        return;
    }
    struct span_text *t = &r->span_text[r->n_spans];
    struct result_span *span = &r->spans[r->n_spans++];
    span->from = from;
    span->to = to;
    span->track = KEEP(t->track, track);
    span->phase = KEEP(t->phase, phase);
}

void recorder_bill(struct recorder *r, const struct result_bill *bill)
{
    assert(!r->closed && bill->from <= bill->to && bill->amount_micro >= 0);
    if (r->n_bills == r->config.max_bills) {
        r->bills_dropped++;
        r->bills_dropped_micro += bill->amount_micro;
        return;
    }
    struct bill_text *t = &r->bill_text[r->n_bills];
    struct result_bill *kept = &r->bills[r->n_bills++];
    *kept = *bill;
    kept->resource = KEEP(t->resource, bill->resource);
    kept->group = KEEP(t->group, bill->group);
    kept->type = KEEP(t->type, bill->type);
    kept->zone = KEEP(t->zone, bill->zone);
    kept->billing = KEEP(t->billing, bill->billing);
    kept->currency = KEEP(t->currency, bill->currency);
}

void recorder_figure(struct recorder *r, const char *path, const char *unit,
                     enum figure_merge merge, double value)
{
    assert(!r->closed && !isinf(value));
    for (size_t i = 0; i < r->n_figures; i++)
        assert(strcmp(r->figures[i].path, path) != 0);
    if (isnan(value))
        return;
    assert(r->n_figures < r->config.max_figures);
    struct path_text *t = &r->figure_text[r->n_figures];
    struct figure *f = &r->figures[r->n_figures++];
    f->path = keep_path(t, path, unit);
    f->unit = t->unit;
    f->merge = merge;
    f->value = value;
}

static bool same_finding(const struct finding_text *a, const struct finding_text *b)
{
    return strcmp(a->level, b->level) == 0 && strcmp(a->code, b->code) == 0 &&
           strcmp(a->text, b->text) == 0;
}

void recorder_finding(struct recorder *r, const char *level, const char *code, const char *fmt, ...)
{
    assert(!r->closed);
    char text[2 * FINDING_BYTES];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    struct finding_text t;
    KEEP(t.level, level);
    KEEP(t.code, code);
    KEEP(t.text, text);
    for (size_t i = 0; i < r->n_findings; i++)
        if (same_finding(&t, &r->finding_text[i]))
            return;
    if (r->n_findings == MAX_FINDINGS) {
        r->findings_dropped++;
        return;
    }
    struct finding_text *kept = &r->finding_text[r->n_findings];
    *kept = t;
    r->findings[r->n_findings++] =
        (struct result_finding){.level = kept->level, .code = kept->code, .text = kept->text};
}

uint64_t recorder_digest(const struct recorder *r)
{
    return digest_value(&r->log);
}

static void close_channels(struct recorder *r)
{
    for (size_t i = 0; i < r->n_series; i++) {
        if (r->channels[i].is_level)
            level_advance(r, &r->channels[i], r->config.horizon);
        else
            samples_close_bin(&r->channels[i]);
    }
}

void recorder_close(struct recorder *r, struct result *out)
{
    if (!r->closed)
        close_channels(r);
    r->closed = true;
    out->horizon = r->config.horizon;
    out->control_digest = recorder_digest(r);
    out->figures = r->figures;
    out->n_figures = r->n_figures;
    out->series = r->series;
    out->n_series = r->n_series;
    out->entries = r->entries;
    out->n_entries = r->n_entries;
    out->entries_dropped = r->entries_dropped;
    out->spans = r->spans;
    out->n_spans = r->n_spans;
    out->spans_dropped = r->spans_dropped;
    out->bills = r->bills;
    out->n_bills = r->n_bills;
    out->bills_dropped = r->bills_dropped;
    out->bills_dropped_micro = r->bills_dropped_micro;
    out->findings = r->findings;
    out->n_findings = r->n_findings;
    out->findings_dropped = r->findings_dropped;
}
