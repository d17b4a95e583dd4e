/* timings_perf_analyzer: the CSV of Triton's perf_analyzer -f.
 *
 * A row is a concurrency or a request rate, times are microseconds. The time that the model held
 * the device is the server's compute, which knows neither queue nor network; without it, the pace
 * of a single client. The file does not say its batch (some people add a column). Columns: source
 * triton-inference-server/client, docs/measurements_metrics.md and report_writer.cc, 2023. */
#include "kernels/timings.h"

#include "kernels/timings_table.h"
#include "sim/text.h"

#include <stdio.h>
#include <string.h>

static bool fits(const char *text)
{
    const char *end = text + strcspn(text, "\n");
    const char *at = strstr(text, "Inferences/Second");
    return at && at < end;
}

enum {
    COLUMN_CONCURRENCY,
    COLUMN_RATE,
    COLUMN_BATCH,
    COLUMN_PACE,
    COLUMN_INPUT,
    COLUMN_INFER,
    COLUMN_OUTPUT,
    COLUMN_COMPUTE, /* the three in one, up to 2020 */
    COLUMN_P50,
    COLUMN_P99,
    COLUMNS
};

static const char *const names[COLUMNS] = {
    "Concurrency",           "Request Rate",         "Batch Size",
    "Inferences/Second",     "Server Compute Input", "Server Compute Infer",
    "Server Compute Output", "Server Compute",       "p50 latency",
    "p99 latency",
};

struct header {
    int at[COLUMNS]; /* -1: there is none */
    size_t n;
};

/* A row's figures; 0 where the column is missing. */
struct row {
    double v[COLUMNS];
};

static int read_row(const struct timings_source *s, const struct header *h, char *text, size_t line,
                    struct row *out, struct err *e)
{
    char place[TIMINGS_PLACE], *fields[TIMINGS_TABLE_FIELDS];
    size_t n = timings_table_fields(text, fields);
    timings_table_place(s, line, place);
    *out = (struct row){{0}};
    for (int i = 0; i < COLUMNS; i++) {
        if (h->at[i] < 0)
            continue;
        const char *field = (size_t)h->at[i] < n ? fields[h->at[i]] : "";
        if (!text_parse_double(field, &out->v[i]) || out->v[i] < 0)
            return err_set(e, ERR_INPUT, place, "%s: '%.*s' is no number of 0 or more", names[i],
                           text_cut(field, 40), field);
    }
    return 0;
}

static double load_of(const struct row *r)
{
    return r->v[COLUMN_CONCURRENCY] > 0 ? r->v[COLUMN_CONCURRENCY] : r->v[COLUMN_RATE];
}

static int add(const struct timings_source *s, const struct row *r, size_t line,
               struct timings *out, struct err *e)
{
    char place[TIMINGS_PLACE];
    double compute_us = r->v[COLUMN_INPUT] + r->v[COLUMN_INFER] + r->v[COLUMN_OUTPUT];
    struct batch_point p = {.batch = r->v[COLUMN_BATCH] > 0 ? r->v[COLUMN_BATCH] : s->batch,
                            .cv = timings_cv(r->v[COLUMN_P50], r->v[COLUMN_P99])};
    timings_table_place(s, line, place);
    if (p.batch <= 0)
        return err_set(e, ERR_INPUT, place,
                       "perf_analyzer's file does not say the batch (-b): give it by --batches");
    compute_us = compute_us > 0 ? compute_us : r->v[COLUMN_COMPUTE];
    if (compute_us > 0)
        p.time_s = compute_us * 1e-6;
    else if (r->v[COLUMN_CONCURRENCY] == 1 && r->v[COLUMN_PACE] > 0)
        p.time_s = p.batch / r->v[COLUMN_PACE];
    else
        return err_set(e, ERR_INPUT, place,
                       "neither the server's compute times nor a row of concurrency 1: what is "
                       "there holds waiting");
    if (compute_us <= 0)
        snprintf(out->remark, sizeof out->remark,
                 "Times are the pace of one client, its network and queue included.");
    return timings_add(out, s, line, &p, e);
}

/* Of the rows of one batch the least loaded: more load only adds waiting. Rows are sorted by
 * throughput, so it can be anywhere. */
struct best {
    struct row row;
    size_t line;
};

static int keep(struct best *best, size_t *n, const struct best *r)
{
    size_t i = 0;
    while (i < *n && best[i].row.v[COLUMN_BATCH] != r->row.v[COLUMN_BATCH])
        i++;
    if (i == TIMINGS_MAX)
        return -1;
    if (i == *n || load_of(&r->row) < load_of(&best[i].row))
        best[i] = *r;
    *n += i == *n;
    return 0;
}

static int read(struct arena *a, const struct timings_source *s, struct timings *out, struct err *e)
{
    struct timings_table t = {s->text, 0};
    char *fields[TIMINGS_TABLE_FIELDS], *line = timings_table_line(&t);
    struct best best[TIMINGS_MAX], r;
    struct header h = {.n = line ? timings_table_fields(line, fields) : 0};
    size_t n = 0;
    (void)a;
    for (int i = 0; i < COLUMNS; i++)
        h.at[i] = timings_table_find(fields, h.n, names[i]);
    if (h.at[COLUMN_PACE] < 0 || (h.at[COLUMN_CONCURRENCY] < 0 && h.at[COLUMN_RATE] < 0))
        return err_set(e, ERR_INPUT, s->path,
                       "the first line lacks Inferences/Second, or Concurrency or Request Rate");
    while ((line = timings_table_line(&t))) {
        if (*timings_table_trim(line) == '\0')
            continue;
        r.line = t.line;
        if (read_row(s, &h, line, t.line, &r.row, e))
            return -1;
        if (keep(best, &n, &r))
            return err_set(e, ERR_INPUT, s->path, "more than %d batches", TIMINGS_MAX);
    }
    for (size_t i = 0; i < n; i++)
        if (add(s, &best[i].row, best[i].line, out, e))
            return -1;
    return 0;
}

const struct timings_format timings_perf_analyzer = {
    "perf_analyzer", "the CSV that Triton's perf_analyzer writes with -f", fits, read};
