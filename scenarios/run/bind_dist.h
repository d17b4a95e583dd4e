/* bind_dist: the reader of a distribution: a duration, or an object that names its kind. */
#ifndef SLUICE_SCENARIOS_RUN_BIND_DIST_H
#define SLUICE_SCENARIOS_RUN_BIND_DIST_H

#include "scenarios/run/bind_field.h"

/* Stores a struct dist of nanoseconds at f->at. */
int bind_dist_read(struct bind *b, const struct bind_field *f, struct err *e);

#endif
