/* series: a rate over time, read from the rows of a file. */
#include "workloads/series.h"

#include "sim/arena.h"
#include "sim/err.h"
#include "sim/text.h"
#include "workloads/csv.h"
#include "workloads/traffic_config.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct row {
    int64_t ns;
    double value; /* NAN: the field is empty */
    size_t line;
};

/* While reading; `rows` is freed by series_load. */
struct reading {
    const struct traffic_config *config;
    struct csv csv;
    struct row *rows;
    size_t count, capacity;
    size_t out_of_order, duplicates;
    enum stamp_kind kind;
};

/* ---- rows ---- */

static int64_t row_limit(const struct traffic_config *c)
{
    return c->max_rows == 0 ? TRAFFIC_MAX_ROWS : c->max_rows;
}

static int add_row(struct reading *r, const struct row *row, struct err *e)
{
    if ((int64_t)r->count >= row_limit(r->config)) {
        return trace_file_fault(r->csv.file, row->line, e, "more than %lld rows: raise maxRows",
                                (long long)row_limit(r->config));
    }
    if (r->count == r->capacity) {
        size_t capacity = r->capacity == 0 ? 1024 : r->capacity * 2;
        struct row *rows = realloc(r->rows, capacity * sizeof *rows);
        if (rows == NULL) {
            return err_set(e, ERR_SYSTEM, NULL, "no memory for %zu rows", capacity);
        }
        r->rows = rows;
        r->capacity = capacity;
    }
    r->rows[r->count++] = *row;
    return 0;
}

static int read_value(struct reading *r, const struct csv_row *from, struct row *to, struct err *e)
{
    if (from->value[0] == '\0') {
        to->value = (double)NAN;
        return 0;
    }
    double v;
    if (!text_parse_double(from->value, &v)) {
        return trace_file_fault(r->csv.file, from->line, e,
                                "\"%.60s\" is no number; an empty field is a gap", from->value);
    }
    if (!(v >= 0)) {
        return trace_file_fault(r->csv.file, from->line, e, "a rate of %.60s is below 0",
                                from->value);
    }
    to->value = v;
    return 0;
}

static int read_time(struct reading *r, const struct csv_row *from, struct row *to, struct err *e)
{
    struct stamp stamp;
    if (!stamp_parse(from->time, (enum stamp_unit)r->config->time_unit, &stamp)) {
        return trace_file_fault(r->csv.file, from->line, e,
                                "\"%.60s\" is no time such as 600, 1709258400 or "
                                "2024-03-01T02:00:00Z",
                                from->time);
    }
    if (r->count == 0) {
        r->kind = stamp.kind;
    }
    if (stamp.kind != r->kind) {
        return trace_file_fault(r->csv.file, from->line, e, "\"%.60s\" is %s; rows before have %s",
                                from->time, stamp_kind_name(stamp.kind), stamp_kind_name(r->kind));
    }
    to->ns = stamp.ns;
    return 0;
}

static int check_order(struct reading *r, const struct row *row, const char *time, struct err *e)
{
    if (r->count == 0) {
        return 0;
    }
    const struct row *last = &r->rows[r->count - 1];
    if (row->ns < last->ns) {
        r->out_of_order++;
        if (r->config->disorder == TRAFFIC_REFUSE_DISORDER) {
            return trace_file_fault(r->csv.file, row->line, e,
                                    "\"%.60s\" is earlier than the row before; \"disorder\": "
                                    "\"sort\" allows it",
                                    time);
        }
    }
    if (row->ns == last->ns && r->config->duplicates == TRAFFIC_REFUSE_DUPLICATES) {
        return trace_file_fault(r->csv.file, row->line, e,
                                "\"%.60s\" occurs twice; \"duplicates\": \"sum\", \"first\" or "
                                "\"last\" allows it",
                                time);
    }
    return 0;
}

