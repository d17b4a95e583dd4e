/* bind_field: one row at work and what is wrong with its value.
 *
 * Inside the binder only. Every failure is ERR_INPUT at the value's place, with its path first. */
#ifndef SLUICE_SCENARIOS_RUN_BIND_FIELD_H
#define SLUICE_SCENARIOS_RUN_BIND_FIELD_H

#include "sim/knob.h"

#include <stddef.h>

#define BIND_PATH_LONGEST 512
#define BIND_NAMES_MOST 64 /* choices and names of one row */

struct bind;
struct err;
struct json;

struct bind_field {
    const struct knob *row;
    const struct json *value;
    const char *path;
    void *at; /* where the value is stored */
};

typedef int bind_field_reader(struct bind *b, const struct bind_field *f, struct err *e);

/* A value as a message shows it; buf holds what must be put together. */
const char *bind_field_show(const struct json *v, char *buf, size_t size);

/* "found X, expected ...", then the hint: for a value of the wrong type or notation. -1. */
int bind_field_expected(const struct bind_field *f, const char *hint, struct err *e);

/* "unknown name 'x'; did you mean 'y'? allowed: ..." for a name among n. -1. */
int bind_field_unknown_name(const struct bind_field *f, const char *found, const char *const *names,
                            size_t n, struct err *e);

/* Whether a number, in the unit of the file, keeps the row's bounds. */
int bind_field_check_range(const struct bind_field *f, double v, struct err *e);

/* Whether a list of n elements keeps the row's bounds. */
int bind_field_check_count(const struct bind_field *f, size_t n, struct err *e);

/* Adds path and place to an error that came from a model, which knows neither. -1. */
int bind_field_complete(const struct json *at, const char *path, struct err *e);

#endif
