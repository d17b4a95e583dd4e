/* trace_traffic: recorded traffic: rates and single requests. */
#include "scenarios/cli/trace_traffic.h"

#include "sim/arena.h"
#include "sim/json.h"
#include "sim/stats.h"
#include "sim/text.h"
#include "workloads/csv.h"
#include "workloads/request_list.h"
#include "workloads/series.h"
#include "workloads/trace.h"
#include "workloads/traffic_config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* One of the two. */
struct traffic_file {
    const char *path;
    bool rates;
    struct series series;
    struct request_list list;
    double mean, peak; /* a second; the peak of requests is that of the busiest second */
    double cv;         /* of the time between requests, or of the rate over time */
    double seconds;
};

static bool has_rates(const char *path)
{
    struct csv c;
    struct err e = {0};
    struct csv_wish wish = {NULL, NULL, true};
    bool has = csv_open(&c, path, &wish, &e) == 0 && c.columns > 1;
    csv_close(&c);
    return has;
}

static bool has_times(const char *path)
{
    struct csv c;
    struct err e = {0};
    struct csv_wish wish = {NULL, NULL, false};
    struct csv_row row;
    struct stamp stamp;
    bool has = csv_open(&c, path, &wish, &e) == 0 && csv_next(&c, &row, &e) == 1 &&
               stamp_parse(row.time, STAMP_UNIT_AUTO, &stamp);
    csv_close(&c);
    return has;
}

bool trace_traffic_is(const char *path)
{
    struct err e = {0};
    struct trace t;
    struct arena *a = arena_create(&e);
    bool market = a && (trace_load(&t, a, path, &e) == 0 || t.format);
    arena_destroy(a);
    return a && !market && has_times(path);
}

static void measure_rates(struct traffic_file *f)
{
    double sum = 0, squares = 0, weight = 0;
    for (size_t i = 0; i + 1 < f->series.count; i++) {
        double v = f->series.points[i].qps;
        double s = (double)(f->series.points[i + 1].at - f->series.points[i].at) / 1e9;
        if (isnan(v))
            continue;
        sum += v * s;
        squares += v * v * s;
        weight += s;
        f->peak = v > f->peak ? v : f->peak;
    }
    f->seconds = (double)f->series.span / 1e9;
    f->mean = weight > 0 ? sum / weight : 0;
    double variance = weight > 0 ? squares / weight - f->mean * f->mean : 0;
    f->cv = f->mean > 0 ? sqrt(fmax(0, variance)) / f->mean : 0;
}

static int measure_requests(struct traffic_file *f, struct arena *a, struct err *e)
{
    const int64_t *t = f->list.times;
    size_t n = f->list.count, first = 0, most = 0;
    double *gaps = arena_take(a, n, sizeof *gaps, e);
    if (!gaps)
        return -1;
    for (size_t i = 0; i < n; i++) {
        while (t[i] - t[first] >= SIM_SECOND)
            first++;
        most = i - first + 1 > most ? i - first + 1 : most;
        if (i > 0)
            gaps[i - 1] = (double)(t[i] - t[i - 1]) / 1e9;
    }
    f->peak = (double)most;
    f->seconds = n > 1 ? (double)(t[n - 1] - t[0]) / 1e9 : 0;
    f->mean = f->seconds > 0 ? (double)(n - 1) / f->seconds : 0;
    if (n > 2 && f->seconds > 0)
        f->cv = sqrt(stats_variance(gaps, n - 1)) / stats_mean(gaps, n - 1);
    return 0;
}

static int load(struct traffic_file *f, struct arena *a, const char *path, struct err *e)
{
    struct traffic_config c = {.disorder = TRAFFIC_SORT, .duplicates = TRAFFIC_SUM_DUPLICATES};
    *f = (struct traffic_file){.path = path, .rates = has_rates(path)};
    if (f->rates) {
        if (series_load(&f->series, a, path, &c, e))
            return -1;
        measure_rates(f);
        return 0;
    }
    return request_list_load(&f->list, a, path, &c, e) || measure_requests(f, a, e) ? -1 : 0;
}

static void info_text(const struct traffic_file *f, struct text *to)
{
    const struct series *s = &f->series;
    char bin[48], gaps[48];
    if (!f->rates) {
        text_printf(to,
                    "%s: requestCsv (one request a row), %zu %s over %.6g s, %.5g a second, "
                    "%.0f in the busiest second; times between them vary by %.3g (1: Poisson)\n",
                    f->path, f->list.count, text_plural(f->list.count, "request", "requests"),
                    f->seconds, f->mean, f->peak, f->cv);
        if (f->list.out_of_order > 0)
            text_printf(to, "repaired: %zu %s out of order and sorted\n", f->list.out_of_order,
                        text_plural(f->list.out_of_order, "row was", "rows were"));
        return;
    }
    text_duration(bin, sizeof bin, s->bin);
    text_printf(to,
                "%s: rateCsv (%s over time), %zu %s of %s over %.6g s, mean %.5g a second, peak "
                "%.5g, variation %.3g\n",
                f->path, s->counts ? "counts" : "rates", s->rows,
                text_plural(s->rows, "row", "rows"), bin, f->seconds, f->mean, f->peak, f->cv);
    text_duration(gaps, sizeof gaps, s->gap_total);
    if (s->gaps > 0)
        text_printf(to, "%zu %s, %s in all: nothing arrives then\n", s->gaps,
                    text_plural(s->gaps, "gap", "gaps"), gaps);
    if (s->out_of_order > 0)
        text_printf(to, "out of order: %zu %s (\"disorder\": \"sort\" allows them in a run)\n",
                    s->out_of_order, text_plural(s->out_of_order, "row", "rows"));
    if (s->duplicates > 0)
        text_printf(to, "same time: %zu %s (\"duplicates\": \"sum\" allows them in a run)\n",
                    s->duplicates, text_plural(s->duplicates, "row", "rows"));
    if (s->jittered > 0)
        text_printf(to, "late by less than half a bin: %zu %s\n", s->jittered,
                    text_plural(s->jittered, "row", "rows"));
}