static int read_rows(struct reading *r, struct err *e)
{
    struct csv_row from;
    int status;
    while ((status = csv_next(&r->csv, &from, e)) == 1) {
        struct row row = {.line = from.line};
        if (read_time(r, &from, &row, e) != 0 || read_value(r, &from, &row, e) != 0 ||
            check_order(r, &row, from.time, e) != 0 || add_row(r, &row, e) != 0) {
            return -1;
        }
    }
    if (status == 0 && r->count == 0) {
        return err_set(e, ERR_INPUT, trace_file_path(r->csv.file), "the file has no rows");
    }
    return status;
}

/* ---- repairs ---- */

static int by_time(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (x->ns != y->ns) {
        return x->ns < y->ns ? -1 : 1;
    }
    return (x->line > y->line) - (x->line < y->line);
}

static double merged(double a, double b, int duplicates)
{
    if (duplicates == TRAFFIC_KEEP_FIRST || isnan(b)) {
        return a;
    }
    return duplicates == TRAFFIC_KEEP_LAST || isnan(a) ? b : a + b;
}

/* Sorts, then makes one row of those with the same time. */
static int repair(struct reading *r, struct err *e)
{
    if (r->out_of_order > 0) {
        qsort(r->rows, r->count, sizeof *r->rows, by_time);
    }
    size_t n = 1;
    for (size_t i = 1; i < r->count; i++) {
        const struct row *row = &r->rows[i];
        struct row *last = &r->rows[n - 1];
        if (row->ns != last->ns) {
            r->rows[n++] = *row;
            continue;
        }
        if (r->config->duplicates == TRAFFIC_REFUSE_DUPLICATES) {
            return trace_file_fault(r->csv.file, row->line, e,
                                    "the same time as line %zu; \"duplicates\": \"sum\", "
                                    "\"first\" or \"last\" allows it",
                                    last->line);
        }
        last->value = merged(last->value, row->value, r->config->duplicates);
        r->duplicates++;
    }
    r->count = n;
    return 0;
}

/* ---- bins ---- */

static int by_length(const void *a, const void *b)
{
    sim_ns x = *(const sim_ns *)a, y = *(const sim_ns *)b;
    return (x > y) - (x < y);
}

/* The value of the longest run in ascending steps, the smallest of equals. */
static sim_ns most_frequent(const sim_ns *steps, size_t n)
{
    sim_ns best = steps[0];
    size_t best_run = 0;
    for (size_t i = 0; i < n;) {
        size_t j = i;
        while (j < n && steps[j] == steps[i]) {
            j++;
        }
        if (j - i > best_run) {
            best_run = j - i;
            best = steps[i];
        }
        i = j;
    }
    return best;
}

static int find_bin(const struct reading *r, sim_ns *bin, struct err *e)
{
    size_t n = r->count - 1;
    if (r->rows[n].ns - r->rows[0].ns > TRAFFIC_MAX_SPAN) {
        return trace_file_fault(r->csv.file, r->rows[n].line, e,
                                "more than 100 years after the first row");
    }
    *bin = r->config->bin;
    if (*bin > 0) {
        return 0;
    }
    if (n == 0) {
        return trace_file_fault(r->csv.file, r->rows[0].line, e,
                                "one row does not tell how long it counts: give \"bin\"");
    }
    sim_ns *steps = malloc(n * sizeof *steps);
    if (steps == NULL) {
        return err_set(e, ERR_SYSTEM, NULL, "no memory for %zu rows", n);
    }
    for (size_t i = 0; i < n; i++) {
        steps[i] = r->rows[i + 1].ns - r->rows[i].ns;
    }
    qsort(steps, n, sizeof *steps, by_length);
    *bin = most_frequent(steps, n);
    free(steps);
    return 0;
}

/* ---- points ---- */

