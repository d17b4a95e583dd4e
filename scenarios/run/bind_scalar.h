/* bind_scalar: the readers of numbers, notations of the platform, texts and names. */
#ifndef SLUICE_SCENARIOS_RUN_BIND_SCALAR_H
#define SLUICE_SCENARIOS_RUN_BIND_SCALAR_H

#include "scenarios/run/bind_field.h"

#include <stdint.h>

/* The reader of a kind, NULL for a kind that is not read here. */
bind_field_reader *bind_scalar_reader(enum knob_kind kind);

/* A plain number, stored as double. */
int bind_scalar_number(struct bind *b, const struct bind_field *f, struct err *e);

/* A duration in nanoseconds, from 0. */
int bind_scalar_duration(const struct bind_field *f, int64_t *ns, struct err *e);

#endif
