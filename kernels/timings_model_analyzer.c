/* timings_model_analyzer: the result tables of Triton's Model Analyzer.
 *
 * Several tables may stand below each other; the one with a batch and a throughput is meant. A
 * row with concurrency 1 is a batch after the other: batch / throughput is the mean time of one,
 * its way to the server included. Columns: triton-inference-server/model_analyzer,
 * docs/metrics.md and config.md, 2023. */
#include "kernels/timings.h"

#include "kernels/timings_table.h"
#include "sim/text.h"

#include <stdio.h>
#include <string.h>

static bool is_head(const char *line, size_t n)
{
    const char *at = strstr(line, "Throughput (infer/sec)");
    return strncmp(line, "Model", 5) == 0 && at && at < line + n;
}

static bool fits(const char *text)
{
    for (const char *line = text; *line;) {
        size_t n = strcspn(line, "\n");
        if (is_head(line, n))
            return true;
        line += n + (line[n] != '\0');
    }
    return false;
}

enum { COLUMN_BATCH, COLUMN_CONCURRENCY, COLUMN_THROUGHPUT, COLUMN_P50, COLUMN_P99, COLUMNS };

static const char *const names[COLUMNS] = {"Batch", "Concurrency", "Throughput (infer/sec)",
                                           "p50 Latency (ms)", "p99 Latency (ms)"};

struct table {
    const struct timings_source *s;
    int at[COLUMNS], model, config;
    char chosen[96]; /* model and configuration whose rows are taken */
    bool inside;     /* behind a head of the right kind */
    struct timings *out;
};

static int read_head(struct table *t, char *const *fields, size_t n, size_t line, struct err *e)
{
    char place[TIMINGS_PLACE];
    for (int i = 0; i < COLUMNS; i++)
        t->at[i] = timings_table_find(fields, n, names[i]);
    t->model = timings_table_find(fields, n, "Model");
    t->config = timings_table_find(fields, n, "Model Config Path");
    t->inside = t->at[COLUMN_THROUGHPUT] >= 0;
    timings_table_place(t->s, line, place);
    if (t->inside && (t->at[COLUMN_BATCH] < 0 || t->at[COLUMN_CONCURRENCY] < 0))
        return err_set(e, ERR_INPUT, place,
                       "the table of throughputs lacks its columns Batch and Concurrency: leave "
                       "them in inference_output_fields");
    return 0;
}

/* Is the row of the wanted configuration? Without a wish of the only one. */
static int choose(struct table *t, char *const *fields, size_t n, size_t line, struct err *e)
{
    char place[TIMINGS_PLACE];
    const char *model = t->model >= 0 && (size_t)t->model < n ? fields[t->model] : "";
    const char *config = t->config >= 0 && (size_t)t->config < n ? fields[t->config] : model;
    if (t->s->config)
        return strcmp(t->s->config, model) == 0 || strcmp(t->s->config, config) == 0;
    if (t->chosen[0] == '\0')
        snprintf(t->chosen, sizeof t->chosen, "%.*s", text_cut(config, sizeof t->chosen - 1),
                 config);
    if (strncmp(t->chosen, config, strlen(t->chosen)) == 0)
        return 1;
    timings_table_place(t->s, line, place);
    return err_set(e, ERR_INPUT, place,
                   "'%.*s' beside '%.*s': name one of the configurations by --model-config",
                   text_cut(config, 40), config, text_cut(t->chosen, 40), t->chosen);
}

static int read_row(struct table *t, char *const *fields, size_t n, size_t line, struct err *e)
{
    char place[TIMINGS_PLACE];
    double v[COLUMNS] = {0};
    int wanted = choose(t, fields, n, line, e);
    if (wanted <= 0)
        return wanted;
    timings_table_place(t->s, line, place);
    for (int i = 0; i < COLUMNS; i++) {
        if (t->at[i] < 0)
            continue;
        const char *field = (size_t)t->at[i] < n ? fields[t->at[i]] : "";
        if (!text_parse_double(field, &v[i]) || v[i] < 0)
            return err_set(e, ERR_INPUT, place, "%s: '%.*s' is no number of 0 or more", names[i],
                           text_cut(field, 40), field);
    }
    if (v[COLUMN_CONCURRENCY] != 1)
        return 0;
    if (t->model >= 0 && (size_t)t->model < n)
        snprintf(t->out->model, sizeof t->out->model, "%.*s",
                 text_cut(fields[t->model], sizeof t->out->model - 1), fields[t->model]);
    if (v[COLUMN_THROUGHPUT] <= 0)
        return err_set(e, ERR_INPUT, place, "a throughput of 0");
    struct batch_point p = {.batch = v[COLUMN_BATCH],
                            .time_s = v[COLUMN_BATCH] / v[COLUMN_THROUGHPUT]};
    p.cv = v[COLUMN_P50] > 0 ? timings_cv(v[COLUMN_P50], v[COLUMN_P99])
                             : timings_cv_of_mean(p.time_s * 1e3, v[COLUMN_P99]);
    return timings_add(t->out, t->s, line, &p, e);
}

static int read(struct arena *a, const struct timings_source *s, struct timings *out, struct err *e)
{
    struct timings_table lines = {s->text, 0};
    struct table t = {.s = s, .out = out};
    (void)a;
    for (char *line; (line = timings_table_line(&lines));) {
        char *fields[TIMINGS_TABLE_FIELDS];
        size_t n = timings_table_fields(line, fields);
        if (n == 1 && fields[0][0] == '\0')
            t.inside = false;
        else if (strcmp(fields[0], "Model") == 0) {
            if (read_head(&t, fields, n, lines.line, e))
                return -1;
        } else if (t.inside && read_row(&t, fields, n, lines.line, e))
            return -1;
    }
    snprintf(out->remark, sizeof out->remark,
             "Times are the pace of one client, its network and queue included.");
    if (out->n == 0)
        return err_set(e, ERR_INPUT, s->path,
                       "no row of concurrency 1%s: only there is the time of a batch free of "
                       "waiting",
                       s->config ? " of that configuration" : "");
    return 0;
}

const struct timings_format timings_model_analyzer = {
    "model_analyzer", "a table of Triton's Model Analyzer (metrics-model-inference.csv)", fits,
    read};
