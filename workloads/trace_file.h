/* trace_file: the lines of a text file, plain or packed by gzip or zstd. */
#ifndef SLUICE_WORKLOADS_TRACE_FILE_H
#define SLUICE_WORKLOADS_TRACE_FILE_H

#include "sim/err.h"

#include <stddef.h>

struct trace_file;

/* A longer line is an input error: no trace has one, and memory stays bounded. */
#define TRACE_FILE_MAX_LINE (1u << 20)

/* Packing is told by the first bytes, not by the name. ERR_INPUT when there is no such file or it
 * is a folder; NULL then. path is copied. */
struct trace_file *trace_file_open(const char *path, struct err *e);
void trace_file_close(struct trace_file *f);

/* The next line without its LF or CRLF, and without a byte order mark in front of the first:
 * 1 and *line, which may be written to and is valid until the next call; 0 at the end; -1.
 * ERR_INPUT on a NUL byte, UTF-16, a line too long, and damaged or cut-off packing. */
int trace_file_next(struct trace_file *f, char **line, size_t *length, struct err *e);
/* Number of the line that trace_file_next gave last, from 1. */
size_t trace_file_line(const struct trace_file *f);
const char *trace_file_path(const struct trace_file *f);

/* err_set(e, ERR_INPUT, "path:line", ...) for a line of this file; always -1. */
int trace_file_fault(const struct trace_file *f, size_t line, struct err *e, const char *fmt, ...)
    ERR_PRINTF(4, 5);

#endif
