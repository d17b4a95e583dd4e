/* table: rows as named columns. */
#include "workloads/table.h"

#include "sim/text.h"
#include "workloads/fields.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define NONE SIZE_MAX

static int next_line(struct table *t, char **line, struct err *e)
{
    for (;;) {
        size_t length;
        int status = trace_file_next(t->file, line, &length, e);
        if (status != 1)
            return status;
        if ((*line)[strspn(*line, " \t")] != '\0' && **line != '#')
            return 1;
    }
}

/* Cuts a line; fields beyond the limit are an error. */
static int cut(struct table *t, char *line, char **fields, size_t *n, struct err *e)
{
    for (*n = 0; line; (*n)++) {
        if (*n == TABLE_COLUMNS_MAX)
            return table_fault(t, e, "more than %d columns", TABLE_COLUMNS_MAX);
        if (!fields_take(&line, t->delimiter, &fields[*n]))
            return table_fault(t, e, "a quoted field does not end before the next delimiter");
    }
    return 0;
}

static int missing(const struct table *t, const char *name, char **header, struct err *e)
{
    char all[400] = "";
    int at = 0;
    for (size_t i = 0; i < t->columns && at >= 0 && (size_t)at < sizeof all; i++)
        at += snprintf(all + at, sizeof all - (size_t)at, "%s%s", i ? ", " : "", header[i]);
    return table_fault(t, e, "no column '%s'; there are: %s", name, all);
}

static int read_header(struct table *t, struct err *e)
{
    char *line, *header[TABLE_COLUMNS_MAX];
    int status = next_line(t, &line, e);
    if (status == 0)
        return err_set(e, ERR_INPUT, trace_file_path(t->file), "the file is empty");
    if (status < 0)
        return -1;
    t->delimiter = fields_delimiter(line);
    if (cut(t, line, header, &t->columns, e))
        return -1;
    for (size_t k = 0; t->names[k]; k++) {
        assert(k < TABLE_COLUMNS_MAX);
        t->at[k] = NONE;
        for (size_t i = 0; i < t->columns && t->at[k] == NONE; i++)
            if (strcasecmp(header[i], t->names[k]) == 0)
                t->at[k] = i;
        if (t->at[k] == NONE)
            return missing(t, t->names[k], header, e);
    }
    return 0;
}

int table_open(struct table *t, const char *path, const char *const *names, struct err *e)
{
    *t = (struct table){.names = names};
    t->file = trace_file_open(path, e);
    return t->file ? read_header(t, e) : -1;
}

void table_close(struct table *t)
{
    if (t->file)
        trace_file_close(t->file);
    t->file = NULL;
}

size_t table_line(const struct table *t)
{
    return trace_file_line(t->file);
}

int table_next(struct table *t, struct err *e)
{
    char *line, *all[TABLE_COLUMNS_MAX];
    size_t n;
    int status = next_line(t, &line, e);
    if (status != 1)
        return status;
    if (cut(t, line, all, &n, e))
        return -1;
    if (n != t->columns)
        return table_fault(t, e, "%zu fields; the header has %zu", n, t->columns);
    for (size_t k = 0; t->names[k]; k++)
        t->fields[k] = all[t->at[k]];
    return 1;
}

int table_count(const struct table *t, size_t column, int64_t most, int64_t *out, struct err *e)
{
    if (!text_parse_int64(t->fields[column], out))
        return table_fault(t, e, "%s: '%.40s' is no whole number", t->names[column],
                           t->fields[column]);
    if (*out < 0 || *out > most)
        return table_fault(t, e, "%s: %lld is out of range; allowed is 0..%lld", t->names[column],
                           (long long)*out, (long long)most);
    return 0;
}
