/* csv: the time and the value of each row of a table, its columns found by name. */
#include "workloads/csv.h"

#include "sim/text.h"
#include "workloads/fields.h"

#include <assert.h>
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NONE SIZE_MAX
#define NAMES_SHOWN 16

static const char *const time_names[] = {
    "offset_s", "offset", "elapsed_s", "time_s",   "seconds",        "second",
    "t",        "time",   "timestamp", "datetime", "date",           "epoch_s",
    "epoch",    "unix",   "ts",        "period",   "timestamp_anon", NULL};
static const char *const rate_names[] = {"qps",  "rps",       "rate_per_s", "requests_per_second",
                                         "rate", "req_per_s", "value",      NULL};
static const char *const count_names[] = {"requests", "count", "counts", "invocations", NULL};

/* ---- one line ---- */

static int quote_fault(const struct csv *c, struct err *e)
{
    return trace_file_fault(c->file, trace_file_line(c->file), e,
                            "a quoted field does not end before the next delimiter");
}

static int next_line(struct csv *c, char **line, struct err *e)
{
    for (;;) {
        size_t length;
        int status = trace_file_next(c->file, line, &length, e);
        if (status != 1) {
            return status;
        }
        if ((*line)[strspn(*line, " \t")] != '\0' && **line != '#') {
            return 1;
        }
    }
}

/* ---- columns ---- */

/* What one walk over the header has found; smaller rank is better. */
struct found {
    size_t time, rate, count;
    size_t time_rank, rate_rank, count_rank;
    size_t wished_time, wished_value;
};

static void rank(const char *name, const char *const *known, size_t column, size_t *best,
                 size_t *best_rank)
{
    for (size_t i = 0; known[i] != NULL; i++) {
        if (i < *best_rank && strcasecmp(name, known[i]) == 0) {
            *best = column;
            *best_rank = i;
        }
    }
}

static bool wished(const char *name, const char *wish, size_t already)
{
    return wish != NULL && already == NONE && strcasecmp(name, wish) == 0;
}

static int walk_header(struct csv *c, char *line, const struct csv_wish *w, struct found *f,
                       struct err *e)
{
    *f = (struct found){NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE};
    char *name;
    for (c->columns = 0; line != NULL; c->columns++) {
        if (!fields_take(&line, c->delimiter, &name)) {
            return quote_fault(c, e);
        }
        rank(name, time_names, c->columns, &f->time, &f->time_rank);
        rank(name, rate_names, c->columns, &f->rate, &f->rate_rank);
        rank(name, count_names, c->columns, &f->count, &f->count_rank);
        if (wished(name, w->time, f->wished_time)) {
            f->wished_time = c->columns;
        }
        if (wished(name, w->value, f->wished_value)) {
            f->wished_value = c->columns;
            for (size_t i = 0; count_names[i] != NULL; i++) {
                c->counts |= strcasecmp(name, count_names[i]) == 0;
            }
        }
    }
    return 0;
}

/* The first names of the header, for a message. */
static void list_names(struct csv *c, char *line, char *out, size_t size)
{
    size_t n = 0, used = 0;
    char *name;
    out[0] = '\0';
    while (line != NULL && n < NAMES_SHOWN && fields_take(&line, c->delimiter, &name)) {
        int wrote = snprintf(out + used, size - used, "%s%.40s", n > 0 ? ", " : "", name);
        if (wrote < 0 || (size_t)wrote >= size - used) {
            return;
        }
        used += (size_t)wrote;
        n++;
    }
    if (line != NULL && size - used > 5) {
        memcpy(out + used, ", ...", 6);
    }
}

/* "3" -> column 2. */
static size_t by_number(const struct csv *c, const char *wish)
{
    int64_t n;
    bool number = wish != NULL && text_parse_int64(wish, &n) && n >= 1;
    return number && (uint64_t)n <= c->columns ? (size_t)(n - 1) : NONE;
}

static int missing(struct csv *c, const char *what, const char *wish, const char *names,
                   struct err *e)
{
    if (wish != NULL) {
        return trace_file_fault(c->file, trace_file_line(c->file), e,
                                "there is no column \"%.80s\"; columns: %s", wish, names);
    }
    return trace_file_fault(c->file, trace_file_line(c->file), e,
                            "no column is known to hold the %s: name one with %s; columns: %s",
                            what, what[0] == 't' ? "timeColumn" : "column", names);
}

static int choose_time(struct csv *c, const struct found *f, const struct csv_wish *w,
                       const char *names, struct err *e)
{
    if (w->time != NULL) {
        c->time = f->wished_time != NONE ? f->wished_time : by_number(c, w->time);
        return c->time != NONE ? 0 : missing(c, "time", w->time, names, e);
    }
    c->time = f->time != NONE ? f->time : 0;
    return 0;
}