static void put_figures(const struct traffic_file *f, struct json_out *o)
{
    struct {
        const char *key;
        double value;
    } rows[] = {
        {"rows", (double)(f->rates ? f->series.rows : f->list.count)},
        {"seconds", f->seconds},
        {"meanQps", f->mean},
        {"peakQps", f->peak},
        {"cv", f->cv},
        {"gaps", f->rates ? (double)f->series.gaps : 0},
        {"outOfOrder", (double)(f->rates ? f->series.out_of_order : f->list.out_of_order)},
        {"duplicates", f->rates ? (double)f->series.duplicates : 0},
    };
    json_out_key(o, "file");
    json_out_string(o, f->path);
    json_out_key(o, "format");
    json_out_string(o, f->rates ? "rateCsv" : "requestCsv");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        json_out_key(o, rows[i].key);
        json_out_number(o, rows[i].value);
    }
}

static void begin(struct json_out *o, struct text *to, const char *schema)
{
    json_out_init(o, to, false);
    json_out_open(o, "{");
    json_out_key(o, "schema");
    json_out_string(o, schema);
}

int trace_traffic_info(struct arena *a, const char *path, bool json, struct text *to, struct err *e)
{
    struct traffic_file f;
    struct json_out o;
    if (load(&f, a, path, e))
        return -1;
    if (!json) {
        info_text(&f, to);
        return 0;
    }
    begin(&o, to, "sluice.trace.info/1");
    put_figures(&f, &o);
    json_out_close(&o, "}");
    json_out_end(&o);
    return 0;
}

int trace_traffic_convert(struct arena *a, const char *path, const char *format, struct text *to,
                          struct err *e)
{
    struct traffic_file f;
    if (load(&f, a, path, e))
        return -1;
    const char *own = f.rates ? "rateCsv" : "requestCsv";
    if (format && strcmp(format, own) != 0)
        return err_set(e, ERR_INPUT, NULL, "--to: '%.60s' is no format of such a trace; known: %s",
                       format, own);
    text_add(to, f.rates ? "offset_s,qps\n" : "offset_s\n");
    for (size_t i = 0; f.rates && i + 1 < f.series.count; i++) {
        text_number(to, (double)f.series.points[i].at / 1e9);
        text_add(to, ",");
        if (!isnan(f.series.points[i].qps))
            text_number(to, f.series.points[i].qps);
        text_add(to, "\n");
    }
    for (size_t i = 0; i < f.list.count; i++) {
        text_number(to, (double)f.list.times[i] / 1e9);
        text_add(to, "\n");
    }
    return 0;
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* A gamma renewal of the same level and burstiness; a file of rates keeps its shape over time. */
static void put_traffic(const struct traffic_file *f, struct json_out *o)
{
    char digits[40];
    double v = f->mean;
    json_out_open(o, "{");
    json_out_key(o, "qps");
    snprintf(digits, sizeof digits, "%.4g", v);
    text_parse_double(digits, &v);
    if (f->rates)
        json_out_string(o, name_of(f->path));
    else
        json_out_number(o, v);
    json_out_key(o, "arrivals");
    if (f->rates) {
        json_out_string(o, "poisson");
    } else {
        snprintf(digits, sizeof digits, "%.3g", fmin(100, fmax(0.01, f->cv)));
        text_parse_double(digits, &v);
        json_out_open(o, "{");
        json_out_key(o, "gamma");
        json_out_number(o, v);
        json_out_close(o, "}");
    }
    if (f->rates && f->series.out_of_order > 0) {
        json_out_key(o, "disorder");
        json_out_string(o, "sort");
    }
    if (f->rates && f->series.duplicates > 0) {
        json_out_key(o, "duplicates");
        json_out_string(o, "sum");
    }
    json_out_close(o, "}");
}

int trace_traffic_fit(struct arena *a, const char *path, bool json, struct text *to, struct err *e)
{
    struct traffic_file f;
    struct json_out o;
    if (load(&f, a, path, e))
        return -1;
    if (!f.rates && f.list.count < 10)
        return err_set(e, ERR_INPUT, path, "%zu %s; a fit needs ten at least", f.list.count,
                       text_plural(f.list.count, "request", "requests"));
    if (!json) {
        info_text(&f, to);
        text_add(to, "\nFor the scenario's `traffic`:\n\n");
        json_out_init(&o, to, false);
        put_traffic(&f, &o);
        json_out_end(&o);
        return 0;
    }
    begin(&o, to, "sluice.trace.fit/1");
    put_figures(&f, &o);
    json_out_key(&o, "traffic");
    put_traffic(&f, &o);
    json_out_close(&o, "}");
    json_out_end(&o);
    return 0;
}
