/* csv: the time and the value of each row of a table, its columns found by name. */
#ifndef SLUICE_WORKLOADS_CSV_H
#define SLUICE_WORKLOADS_CSV_H

#include "workloads/trace_file.h"

#include <stdbool.h>
#include <stddef.h>

/* Open data. A header is a first line whose time field does not begin with a digit; then columns
 * are found by name, whatever its letter case. Without one they are asked for by number, and are
 * the first and the second when not asked for. Comma, semicolon or tab; fields may stand in double
 * quotes; blank lines and lines that begin with # are skipped. */
struct csv {
    struct trace_file *file;
    char delimiter;
    size_t columns;     /* every row has as many */
    size_t time, value; /* numbers of the columns, from 0 */
    bool wants_value;
    bool counts; /* the value column is named like a count */
    bool held;   /* the first row was read already, while looking for a header */
    char *first; /* that row */
};

/* What to look for; NULL stands for the usual names. */
struct csv_wish {
    const char *time, *value; /* a name, or a number from 1 */
    bool wants_value;
};

struct csv_row {
    char *time, *value; /* value NULL when not wanted; valid until the next call */
    size_t line;
};

/* Closed by csv_close also after an error. ERR_INPUT when a column is missing, with those that
 * there are, and for an empty file. */
int csv_open(struct csv *c, const char *path, const struct csv_wish *wish, struct err *e);
/* 1 and the row, 0 at the end, -1. */
int csv_next(struct csv *c, struct csv_row *row, struct err *e);
void csv_close(struct csv *c);

#endif
