/* store_table: what the store's tables hold: one description for writing and reading. */
#ifndef SLUICE_REPORTS_STORE_TABLE_H
#define SLUICE_REPORTS_STORE_TABLE_H

#include <stdbool.h>
#include <stddef.h>

/* How a field stands in its column. */
enum store_kind {
    STORE_TEXT,
    STORE_BOOL,
    STORE_UINT32,
    STORE_INT64,
    STORE_UINT64,
    STORE_HEX, /* uint64_t, as 16 digits */
    STORE_SIZE,
    STORE_REAL, /* NaN is stored as NULL */
    STORE_MERGE,
    STORE_POINTS, /* doubles, as many as result_series.n, little-endian */
    STORE_RAW,    /* the same of result_samples.n */
};

struct store_column {
    const char *name;
    enum store_kind kind;
    size_t offset;
};

/* An array of result: items and their number at these offsets; or the result itself. */
struct store_table {
    const char *name;
    const struct store_column *columns;
    size_t n_columns;
    bool whole;                /* one row a run, without an ordinal: the result itself */
    size_t size, items, count; /* of an array */
};

/* Table "run" first; ends with a NULL name. */
extern const struct store_table store_table_all[];

/* Step i brings a file from version i to i + 1, STORE_VERSION of them. */
extern const char *const store_table_steps[];

#endif