/* How long row i holds. */
static sim_ns hold_of(const struct reading *r, size_t i, sim_ns bin, struct series *s)
{
    if (i + 1 == r->count) {
        return bin;
    }
    sim_ns step = r->rows[i + 1].ns - r->rows[i].ns;
    if (step > bin && step - bin < bin / 2) {
        s->jittered++;
        return step;
    }
    return step < bin ? step : bin;
}

static void add_point(struct rate_point *points, size_t *n, sim_ns at, double qps)
{
    /* Equal neighbours are one piece; a long quiet night takes no memory. */
    if (*n > 0 && (points[*n - 1].qps == qps || (isnan(points[*n - 1].qps) && isnan(qps)))) {
        return;
    }
    points[(*n)++] = (struct rate_point){at, qps};
}

static int value_qps(const struct reading *r, size_t i, const struct series *s, sim_ns hold,
                     double *qps, struct err *e)
{
    *qps = r->rows[i].value;
    if (s->counts) {
        *qps /= (double)hold / (double)SIM_SECOND;
    }
    if (*qps > TRAFFIC_MAX_QPS) {
        return trace_file_fault(r->csv.file, r->rows[i].line, e,
                                "a rate of %g requests a second is above %g", *qps,
                                TRAFFIC_MAX_QPS);
    }
    return 0;
}

static int fill_points(const struct reading *r, struct series *s, struct rate_point *points,
                       struct err *e)
{
    size_t n = 0;
    for (size_t i = 0; i < r->count; i++) {
        sim_ns at = r->rows[i].ns - s->origin_ns;
        sim_ns hold = hold_of(r, i, s->bin, s);
        double qps;
        if (value_qps(r, i, s, hold, &qps, e) != 0) {
            return -1;
        }
        add_point(points, &n, at, qps);
        bool last = i + 1 == r->count;
        sim_ns step = last ? SIM_NEVER : r->rows[i + 1].ns - r->rows[i].ns;
        if (step > hold) {
            add_point(points, &n, at + hold, (double)NAN);
        }
        if (!last && (step > hold || isnan(qps))) {
            s->gaps++;
            s->gap_total += isnan(qps) ? step : step - hold;
        }
        s->span = at + hold;
    }
    s->count = n;
    return 0;
}

static int make_points(const struct reading *r, struct series *s, struct arena *a, struct err *e)
{
    if (find_bin(r, &s->bin, e) != 0) {
        return -1;
    }
    struct rate_point *work = malloc(2 * r->count * sizeof *work);
    if (work == NULL) {
        return err_set(e, ERR_SYSTEM, NULL, "no memory for %zu rows", r->count);
    }
    int status = fill_points(r, s, work, e);
    struct rate_point *kept = status == 0 ? arena_take(a, s->count, sizeof *kept, e) : NULL;
    if (kept != NULL) {
        memcpy(kept, work, s->count * sizeof *kept);
    }
    s->points = kept;
    free(work);
    return kept != NULL ? 0 : -1;
}

static bool counts_per_bin(const struct reading *r)
{
    return r->config->values == TRAFFIC_PER_BIN ||
           (r->config->values == TRAFFIC_VALUES_AUTO && r->csv.counts);
}

int series_load(struct series *s, struct arena *a, const char *path, const struct traffic_config *c,
                struct err *e)
{
    assert(path != NULL);
    *s = (struct series){0};
    struct reading r = {.config = c};
    struct csv_wish wish = {c->time_column, c->column, true};
    int status = csv_open(&r.csv, path, &wish, e);
    if (status == 0) {
        status = read_rows(&r, e);
    }
    if (status == 0) {
        status = repair(&r, e);
    }
    if (status == 0) {
        s->kind = r.kind;
        s->origin_ns = r.kind == STAMP_OFFSET ? 0 : r.rows[0].ns;
        s->rows = r.count;
        s->out_of_order = r.out_of_order;
        s->duplicates = r.duplicates;
        s->counts = counts_per_bin(&r);
        status = make_points(&r, s, a, e);
    }
    csv_close(&r.csv);
    free(r.rows);
    return status;
}