static int choose_value(struct csv *c, const struct found *f, const struct csv_wish *w,
                        const char *names, struct err *e)
{
    if (w->value != NULL) {
        c->value = f->wished_value != NONE ? f->wished_value : by_number(c, w->value);
        return c->value != NONE ? 0 : missing(c, "rate", w->value, names, e);
    }
    if (f->rate != NONE && f->rate != c->time) {
        c->value = f->rate;
    } else if (f->count != NONE && f->count != c->time) {
        c->value = f->count;
        c->counts = true;
    } else if (c->columns == 2) {
        c->value = 1 - c->time;
    } else {
        return missing(c, "rate", NULL, names, e);
    }
    return 0;
}

static int read_header(struct csv *c, char *line, const struct csv_wish *w, struct err *e)
{
    size_t size = strlen(line) + 1;
    char *copy = malloc(size), names[400];
    if (copy == NULL) {
        return err_set(e, ERR_SYSTEM, NULL, "no memory for a header");
    }
    memcpy(copy, line, size);
    list_names(c, copy, names, sizeof names);
    free(copy);
    struct found f;
    if (walk_header(c, line, w, &f, e) != 0 || choose_time(c, &f, w, names, e) != 0) {
        return -1;
    }
    return c->wants_value ? choose_value(c, &f, w, names, e) : 0;
}

/* No header: columns by number, the first line is a row already. */
static int read_bare(struct csv *c, char *line, const struct csv_wish *w, struct err *e)
{
    size_t size = strlen(line) + 1;
    c->first = malloc(size);
    if (c->first == NULL) {
        return err_set(e, ERR_SYSTEM, NULL, "no memory for a row");
    }
    memcpy(c->first, line, size);
    c->held = true;
    char *field;
    for (c->columns = 0; line != NULL; c->columns++) {
        if (!fields_take(&line, c->delimiter, &field)) {
            return quote_fault(c, e);
        }
    }
    c->time = w->time != NULL ? by_number(c, w->time) : 0;
    c->value = w->value != NULL ? by_number(c, w->value) : 1;
    if (c->time == NONE || (c->wants_value && c->value >= c->columns)) {
        return trace_file_fault(c->file, trace_file_line(c->file), e,
                                "the file has no header and %zu column%s: name columns by number, "
                                "from 1",
                                c->columns, text_plural(c->columns, "", "s"));
    }
    return 0;
}

/* A time begins with a digit, a name does not; a row may begin with other fields. */
static bool looks_like_header(struct csv *c, const char *line, const struct csv_wish *w)
{
    int64_t n = 1;
    if (w->time != NULL && (!text_parse_int64(w->time, &n) || n < 1)) {
        return true; /* asked for by name */
    }
    for (const char *next = line; n > 1 && (next = strchr(next, c->delimiter)) != NULL; n--) {
        line = ++next;
    }
    line += strspn(line, " \t\"");
    return !isdigit((unsigned char)*line);
}

int csv_open(struct csv *c, const char *path, const struct csv_wish *wish, struct err *e)
{
    *c = (struct csv){.wants_value = wish->wants_value};
    c->file = trace_file_open(path, e);
    char *line;
    if (c->file == NULL) {
        return -1;
    }
    int status = next_line(c, &line, e);
    if (status < 0) {
        return -1;
    }
    if (status == 0) {
        return err_set(e, ERR_INPUT, path, "the file is empty");
    }
    c->delimiter = fields_delimiter(line);
    return looks_like_header(c, line, wish) ? read_header(c, line, wish, e)
                                            : read_bare(c, line, wish, e);
}

int csv_next(struct csv *c, struct csv_row *row, struct err *e)
{
    char *line = c->first;
    if (!c->held) {
        int status = next_line(c, &line, e);
        if (status != 1) {
            return status;
        }
    }
    c->held = false;
    *row = (struct csv_row){NULL, NULL, trace_file_line(c->file)};
    char *field;
    size_t i = 0;
    for (; line != NULL; i++) {
        if (!fields_take(&line, c->delimiter, &field)) {
            return quote_fault(c, e);
        }
        if (i == c->time) {
            row->time = field;
        }
        if (c->wants_value && i == c->value) {
            row->value = field;
        }
    }
    if (i != c->columns) {
        return trace_file_fault(c->file, row->line, e, "%zu field%s where there are %zu columns", i,
                                text_plural(i, "", "s"), c->columns);
    }
    return 1;
}

void csv_close(struct csv *c)
{
    trace_file_close(c->file);
    free(c->first);
    *c = (struct csv){0};
}
