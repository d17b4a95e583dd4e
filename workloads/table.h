/* table: the rows of a CSV file as named columns, packed or not. */
#ifndef SLUICE_WORKLOADS_TABLE_H
#define SLUICE_WORKLOADS_TABLE_H

#include "sim/err.h"
#include "workloads/trace_file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TABLE_COLUMNS_MAX 64

/* Open data. The first line that is neither blank nor begins with # is the header; columns are
 * found by name, whatever its letter case, and stand in the order asked for. */
struct table {
    struct trace_file *file;
    char delimiter;
    size_t columns;                  /* every row has as many */
    const char *const *names;        /* asked for; ends with NULL */
    size_t at[TABLE_COLUMNS_MAX];    /* column of the file, by asked name */
    char *fields[TABLE_COLUMNS_MAX]; /* of the last row, by asked name; valid until the next */
};

/* ERR_INPUT when a column is missing, with those that there are, and for an empty file. Closed by
 * table_close also after an error. */
int table_open(struct table *t, const char *path, const char *const *names, struct err *e);
/* 1 and t->fields, 0 at the end, -1. */
int table_next(struct table *t, struct err *e);
/* Line of the last row, from 1. */
size_t table_line(const struct table *t);
/* The field as a whole number in 0..most; ERR_INPUT with line and column. */
int table_count(const struct table *t, size_t column, int64_t most, int64_t *out, struct err *e);
/* err_set(e, ERR_INPUT, "path:line", ...) for the last row; always -1. */
#define table_fault(t, e, ...) trace_file_fault((t)->file, table_line(t), e, __VA_ARGS__)
void table_close(struct table *t);

#endif
