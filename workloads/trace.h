/* trace: what a file recorded over time, in one form for all formats: prices, numbers of machines
 * that could be had, lives of machines.
 *
 * A format is one file workloads/trace_<name>.c that exports one `const struct trace_format
 * trace_<name>`; the build finds it by its name. */
#ifndef SLUICE_WORKLOADS_TRACE_H
#define SLUICE_WORKLOADS_TRACE_H

#include "sim/clock.h"
#include "sim/err.h"
#include "workloads/stamp.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct json;
struct text;

enum trace_kind {
    TRACE_PRICE,        /* value: micro-units an hour, until the next point */
    TRACE_AVAILABILITY, /* value: machines that could be had, until the next point */
    TRACE_LIFETIME,     /* ns: how long a machine lived; value 1: it was lost, 0: it was not (its
                           life is censored) */
    TRACE_KINDS
};
const char *trace_kind_name(enum trace_kind k); /* "price", "availability", "lifetime" */

struct trace_point {
    int64_t ns; /* as struct stamp counts it */
    int64_t value;
    uint32_t line, order; /* in the file */
};

/* What the points of one series have in common; "" where the file does not say. */
struct trace_key {
    const char *type, *zone;
    const char *product;  /* operating system, as EC2 sells it */
    const char *currency; /* of prices */
};

/* Open data; points ascend (lives: in the order of the file) and no two share their time. */
struct trace_series {
    struct trace_key key;
    int64_t list_micro; /* the on-demand price an hour that the file states; 0: none */
    struct trace_point *points;
    size_t n, capacity;
};

/* Open data; lives in the arena that it was read into. */
struct trace {
    const struct trace_format *format;
    const char *path;
    enum stamp_kind stamps;
    sim_ns tick; /* distance of the samples, when the file states one; else 0 */
    struct trace_series *series;
    size_t n_series, capacity;
    size_t rows, out_of_order, duplicates; /* rows repaired: sorted; replaced by a later one */
    size_t left_out;                       /* lives whose start is not known */
    struct arena *arena;
};

#define TRACE_MAX_ROWS 10000000
#define TRACE_MAX_SERIES 65536
#define TRACE_MAX_NS (100 * 365 * SIM_DAY) /* of a trace or a life */

/* A file as formats look at it. */
struct trace_line {
    char *text; /* may be written to */
    uint32_t line;
};
struct trace_input {
    const char *path;
    struct arena *arena;
    const struct json *root; /* of a JSON file, else NULL */
    /* Of a table: the lines but blank ones and those that begin with #; the first holds names. */
    struct trace_line *lines;
    size_t n_lines;
    char delimiter;
    const char **names; /* of the columns */
    size_t n_names;
};

struct trace_format {
    const char *name; /* "awsSpotPrice" */
    const char *doc;  /* one line */
    enum trace_kind kind;
    bool (*knows)(const struct trace_input *in);
    int (*read)(const struct trace_input *in, struct trace *out, struct err *e);
    void (*write)(const struct trace *t, struct text *to);
};

/* Every format, sorted by name; ends with NULL. Written by the build from trace_*.c. */
extern const struct trace_format *const trace_formats[];

/* Plain, or packed by gzip or zstd. The format is told by the content. ERR_INPUT at file:line
 * (:column) of what is wrong; a file of no known format: with the list of those there are, and
 * t->format NULL. */
int trace_load(struct trace *t, struct arena *a, const char *path, struct err *e);

/* Distance of the samples: as stated, else the most frequent one of the first series; 60 s when
 * there is only one point. */
sim_ns trace_tick(const struct trace *t);
/* From the first point of any series to the last, and where samples have a stated distance to the
 * end of the last; not for lives. */
struct trace_span {
    int64_t first, end;
};
struct trace_span trace_span(const struct trace *t);

/* The same from the text of a file; path is only named. */
int trace_parse(struct trace *t, struct arena *a, const char *path, const char *text, size_t length,
                struct err *e);

/* ---- for formats ---- */

struct trace_row {
    struct trace_key key; /* copied */
    int64_t ns, value, list_micro;
    enum stamp_kind stamps;
    uint32_t line;
};
/* ERR_INPUT when the kinds of stamps differ or a limit is met. */
int trace_add(struct trace *t, const struct trace_row *row, struct err *e);
/* Always -1: "path:line: ...". */
int trace_fault(const char *path, uint32_t line, struct err *e, const char *fmt, ...)
    ERR_PRINTF(4, 5);
/* The same at a node of a JSON file. */
int trace_fault_at(const struct json *at, struct err *e, const char *what);

/* The first column with one of these names, whatever the letter case; -1: there is none. names end
 * with NULL. */
int trace_column(const struct trace_input *in, const char *const *names);
/* Names that every format of tables understands. */
extern const char *const trace_time_names[], *const trace_type_names[], *const trace_zone_names[];

/* Cuts line i of a table into n_names fields, which the caller gives room for. */
int trace_fields(const struct trace_input *in, size_t i, char **fields, struct err *e);
#define TRACE_MAX_COLUMNS 64
/* A column's field, "" for column -1. */
const char *trace_field(char *const *fields, int column);

/* "2024-03-01T02:00:00Z" for Unix and wall times, seconds for offsets; buf of 40 bytes. Returns
 * buf. */
char *trace_stamp(char *buf, enum stamp_kind kind, int64_t ns);
/* The stamp of a field; `what` names it in the message. */
int trace_time(const char *path, uint32_t line, const char *field, struct stamp *out,
               struct err *e);
/* A price an hour: micro-units, at least 0, at most six decimals count (rounded half up beyond). */
bool trace_price(const char *digits, int64_t *micro);

#endif
